/* The devices and pipelines that come with the program, for tests of the core. BW_SRC names the sources. */
#pragma once
#include "gpu/device.h"
#include "pipeline/pipeline.h"

/* The records of data/devices.json, *n of them (n may be NULL); fails the test where they cannot be read. Free them with free. */
struct bw_device *bundled_devices(int *n);
/* The pipeline of data/descriptions/NAME.json; fails the test where it cannot be read. Free it with bw_pipeline_free. */
struct bw_pipeline *bundled_pipeline(const char *name);

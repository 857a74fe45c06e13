#include "bundled.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

struct bw_device *bundled_devices(int *n)
{
	char path[4096];
	int found;
	struct bw_error error = {0};
	snprintf(path, sizeof path, "%s/data/devices.json", getenv("BW_SRC"));
	struct bw_device *devices = bw_devices_read(path, n ? n : &found, &error);
	if (!devices)
		fail_msg("%s", error.text);
	return devices;
}

struct bw_pipeline *bundled_pipeline(const char *name)
{
	char path[4096];
	struct bw_error error = {0};
	snprintf(path, sizeof path, "%s/data/descriptions/%s.json", getenv("BW_SRC"), name);
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	return pipeline;
}

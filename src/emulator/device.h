/* The emulated device: its name, its limits, and its driver's errors. */
#pragma once
#include <stdbool.h>

#define BW_DEVICE_NAME "Emulated A100"
#define BW_DEVICE_MEMORY (UINT64_C(40) << 30) /* bytes, if the host has at least twice as many */
/* Attributes, with cuda.h's numbers, and the limits that launches are checked against. */
enum {
	BW_DEVICE_MAX_BLOCK_X = 2,
	BW_DEVICE_MAX_GRID_X = 5,
	BW_DEVICE_BLOCK_THREADS = 1024,
	BW_DEVICE_BLOCK_SHARED = 49152
};

/* Sets *value to a CUdevice_attribute. Returns false if the device does not have it. */
bool bw_device_attribute(int attribute, int *value);
/* Return an error's name in cuda.h and its meaning, or NULL for an unknown code. */
const char *bw_code_name(int code);
const char *bw_code_text(int code);

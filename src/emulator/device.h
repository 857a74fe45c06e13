/* The device that is emulated: its name, its limits, and the errors of its driver. */
#ifndef BW_EMULATOR_DEVICE_H
#define BW_EMULATOR_DEVICE_H
#include <stdbool.h>

#define BW_DEVICE_NAME "Emulated A100"
#define BW_DEVICE_MEMORY (UINT64_C(40) << 30) /* bytes, where the host has twice as many */
/* Attributes as cuda.h numbers them, and limits that launches are checked against. */
enum {
	BW_DEVICE_MAX_BLOCK_X = 2,
	BW_DEVICE_MAX_GRID_X = 5,
	BW_DEVICE_BLOCK_THREADS = 1024,
	BW_DEVICE_BLOCK_SHARED = 49152
};

/* Sets *value to a CUdevice_attribute. Returns false if it is none that the device has. */
bool bw_device_attribute(int attribute, int *value);
/* Return an error's name in cuda.h and what it means; NULL if it is none. */
const char *bw_code_name(int code);
const char *bw_code_text(int code);
#endif

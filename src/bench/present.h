/* Devices that are there: what a driver tells of them. The worker and its client share this. */
#pragma once
#include "gpu/device.h"

/* The most devices of a machine that are told. */
enum { BW_MOST_PRESENT = 32 };

struct bw_present {
	struct bw_device
	    device; /* fields that the driver does not tell are NAN; name: at most 63 bytes of the driver's */
	char name[128]; /* as the driver calls it */
	char driver[96]; /* name and version */
	char platform[96]; /* OpenCL's; empty: none */
	char bus[40]; /* place on the PCI bus, as 0000:65:00.0, known to the worker alone; empty: not told */
	int ordinal; /* among the devices of its API, and for OpenCL of its platform and kind (CPU or not) */
	double memory; /* bytes; NAN: not told */
};

struct bw_presents {
	int n;
	struct bw_present list[BW_MOST_PRESENT];
	char trouble[256]; /* why a driver that is installed tells of no device; empty: none does so */
};

/* The record of a device that is there, for schedules to be compiled for: what its driver tells, and the rest
 * as the record says that has its name (NVIDIA A100-SXM4-40GB: A100) or, where there is none, one that is
 * like it. Rates that are not told go with SMs and clock. The record's source says which is which. */
struct bw_device bw_present_record(const struct bw_present *present, const struct bw_device *records,
				   int n_records);
/* The record whose name the device has; NULL if there is none. */
const struct bw_device *bw_present_find(const struct bw_present *present, const struct bw_device *records,
					int n_records);
/* The place in the list of the device to measure on: one that has the name of `wanted` (NULL: none), else
 * CUDA's first, else OpenCL's first that is no CPU, else any; -1 if there is none. The emulated device is
 * chosen by its name alone, and no other in its place. */
int bw_presents_choose(const struct bw_presents *presents, const struct bw_device *wanted,
		       const struct bw_device *records, int n_records);

/* The devices of a machine, as their drivers describe them. The worker and its client share this file. */
#pragma once
#include "gpu/device.h"

/* The most devices of a machine that are listed. */
enum { BW_MOST_PRESENT = 32 };

struct bw_present {
	struct bw_device
	    device; /* fields that the driver does not know are NAN; name: the first 63 bytes of the driver's
		       name */
	char name[128]; /* the device's name in its driver */
	char driver[96]; /* name and version */
	char platform[96]; /* OpenCL platform; empty: none */
	char bus[40]; /* PCI bus address, as 0000:65:00.0; known only in the worker; empty: not known */
	int ordinal; /* index among the devices of its API; for OpenCL, among those of its platform that are
			CPUs, or are not */
	double memory; /* bytes; NAN: not known */
};

struct bw_presents {
	int n;
	struct bw_present list[BW_MOST_PRESENT];
	char trouble[256]; /* why an installed driver lists no device; empty: no such driver */
};

/* Returns a device record for compiling schedules for this device. Values that the driver does not know come
 * from the record with the device's name (A100 for NVIDIA A100-SXM4-40GB), or else from a similar device's
 * record. Rates from either record are scaled by the number of SMs and the clock. The record's source says
 * where the values come from. */
struct bw_device bw_present_record(const struct bw_present *present, const struct bw_device *records,
				   int n_records);
/* Returns the record with the device's name. Returns NULL if there is none. */
const struct bw_device *bw_present_find(const struct bw_present *present, const struct bw_device *records,
					int n_records);
/* Returns the index of the device to measure on: the device with the name of `wanted` (may be NULL), else the
 * first CUDA device, else the first OpenCL device that is not a CPU, else any device. Returns -1 if there is
 * none. The emulated device is chosen only if `wanted` names it; then no other device replaces it. */
int bw_presents_choose(const struct bw_presents *presents, const struct bw_device *wanted,
		       const struct bw_device *records, int n_records);

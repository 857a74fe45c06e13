/* Devices that are there: what a driver tells of them. The worker and its client share this. */
#ifndef BW_BENCH_PRESENT_H
#define BW_BENCH_PRESENT_H
#include "gpu/device.h"

/* The most devices of a machine that are told. */
enum { BW_MOST_PRESENT = 32 };

struct bw_present {
	struct bw_device device; /* fields that the driver does not tell are NAN; name: at most 63 bytes of the driver's */
	char name[128];          /* as the driver calls it */
	char driver[96];         /* name and version */
	char platform[96];       /* OpenCL's; empty: none */
	int ordinal;             /* among the devices of its API, and for OpenCL of its platform and kind (CPU or not) */
	double memory;           /* bytes; NAN: not told */
};

struct bw_presents {
	int n;
	struct bw_present list[BW_MOST_PRESENT];
	char trouble[256]; /* why a driver that is installed tells of no device; empty: none does so */
};
#endif

/* OpenCL as it is asked for devices; the library is opened at run time. */
#ifndef BW_BENCH_OPENCL_H
#define BW_BENCH_OPENCL_H
#include "bench/measurement.h"
#include "bench/present.h"

/* Appends the devices of all platforms. */
void bw_opencl_ask(struct bw_presents *devices);
/* Sets device, cpu and driver by the device behind a command queue; leaves them where it cannot be asked. */
void bw_opencl_tell(void *queue, struct bw_measurement *measurement);
#endif

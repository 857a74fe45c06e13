/* CUDA as it is asked for devices, for what its compiler makes of kernels, and for clocks; driver and NVML
 * are opened at run time. To be used in a process that ends then: the driver does not outlive a fork. */
#ifndef BW_BENCH_CUDA_H
#define BW_BENCH_CUDA_H
#include "bench/rates.h"
#include "bench/worker.h"

/* Appends the devices of the driver in the file `path`; NULL: of the system's. */
void bw_cuda_ask(const char *path, struct bw_presents *devices);
/* Sets device, cpu and driver by the device of the filter's context. */
void bw_cuda_tell(const struct bw_filter *filter, struct bw_measurement *measurement);
/* The clock of an SM in Hz, as it is right now; 0 if NVML is missing or does not tell. */
double bw_cuda_clock(const struct bw_filter *filter);
/* Compiles the kernels of an object of the request once more, for as many registers per thread as Halide's
 * runtime does, and fills *uses with what the driver says of them and of the launches that the request tells.
 * Returns false, with an error and only the register limit filled, on failure. */
bool bw_cuda_kernels(const struct bw_filter *filter, const struct bw_request *request, int object,
		     struct bw_kernel_uses *uses, struct bw_error *error);
/* Takes the rates of a device for about `seconds`; *rates is kept up to date, so that what was taken is there
 * even if the process is killed. A rate that could not be taken says why in its `error`. Sets *error only if
 * the device cannot be used at all. */
void bw_cuda_rates(int ordinal, double seconds, struct bw_rates *rates, struct bw_error *error);
#endif

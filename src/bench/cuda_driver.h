/* CUDA's driver and NVML, opened at run time. */
#ifndef BW_BENCH_CUDA_DRIVER_H
#define BW_BENCH_CUDA_DRIVER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/cuda_abi.h"
#include "gpu/device.h"

struct bw_cuda {
#define X(field, symbol, type) __typeof__((type)0) field;
	BW_CUDA_TABLE(X)
#undef X
	bool emulated; /* it is beamwalk's own, which runs kernels on the CPU */
};

struct bw_nvml {
#define X(field, symbol, type) __typeof__((type)0) field;
	BW_NVML_TABLE(X)
#undef X
	bw_nvml_device handle;
};

/* Opens the driver in the file `path`; NULL: the one that is loaded already, or else the system's. Returns
 * false if there is none, or if it does not work: then *trouble says why. */
bool bw_cuda_open(struct bw_cuda *cuda, const char *path, char *trouble, size_t size);
/* Loads beamwalk's emulated driver from the file `path`, so that it is the one that later calls find, and so
 * does Halide's runtime. */
void bw_cuda_emulate(const char *path);
/* Returns what the emulated driver, if it is loaded, says of the last call of it that failed; "" if there is
 * nothing to say. */
const char *bw_cuda_emulated_trouble(void);
/* Returns false if the emulated driver is not loaded. Else writes how many bytes were to be copied to the
 * host, and how many of them were not, because they depend on blocks that were not run. */
bool bw_cuda_emulated_skipped(uint64_t *skipped, uint64_t *copied);
/* Writes a name as in `NVIDIA 550.54.15, CUDA 12.4`; the second is the newest version of the API that the
 * driver knows. */
void bw_cuda_name_driver(const struct bw_cuda *cuda, char *driver, size_t size);
/* Fills the fields of a record that the driver tells; the others are NAN. */
void bw_cuda_figures(const struct bw_cuda *cuda, int device, struct bw_device *figures);
/* Opens NVML for a device of CUDA's. Returns false if it is missing or does not know the device. */
bool bw_nvml_open(const struct bw_cuda *cuda, int device, struct bw_nvml *nvml);
/* Returns the clock of an SM in Hz, as it is right now; 0 if NVML does not tell. */
double bw_nvml_clock(const struct bw_nvml *nvml);
#endif

/* Device records. Every limit and rate of a GPU is a field of a record; no other part of the program
 * contains such numbers. */
#pragma once

#include "base/json.h"

enum bw_api { BW_API_OPENCL, BW_API_CUDA };

/* Most records in a data file. */
enum { BW_MAX_DEVICES = 1024 };

/* Fields of a record: name in C, key in the data file, unit, meaning. All are numbers. */
#define BW_DEVICE_TABLE(X) \
	X(capability, "capability", "", "CUDA compute capability, 80 for 8.0; 0 if it is not a CUDA device") \
	X(sms, "sms", "SMs", "streaming multiprocessors") \
	X(warp_size, "warp_size", "threads", "threads per warp") \
	X(threads_per_block, "threads_per_block", "threads", "most threads per block") \
	X(threads_per_sm, "threads_per_sm", "threads", "most resident threads per SM") \
	X(blocks_per_sm, "blocks_per_sm", "blocks", "most resident blocks per SM") \
	X(warps_per_sm, "warps_per_sm", "warps", "most resident warps per SM") \
	X(block_x, "block_x", "threads", "most threads of a block in x") \
	X(block_y, "block_y", "threads", "most threads of a block in y") \
	X(block_z, "block_z", "threads", "most threads of a block in z") \
	X(grid_x, "grid_x", "blocks", "most blocks of a grid in x") \
	X(grid_y, "grid_y", "blocks", "most blocks of a grid in y") \
	X(grid_z, "grid_z", "blocks", "most blocks of a grid in z") \
	X(registers_per_sm, "registers_per_sm", "registers", "32-bit registers per SM") \
	X(registers_per_block, "registers_per_block", "registers", "most registers per block") \
	X(registers_per_thread, "registers_per_thread", "registers", "most registers per thread that the hardware supports") \
	X(register_limit, "register_limit", "registers", "registers per thread that Halide's runtime compiles for") \
	X(register_unit, "register_unit", "registers", "unit in which registers are allocated to warps") \
	X(warp_unit, "warp_unit", "warps", "unit in which the warps of a block are allocated registers") \
	X(shared_per_sm, "shared_per_sm", "bytes", "shared memory per SM") \
	X(shared_per_block, "shared_per_block", "bytes", "most shared memory per block with Halide's runtime") \
	X(shared_reserved, "shared_reserved", "bytes", "shared memory per block that the system reserves") \
	X(shared_unit, "shared_unit", "bytes", "unit in which shared memory is allocated") \
	X(shared_banks, "shared_banks", "banks", "banks of shared memory, each 4 bytes wide") \
	X(sector, "sector", "bytes", "smallest transfer from global memory") \
	X(global_bandwidth, "global_bandwidth", "bytes/s", "bandwidth of global memory") \
	X(l2_bandwidth, "l2_bandwidth", "bytes/s", "bandwidth of the L2 cache, whole device") \
	X(l2_bytes, "l2_bytes", "bytes", "size of the L2 cache") \
	X(shared_bandwidth, "shared_bandwidth", "bytes/s", "bandwidth of shared memory, whole device") \
	X(register_bandwidth, "register_bandwidth", "bytes/s", "bytes of operands that lanes read from registers, whole device") \
	X(float_rate, "float_rate", "operations/s", "32-bit floating-point operations, a fused multiply-add counted as one") \
	X(int_rate, "int_rate", "operations/s", "32-bit integer operations") \
	X(double_rate, "double_rate", "operations/s", "64-bit floating-point operations") \
	X(special_rate, "special_rate", "operations/s", "divisions, square roots, transcendental functions") \
	X(launch_seconds, "launch_seconds", "s", "time to launch a kernel") \
	X(barrier_seconds, "barrier_seconds", "s", "time for a block to pass a barrier") \
	X(gap_seconds, "gap_seconds", "s", "time between two kernels of which the second was launched before the first ended") \
	X(block_seconds, "block_seconds", "s", "time between the beginnings of two blocks, whole device") \
	X(l1_clocks, "l1_clocks", "clocks", "from a load to its value in the L1 cache, idle device") \
	X(l2_clocks, "l2_clocks", "clocks", "from a load to its value in the L2 cache, idle device") \
	X(memory_clocks, "memory_clocks", "clocks", "from a load to its value in global memory, idle device") \
	X(atomic_clocks, "atomic_clocks", "clocks", "between two atomic operations at one place of global memory") \
	X(clock, "clock", "1/s", "clock of an SM")

struct bw_device {
	char name[64]; /* the name for --gpu: A100 */
	char target[96];   /* Halide target features, without architecture and operating system:
			      cuda-cuda_capability_80 */
	char ptxas[16]; /* architecture for ptxas: sm_80; empty if it is not a CUDA device */
	enum bw_api api;
	bool cpu;         /* the device is a CPU: its times are marked `cpu`, and no occupancy is shown */
	char source[512]; /* origin of the figures */
#define X(field, key, unit, text) double field;
	BW_DEVICE_TABLE(X)
#undef X
};

/* Reads all records of a data file (beamwalk-devices(5)) and validates them. All fields must be present,
 * except those with a default value (gpu/device.c). Counts must be whole numbers up to 2147483647. Values
 * must be positive, unless a device may lack the feature. A record with the key `like` takes its missing
 * fields from the device of that name, which must come earlier in the file. Returns NULL with an error
 * that names file, record and key. Free with free(). */
struct bw_device *bw_devices_read(const char *path, int *n_devices, struct bw_error *error);
/* Reads records from text; errors call it name. */
struct bw_device *bw_devices_parse(const char *name, const char *text, size_t length, int *n_devices,
				   struct bw_error *error);
/* Reads the records of a file, in addition to the n_base devices of `base`. A record with the name of a
 * device of `base` overrides it and contains only the fields that differ. `like` may also name a device of
 * `base`. New devices are appended. *n_devices is set to the total number. */
struct bw_device *bw_devices_read_over(const struct bw_device *base, int n_base, const char *path,
				       int *n_devices, struct bw_error *error);
struct bw_device *bw_devices_parse_over(const struct bw_device *base, int n_base, const char *name,
					const char *text, size_t length, int *n_devices,
					struct bw_error *error);
/* Returns the device of this name, ignoring case, blanks, hyphens and underscores; NULL if there is none. */
const struct bw_device *bw_device_find(const struct bw_device *devices, int n_devices, const char *name);
/* Fails with an error for an unknown device name. The error lists the known devices after the text `of`. */
bool bw_device_unknown(const struct bw_device *devices, int n_devices, const char *of, const char *name,
		       struct bw_error *error);

/* Returns the suffix of a device's name: " (cpu)" for a CPU, " (emulated)" if an interpreter runs the CUDA
 * kernels, "" for a GPU. */
const char *bw_device_mark(const struct bw_device *device);
/* Returns true if an interpreter runs the device's CUDA kernels. Accepts NULL. */
bool bw_device_emulated(const struct bw_device *device);

/* Resources that keep an SM from holding more blocks: name in C, in words. The first of several equally
 * scarce ones is reported. */
#define BW_LIMITER_TABLE(X) \
	X(BW_LIMITED_BY_THREADS, "threads") \
	X(BW_LIMITED_BY_BLOCKS, "blocks") \
	X(BW_LIMITED_BY_REGISTERS, "registers") \
	X(BW_LIMITED_BY_SHARED, "shared memory")

enum bw_limiter { BW_LIMITER_TABLE(BW_FIRST) BW_N_LIMITERS };

/* The resources of one block. */
struct bw_block_needs {
	int64_t threads;   /* at least 1 */
	int64_t registers; /* per thread; 0: unknown, not a limit */
	int64_t shared_bytes;
};

struct bw_occupancy {
	int64_t blocks_per_sm; /* resident on one SM; 0: a block does not fit */
	int64_t warps_per_sm;
	double occupancy; /* resident warps / most warps, 0..1 */
	double lanes;     /* threads / (warps * warp size) of a block, 0..1 */
	enum bw_limiter limiter;
};

/* Returns the occupancy by NVIDIA's rules (CUDA's cuda_occupancy.h, and the tables of technical
 * specifications in the CUDA C++ programming guide). */
struct bw_occupancy bw_occupancy(const struct bw_device *device, const struct bw_block_needs *needs);
const char *bw_limiter_name(enum bw_limiter limiter);

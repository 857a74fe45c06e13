/* Running a kernel: blocks on threads of the host, the warps of a block in turns. */
#pragma once
#include <pthread.h>

#include "emulator/check.h"
#include "emulator/sample.h"

/* CUDA driver errors, with cuda.h's numbers. */
enum bw_cuda_code {
	BW_CODE_INVALID_VALUE = 1,
	BW_CODE_OUT_OF_MEMORY = 2,
	BW_CODE_NOT_INITIALIZED = 3,
	BW_CODE_NO_DEVICE = 100,
	BW_CODE_INVALID_DEVICE = 101,
	BW_CODE_INVALID_CONTEXT = 201,
	BW_CODE_NO_BINARY = 209,
	BW_CODE_INVALID_PTX = 218,
	BW_CODE_UNSUPPORTED_PTX = 222,
	BW_CODE_INVALID_HANDLE = 400,
	BW_CODE_NOT_FOUND = 500,
	BW_CODE_ILLEGAL_ADDRESS = 700,
	BW_CODE_LAUNCH_RESOURCES = 701,
	BW_CODE_TIMEOUT = 702,
	BW_CODE_ASSERT = 710,
	BW_CODE_ILLEGAL_INSTRUCTION = 715,
	BW_CODE_MISALIGNED = 716,
	BW_CODE_LAUNCH_FAILED = 719,
	BW_CODE_NOT_SUPPORTED = 801
};

enum { BW_FAULT_TEXT = 600 };

/* Why a launch failed. Of several blocks that fail, the first in the order of the grid. */
struct bw_fault {
	int code; /* 0: it did not */
	uint64_t block;
	char text[BW_FAULT_TEXT];
};

struct bw_ptx_launch {
	const struct bw_ptx_kernel *kernel;
	struct bw_memory *memory;
	unsigned grid[3], threads[3]; /* blocks, and threads of a block, in x, y, z */
	uint32_t dynamic_shared;      /* per block, in addition to the kernel's own declarations */
	const unsigned char *parameters;
	uint64_t most_steps; /* instructions that a warp may run */
	int host_threads;
	struct bw_counts *counts; /* by part of the kernel: the counters to add to; NULL: no counting */
	struct bw_checks *checks; /* NULL: no checks for races or uninitialized memory */
	uint64_t whole;               /* instructions of threads that it may take to be run whole; more: a sample
					 is run */
	bool least; /* the fewest blocks that tell its kinds apart are run, even with atomics: for counts alone */
	/* While it runs, and after it. */
	const uint64_t *numbers; /* of the n blocks to run; NULL: all */
	uint64_t n;
	struct bw_block_sample *sample;      /* counters are added to its kinds; NULL: to `counts` */
	bool follows;                        /* tracks which bytes are known */
	uint64_t sampled;                    /* blocks that were run for all; 0: all were run */
	_Atomic uint64_t next, instructions; /* block to run; run by all threads of all blocks */
	_Atomic bool stopped;
	pthread_mutex_t lock;
	struct bw_fault fault;
};

/* Runs all blocks, or a sample of them. Returns 0, or the error, which launch->fault describes. */
int bw_launch_run(struct bw_ptx_launch *launch);

struct bw_block;
/* Runs a block to its end. Returns false if it failed. */
bool bw_block_run(struct bw_block *block);

/* The emulated device: its name, its limits, and its driver's errors. */
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

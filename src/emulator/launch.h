/* Running a kernel: threads of the host run the blocks, and the warps of a block take turns. */
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

/* Why a launch failed. If several blocks fail, this is about the first of them in the order of the grid. */
struct bw_fault {
	int code; /* of enum bw_cuda_code; 0: the launch did not fail */
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
	/* per part of the kernel: counters that the launch adds to; NULL: no counting */
	struct bw_counts *counts;
	struct bw_checks *checks; /* NULL: no checks for races or uninitialized memory */
	/* most thread instructions of a launch that runs whole; a longer launch runs only a sample of its
	 * blocks */
	uint64_t whole;
	/* run only as few blocks as the kinds of blocks need (emulator/sample.h), even if the kernel has
	 * atomics; for callers that need only the counters */
	bool least;
	/* The state of the launch while it runs, and its results: */
	const uint64_t *numbers; /* numbers of the n blocks to run; NULL: all blocks */
	uint64_t n;
	/* counters are added to the kinds of this sample; NULL: to `counts` */
	struct bw_block_sample *sample;
	bool follows;                        /* tracks which bytes are known */
	/* number of blocks in the sample that ran; 0: all blocks of the grid ran */
	uint64_t sampled;
	_Atomic uint64_t next, instructions; /* next block to run; instructions that all threads have run */
	_Atomic bool stopped;
	pthread_mutex_t lock;
	struct bw_fault fault;
};

/* Runs all blocks, or a sample of them. Returns 0, or an error code that launch->fault explains. */
int bw_launch_run(struct bw_ptx_launch *launch);

struct bw_block;
/* Runs a block to its end. Returns false if it failed. */
bool bw_block_run(struct bw_block *block);

/* The emulated device: its name, its limits, and its driver's errors. */
#define BW_DEVICE_NAME "Emulated A100"
#define BW_DEVICE_MEMORY (UINT64_C(40) << 30) /* bytes, if the host has at least twice as many */
/* Numbers of attributes (from cuda.h), and the limits that launches are checked against. */
enum {
	BW_DEVICE_MAX_BLOCK_X = 2,
	BW_DEVICE_MAX_GRID_X = 5,
	BW_DEVICE_BLOCK_THREADS = 1024,
	BW_DEVICE_BLOCK_SHARED = 49152
};

/* Sets *value to the value of a CUdevice_attribute. Returns false if the device does not have the
 * attribute. */
bool bw_device_attribute(int attribute, int *value);
/* Return an error's name in cuda.h and its meaning, or NULL for an unknown code. */
const char *bw_code_name(int code);
const char *bw_code_text(int code);

/* SASS, the machine code of a device: the instructions of the kernels in a cubin for sm_70 to sm_90, and how
 * often each runs. */
#pragma once
#include "bench/counted.h"

struct bw_sass_instruction {
	uint8_t kind;     /* enum bw_sass_kind */
	uint8_t bytes;    /* loaded or stored per thread; other instructions: 0 */
	uint8_t flow;     /* enum bw_sass_flow */
	bool predicated;  /* it has a predicate: some threads may skip it */
	int target;       /* of a branch: index of the target instruction; -1: not in this kernel */
	int line;         /* line of the PTX from which it was compiled, from 1; 0: not known */
	uint16_t opcode;  /* without the bits for the form of the operands */
	double runs;      /* number of warps that run it, set by bw_sass_count */
};

/* Where execution goes after an instruction. */
enum bw_sass_flow { BW_SASS_ON, BW_SASS_BRANCH, BW_SASS_END };

struct bw_sass_kernel {
	const char *name; /* points into the cubin */
	int n;
	struct bw_sass_instruction *code;
};

struct bw_sass {
	int n;
	struct bw_sass_kernel *kernels;
};

/* Reads a cubin of `length` bytes for architecture sm. The bytes must be followed by a 0 and outlive the
 * result. Lines are known if ptxas ran with -lineinfo. Free with bw_sass_free(). Returns NULL with an error
 * that begins with name if the bytes are not a cubin, or are for another architecture. */
struct bw_sass *bw_sass_read(const char *name, const char *cubin, size_t length, int sm,
			     struct bw_error *error);
void bw_sass_free(struct bw_sass *sass);
/* Writes an instruction without its operands: `LDG.32`, `FFMA`, or `opcode 0x1a3` if the opcode has no known
 * name. */
void bw_sass_words(const struct bw_sass_instruction *instruction, char *text, size_t size);
/* Sets the counts of each kernel and instruction in SASS. Derives them from how often the basic blocks of the
 * PTX ran. A kernel without known lines keeps only its PTX counts. */
void bw_sass_count(struct bw_sass *sass, const char *ptx, struct bw_counted *counted);

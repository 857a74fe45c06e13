/* SASS, what a device runs: the instructions of kernels in a cubin for sm_70 to sm_90, and how often they
 * run. */
#pragma once
#include "bench/counted.h"

struct bw_sass_instruction {
	uint8_t kind;     /* enum bw_sass_kind */
	uint8_t bytes;    /* that a thread loads or stores; else 0 */
	uint8_t flow;     /* enum bw_sass_flow */
	bool predicated;  /* some threads may leave it out */
	int target;       /* of a branch: the instruction to go to; -1: none in this kernel */
	int line;         /* of the PTX that it comes from, from 1; 0: not known */
	uint16_t opcode;  /* without the form of its operands */
	double runs;      /* of warps, once counted */
};

/* Where execution goes after an instruction. */
enum bw_sass_flow { BW_SASS_ON, BW_SASS_BRANCH, BW_SASS_END };

struct bw_sass_kernel {
	const char *name; /* in the cubin's bytes */
	int n;
	struct bw_sass_instruction *code;
};

struct bw_sass {
	int n;
	struct bw_sass_kernel *kernels;
};

/* Reads a cubin of `length` bytes for sm_NN, which must be followed by a 0 and outlive the result. Lines are
 * known if ptxas was asked for them (-lineinfo). Free with bw_sass_free(). Returns NULL with an error that
 * begins with name if it is no such file, or for another architecture. */
struct bw_sass *bw_sass_read(const char *name, const char *cubin, size_t length, int sm,
			     struct bw_error *error);
void bw_sass_free(struct bw_sass *sass);
/* Writes an instruction without its operands: `LDG.32`, `FFMA`, or `opcode 0x1a3` if its name is not
 * known. */
void bw_sass_words(const struct bw_sass_instruction *instruction, char *text, size_t size);
/* Sets what was counted of each kernel and instruction in SASS, from how often the blocks of its PTX ran. A
 * kernel whose lines are not known keeps what was counted of its PTX alone. */
void bw_sass_count(struct bw_sass *sass, const char *ptx, struct bw_counted *counted);

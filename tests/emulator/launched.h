/* Runs the body of a kernel on the emulated device, for the tests of this folder. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "emulator/launch.h"

enum { WORDS = 4096, WRITTEN = 2048 };

static uint32_t out[WORDS];
static bool known[WORDS];    /* after a run of a sample, or with unknown words: the first byte of the word is as if all blocks had run on what is known */
static bool doubtful[WORDS]; /* after a run that checked: the first byte of the word depends on memory that nothing wrote, or was not written */

/* A launch of the kernel with this body, with the address of `out` in %out and registers %r %f %d %h %p. */
struct run {
	const char *body, *functions; /* functions: in front of the kernel; may be NULL */
	unsigned grid[3], threads[3], shared;
	uint64_t steps;
	int host_threads;
	uint64_t whole; /* as in struct bw_ptx_launch */
	bool unknown;   /* the words from WRITTEN on are unknown at first */
	unsigned check; /* of enum bw_check; of `out` the host has written the words before WRITTEN then */
};

/* What the last run counted, and the blocks that it ran for all; 0: it ran all. */
static struct bw_counts counted;
static uint64_t sampled;

/* What the last run that checked said of elements that are rounded differently. */
static uint64_t n_rounded;
static char first_rounded[BW_DOUBT_TEXT];

/* Returns 0 or the error; *fault has its words. */
static int run(const struct run *what, struct bw_fault *fault)
{
	char text[8000], complaint[300];
	struct bw_ptx *module;
	int n = snprintf(text, sizeof text, ".version 7.0\n.target sm_80\n.address_size 64\n%s.visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<20>; .reg .b16 %%h<20>; .reg .b32 %%r<20>; .reg .f32 %%f<20>; .reg .b64 %%d<20>; .reg .b64 %%out;\n"
	                                         "ld.param.u64 %%out, [out];\ncvta.to.global.u64 %%out, %%out;\n%s\nret;\n}\n", what->functions ? what->functions : "", what->body);
	assert_true(n > 0 && (size_t)n < sizeof text);
	if (bw_ptx_read(text, (size_t)n, &module, complaint, sizeof complaint) != BW_PTX_GOOD)
		fail_msg("%s", complaint);
	struct bw_memory memory = {.most_bytes = 1 << 20, .has_cells = what->check != 0};
	struct bw_checks checks = {.what = what->check};
	uint64_t parameter = bw_memory_allocate(&memory, sizeof out);
	for (int k = 0; k < module->n_variables; k++)
		if (module->variables[k].memory)
			bw_memory_add(&memory, module->variables[k].memory, module->variables[k].bytes, false);
	const struct bw_allocation *of_out = bw_memory_find(&memory, parameter);
	struct bw_byte_cell *cells = of_out->cells;
	memset((void *)(uintptr_t)parameter, 0, sizeof out);
	for (int k = 0; cells && k < 4 * WRITTEN; k++)
		cells[k].plain.stamp = 1;
	if (what->unknown) {
		assert_true(bw_follow_begin(&memory));
		memset(of_out->known + 4 * WRITTEN, 0, sizeof out - 4 * WRITTEN);
		memory.has_unknown = true;
	}
	struct bw_ptx_launch launch = {.kernel = module->kernels[0], .memory = &memory, .grid = {what->grid[0] ? what->grid[0] : 1, what->grid[1] ? what->grid[1] : 1, what->grid[2] ? what->grid[2] : 1},
		.threads = {what->threads[0] ? what->threads[0] : 32, what->threads[1] ? what->threads[1] : 1, what->threads[2] ? what->threads[2] : 1}, .dynamic_shared = what->shared,
		.parameters = (unsigned char *)&parameter, .most_steps = what->steps ? what->steps : 100000, .host_threads = what->host_threads ? what->host_threads : 1, .checks = what->check ? &checks : NULL, .whole = what->whole};
	launch.counts = calloc((size_t)module->kernels[0]->n_parts, sizeof *launch.counts);
	assert_true(launch.counts && bw_touched_begin(&memory));
	int code = bw_launch_run(&launch);
	counted = (struct bw_counts){0};
	bw_touched_end(&memory, launch.counts, 1);
	for (int k = 0; k < module->kernels[0]->n_parts; k++)
		bw_counts_add(&counted, &launch.counts[k], 1);
	free(launch.counts);
	if (fault)
		*fault = launch.fault;
	else if (code)
		fail_msg("%s", launch.fault.text);
	memcpy(out, (void *)(uintptr_t)parameter, sizeof out);
	for (int k = 0; cells && k < WORDS; k++)
		doubtful[k] = !bw_cell_is_written(&cells[4 * k]) || cells[4 * k].doubtful;
	for (int k = 0; k < WORDS; k++)
		known[k] = !of_out->known || of_out->known[4 * k];
	sampled = launch.sampled;
	n_rounded = checks.n_rounded;
	strcpy(first_rounded, checks.rounded);
	bw_check_end(&checks);
	bw_memory_end(&memory);
	bw_ptx_free(module);
	return code;
}

/* %r0: tid.x; %d0: the address of out[tid.x]. */
#define MINE_WRITTEN "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d0, %%r0, 4; add.s64 %%d0, %%out, %%d0;\n"
#define MINE "mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.s64 %d0, %out, %d0;\n"

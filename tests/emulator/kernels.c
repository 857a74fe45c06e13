/* Whole kernels on the interpreter: divergence, barriers, shared memory, atomics, vectors, packing, special registers; and faults, each told by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "cost/lanes.h"
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

/* Lanes take different numbers of turns, and odd ones add 100 in each: lane l ends with l turns. */
static void divergence(void **state)
{
	run(&(struct run){.body = MINE "mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0;\n"
	                       "LOOP: setp.ge.u32 %p0, %r1, %r0; @%p0 bra DONE; add.u32 %r1, %r1, 1; @%p1 bra EVEN; add.u32 %r2, %r2, 100; bra.uni NEXT;\n"
	                       "EVEN: add.u32 %r2, %r2, 1;\nNEXT: bra LOOP;\nDONE: st.global.u32 [%d0], %r2;"}, NULL);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l % 2 ? 100 * l : l);
}

/* After lanes have met again, all of them take part in a vote. */
static void reconvergence(void **state)
{
	run(&(struct run){.body = MINE "setp.lt.u32 %p0, %r0, 10; @!%p0 bra JOIN; add.u32 %r0, %r0, 1000; JOIN: activemask.b32 %r1; st.global.u32 [%d0], %r1;"}, NULL);
	for (int l = 0; l < 32; l++)
		assert_int_equal(out[l], UINT32_MAX);
}

/* Lanes that have ended are not waited for. */
static void early_exit(void **state)
{
	run(&(struct run){.body = MINE "setp.lt.u32 %p0, %r0, 40; @%p0 exit; bar.sync 0; st.global.u32 [%d0], 7;", .threads = {64, 1, 1}}, NULL);
	assert_int_equal(out[39], 0);
	assert_int_equal(out[40], 7);
}

/* 64 threads turn a row round through shared memory: two warps, one barrier. */
static void shared_memory(void **state)
{
	run(&(struct run){.body = MINE ".shared .align 4 .b8 row[256]; mov.u64 %d1, row; mul.wide.u32 %d2, %r0, 4; add.s64 %d2, %d1, %d2; st.shared.u32 [%d2], %r0; bar.sync 0;\n"
	                       "mov.u32 %r1, 63; sub.u32 %r1, %r1, %r0; mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2; ld.shared.u32 %r2, [%d2]; st.global.u32 [%d0], %r2;", .threads = {64, 1, 1}}, NULL);
	for (uint32_t l = 0; l < 64; l++)
		assert_int_equal(out[l], 63 - l);
}

/* Generic addresses of shared and of local memory. */
static void generic_addresses(void **state)
{
	run(&(struct run){.body = MINE ".shared .align 4 .b8 row[128]; .local .align 8 .b8 mine[16]; mov.u64 %d1, row; cvta.shared.u64 %d1, %d1; mul.wide.u32 %d2, %r0, 4; add.s64 %d2, %d1, %d2; st.u32 [%d2], %r0;\n"
	                       "mov.u64 %d3, mine; cvta.local.u64 %d3, %d3; add.u32 %r1, %r0, 5; st.u32 [%d3+12], %r1; ld.local.u32 %r2, [mine+12]; ld.u32 %r3, [%d2]; add.u32 %r2, %r2, %r3; st.u32 [%d0], %r2;"}, NULL);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], 2 * l + 5);
}

/* 1000 threads on three threads of the host: sum, least and greatest of their numbers, and the last that compared and swapped. */
static void atomics(void **state)
{
	run(&(struct run){.body = "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 100, %r0; atom.global.add.u32 %r2, [%out], %r0; red.global.max.s32 [%out+4], %r0; sub.s32 %r3, 0, %r0;\n"
	                  "red.global.min.s32 [%out+8], %r3; atom.global.inc.u32 %r4, [%out+12], 9; cvt.rn.f32.u32 %f0, %r0; red.global.add.f32 [%out+16], %f0; atom.global.cas.b32 %r5, [%out+20], 0, 77;\n"
	                  "red.global.or.b32 [%out+24], %r0; atom.global.exch.b32 %r6, [%out+28], 5; mov.u64 %d1, 3; red.global.add.u64 [%out+32], %d1;", .grid = {10, 1, 1}, .threads = {100, 1, 1}, .host_threads = 3}, NULL);
	float sum;
	memcpy(&sum, &out[4], sizeof sum);
	assert_int_equal(out[0], 499500);
	assert_int_equal(out[1], 999);
	assert_int_equal((int32_t)out[2], -999);
	assert_int_equal(out[3], 0);
	assert_true(sum == 499500);
	assert_int_equal(out[5], 77);
	assert_int_equal(out[6], 1023);
	assert_int_equal(out[7], 5);
	assert_int_equal(out[8], 3000);
}

/* Vectors of four bytes and of two words, and packing: the lowest part is the first. */
static void vectors(void **state)
{
	run(&(struct run){.body = "mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.v2.u32 [%out], {%r1, %r2}; st.global.v4.u8 [%out+8], {%r1, %r2, %r1, %r2}; ld.global.v2.u16 {%h0, %h1}, [%out+8]; mov.b32 %r3, {%h1, %h0}; st.global.u32 [%out+12], %r3;\n"
	                  "mov.b64 %d0, {%r2, %r1}; st.global.u64 [%out+16], %d0; mov.b64 {%r4, %r5}, %d0; st.global.u32 [%out+24], %r5; mov.b64 {_, %r6}, %d0; st.global.u32 [%out+28], %r6; ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%out];\n"
	                  "st.global.u32 [%out+32], %r9; ld.global.s8 %r11, [%out+36]; st.global.u8 [%out+40], 200; ld.global.s8 %r11, [%out+40]; st.global.u32 [%out+44], %r11;", .threads = {1, 1, 1}}, NULL);
	static const uint32_t expected[] = {1, 2, 0x02010201, 0x02010201, 2, 1, 1, 1, 0x02010201, 0, 200, (uint32_t)-56};
	for (int k = 0; k < 12; k++)
		assert_int_equal(out[k], expected[k]);
}

/* Threads are numbered along x first; blocks likewise. */
static void special_registers(void **state)
{
	run(&(struct run){.body = "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mad.lo.u32 %r5, %r2, %r4, %r1; mad.lo.u32 %r5, %r5, %r3, %r0;\n"
	                  "mov.u32 %r6, %ctaid.y; mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ctaid.x; mad.lo.u32 %r6, %r6, %r7, %r8; mad.lo.u32 %r6, %r6, 60, %r5; mul.wide.u32 %d0, %r6, 4; add.s64 %d0, %out, %d0;\n"
	                  "mov.u32 %r9, %laneid; mov.u32 %r10, %warpid; mad.lo.u32 %r9, %r10, 32, %r9; sub.u32 %r9, %r9, %r5; add.u32 %r9, %r9, 1; st.global.u32 [%d0], %r9;", .grid = {2, 3, 1}, .threads = {5, 4, 3}}, NULL);
	for (int k = 0; k < 360; k++)
		assert_int_equal(out[k], 1);
	assert_int_equal(out[360], 0);
}

/* Shuffles by each mode; beyond the segment a lane keeps its own value and the predicate says so. */
static void shuffles(void **state)
{
	run(&(struct run){.body = MINE "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; shfl.sync.up.b32 %r2|%p0, %r0, 4, 0, -1; shfl.sync.down.b32 %r3|%p1, %r0, 4, 31, -1; shfl.sync.idx.b32 %r4, %r0, 3, 31, -1;\n"
	                       "st.global.u32 [%d0], %r1; st.global.u32 [%d0+128], %r2; st.global.u32 [%d0+256], %r3; st.global.u32 [%d0+384], %r4; selp.u32 %r5, 1, 0, %p0; st.global.u32 [%d0+512], %r5;\n"
	                       "shfl.sync.down.b32 %r6, %r0, 4, 0x181f, -1; st.global.u32 [%d0+640], %r6; vote.sync.ballot.b32 %r7, %p1, -1; st.global.u32 [%d0+768], %r7; redux.sync.add.u32 %r8, %r0, -1; st.global.u32 [%d0+896], %r8;"}, NULL);
	for (uint32_t l = 0; l < 32; l++) {
		assert_int_equal(out[l], l ^ 1);
		assert_int_equal(out[32 + l], l < 4 ? l : l - 4);
		assert_int_equal(out[64 + l], l < 28 ? l + 4 : l);
		assert_int_equal(out[96 + l], 3);
		assert_int_equal(out[128 + l], l >= 4);
		assert_int_equal(out[160 + l], l % 8 < 4 ? l + 4 : l); /* segments of eight lanes */
		assert_int_equal(out[192 + l], 0x0fffffff);
		assert_int_equal(out[224 + l], 496);
	}
}

/* Votes and reductions over the 32 lanes 0 .. 31, and over the 16 even ones. */
static void votes(void **state)
{
	run(&(struct run){.body = MINE "setp.lt.u32 %p0, %r0, 32; setp.eq.u32 %p1, %r0, 5; vote.sync.all.pred %p2, %p0, -1; vote.sync.any.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1; vote.sync.all.pred %p5, !%p1, -1;\n"
	                               "selp.u32 %r1, 1, 0, %p2; selp.u32 %r2, 2, 0, %p3; selp.u32 %r3, 4, 0, %p4; selp.u32 %r4, 8, 0, %p5; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; st.global.u32 [%d0], %r1;\n"
	                               "and.b32 %r5, %r0, 1; setp.eq.u32 %p6, %r5, 1; @%p6 bra OUT; bar.warp.sync 0x55555555; sub.s32 %r6, %r0, 16; redux.sync.min.s32 %r7, %r6, 0x55555555; redux.sync.max.s32 %r8, %r6, 0x55555555;\n"
	                               "redux.sync.min.u32 %r9, %r6, 0x55555555; redux.sync.max.u32 %r10, %r6, 0x55555555; redux.sync.add.s32 %r11, %r6, 0x55555555; redux.sync.and.b32 %r12, %r6, 0x55555555;\n"
	                               "redux.sync.or.b32 %r13, %r0, 0x55555555; redux.sync.xor.b32 %r14, %r0, 0x55555555; activemask.b32 %r15; membar.gl; st.global.u32 [%d0+128], %r7; st.global.u32 [%d0+256], %r8; st.global.u32 [%d0+384], %r9;\n"
	                               "st.global.u32 [%d0+512], %r10; st.global.u32 [%d0+640], %r11; st.global.u32 [%d0+768], %r12; st.global.u32 [%d0+896], %r13; st.global.u32 [%d0+1024], %r14; st.global.u32 [%d0+1152], %r15; OUT: mov.u32 %r1, 0;"}, NULL);
	static const uint32_t even[] = {(uint32_t)-16, 14, 0, (uint32_t)-2, (uint32_t)-16, 0, 30, 0, 0x55555555};
	for (uint32_t l = 0; l < 32; l++) {
		assert_int_equal(out[l], 1 + 2);
		for (uint32_t k = 0; k < 9; k++)
			assert_int_equal(out[32 * (k + 1) + l], l % 2 ? 0 : even[k]);
	}
}

/* A sum of 96 bits: the carry goes from word to word. */
static void carries(void **state)
{
	run(&(struct run){.body = "{.reg.b32 %r1;.reg.b16 low,high; mov.u32 %r1, 0; mov.b32 {low,high},%r1;} mov.u32 %r1, -1; add.cc.u32 %r2, %r1, 1; addc.cc.u32 %r3, %r1, 0; addc.u32 %r4, 5, 0; st.global.u32 [%out], %r2; st.global.u32 [%out+4], %r3; st.global.u32 [%out+8], %r4;\n"
	                  "sub.cc.u32 %r5, 0, 1; subc.u32 %r6, 7, 0; st.global.u32 [%out+12], %r5; st.global.u32 [%out+16], %r6;", .threads = {1, 1, 1}}, NULL);
	static const uint32_t expected[] = {0, 0, 6, UINT32_MAX, 6};
	for (int k = 0; k < 5; k++)
		assert_int_equal(out[k], expected[k]);
}

/* A function of a pair of 4 and 8 bytes, whose lanes leave it at two places; it calls another one. */
#define FUNCTIONS \
	".func (.param .align 8 .b8 r[16]) pair(.param .align 8 .b8 a[16], .param .b32 k);\n" \
	".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n" \
	".func (.param .align 8 .b8 r[16]) pair(.param .align 8 .b8 a[16], .param .b32 k)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n" \
	"ld.param.u32 %r1, [a]; ld.param.u64 %d1, [a+8]; ld.param.u32 %r2, [k]; setp.lt.u32 %p1, %r2, 3; @%p1 bra LESS;\n" \
	"{ .param .b32 v; .param .b32 w; st.param.b32 [v], %r1; call.uni (w), twice, (v); ld.param.u32 %r3, [w]; }\n" \
	"add.u64 %d2, %d1, 1000; st.param.b32 [r], %r3; st.param.b64 [r+8], %d2; ret;\n" \
	"LESS: add.u32 %r3, %r1, 5; st.param.b32 [r], %r3; st.param.b64 [r+8], %d1; setp.eq.u32 %p2, %r2, 2; @%p2 ret; st.param.b64 [r+8], 77; ret;\n}\n"
#define CALL(guard, k) \
	"{ .param .align 8 .b8 p0[16]; .param .b32 p1; .param .align 8 .b8 q[16]; st.param.b32 [p0], %r0; st.param.b64 [p0+8], %d0; st.param.b32 [p1], " k ";\n" guard " call.uni (q), pair, (p0, p1);\n" \
	guard " ld.param.u32 %r1, [q]; " guard " ld.param.u64 %d1, [q+8]; }\n"

static void calls(void **state)
{
	run(&(struct run){.functions = FUNCTIONS, .body = MINE "sub.s64 %d0, %d0, %out; mov.u32 %r1, 9; mov.u64 %d1, 9; setp.lt.u32 %p0, %r0, 20;\n" CALL("@%p0", "%r0") "mov.u32 %r5, %r1; cvt.u32.u64 %r6, %d1; add.u32 %r0, %r0, 100;\n" CALL("", "7")
							    "add.u64 %d0, %d0, %out; st.global.u32 [%d0], %r5; st.global.u32 [%d0+128], %r6; st.global.u32 [%d0+256], %r1; cvt.u32.u64 %r6, %d1; st.global.u32 [%d0+384], %r6;"}, NULL);
	for (uint32_t l = 0; l < 32; l++) {
		assert_int_equal(out[l], l >= 20 ? 9 : l < 3 ? l + 5 : 2 * l);
		assert_int_equal(out[32 + l], l >= 20 ? 9 : l < 2 ? 77 : l == 2 ? 8 : 4 * l + 1000);
		assert_int_equal(out[64 + l], 2 * (l + 100));
		assert_int_equal(out[96 + l], 4 * l + 1000);
	}
	/* What is passed is in registers: nothing of it is an access to memory. */
	assert_int_equal(counted.local_load_requests + counted.local_store_requests, 0);
	/* A value may be passed from a register to one, and threads may end in a function. */
	run(&(struct run){.functions = FUNCTIONS ".func stop(.param .b32 a)\n{\n.reg .pred %p<3>; .reg .b32 %r<3>;\nld.param.u32 %r1, [a]; setp.gt.u32 %p1, %r1, 5; @%p1 exit; ret;\n}\n",
			  .body = MINE "call (%r1), twice, (%r0); st.global.u32 [%d0], %r1; call stop, (%r0); st.global.u32 [%d0], 500; call (%r2), twice, (21); st.global.u32 [%d0+128], %r2;"}, NULL);
	for (uint32_t l = 0; l < 32; l++) {
		assert_int_equal(out[l], l > 5 ? 2 * l : 500);
		assert_int_equal(out[32 + l], l > 5 ? 0 : 42);
	}
}

/* A table of functions and of a variable's place: each lane calls the function whose address it has loaded; an address that is none of theirs is a fault. */
#define TABLE_OF_FUNCTIONS \
	".func (.param .b32 r) plus(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a]; add.u32 %r2, %r1, 100; st.param.b32 [r], %r2; ret;\n}\n" \
	".func (.param .b32 r) times(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [r], %r2; ret;\n}\n" \
	".func nothing(.param .b64 a)\n{\nret;\n}\n.global .align 4 .b32 numbers[3] = {4, 5, -6};\n.global .align 8 .u64 table[3] = {plus, times, generic(numbers)+8};\n"
#define CALL_LOADED \
	"mov.u64 %d1, table; and.b32 %r1, %r0, 1; mul.wide.u32 %d2, %r1, 8; add.s64 %d1, %d1, %d2; ld.global.u64 %d3, [%d1];\n" \
	"{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r0;\nshape: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (q), %d3, (p), shape; ld.param.u32 %r2, [q]; } ld.global.u64 %d4, [table+16]; ld.s32 %r3, [%d4]; add.u32 %r2, %r2, %r3; st.global.u32 [%d0], %r2;"

static void calls_by_address(void **state)
{
	struct bw_fault fault;
	run(&(struct run){.functions = TABLE_OF_FUNCTIONS, .body = MINE CALL_LOADED}, NULL);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], (l % 2 ? 3 * l : l + 100) - 6);
	assert_int_equal(run(&(struct run){.functions = TABLE_OF_FUNCTIONS, .body = MINE "mov.u64 %d5, 64; st.global.u64 [table+8], %d5;\n" CALL_LOADED}, &fault), BW_CODE_ILLEGAL_INSTRUCTION);
	if (!strstr(fault.text, "thread (1, 0, 0), line ") || !strstr(fault.text, " of the PTX, call: the kernel gives up"))
		fail_msg("%s", fault.text);
	assert_int_equal(run(&(struct run){.functions = ".extern .func __assertfail(.param .b64 a, .param .b32 line);\n", .body = MINE "setp.eq.u32 %p0, %r0, 9; @%p0 call.uni __assertfail, (%d0, 7);"}, &fault), BW_CODE_ASSERT);
	assert_non_null(strstr(fault.text, "of the PTX, call.uni: an assertion fails"));
	assert_int_equal(run(&(struct run){.functions = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n", .body = MINE "{ .param .b32 r; setp.eq.u32 %p0, %r0, 9; @%p0 call.uni (r), vprintf, (%d0, %d0); }"}, &fault), BW_CODE_NOT_SUPPORTED);
	assert_non_null(strstr(fault.text, "thread (9, 0, 0), line "));
	assert_non_null(strstr(fault.text, "this emulator does not print: run it without printf"));
}

/* A jump by a table, of three labels and one for all other numbers. */
static void jumps(void **state)
{
	run(&(struct run){.body = MINE "and.b32 %r1, %r0, 3; mov.u32 %r2, 0;\nTABLE: .branchtargets ZERO, ONE, TWO, MORE;\nbrx.idx %r1, TABLE;\nZERO: mov.u32 %r2, 10; bra DONE;\nONE: mov.u32 %r2, 11;\nTWO: add.u32 %r2, %r2, 12; bra DONE;\nMORE: mov.u32 %r2, 99;\n"
				       "DONE: activemask.b32 %r3; st.global.u32 [%d0], %r2; st.global.u32 [%d0+128], %r3;"}, NULL);
	static const uint32_t expected[] = {10, 23, 12, 99};
	for (int l = 0; l < 32; l++) {
		assert_int_equal(out[l], expected[l % 4]);
		assert_int_equal(out[32 + l], UINT32_MAX);
	}
}

/* Copies are there when their group is waited for, and not before; what is beyond the source is zero. */
static void copies(void **state)
{
#define COPY ".shared .align 16 .b8 s[512];\n" MINE "add.u32 %r1, %r0, 7; st.global.u32 [%d0], %r1; st.global.u32 [%d0+128], %r0; shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;\n" \
	"cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.commit_group; cp.async.ca.shared.global [%r2+128], [%d0+128], 4; cp.async.commit_group;\n"
	run(&(struct run){.body = COPY "ld.shared.u32 %r4, [%r2]; cp.async.wait_group 1; ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r6, [%r2+128]; cp.async.wait_all; ld.shared.u32 %r7, [%r2+128];\n"
				       "st.global.u32 [%d0], %r4; st.global.u32 [%d0+128], %r5; st.global.u32 [%d0+256], %r6; st.global.u32 [%d0+384], %r7;"}, NULL);
	for (uint32_t l = 0; l < 32; l++) {
		assert_int_equal(out[l], 0xa5a5a5a5);
		assert_int_equal(out[32 + l], l + 7);
		assert_int_equal(out[64 + l], 0xa5a5a5a5);
		assert_int_equal(out[96 + l], l);
	}
	run(&(struct run){.body = ".shared .align 16 .b8 s[512];\nst.global.u32 [%out], 1; st.global.u32 [%out+4], 2; cp.async.cg.shared.global [s], [%out], 16, 8; cp.async.ca.shared.global [s+16], [%out-4096], 4, 0; cp.async.wait_all; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s]; ld.shared.u32 %r5, [s+16];\n"
				  "st.global.v4.u32 [%out+16], {%r1, %r2, %r3, %r4}; st.global.u32 [%out+32], %r5;", .threads = {1, 1, 1}}, NULL);
	static const uint32_t expected[] = {1, 2, 0, 0, 1, 2, 0, 0, 0};
	for (int k = 0; k < 9; k++)
		assert_int_equal(out[k], expected[k]);
	/* Each thread waits for its own alone. */
	struct bw_fault fault;
	assert_int_equal(run(&(struct run){.body = ".shared .align 16 .b8 s[512];\n" MINE "shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3; cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.wait_all; and.b32 %r4, %r0, 31; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];", .threads = {64, 1, 1}, .check = BW_CHECK_RACE}, &fault), BW_CODE_LAUNCH_FAILED);
	assert_non_null(strstr(fault.text, "ld.shared.u32: race in shared memory: it reads what block (0, 0, 0), thread (0, 0, 0) writes"));
	assert_int_equal(run(&(struct run){.body = ".shared .align 16 .b8 s[512];\n" MINE "shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3; cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.wait_all; bar.sync 0; and.b32 %r4, %r0, 31; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];", .threads = {64, 1, 1}, .check = BW_CHECK_RACE}, &fault), 0);
	assert_int_equal(run(&(struct run){.body = ".shared .align 16 .b8 s[512];\ncp.async.ca.shared.global [s+508], [%out], 8;"}, &fault), BW_CODE_MISALIGNED);
	assert_int_equal(run(&(struct run){.body = ".shared .align 16 .b8 s[512];\ncp.async.ca.shared.global [s], [%out+16380], 4; cp.async.cg.shared.global [s], [%out+16384], 16;"}, &fault), BW_CODE_ILLEGAL_ADDRESS);
}

/* Sums and votes over a block; barriers of some warps, at which some arrive without waiting: a row goes from the first warp to the second and back, four times. */
static void barriers(void **state)
{
	run(&(struct run){.body = MINE "setp.lt.u32 %p0, %r0, 40; setp.lt.u32 %p1, %r0, 64; bar.red.popc.u32 %r1, 0, %p0; bar.red.and.pred %p2, 1, 64, %p1; bar.red.and.pred %p3, 0, !%p0; bar.red.or.pred %p4, 0, %p0;\n"
				       "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%d0], %r1; st.global.u32 [%d0+256], %r2;", .threads = {64, 1, 1}}, NULL);
	for (int l = 0; l < 64; l++) {
		assert_int_equal(out[l], 40);
		assert_int_equal(out[64 + l], 1 + 4);
	}
#define ROUND_TRIP(back, give) \
	".shared .align 4 .b8 row[128];\n" MINE "and.b32 %r1, %r0, 31; shl.b32 %r2, %r1, 2; mov.u32 %r3, row; add.u32 %r2, %r2, %r3; mov.u32 %r4, 0; setp.gt.u32 %p0, %r0, 31; @%p0 bra TAKES;\n" \
	"GIVES: setp.eq.u32 %p1, %r4, 0; @%p1 bra FIRST; " back " FIRST: add.u32 %r5, %r4, %r1; st.shared.u32 [%r2], %r5; " give " add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra GIVES; bra DONE;\n" \
	"TAKES: bar.sync 1, 64; xor.b32 %r6, %r2, 4; ld.shared.u32 %r5, [%r6]; setp.eq.u32 %p1, %r4, 3; @%p1 bra LAST; bar.arrive 2, 64; LAST: st.global.u32 [%d0], %r5; add.s64 %d0, %d0, 256; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra TAKES;\nDONE: mov.u32 %r0, 0;"
	struct bw_fault fault;
	for (int check = 0; check < 2; check++) {
		assert_int_equal(run(&(struct run){.body = ROUND_TRIP("bar.sync 2, 64;", "bar.arrive 1, 64;"), .threads = {64, 1, 1}, .check = check ? BW_CHECK_RACE : 0}, &fault), 0);
		for (uint32_t k = 0; k < 128; k++)
			assert_int_equal(out[32 + 64 * (k / 32) + k % 32], k / 32 + (k % 32 ^ 1));
	}
	/* Without the way back the first warp writes what the second still reads. */
	assert_int_equal(run(&(struct run){.body = ROUND_TRIP("", "bar.sync 1, 64;"), .threads = {64, 1, 1}, .check = BW_CHECK_RACE}, &fault), BW_CODE_LAUNCH_FAILED);
	assert_non_null(strstr(fault.text, "race in shared memory"));
}

/* An object in shared memory that waits for two warps: what each wrote before it arrived is there for the other, twice; with one arrival left out there is a race. */
static void barrier_objects(void **state)
{
#define MEET(arrives) \
	".shared .align 256 .b8 row[256]; .shared .align 8 .b8 object[8];\n" MINE "mov.u32 %r1, row; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1; xor.b32 %r3, %r2, 128; mov.u32 %r4, 0; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [object], 64; bar.sync 0;\n" \
	"AGAIN: add.u32 %r5, %r0, %r4; st.shared.u32 [%r2], %r5; " arrives "\nWAIT: mbarrier.test_wait.shared.b64 %p1, [object], %d1; @!%p1 bra WAIT; ld.shared.u32 %r6, [%r3]; st.global.u32 [%d0], %r6; add.s64 %d0, %d0, 256;\n" \
	"mbarrier.arrive.release.cta.shared::cta.b64 %d2, [object], 1; and.b32 %r7, %r4, 1;\nBACK: mbarrier.try_wait.parity.shared.b64 %p1, [object], 1; @!%p1 bra BACK; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; @%p2 bra AGAIN;"
	struct bw_fault fault;
	for (int check = 0; check < 2; check++) {
		assert_int_equal(run(&(struct run){.body = MEET("mbarrier.arrive.shared.b64 %d1, [object];"), .threads = {64, 1, 1}, .check = check ? BW_CHECK_RACE : 0, .steps = 300000}, &fault), 0);
		for (uint32_t k = 0; k < 128; k++)
			assert_int_equal(out[k], k / 64 + (k % 64 ^ 32));
	}
	assert_int_equal(run(&(struct run){.body = MEET("mov.b64 %d1, -1;"), .threads = {64, 1, 1}, .check = BW_CHECK_RACE, .steps = 300000}, &fault), BW_CODE_LAUNCH_FAILED);
	assert_non_null(strstr(fault.text, "race in shared memory"));
	assert_int_equal(run(&(struct run){.body = ".shared .align 8 .b8 object[8];\nmbarrier.init.shared.b64 [object], 1; mbarrier.arrive.shared.b64 _, [object], 2;"}, &fault), BW_CODE_ILLEGAL_INSTRUCTION);
	assert_non_null(strstr(fault.text, "more threads arrive than the object waits for"));
}

/* Lanes that have one value: four of each in the first word, two in 64 bits, of which the upper half tells them apart. */
static void matches(void **state)
{
	run(&(struct run){.body = MINE "and.b32 %r1, %r0, 7; match.any.sync.b32 %r2, %r1, -1; shr.u32 %r3, %r0, 4; mov.b64 %d1, {%r1, %r3}; match.any.sync.b64 %r4, %d1, -1; match.all.sync.b32 %r5|%p0, %r1, -1; match.all.sync.b32 %r6|%p1, 5, -1;\n"
				       "selp.u32 %r7, 1, 0, %p0; selp.u32 %r8, 2, 0, %p1; add.u32 %r7, %r7, %r8; st.global.u32 [%d0], %r2; st.global.u32 [%d0+128], %r4; st.global.u32 [%d0+256], %r5; st.global.u32 [%d0+384], %r6; st.global.u32 [%d0+512], %r7;"}, NULL);
	for (int l = 0; l < 32; l++) {
		assert_int_equal(out[l], 0x01010101u << l % 8);
		assert_int_equal(out[32 + l], 0x101u << (l % 8 + l / 16 * 16));
		assert_int_equal(out[64 + l], 0);
		assert_int_equal(out[96 + l], UINT32_MAX);
		assert_int_equal(out[128 + l], 2);
	}
}

/* Clocks go on while a warp runs, and a kernel's parameters may be read from lane to lane. */
static void clocks_and_parameters(void **state)
{
	run(&(struct run){.body = MINE "mov.u64 %d1, %clock64; WAIT: mov.u64 %d2, %clock64; sub.s64 %d2, %d2, %d1; setp.lt.u64 %p0, %d2, 50; @%p0 bra WAIT; mov.u32 %r1, %clock; setp.gt.u32 %p1, %r1, 50; selp.u32 %r2, 1, 0, %p1;\n"
				       "mov.b64 %d3, out; and.b32 %r3, %r0, 7; cvt.u64.u32 %d4, %r3; add.s64 %d3, %d3, %d4; ld.param.u8 %r4, [%d3]; cvta.param.u64 %d5, %d3; ld.u8 %r5, [%d5]; shl.b32 %r3, %r3, 3; shr.u64 %d6, %out, %r3; cvt.u32.u64 %r6, %d6; and.b32 %r6, %r6, 255;\n"
				       "sub.u32 %r4, %r4, %r6; sub.u32 %r5, %r5, %r6; st.global.u32 [%d0], %r2; st.global.u32 [%d0+128], %r4; st.global.u32 [%d0+256], %r5;"}, NULL);
	for (int l = 0; l < 32; l++) {
		assert_int_equal(out[l], 1);
		assert_int_equal(out[32 + l], 0);
		assert_int_equal(out[64 + l], 0);
	}
}

static const struct {
	const char *name, *body, *words;
	unsigned threads, shared;
	int code;
} faults[] = {
	{"a store beyond an allocation", MINE "st.global.u32 [%d0+16260], %r0;", "thread (31, 0, 0), line 10 of the PTX, st.global.u32: 4 bytes of global memory at ", 32, 0, BW_CODE_ILLEGAL_ADDRESS},
	{"a load near nothing", "mov.u64 %d0, 64; ld.global.u32 %r0, [%d0];", "near no allocation", 32, 0, BW_CODE_ILLEGAL_ADDRESS},
	{"a load of a null pointer", "mov.u64 %d0, 0; ld.u32 %r0, [%d0];", "4 bytes of global memory at 0x0, near no allocation", 32, 0, BW_CODE_ILLEGAL_ADDRESS},
	{"an address that is not aligned", "ld.global.u32 %r0, [%out+2];", "which is no multiple of their number", 32, 0, BW_CODE_MISALIGNED},
	{"a vector that is not aligned", "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out+8];", "16 bytes at ", 32, 0, BW_CODE_MISALIGNED},
	{"a load at the end of all addresses", "mov.u64 %d0, -4; ld.global.u32 %r0, [%d0];", "near no allocation", 32, 0, BW_CODE_ILLEGAL_ADDRESS},
	{"a store far beyond shared memory", "mov.u64 %d0, 9223372036854775800; st.shared.u32 [%d0], 1;", "of shared memory, which has 128 bytes", 32, 128, BW_CODE_ILLEGAL_ADDRESS},
	{"a store beyond shared memory", "mov.u64 %d0, 128; st.shared.u32 [%d0], 1;", "4 bytes at 128 of shared memory, which has 128 bytes", 32, 128, BW_CODE_ILLEGAL_ADDRESS},
	{"a load before local memory", ".local .align 4 .b8 mine[8]; mov.u64 %d0, mine; ld.local.u32 %r0, [%d0+-4];", "of local memory, which has 8 bytes", 32, 0, BW_CODE_ILLEGAL_ADDRESS},
	{"a barrier that half a warp misses", MINE "setp.lt.u32 %p0, %r0, 16; @%p0 bra IN; bra OUT; IN: bar.sync 0; OUT: st.global.u32 [%d0], 1;", "a barrier that a part of the warp misses: lane 16 is not there", 32, 0, BW_CODE_LAUNCH_FAILED},
	{"a shuffle that half a warp misses", MINE "setp.ge.u32 %p0, %r0, 16; @%p0 bra OUT; shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; OUT: st.global.u32 [%d0], 1;", "lane 16 of the warp is a member by the mask 0xffffffff and is not there", 32, 0, BW_CODE_LAUNCH_FAILED},
	{"two barriers that wait for each other", MINE "setp.lt.u32 %p0, %r0, 32; @%p0 bra ONE; bar.sync 2; bra OUT; ONE: bar.sync 1; OUT: st.global.u32 [%d0], 1;", "waits at barrier 2, and warp 0 at barrier 1", 64, 0, BW_CODE_LAUNCH_FAILED},
	{"a barrier for more threads than there are", "bar.sync 3, 96;", "it waits at barrier 3 for 96 threads, and 64 have come: nobody goes on", 64, 0, BW_CODE_LAUNCH_FAILED},
	{"a barrier of half a warp", "bar.sync 3, 16;", "barrier 3 of 16 threads: there are 16 barriers, of multiples of 32 threads", 64, 0, BW_CODE_ILLEGAL_INSTRUCTION},
	{"a kernel that does not end", "LOOP: add.u32 %r0, %r0, 1; bra LOOP;", "the kernel does not end: a warp has run 100000 instructions", 32, 0, BW_CODE_TIMEOUT},
	{"a trap", "trap;", "the kernel gives up", 32, 0, BW_CODE_ILLEGAL_INSTRUCTION},
};

static void faults_by_name(void **state)
{
	for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
		struct bw_fault fault;
		int code = run(&(struct run){.body = faults[k].body, .threads = {faults[k].threads, 1, 1}, .shared = faults[k].shared}, &fault);
		if (code != faults[k].code || !strstr(fault.text, faults[k].words) || !strstr(fault.text, "kernel k, block (0, 0, 0), "))
			fail_msg("%s: error %d, \"%s\"", faults[k].name, code, fault.text);
	}
}

/* LLVM names a basic block after Halide's loop, or says which loop it is inside of. */
static void stages_by_name(void **state)
{
	static const char begin[] = "setp.eq.u32 %p0, 0, 1;\nLBB0_1:     // %\"for gray.s0.y.us\"\n  // =>This Loop Header: Depth=1\n";
	static const char *const cases[][2] = {
		{"st.global.u32 [%out+-4], 1;\n", "kernel k, Func gray, block (0, 0, 0), "},
		{"// %bb.2:   // %true_bb\n  //   in Loop: Header=BB0_1 Depth=1\nst.global.u32 [%out+-4], 1;\n", "kernel k, Func gray, block (0, 0, 0), "},
		{"LBB0_3:     // %\"for hist.s1.r$x\"\n  //   Parent Loop BB0_1 Depth=1\nst.global.u32 [%out+-4], 1;\n", "kernel k, Func hist, update 0, block (0, 0, 0), "},
		{"$L__BB0_3:     // %\"for hist.s1.r$x\"\n  //   Parent Loop BB0_1 Depth=1\nst.global.u32 [%out+-4], 1;\n", "kernel k, Func hist, update 0, block (0, 0, 0), "},
		{"$L__BB0_7:     // %\"3_for_hist.s1.r$x\"\nst.global.u32 [%out+-4], 1;\n", "kernel k, Func hist, update 0, block (0, 0, 0), "},
		{"$L__BB0_7:     // %\"3_end_for_hist.s1.r$x\"\nst.global.u32 [%out+-4], 1;\n", "kernel k, block (0, 0, 0), "},
		{"$L__BB0_5:     // %\"for gray.s0.x\"\n// %bb.6:   // %then\n  //   in Loop: Header=BB0_5 Depth=1\nst.global.u32 [%out+-4], 1;\n", "kernel k, Func gray, block (0, 0, 0), "},
		{"LBB0_4:     // %\"end for gray.s0.y\"\nst.global.u32 [%out+-4], 1;\n", "kernel k, block (0, 0, 0), "},
		{"LBB0_4:     // %\"for .s0.y\"\nst.global.u32 [%out+-4], 1;\n", "kernel k, block (0, 0, 0), "},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_fault fault;
		char body[400];
		snprintf(body, sizeof body, "%s%s", begin, cases[k][0]);
		assert_int_equal(run(&(struct run){.body = body}, &fault), BW_CODE_ILLEGAL_ADDRESS);
		if (strncmp(fault.text, cases[k][1], strlen(cases[k][1])))
			fail_msg("%s: %s", body, fault.text);
	}
}

/* Of many blocks that fail, the first is told, however many threads run them. */
static void first_fault(void **state)
{
	for (int host_threads = 1; host_threads < 8; host_threads++) {
		struct bw_fault fault;
		run(&(struct run){.body = "mov.u32 %r0, %ctaid.x; setp.lt.u32 %p0, %r0, 37; @%p0 bra OUT; st.global.u32 [%out+-4], 1; OUT: mov.u32 %r0, 0;", .grid = {100, 1, 1}, .host_threads = host_threads}, &fault);
		assert_non_null(strstr(fault.text, "block (37, 0, 0)"));
	}
}

/* %d2: the address of a word of shared memory for each thread; %d3 that of the next thread. */
#define ROW MINE "mul.wide.u32 %d2, %r0, 4; add.u32 %r1, %r0, 1; mul.wide.u32 %d3, %r1, 4; mov.u32 %r9, %ctaid.x;\n"
static const struct {
	const char *name, *body, *words; /* words NULL: there is no race */
	unsigned threads, blocks;
} races[] = {
	{"a barrier between", ROW "st.shared.u32 [%d2], %r0; bar.sync 0; ld.shared.u32 %r2, [%d3]; bar.sync 0; st.shared.u32 [%d2], %r2;", NULL, 64, 1},
	{"no barrier after the writes", ROW "st.shared.u32 [%d2], %r0; ld.shared.u32 %r2, [%d3];", NULL, 32, 1}, /* one warp: its lanes run in lockstep */
	{"no barrier after the writes of two warps", ROW "st.shared.u32 [%d2], %r0; and.b32 %r3, %r0, 31; mul.wide.u32 %d4, %r3, 4; ld.shared.u32 %r2, [%d4];", "thread (32, 0, 0), line 12 of the PTX, ld.shared.u32: race in shared memory: it reads what block (0, 0, 0), thread (0, 0, 0) writes in line 12", 64, 1},
	{"no barrier after the reads", ROW "st.shared.u32 [%d2], %r0; bar.sync 0; ld.shared.u32 %r2, [%d3]; st.shared.u32 [%d2], 7;", "race in shared memory: it writes what block (0, 0, 0), thread (31, 0, 0) reads in line 12", 64, 1},
	{"two lanes write one word", ROW "st.shared.u32 [8], %r0;", "it writes 0x1 over 0x0, what block (0, 0, 0), thread (0, 0, 0) writes", 32, 1},
	{"two lanes write one value", ROW "st.shared.u32 [8], 5;", NULL, 64, 1},
	{"two blocks write one word", ROW "st.global.u32 [%out], %r9;", "block (1, 0, 0), thread (0, 0, 0), line 12 of the PTX, st.global.u32: race in global memory: it writes 0x1 over 0x0, what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"two blocks write floats that differ in the last digit", ROW "add.s32 %r2, %r9, 0x3f800000; mov.b32 %f1, %r2; st.global.f32 [%out], %f1;", NULL, 32, 2},
	{"two blocks write floats that differ by a hundredth", ROW "shl.b32 %r2, %r9, 16; add.s32 %r2, %r2, 0x3f800000; mov.b32 %f1, %r2; st.global.f32 [%out], %f1;", "it writes 0x3f810000 over 0x3f800000, what block (0, 0, 0)", 1, 2},
	{"floats of which the type is told where they are made", ROW "cvt.rn.f32.u32 %f1, %r9; fma.rn.f32 %f1, %f1, 0f34000000, 0f3F800000; mov.b32 %r2, %f1; st.global.b32 [%out], %r2;", NULL, 32, 2},
	{"integers of the same bits", ROW "add.s32 %r2, %r9, 0x3f800000; st.global.b32 [%out], %r2;", "it writes 0x3f800001 over 0x3f800000, what block (0, 0, 0)", 1, 2},
	/* 2^-17 and 9 * 2^-20: what is left of terms of about 1. */
	{"floats that differ by the last digits of their terms", ROW "mov.f32 %f2, 0f3F800000; st.global.f32 [%out+512], %f2; cvt.rn.f32.u32 %f1, %r9; fma.rn.f32 %f1, %f1, 0f35800000, 0f37000000; st.global.f32 [%out], %f1;", NULL, 32, 2},
	{"floats that differ by as much beside small ones", ROW "cvt.rn.f32.u32 %f1, %r9; fma.rn.f32 %f1, %f1, 0f35800000, 0f37000000; st.global.f32 [%out], %f1;", "it writes 0x37100000 over 0x37000000, what block (0, 0, 0)", 1, 2},
	{"the same beside great ones of another stage", ROW "mov.f32 %f2, 0f3F800000; st.global.f32 [%out+512], %f2; bar.sync 0; cvt.rn.f32.u32 %f1, %r9; fma.rn.f32 %f1, %f1, 0f35800000, 0f37000000; st.global.f32 [%out], %f1;", "it writes 0x37100000 over 0x37000000, what block (0, 0, 0)", 1, 2},
	{"the same beside what stands for none", ROW "mov.f32 %f2, 0f7F7FFFFF; st.global.f32 [%out+512], %f2; cvt.rn.f32.u32 %f1, %r9; fma.rn.f32 %f1, %f1, 0f35800000, 0f37000000; st.global.f32 [%out], %f1;", "it writes 0x37100000 over 0x37000000, what block (0, 0, 0)", 1, 2},
	{"two blocks write one value", ROW "st.global.u32 [%out], 3;", NULL, 32, 2},
	{"a block reads what another writes", ROW "setp.eq.u32 %p0, %r9, 0; @%p0 st.global.u32 [%d0], %r0; @!%p0 ld.global.u32 %r2, [%d0];", "race in global memory: it reads what block (0, 0, 0), thread (0, 0, 0) writes", 32, 2},
	{"a block writes what another reads", ROW "setp.eq.u32 %p0, %r9, 1; @%p0 st.global.u32 [%d0], %r0; @!%p0 ld.global.u32 %r2, [%d0];", "race in global memory: it writes what block (0, 0, 0), thread (0, 0, 0) reads", 32, 2},
	{"neighbours write bytes of one word", MINE "cvt.u64.u32 %d1, %r0; add.s64 %d1, %out, %d1; st.global.u8 [%d1], %r0;", NULL, 64, 1},
	{"atomics of two blocks", MINE "red.global.add.u32 [%out], 1;", NULL, 64, 3},
	/* The last plain write counts beside the last atomic one. */
	{"a zero that no barrier divides from atomics", ROW "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [8], 0; atom.shared.add.u32 %r2, [8], 1;", "line 12 of the PTX, atom.shared.add.u32: race in shared memory: it changes what block (0, 0, 0), thread (0, 0, 0) writes in line 12", 64, 1},
	{"the same in global memory", ROW "setp.eq.u32 %p0, %r0, 0; @%p0 st.global.u32 [%out], 0; red.global.add.u32 [%out], 1;", "race in global memory: it changes what block (0, 0, 0), thread (0, 0, 0) writes", 64, 1},
	{"a zero by the first block, and atomics by all", ROW "add.u32 %r3, %r0, %r9; setp.eq.u32 %p0, %r3, 0; @%p0 st.global.u32 [%out], 0; bar.sync 0; red.global.add.u32 [%out], 1;", "block (1, 0, 0), thread (0, 0, 0), line 12 of the PTX, red.global.add.u32: race in global memory: it changes what block (0, 0, 0), thread (0, 0, 0) writes", 32, 2},
	{"the same with a barrier", ROW "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [8], 0; bar.sync 0; red.shared.add.u32 [8], 1; bar.sync 0; ld.shared.u32 %r2, [8];", NULL, 64, 1},
	{"a zero, then an exchange", ROW "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [8], 0; atom.shared.exch.b32 %r2, [8], 1;", "atom.shared.exch.b32: race in shared memory: it changes what", 64, 1},
	{"a zero, then a reduction of one of its bytes' words", ROW "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u8 [9], 0; red.shared.max.u32 [8], 1;", "red.shared.max.u32: race in shared memory: it changes what", 64, 1},
	{"a zero of each thread for its own bin, then atomics", ROW "st.shared.u32 [%d2], 0; xor.b32 %r3, %r0, 1; mul.wide.u32 %d4, %r3, 4; red.shared.add.u32 [%d4], 1;", NULL, 64, 1},
	{"a zero of each thread, then atomics on the bins of other warps", ROW "st.shared.u32 [%d2], 0; xor.b32 %r3, %r0, 33; mul.wide.u32 %d4, %r3, 4; red.shared.add.u32 [%d4], 1;", "race in shared memory", 64, 1},
	{"a zero of the first warp's bins, which each warp then counts in", ROW "setp.lt.u32 %p0, %r0, 32; @%p0 st.shared.u32 [%d2], 0; and.b32 %r3, %r0, 31; mul.wide.u32 %d4, %r3, 4; red.shared.add.u32 [%d4], 1;", "race in shared memory: it changes what block (0, 0, 0), thread (0, 0, 0) writes", 64, 1},
	{"atomics, and then a plain write", ROW "red.shared.add.u32 [8], 1; setp.eq.u32 %p0, %r0, 95; @%p0 st.shared.u32 [8], 0;", "it writes 0x0 over 0x", 96, 1},
	{"atomics, and then a read by one of their warps", ROW "red.shared.add.u32 [8], 1; setp.eq.u32 %p0, %r0, 95; @%p0 ld.shared.u32 %r2, [8];", "it reads what block (0, 0, 0), thread (63, 0, 0) writes", 96, 1},
	{"atomics of two blocks, and then a read by the last", ROW "red.global.add.u32 [%out], 1; setp.eq.u32 %p0, %r9, 1; @%p0 ld.global.u32 %r2, [%out];", "it reads what block (0, 0, 0), thread (31, 0, 0) writes", 32, 2},
	{"two warps write one value, and a third reads it", ROW "setp.lt.u32 %p0, %r0, 64; @%p0 st.shared.u32 [8], 5; @!%p0 ld.shared.u32 %r2, [8];", "it reads what block (0, 0, 0), thread (63, 0, 0) writes", 96, 1},
	{"two warps write one value, and each reads it", ROW "st.shared.u32 [8], 5; ld.shared.u32 %r2, [8];", NULL, 64, 1},
	{"two blocks write one value, and a third reads it", ROW "setp.lt.u32 %p0, %r9, 2; @%p0 st.global.u32 [%out], 3; @!%p0 ld.global.u32 %r2, [%out];", "it reads what block (1, 0, 0), thread (31, 0, 0) writes", 32, 3},
	{"two warps write one value, and one of them another", ROW "st.shared.u32 [8], 5; setp.gt.u32 %p0, %r0, 31; @%p0 st.shared.u32 [8], 6;", "it writes 0x6 over 0x5, what block (0, 0, 0), thread", 64, 1},
	/* A fence and an atomic pass on what was written before: the last block of a sum. */
	{"the last block reads what all have added up", ROW "red.global.add.u32 [%out], 1; membar.gl; atom.global.inc.u32 %r2, [%out+4], 1; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out]; @%p0 st.global.u32 [%out], 0;", NULL, 1, 2},
	{"the last block reads what each has written", ROW "mul.wide.u32 %d5, %r9, 4; add.s64 %d5, %d5, %out; st.global.u32 [%d5+8], %r9; fence.acq_rel.gpu; bar.sync 0; setp.eq.u32 %p0, %r0, 0; @%p0 atom.global.inc.u32 %r2, [%out+4], 1; @%p0 st.shared.u32 [0], %r2;\n"
							   "bar.sync 0; ld.shared.u32 %r2, [0]; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out+8]; @%p0 ld.global.u32 %r3, [%out+12]; bar.sync 0; @%p0 st.global.u32 [%out+4], 0;", NULL, 64, 2},
	{"the last block without a fence", ROW "red.global.add.u32 [%out], 1; atom.global.inc.u32 %r2, [%out+4], 1; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out];", "it reads what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"the last block with a fence of its block alone", ROW "red.global.add.u32 [%out], 1; membar.cta; atom.global.inc.u32 %r2, [%out+4], 1; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out];", "it reads what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"the last block reads what was written after the fence", ROW "membar.gl; red.global.add.u32 [%out], 1; atom.global.inc.u32 %r2, [%out+4], 1; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out];", "it reads what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"a block that counts elsewhere reads what the others wrote", ROW "red.global.add.u32 [%out], 1; membar.gl; mul.wide.u32 %d5, %r9, 4; add.s64 %d5, %d5, %out; atom.global.inc.u32 %r2, [%d5+4], 1; setp.eq.u32 %p0, %r9, 1; @%p0 ld.global.u32 %r3, [%out];", "it reads what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"two blocks write a variable of the text", ROW "st.global.u32 [seen], %r9;", "st.global.u32: race in global memory: it writes 0x1 over 0x0, what block (0, 0, 0), thread (0, 0, 0) writes", 1, 2},
	{"the last block by a counter of the text", ROW "red.global.add.u32 [%out], 1; membar.gl; atom.global.inc.u32 %r2, [seen], 1; setp.eq.u32 %p0, %r2, 1; @%p0 ld.global.u32 %r3, [%out]; @%p0 st.global.u32 [seen], 0;", NULL, 1, 2},
	{"a lock", ROW "st.shared.u32 [0], 0; bar.sync 0; and.b32 %r5, %r0, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra OUT; AGAIN: atom.shared.cas.b32 %r2, [0], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra AGAIN;\n"
		   "ld.shared.u32 %r3, [8]; add.u32 %r3, %r3, 1; st.shared.u32 [8], %r3; membar.cta; atom.shared.exch.b32 %r4, [0], 0; OUT: mov.u32 %r3, 0;", NULL, 96, 1},
	{"a value that a flag releases", ROW "setp.gt.u32 %p0, %r0, 31; @%p0 bra SECOND; st.global.u32 [%out], 7; st.release.gpu.global.u32 [%out+4], 1; bra DONE;\nSECOND: ld.acquire.gpu.global.u32 %r2, [%out+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra SECOND; ld.global.u32 %r3, [%out];\nDONE: mov.u32 %r3, 0;", NULL, 33, 1},
	{"a value beside a flag that releases nothing", ROW "setp.gt.u32 %p0, %r0, 31; @%p0 bra SECOND; st.global.u32 [%out], 7; st.relaxed.gpu.global.u32 [%out+4], 1; bra DONE;\nSECOND: ld.relaxed.gpu.global.u32 %r2, [%out+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra SECOND; ld.global.u32 %r3, [%out];\nDONE: mov.u32 %r3, 0;", "it reads what block (0, 0, 0), thread (31, 0, 0) writes", 33, 1},
	{"a barrier does not order blocks", ROW "red.global.add.u32 [%out], 1; bar.sync 0; ld.global.u32 %r2, [%out];", "it writes what block (0, 0, 0), thread (63, 0, 0) reads", 64, 2},
};

static void races_by_name(void **state)
{
	for (size_t k = 0; k < sizeof races / sizeof *races; k++) {
		struct bw_fault fault;
		int code = run(&(struct run){.functions = ".global .align 4 .u32 seen;\n", .body = races[k].body, .threads = {races[k].threads, 1, 1}, .grid = {races[k].blocks, 1, 1}, .shared = 4 * 65, .check = BW_CHECK_RACE}, &fault);
		if ((code != 0) != (races[k].words != NULL) || (races[k].words && !strstr(fault.text, races[k].words)))
			fail_msg("%s: error %d, \"%s\"", races[k].name, code, code ? fault.text : "");
	}
}

/* Two blocks compute one point each in their own order, as overlapping tiles do, and round it: it is no race if both are floats that are cut to whole numbers, 1 apart. */
static const struct {
	const char *name, *body;
	int n; /* that are told; -1: a race */
} rounded[] = {
	{"floats, 1 apart", ROW "cvt.rn.f32.u32 %f1, %r9; add.f32 %f1, %f1, 0f40A00000; cvt.rzi.u32.f32 %r2, %f1; st.global.u32 [%d0], %r2;", 32},
	{"clamped, of 16 bits", ROW "cvt.rn.f32.u32 %f1, %r9; add.f32 %f1, %f1, 0f40A00000; cvt.rzi.u32.f32 %r2, %f1; min.u32 %r2, %r2, 100; cvt.u16.u32 %h1, %r2; st.global.u16 [%d0], %h1;", 32},
	{"in two blocks of one stage", ROW "cvt.rn.f32.u32 %f1, %r9; cvt.rzi.u32.f32 %r2, %f1; setp.eq.u32 %p0, %r9, 0; @%p0 bra FIRST; st.global.u32 [%d0], %r2; ret; FIRST: st.global.u32 [%d0], %r2;", 32},
	{"floats, 2 apart", ROW "cvt.rn.f32.u32 %f1, %r9; add.f32 %f1, %f1, %f1; cvt.rzi.u32.f32 %r2, %f1; st.global.u32 [%d0], %r2;", -1},
	{"integers", ROW "add.u32 %r2, %r9, 5; st.global.u32 [%d0], %r2;", -1},
	{"an integer added to it", ROW "cvt.rzi.u32.f32 %r2, 0f40A00000; add.u32 %r3, %r2, %r9; st.global.u32 [%d0], %r3;", -1},
	{"the same", ROW "cvt.rzi.u32.f32 %r2, 0f40A00000; st.global.u32 [%d0], %r2;", 0},
	{"of two stages, with a barrier between", ROW "cvt.rn.f32.u32 %f1, %r9; cvt.rzi.u32.f32 %r2, %f1; setp.eq.u32 %p0, %r9, 0; @%p0 st.global.u32 [%d0], %r2; bar.sync 0; @!%p0 st.global.u32 [%d0], %r2;", -1},
};

static void roundings(void **state)
{
	for (size_t k = 0; k < sizeof rounded / sizeof *rounded; k++) {
		struct bw_fault fault;
		int code = run(&(struct run){.body = rounded[k].body, .grid = {2, 1, 1}, .check = BW_CHECK_RACE}, &fault);
		if ((code != 0) != (rounded[k].n < 0) || (!code && n_rounded != (uint64_t)rounded[k].n))
			fail_msg("%s: error %d, %d, \"%s\"", rounded[k].name, code, (int)n_rounded, code ? fault.text : "");
	}
	run(&(struct run){.body = rounded[0].body, .grid = {2, 1, 1}, .check = BW_CHECK_RACE}, NULL);
	assert_string_equal(first_rounded, "k, lane 0 of a warp of block (1, 0, 0) writes 6 in line 11 of the PTX, where block (0, 0, 0), thread (0, 0, 0) wrote 5");
}

/* Word 2048 + l was never written. What depends on it is doubtful; what is only read and thrown away is not. */
static void doubts(void **state)
{
	run(&(struct run){.body = MINE "ld.global.u32 %r1, [%d0+8192]; add.u32 %r2, %r1, 1; setp.lt.u32 %p0, %r0, 16; selp.u32 %r3, %r2, %r0, %p0; st.global.u32 [%d0], %r3; mul.wide.u32 %d2, %r0, 4; st.shared.u32 [%d2], %r1; bar.sync 0;\n"
	                               "ld.shared.u32 %r4, [%d2]; st.global.u32 [%d0+128], %r4; ld.shared.u32 %r5, [%d2+128]; st.global.u32 [%d0+256], %r5; st.global.u32 [%d0+8192], %r0; ld.global.u32 %r6, [%d0+8192]; st.global.u32 [%d0+384], %r6;", .shared = 256, .check = BW_CHECK_INIT}, NULL);
	for (int l = 0; l < 32; l++) {
		assert_int_equal(doubtful[l], l < 16);
		assert_true(doubtful[32 + l] && doubtful[64 + l]);
		assert_false(doubtful[96 + l] || doubtful[WRITTEN + l]);
		assert_true(doubtful[WRITTEN + 32 + l]);
	}
}

/* What only moves bits hands on doubts bit by bit: r2 is known but for its bits 8 to 15, r8 is doubtful. The first byte of what each makes is looked at. */
static const struct {
	const char *body;
	bool doubtful;
} moves[] = {
	{"mov.u32 %r3, %r2;", false},
	{"shr.u32 %r3, %r2, 8;", true},
	{"shr.u32 %r3, %r2, 16;", false},
	{"shr.s32 %r3, %r2, 16;", false},
	{"shl.b32 %r4, %r2, 16; shr.s32 %r3, %r4, 24;", true},
	{"shl.b32 %r4, %r2, 16; shr.s32 %r3, %r4, 31;", true},
	{"shr.u32 %r3, %r8, 32;", false},
	{"shr.u32 %r3, %r0, %r8;", true},
	{"and.b32 %r4, %r2, 0xff00; shr.u32 %r3, %r4, 8;", true},
	{"and.b32 %r4, %r2, 0xff0000ff; shr.u32 %r3, %r4, 8;", false},
	{"and.b32 %r3, %r8, %r8;", true},
	{"or.b32 %r4, %r2, %r0; mov.b32 {%h1, %h2}, %r4; cvt.u32.u16 %r3, %h2;", false},
	{"mov.b32 {%h1, %h2}, %r2; shr.u16 %h1, %h1, 8; cvt.u32.u16 %r3, %h1;", true},
	{"mov.b32 {%h1, %h2}, %r2; mov.b32 %r4, {%h2, %h1}; shr.u32 %r3, %r4, 24;", true},
	{"mov.b32 {%h1, %h2}, %r2; mov.b32 %r3, {%h2, %h1};", false},
	{"cvt.u16.u32 %h1, %r2; cvt.s32.s16 %r4, %h1; shr.u32 %r3, %r4, 16;", true},
	{"cvt.u16.u32 %h1, %r2; cvt.u32.u16 %r4, %h1; shr.u32 %r3, %r4, 16;", false},
	{"cvt.u32.u8 %r4, %r2; shr.u32 %r3, %r4, 8;", false},
	{"bfe.u32 %r3, %r2, 8, 8;", true},
	{"bfe.u32 %r3, %r2, 16, 8;", false},
	{"bfe.s32 %r4, %r2, 8, 8; shr.u32 %r3, %r4, 24;", true},
	{"bfi.b32 %r3, %r0, %r2, 8, 8; shr.u32 %r3, %r3, 8;", false},
	{"prmt.b32 %r3, %r0, %r2, 0x5;", true},
	{"prmt.b32 %r3, %r0, %r2, 0x4;", false},
	{"prmt.b32 %r3, %r0, %r2, 0xd;", true},
	{"setp.lt.u32 %p0, %r0, 32; selp.b32 %r3, %r2, %r8, %p0;", false},
	{"setp.lt.u32 %p0, %r8, 32; selp.b32 %r3, %r2, %r2, %p0;", true},
	{"add.u32 %r3, %r2, 1;", true},
	{"mul.wide.u32 %d2, %r0, 4; st.shared.u32 [%d2], %r2; ld.shared.u8 %h1, [%d2+1]; cvt.u32.u16 %r3, %h1;", true},
	{"mul.wide.u32 %d2, %r0, 4; st.shared.u32 [%d2], %r2; ld.shared.u16 %h1, [%d2+2]; cvt.u32.u16 %r3, %h1;", false},
	{"mul.wide.u32 %d2, %r0, 4; st.shared.u32 [%d2], %r2; ld.shared.s8 %r4, [%d2+1]; shr.u32 %r3, %r4, 24;", true},
};

static void doubts_of_bits(void **state)
{
	for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) {
		char body[500];
		snprintf(body, sizeof body, MINE_WRITTEN "ld.global.u8 %%h3, [%%d0+8192]; cvt.u32.u16 %%r1, %%h3; ld.global.u32 %%r8, [%%d0+8192]; bfi.b32 %%r2, %%r1, %%r0, 8, 8;\n%s st.global.u32 [%%d0], %%r3;", moves[k].body);
		run(&(struct run){.body = body, .shared = 256, .check = BW_CHECK_INIT}, NULL);
		for (int l = 0; l < 32; l++)
			if (doubtful[l] != moves[k].doubtful)
				fail_msg("%s in lane %d", moves[k].body, l);
	}
}

/* One access by a warp whose lane l is at START + l * STRIDE bytes; what it comes to in sectors or wavefronts, by hand. `out` begins at a sector. */
static const struct {
	const char *opcode, *value;
	int start, stride, threads, served, conflicts; /* conflicts -1: global memory */
} accesses[] = {
	{"ld.global.u32", "%r5", 0, 4, 32, 4, -1},                   /* 128 bytes */
	{"ld.global.u32", "%r5", 16, 4, 32, 5, -1},                  /* 128 bytes from the middle of a sector on */
	{"ld.global.u32", "%r5", 0, 8, 32, 8, -1},                   /* every second word */
	{"ld.global.u32", "%r5", 0, 256, 32, 32, -1},                /* a sector for each lane */
	{"ld.global.u32", "%r5", 0, 0, 32, 1, -1},                   /* all the same */
	{"ld.global.u8", "%r5", 0, 1, 32, 1, -1},                    /* 32 bytes */
	{"ld.global.v4.u32", "{%r5, %r6, %r7, %r8}", 0, 16, 32, 16, -1}, /* 512 bytes */
	{"st.global.u32", "%r0", 0, 4, 20, 3, -1},                   /* 80 bytes */
	{"ld.shared.u32", "%r5", 0, 4, 32, 1, 0},                    /* a bank for each lane */
	{"ld.shared.u32", "%r5", 0, 8, 32, 2, 1},                    /* two words of every second bank */
	{"ld.shared.u32", "%r5", 0, 128, 32, 32, 31},                /* 32 words of one bank */
	{"ld.shared.u32", "%r5", 0, 132, 32, 1, 0},                  /* the same with a word of padding */
	{"ld.shared.u32", "%r5", 0, 0, 32, 1, 0},                    /* one word for all */
	{"ld.shared.u16", "%r5", 0, 2, 32, 1, 0},                    /* two lanes share a word */
	{"ld.shared.u64", "%d5", 0, 8, 32, 2, 0},                    /* half a warp at a time */
	{"ld.shared.v4.u32", "{%r5, %r6, %r7, %r8}", 0, 16, 32, 4, 0}, /* a quarter of it */
	{"st.shared.u32", "%r0", 0, 64, 32, 16, 15},                 /* 16 words of two banks each */
};

static void sectors_and_wavefronts(void **state)
{
	for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++) {
		bool stores = *accesses[k].opcode == 's', shared = accesses[k].conflicts >= 0;
		char body[400], place[40];
		snprintf(place, sizeof place, "[%%d2+%d]", accesses[k].start);
		snprintf(body, sizeof body, "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d2, %%r0, %d; %s %s %s, %s;", accesses[k].stride, shared ? "" : "add.s64 %d2, %out, %d2;", accesses[k].opcode, stores ? place : accesses[k].value, stores ? accesses[k].value : place);
		run(&(struct run){.body = body, .threads = {(unsigned)accesses[k].threads, 1, 1}, .shared = 8192}, NULL);
		const uint64_t found[] = {shared ? stores ? counted.shared_store_wavefronts : counted.shared_load_wavefronts : stores ? counted.global_store_sectors : counted.global_load_sectors,
			stores ? counted.shared_store_conflicts : counted.shared_load_conflicts, shared ? stores ? counted.shared_store_requests : counted.shared_load_requests : stores ? counted.global_store_requests : counted.global_load_requests};
		if ((int)found[0] != accesses[k].served || (shared && (int)found[1] != accesses[k].conflicts) || found[2] != 1)
			fail_msg("%s, %d bytes apart: %d served, %d conflicts, %d requests", accesses[k].opcode, accesses[k].stride, (int)found[0], (int)found[1], (int)found[2]);
	}
}

/* 40 threads: two warps. Ten lanes of the first take a branch; each of the 40 multiplies and adds once, the ten add twice more. */
/* Affine accesses by random blocks: what is said of their lanes is what the device counts over all warps. */
static void lanes_are_as_counted(void **state)
{
	int n = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		uint64_t drawn[16];
		for (uint64_t k = 0; k < 16; k++)
			drawn[k] = bw_random((uint64_t[]){seed, k}, 2);
		static const char *const types[] = {"u8", "u16", "u32", "u64", "v2.u32", "v4.u32"}, *const values[] = {"%r5", "%h5", "%r5", "%d5", "{%r5, %r6}", "{%r5, %r6, %r7, %r8}"};
		static const int sizes[] = {1, 2, 4, 8, 8, 16};
		static const int64_t widths[] = {4, 7, 8, 16, 18, 32, 33, 64};
		int type = (int)(drawn[0] % 6), bytes = sizes[type];
		bool shared = drawn[1] % 2, stores = drawn[2] % 2;
		const int64_t x = widths[drawn[3] % 8], y = 1 + (int64_t)(drawn[4] % (uint64_t)(128 / x)), own = 1 + (int64_t)(drawn[5] % (uint64_t)x);
		const int64_t steps[2][2] = {{(int64_t)(drawn[6] % 4), (int64_t)(drawn[7] % 3)}, {(int64_t)(drawn[8] % 2), (int64_t)(drawn[9] % 3)}}, den = 1 + (int64_t)(drawn[10] % 2), row = (int64_t)(drawn[11] % 18);
		struct bw_lane_shape shape = {.block = {x, y, 1}, .own = {drawn[12] % 2 ? own : x, y, 1}, .n_dims = 2, .bytes = bytes};
		for (int d = 0; d < 2; d++) {
			shape.dims[d].steps[0] = (struct bw_ratio){.num = steps[d][0], .den = d ? 1 : den};
			shape.dims[d].steps[1] = (struct bw_ratio){.num = steps[d][1], .den = 1};
			shape.dims[d].bytes = d ? row * bytes : bytes;
		}
		int64_t farthest = ((x * steps[0][0] + y * steps[0][1]) + (x * steps[1][0] + y * steps[1][1]) * row + 1) * bytes;
		if (farthest > 4 * WORDS)
			continue;
		n++;
		char body[900];
		snprintf(body, sizeof body, "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%tid.y; mul.lo.u32 %%r2, %%r0, %d; div.u32 %%r2, %%r2, %d; mad.lo.u32 %%r2, %%r1, %d, %%r2; mul.lo.u32 %%r2, %%r2, %d; mul.lo.u32 %%r3, %%r0, %d; mad.lo.u32 %%r3, %%r1, %d, %%r3; mad.lo.u32 %%r2, %%r3, %d, %%r2;\n"
			"cvt.u64.u32 %%d2, %%r2; %s setp.lt.u32 %%p1, %%r0, %d; @!%%p1 bra E; %s.%s.%s %s, %s; E:", (int)steps[0][0], (int)den, (int)steps[0][1], bytes, (int)steps[1][0], (int)steps[1][1], (int)(row * bytes), shared ? "" : "add.s64 %d2, %out, %d2;", (int)shape.own[0],
			stores ? "st" : "ld", shared ? "shared" : "global", types[type], stores ? "[%d2]" : values[type], stores ? values[type] : "[%d2]");
		run(&(struct run){.body = body, .threads = {(unsigned)x, (unsigned)y, 1}, .shared = 4 * WORDS}, NULL);
		uint64_t sectors = 0, passes = 0, conflicts = 0;
		for (int warp = 0; warp < (x * y + 31) / 32; warp++) {
			int of = 0;
			struct bw_lanes lanes = bw_lanes_of(&shape, warp);
			sectors += (uint64_t)bw_lanes_sectors(&lanes, 0);
			passes += (uint64_t)bw_lanes_passes(&lanes, &of);
			conflicts += (uint64_t)of;
		}
		const uint64_t found[] = {stores ? counted.global_store_sectors : counted.global_load_sectors, stores ? counted.shared_store_wavefronts : counted.shared_load_wavefronts, stores ? counted.shared_store_conflicts : counted.shared_load_conflicts};
		if (shared ? found[1] != passes || found[2] != conflicts : found[0] != sectors)
			fail_msg("seed %d: %s: %d sectors for %d, %d passes for %d, %d conflicts for %d", (int)seed, body, (int)sectors, (int)found[0], (int)passes, (int)found[1], (int)conflicts, (int)found[2]);
	}
	assert_true(n >= 200);
}

static void instructions(void **state)
{
	run(&(struct run){.body = MINE "setp.lt.u32 %p0, %r0, 10; cvt.rn.f32.u32 %f1, %r0; fma.rn.f32 %f2, %f1, %f1, %f1; @!%p0 bra OUT; add.f32 %f2, %f2, %f1; add.f32 %f2, %f2, %f1; OUT: bar.sync 0; @%p0 st.global.f32 [%d0], %f2;", .threads = {40, 1, 1}}, NULL);
	/* Of a warp: ld.param, cvta; mov, mul, add; setp, cvt, fma, bra; bar, st, ret. */
	assert_int_equal(counted.instructions, 12 + 12 + 2);
	assert_int_equal(counted.thread_instructions, 12 * 40 + 2 * 10);
	assert_int_equal(counted.active_instructions, 11 * 40 + 2 * 10 + 10);
	assert_int_equal(counted.branches, 2);
	assert_int_equal(counted.divergent, 1);
	assert_int_equal(counted.barriers, 2);
	assert_int_equal(counted.float_fused, 40);
	assert_int_equal(counted.float_adds, 20);
	assert_int_equal(counted.conversions, 40);
	assert_int_equal(counted.integers, 2 * 40);
	assert_int_equal(counted.global_store_requests, 1);
	assert_int_equal(counted.global_store_bytes, 40);
}

static const struct {
	const char *text, *words;
	enum bw_ptx_result result;
} modules[] = {
	{".version 9.9\n.target sm_80\n", "line 1: PTX version 9.9 is newer than 9.0, the newest that this emulator reads", BW_PTX_TOO_NEW},
	{"//\n// Made by a compiler\n\n.version 9.9\n", "line 1: PTX version 9.9", BW_PTX_TOO_NEW},
	{".version 7.0\n.target sm_120\n", "line 2: target sm_120: this emulator runs sm_30 to sm_90", BW_PTX_INVALID},
	{"", "this is no PTX", BW_PTX_INVALID},
	{"\177ELF", "", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.address_size 32\n", "addresses of 64 bits are expected, not of 32", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\nret;\n", "line 6: the text ends within kernel k, which begins in line 3", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\nret;\n}\n.entry k()\n{\nret;\n}\n", "line 7: a second kernel has the name k; the first one is in line 3", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\nfoo.bar.s32 %r1, %r2;\n}\n", "line 5: unknown instruction foo.bar.s32", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<3>;\nadd.s32 %r1, %r2, %r3;\n}\n", "line 6: there is no register or variable %r3", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<3>;\nadd.s64 %r1, %r2, %r2;\n}\n", "line 6: add.s64: a register of 8 bytes is expected, not one of 4 bytes", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\nbra THERE;\n}\n", "line 5: there is no label THERE", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\nA: ret;\nA: ret;\n}\n", "line 6: the label A stands twice", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.extern .func (.param .b32 r) other(.param .b64 a);\n.entry k()\n{\ncall.uni other, ();\n}\n", "line 6: a call of other, of which this text has no body", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.func f(.param .b32 a)\n{\ncall g, (a);\n}\n.func g(.param .b32 a)\n{\ncall f, (a);\n}\n.entry k()\n{\ncall f, (1);\n}\n", "line 11: kernel k calls a function that calls itself", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.func f(.param .b32 a)\n{\nret;\n}\n.entry k()\n{\ncall f;\n}\n", "line 9: f is called with too few parameters", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.func f(.param .b32 a)\n{\nret;\n}\n.entry k()\n{\n.param .b64 v;\ncall f, (v);\n}\n", "line 10: v has 8 bytes, a has 4", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<3>;\nA: brx.idx %r1, A;\n}\n", "a register and a table of labels, without a guard, is expected", BW_PTX_INVALID},
	{".version 7.0\n.target sm_80\n.entry k()\n{\n.reg .b32 %r<60000000>;\n}\n", "line 5: k has too many registers", BW_PTX_INVALID},
};

/* Each of two blocks loads 32 words twice and stores them: 4 sectors a request. L1 is a block's own, and DRAM moves each sector once a launch. */
static void caches(void **state)
{
	run(&(struct run){.body = MINE "ld.global.u32 %r1, [%d0]; ld.global.u32 %r2, [%d0]; add.u32 %r1, %r1, %r2; st.global.u32 [%d0+1024], %r1;", .grid = {2, 1, 1}}, NULL);
	assert_int_equal(counted.global_load_sectors, 16);
	assert_int_equal(counted.l1_hits, 8);
	assert_int_equal(counted.l2_read_sectors, 8);
	assert_int_equal(counted.dram_read_bytes, 128);
	assert_int_equal(counted.dram_write_bytes, 128);
}

/* Loads `lines` words that lie `apart` bytes from each other, all of them twice, and returns how many of them L1 had. */
static int hits_of(int lines, int apart)
{
	char body[600];
	snprintf(body, sizeof body, "mov.u32 %%r1, 0; PASS: mov.u32 %%r2, 0; mov.u64 %%d0, %%out; NEXT: ld.global.u32 %%r3, [%%d0]; add.s64 %%d0, %%d0, %d;\n"
				    "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p0, %%r2, %d; @%%p0 bra NEXT; add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p0, %%r1, 2; @%%p0 bra PASS;", apart, lines);
	run(&(struct run){.body = body}, NULL);
	assert_int_equal(counted.l1_hits + counted.l2_read_sectors, 2 * lines);
	return (int)counted.l1_hits;
}

/* 32 blocks of a warp fit on an SM: each has 6 KiB, 48 lines, in any of which any line can be, whatever the stride. Of one more none is left when its turn comes. */
static void lines_of_l1(void **state)
{
	assert_int_equal(hits_of(48, 128), 48);
	assert_int_equal(hits_of(49, 128), 0);
	assert_int_equal(hits_of(8, 2048), 8);
	assert_int_equal(hits_of(10, 12 * 128), 10);
	/* The second sector of a line is loaded by itself. */
	assert_int_equal(hits_of(8, 32), 8);
}

/* Blocks of two warps, whose threads may have 64 registers each, are 16 on an SM: each has 12 KiB, 96 lines. Both go through 120 lines in turns, so that the second finds
 * each as long as the first has not gone 96 lines further. */
static void warps_share_lines_of_l1(void **state)
{
	run(&(struct run){.body = "mov.u32 %r2, 0; mov.u64 %d0, %out; NEXT: ld.global.u32 %r3, [%d0]; add.s64 %d0, %d0, 128; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 120; @%p0 bra NEXT;", .threads = {64, 1, 1}}, NULL);
	assert_int_equal(counted.global_load_sectors, 240);
	assert_int_equal(counted.l1_hits, 120);
}

/* What L1 has goes by the numbers of sectors, which follow from the order of the allocations and not from where the host has put them: 1000 bytes take five
 * pieces of 256, of eight sectors each. */
static void sectors_have_numbers(void **state)
{
	struct bw_memory memory = {.most_bytes = 1 << 20};
	uint64_t first = bw_memory_allocate(&memory, 1000), second = bw_memory_allocate(&memory, 256);
	assert_int_equal(bw_memory_find(&memory, first)->sector, 0);
	assert_int_equal(bw_memory_find(&memory, second)->sector, 40);
	assert_true(bw_memory_free(&memory, first));
	uint64_t third = bw_memory_allocate(&memory, 1000);
	assert_int_equal(bw_memory_find(&memory, third)->sector, 40 + 24);
	bw_memory_end(&memory);
}

/* What takes how long, by hand: a product 4 cycles, a sum of 64 bits 8, a load 364, or 38 if L1 has it, of shared memory 29; an address is known after 12. */
static const struct {
	const char *body;
	unsigned threads;
	int cycles;
} waits[] = {
	{"ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1;", 32, 12 + 364 + 4},
	/* Loads that do not need each other wait together. */
	{"ld.global.u32 %r1, [%d0]; ld.global.u32 %r2, [%d0+128]; add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1;", 32, 12 + 364 + 4},
	/* Whatever their order between two branches; one more that the sum needs waits behind the first. */
	{"ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; ld.global.u32 %r2, [%d0+128]; add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1;", 32, 12 + 364 + 4 + 4},
	{"ld.global.u32 %r1, [%d0]; mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1; ld.global.u32 %r2, [%d1]; st.global.u32 [%d0], %r2;", 32, 12 + 364 + 12 + 38},
	{"mul.wide.u32 %d1, %r0, 4; st.shared.u32 [%d1], %r0; ld.shared.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;", 32, 4 + 29},
	/* The second warp waits at the barrier for the load of the first: what a branch needs is there at 4, and it takes 4. */
	{"setp.gt.u32 %p0, %r0, 31; @%p0 bra HERE; ld.global.u32 %r1, [%d0]; add.u32 %r2, %r1, 1; HERE: bar.sync 0; add.u32 %r3, %r0, 1; st.global.u32 [%d0], %r3;", 64, 12 + 364 + 4},
	/* Three turns: a sum that the comparison needs, that the branch needs, which takes 4; and the end. */
	{"mov.u32 %r1, 0; AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3; @%p0 bra AGAIN;", 32, 3 * (4 + 4 + 4) + 1},
	/* Thirty sums that need nothing, the two of the address and the end are issued one a cycle. */
	{"add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 1; add.u32 %r3, %r0, 1; add.u32 %r4, %r0, 1; add.u32 %r5, %r0, 1; add.u32 %r6, %r0, 1; add.u32 %r7, %r0, 1; add.u32 %r8, %r0, 1; add.u32 %r9, %r0, 1; add.u32 %r10, %r0, 1; add.u32 %r11, %r0, 1; add.u32 %r12, %r0, 1; add.u32 %r13, %r0, 1; add.u32 %r14, %r0, 1; add.u32 %r15, %r0, 1; add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 1; add.u32 %r3, %r0, 1; add.u32 %r4, %r0, 1; add.u32 %r5, %r0, 1; add.u32 %r6, %r0, 1; add.u32 %r7, %r0, 1; add.u32 %r8, %r0, 1; add.u32 %r9, %r0, 1; add.u32 %r10, %r0, 1; add.u32 %r11, %r0, 1; add.u32 %r12, %r0, 1; add.u32 %r13, %r0, 1; add.u32 %r14, %r0, 1; add.u32 %r15, %r0, 1;", 32, 33},
};

static void latencies(void **state)
{
	for (size_t k = 0; k < sizeof waits / sizeof *waits; k++) {
		char body[3000];
		snprintf(body, sizeof body, MINE_WRITTEN "%s", waits[k].body);
		run(&(struct run){.body = body, .threads = {waits[k].threads, 1, 1}, .shared = 256}, NULL);
		if ((int)counted.block_cycles != waits[k].cycles)
			fail_msg("%s: %d cycles, not %d", waits[k].body, (int)counted.block_cycles, waits[k].cycles);
	}
	run(&(struct run){.body = MINE "ld.global.u32 %r1, [%d0]; st.global.u32 [%d0], %r1;", .grid = {3, 2, 1}}, NULL);
	assert_int_equal(counted.block_cycles, 6 * (12 + 364));
	/* Not issued: the parameter, the cast, the move. */
	assert_int_equal(counted.instructions - counted.issued, 6 * 3);
}

/* %r0: the word of this thread, %d0: its address. */
#define OF_ALL "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r0, %r1, 32, %r0; mul.wide.u32 %d0, %r0, 4; add.s64 %d0, %out, %d0;\n"

/* 128 blocks: the first and last 3 % (4 each) and 2 % around the middle (61 to 66) run for all, and what the others would write is unknown. The counts are
 * those of all. What takes no longer than it may is run whole, with the same counts. */
static void samples(void **state)
{
	struct bw_counts both[2];
	for (int whole = 0; whole < 2; whole++) {
		run(&(struct run){.body = OF_ALL "st.global.u32 [%d0], %r1;", .grid = {128, 1, 1}, .whole = whole ? 1000000 : 1, .host_threads = 1 + whole}, NULL);
		assert_int_equal(sampled, whole ? 0 : 14);
		for (int k = 0; k < WORDS; k++) {
			int block = k / 32;
			bool is_run = whole || block < 4 || block > 123 || (block > 60 && block < 67);
			assert_true(known[k] == is_run && out[k] == (is_run ? (uint32_t)block : 0));
		}
		both[whole] = counted;
	}
	assert_int_equal(both[0].instructions, 128 * 9);
	assert_int_equal(both[0].global_store_sectors, 128 * 4);
	assert_int_equal(both[1].instructions, both[0].instructions);
	assert_int_equal(both[1].global_store_sectors, both[0].global_store_sectors);
	/* 64 blocks run whole, however long they take. */
	run(&(struct run){.body = OF_ALL "st.global.u32 [%d0], %r1;", .grid = {64, 1, 1}, .whole = 1}, NULL);
	assert_int_equal(sampled, 0);
	/* What several blocks add to is known when all have run. */
	run(&(struct run){.body = "red.global.add.u32 [%out], 1;", .grid = {128, 1, 1}, .whole = 1}, NULL);
	assert_int_equal(sampled, 0);
	assert_int_equal(out[0], 128 * 32);
}

/* What comes of unknown words is unknown: through registers, shared and local memory; not what a selection leaves out. */
static void what_is_unknown(void **state)
{
	static const struct {
		const char *body;
		int known; /* of the first 32 words */
	} cases[] = {
		/* Thread t reads word 2040 + t, of which 8 are known. */
		{MINE "ld.global.u32 %r1, [%d0+8160]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1;", 8},
		{".shared .align 4 .b8 s[128];\n" MINE "ld.global.u32 %r1, [%d0+8160]; mov.u32 %r2, s; mad.lo.s32 %r2, %r0, 4, %r2; st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [%r2]; st.global.u32 [%d0], %r3;", 8},
		{".local .align 4 .b8 l[4];\n" MINE "ld.global.u32 %r1, [%d0+8160]; mov.u32 %r2, l; st.local.u32 [%r2], %r1; ld.local.u32 %r3, [%r2]; st.global.u32 [%d0], %r3;", 8},
		{MINE "ld.global.u32 %r1, [%d0+8160]; setp.lt.u32 %p1, %r0, 20; selp.u32 %r2, 7, %r1, %p1; st.global.u32 [%d0], %r2;", 20},
		{MINE "st.global.u32 [%d0], %r0;", 32},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		run(&(struct run){.body = cases[k].body, .unknown = true}, NULL);
		for (int w = 0; w < 32; w++)
			if (known[w] != (w < cases[k].known))
				fail_msg("case %zu: word %d is %sknown", k, w, known[w] ? "" : "not ");
		assert_true(known[100] && known[WRITTEN - 1] && !known[WRITTEN] && !known[WORDS - 1]);
	}
}

/* The instruction that ends a body without one is none of the text's: it is not counted, and needs no opcode. */
static void empty_bodies(void **state)
{
	static const char *const texts[] = {".version 7.0\n.target sm_80\n.entry k()\n{ }\n", ".version 7.0\n.target sm_80\n.entry j()\n{\n.reg .f32 %f<3>;\nadd.f32 %f1, %f2, %f2;\nret;\n}\n.entry k()\n{\n}\n"};
	for (int k = 0; k < 2; k++) {
		struct bw_ptx *module;
		char complaint[300] = "";
		assert_int_equal(bw_ptx_read(texts[k], strlen(texts[k]), &module, complaint, sizeof complaint), BW_PTX_GOOD);
		struct bw_memory memory = {.most_bytes = 1 << 20};
		struct bw_counts counts = {0};
		struct bw_ptx_launch launch = {.kernel = bw_ptx_find(module, "k"), .memory = &memory, .grid = {2, 1, 1}, .threads = {64, 1, 1}, .most_steps = 10, .host_threads = 1, .counts = &counts};
		assert_int_equal(launch.kernel->n_parts, 1);
		assert_int_equal(bw_launch_run(&launch), 0);
		assert_int_equal(counts.instructions, 0);
		assert_int_equal(counts.float_adds, 0);
		bw_ptx_free(module);
	}
}

static void bad_modules(void **state)
{
	for (size_t k = 0; k < sizeof modules / sizeof *modules; k++) {
		struct bw_ptx *module;
		char complaint[300] = "";
		enum bw_ptx_result result = bw_ptx_read(modules[k].text, strlen(modules[k].text), &module, complaint, sizeof complaint);
		if (result != modules[k].result || module || !strstr(complaint, modules[k].words) || strchr(complaint, '\n'))
			fail_msg("%s: result %d, \"%s\"", modules[k].words, result, complaint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(divergence), cmocka_unit_test(reconvergence), cmocka_unit_test(early_exit), cmocka_unit_test(shared_memory), cmocka_unit_test(generic_addresses), cmocka_unit_test(atomics),
		cmocka_unit_test(vectors), cmocka_unit_test(special_registers), cmocka_unit_test(shuffles), cmocka_unit_test(votes), cmocka_unit_test(carries), cmocka_unit_test(calls), cmocka_unit_test(calls_by_address), cmocka_unit_test(jumps), cmocka_unit_test(copies), cmocka_unit_test(barriers), cmocka_unit_test(barrier_objects), cmocka_unit_test(matches), cmocka_unit_test(clocks_and_parameters), cmocka_unit_test(faults_by_name), cmocka_unit_test(stages_by_name), cmocka_unit_test(first_fault), cmocka_unit_test(races_by_name), cmocka_unit_test(roundings), cmocka_unit_test(doubts), cmocka_unit_test(doubts_of_bits), cmocka_unit_test(sectors_and_wavefronts), cmocka_unit_test(lanes_are_as_counted), cmocka_unit_test(instructions), cmocka_unit_test(caches), cmocka_unit_test(lines_of_l1), cmocka_unit_test(warps_share_lines_of_l1), cmocka_unit_test(latencies), cmocka_unit_test(sectors_have_numbers), cmocka_unit_test(empty_bodies), cmocka_unit_test(samples), cmocka_unit_test(what_is_unknown), cmocka_unit_test(bad_modules)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

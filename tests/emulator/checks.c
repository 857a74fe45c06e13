/* What kernels do wrong, each told by name: faults, races, values that depend on memory that nothing wrote; and what a sample of blocks leaves unknown. */
#include "launched.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(faults_by_name), cmocka_unit_test(stages_by_name), cmocka_unit_test(first_fault), cmocka_unit_test(races_by_name), cmocka_unit_test(roundings),
		cmocka_unit_test(doubts), cmocka_unit_test(doubts_of_bits), cmocka_unit_test(samples), cmocka_unit_test(what_is_unknown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

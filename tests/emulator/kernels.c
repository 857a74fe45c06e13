/* What instructions do, by whole kernels: divergence, barriers, shared memory, atomics, vectors, packing, special registers, calls; and modules that are
 * refused. */
#include "launched.h"

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
	const struct CMUnitTest tests[] = {cmocka_unit_test(divergence), cmocka_unit_test(reconvergence), cmocka_unit_test(early_exit), cmocka_unit_test(shared_memory), cmocka_unit_test(generic_addresses),
		cmocka_unit_test(atomics), cmocka_unit_test(vectors), cmocka_unit_test(special_registers), cmocka_unit_test(shuffles), cmocka_unit_test(votes),
		cmocka_unit_test(carries), cmocka_unit_test(calls), cmocka_unit_test(calls_by_address), cmocka_unit_test(jumps), cmocka_unit_test(copies),
		cmocka_unit_test(barriers), cmocka_unit_test(barrier_objects), cmocka_unit_test(matches), cmocka_unit_test(clocks_and_parameters), cmocka_unit_test(empty_bodies),
		cmocka_unit_test(bad_modules)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

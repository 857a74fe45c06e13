/* What is counted of a kernel: sectors, wavefronts, instructions, what the caches have, how long it takes. Figures are worked out by hand. */
#include "base/hash.h"
#include "cost/lanes.h"
#include "launched.h"

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

/* 40 threads: two warps. Ten lanes of the first take a branch; each of the 40 multiplies and adds once, the ten add twice more. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sectors_and_wavefronts), cmocka_unit_test(lanes_are_as_counted), cmocka_unit_test(instructions), cmocka_unit_test(caches), cmocka_unit_test(lines_of_l1),
		cmocka_unit_test(warps_share_lines_of_l1), cmocka_unit_test(latencies), cmocka_unit_test(sectors_have_numbers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

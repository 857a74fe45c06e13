/* Writes the PTX of the kernels that measure a device's rates. Loops are unrolled, so that loop control is
 * about one instruction in a hundred. Each thread stores its results at the end, so that the assembler
 * cannot remove the work. Operands are kernel parameters, so that the assembler cannot compute the results
 * itself. */
#include "bench/rates_ptx.h"

#include <string.h>

enum {
	CHAINS = 8,        /* independent chains per thread: each step waits only for the previous step of
			      its chain */
	STEPS = 32,        /* steps per chain and round */
	BARRIERS = 32,     /* per thread and round */
	SHARED_LOADS = 32, /* per thread and round */
	SHARED_PLACES = 4  /* of 16 bytes each per thread */
};

/* How a rate is measured. A step of arithmetic is PTX with placeholders: $a is the chain's register, $n and
 * $m are the registers of two neighbours, $f is a float register between two instructions, $b and $c are
 * constant operands. operations: per step. type: of these registers. from: how to make one from a %r. */
static const struct kernel {
	enum bw_rate_shape shape;
	double work;
	const char *step, *type, *from;
} kernels[] = {
#define ARITHMETIC(operations, type, from, step) \
	{BW_SHAPE_ARITHMETIC, (operations) * CHAINS * STEPS, step, type, from}
	[BW_RATE_clock] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "fma.rn.f32 $a, $a, $b, $c;"),
	[BW_RATE_launch_seconds] = {.shape = BW_SHAPE_EMPTY, .work = 1},
	[BW_RATE_launch_sync_seconds] = {.shape = BW_SHAPE_EMPTY, .work = 1},
	[BW_RATE_barrier_seconds] = {.shape = BW_SHAPE_BARRIER, .work = BARRIERS},
	[BW_RATE_barrier_256_seconds] = {.shape = BW_SHAPE_BARRIER, .work = BARRIERS},
	[BW_RATE_global_bandwidth] = {.shape = BW_SHAPE_READ, .work = 16 * BW_RATE_UNROLL},
	[BW_RATE_global_write_bandwidth] = {.shape = BW_SHAPE_WRITE, .work = 16 * BW_RATE_UNROLL},
	[BW_RATE_global_copy_bandwidth] = {.shape = BW_SHAPE_COPY, .work = 32 * BW_RATE_UNROLL},
	[BW_RATE_l2_bandwidth] = {.shape = BW_SHAPE_READ, .work = 16 * BW_RATE_UNROLL},
	[BW_RATE_shared_bandwidth] = {.shape = BW_SHAPE_SHARED, .work = 16 * SHARED_LOADS},
	[BW_RATE_float_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "fma.rn.f32 $a, $a, $b, $c;"),
	[BW_RATE_register_bandwidth] = ARITHMETIC(12, "f32", "cvt.rn.f32.u32", "fma.rn.f32 $a, $a, $b, $c;"),
	[BW_RATE_float_add_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "add.rn.f32 $a, $a, $b;"),
	[BW_RATE_float_mul_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "mul.rn.f32 $a, $a, $b;"),
	[BW_RATE_half_rate] = ARITHMETIC(2, "b32", "mov.b32", "fma.rn.f16x2 $a, $a, $b, $c;"),
	[BW_RATE_double_rate] = ARITHMETIC(1, "f64", "cvt.rn.f64.u32", "fma.rn.f64 $a, $a, $b, $c;"),
	[BW_RATE_int_rate] = ARITHMETIC(1, "b32", "mov.b32", "lop3.b32 $a, $a, $n, $m, 0xd2;"),
	[BW_RATE_int_add_rate] = ARITHMETIC(1, "s32", "mov.b32", "add.s32 $a, $a, $n;"),
	[BW_RATE_int_mul_rate] = ARITHMETIC(1, "s32", "mov.b32", "mul.lo.s32 $a, $a, $n;"),
	[BW_RATE_int_mad_rate] = ARITHMETIC(1, "s32", "mov.b32", "mad.lo.s32 $a, $a, $n, $c;"),
	[BW_RATE_int64_rate] = ARITHMETIC(1, "s64", "cvt.s64.s32", "add.s64 $a, $a, $n;"),
	[BW_RATE_special_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "ex2.approx.ftz.f32 $a, $a;"),
	[BW_RATE_rsqrt_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "rsqrt.approx.ftz.f32 $a, $a;"),
	[BW_RATE_divide_rate] = ARITHMETIC(1, "f32", "cvt.rn.f32.u32", "div.full.f32 $a, $b, $a;"),
	[BW_RATE_convert_rate] =
		ARITHMETIC(2, "s32", "mov.b32", "cvt.rn.f32.s32 $f, $a; cvt.rzi.s32.f32 $a, $f;"),
#undef ARITHMETIC
};

enum bw_rate_shape bw_rate_shape(enum bw_rate_key key)
{
	return kernels[key].shape;
}

double bw_rate_work(enum bw_rate_key key)
{
	return kernels[key].work;
}

/* Appends a step of chain k with its placeholders replaced. */
static void put_step(const char *step, int k, struct bw_text *ptx)
{
	bw_text_puts(ptx, "\t");
	for (; *step; step++) {
		if (*step != '$') {
			bw_text_append(ptx, step, 1);
			continue;
		}
		switch (*++step) {
		case 'a':
			bw_text_printf(ptx, "%%v%d", k);
			break;
		case 'n':
			bw_text_printf(ptx, "%%v%d", k ^ 1);
			break;
		case 'm':
			bw_text_printf(ptx, "%%v%d", (k + 2) % CHAINS);
			break;
		case 'f':
			bw_text_printf(ptx, "%%f%d", k);
			break;
		case 'b':
			bw_text_printf(ptx, "%%v%d", CHAINS);
			break;
		default:
			bw_text_printf(ptx, "%%v%d", CHAINS + 1);
			break;
		}
	}
	bw_text_puts(ptx, "\n");
}

/* Writes the head of a kernel. It sets the registers %from, %to, %stride, %trips and %rounds (the
 * parameters), %self (the thread's index in its block) and %thread (its index in the grid). */
static void put_begin(const struct kernel *kernel, struct bw_text *ptx)
{
	bool halves = kernel->step && strstr(kernel->step, "f16");
	const char *separator = "";
	bw_text_printf(ptx, ".version 5.0\n.target %s\n.address_size 64\n", halves ? "sm_53" : "sm_50");
	bw_text_puts(ptx, ".visible .entry rate(");
#define X(name, type) \
	bw_text_printf(ptx, "%s.param ." #type " p_" #name, separator); \
	separator = ", ";
	BW_RATE_PARAMETERS(X)
#undef X
	bw_text_puts(ptx, ")\n");
	if (kernel->shape != BW_SHAPE_EMPTY && kernel->shape != BW_SHAPE_BARRIER)
		bw_text_printf(ptx, ".maxntid %d, 1, 1\n", BW_RATE_BLOCK);
	bw_text_puts(ptx, "{\n\t.reg .pred %more;\n\t.reg .u32 %self, %thread, %block, %size;\n");
#define X(name, type) \
	bw_text_printf(ptx, "\t.reg ." #type " %%" #name ";\n\tld.param." #type " %%" #name ", [p_" #name "];\n");
	BW_RATE_PARAMETERS(X)
#undef X
	bw_text_puts(ptx, "\tmov.u32 %self, %tid.x;\n"
	                  "\tmov.u32 %block, %ctaid.x;\n"
	                  "\tmov.u32 %size, %ntid.x;\n"
	                  "\tmad.lo.u32 %thread, %block, %size, %self;\n");
}

/* Writes the end of a loop that runs `counter` times. */
static void put_again(const char *counter, const char *label, struct bw_text *ptx)
{
	bw_text_printf(ptx, "\tsub.u32 %%%s, %%%s, 1;\n\tsetp.ne.u32 %%more, %%%s, 0;\n\t@%%more bra %s;\n",
	               counter, counter, counter, label);
}

static void put_barriers(struct bw_text *ptx)
{
	bw_text_puts(ptx, "ROUND:\n");
	for (int k = 0; k < BARRIERS; k++)
		bw_text_puts(ptx, "\tbar.sync 0;\n");
	put_again("rounds", "ROUND", ptx);
}

/* Zeroes %x0 to %x3, the 16 bytes that a thread stores at the end. */
static void put_none(struct bw_text *ptx)
{
	for (int w = 0; w < 4; w++)
		bw_text_printf(ptx, "\tmov.u32 %%x%d, 0;\n", w);
}

/* Combines the 16 bytes of load k with %x0 to %x3, so that the load cannot be removed. */
static void put_take(int k, struct bw_text *ptx)
{
	for (int w = 0; w < 4; w++)
		bw_text_printf(ptx, "\txor.b32 %%x%d, %%x%d, %%w%d;\n", w, w, 4 * k + w);
}

static void put_words(const char *form, int k, struct bw_text *ptx)
{
	bw_text_printf(ptx, form, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3, k);
}

static void put_global(enum bw_rate_shape shape, struct bw_text *ptx)
{
	bw_text_printf(ptx,
	               "\t.reg .u64 %%at, %%a<%d>, %%out, %%o<%d>;\n"
	               "\t.reg .u32 %%w<%d>, %%x<4>, %%left;\n"
	               "\tmul.wide.u32 %%at, %%thread, 16;\n"
	               "\tadd.u64 %%to, %%to, %%at;\n"
	               "\tadd.u64 %%from, %%from, %%at;\n",
	               BW_RATE_UNROLL, BW_RATE_UNROLL, 4 * BW_RATE_UNROLL);
	for (int w = 0; w < 4 * BW_RATE_UNROLL; w++)
		bw_text_printf(ptx, "\tadd.u32 %%w%d, %%thread, %d;\n", w, w);
	put_none(ptx);
	bw_text_puts(ptx, "ROUND:\n"
	                  "\tmov.u32 %left, %trips;\n"
	                  "\tmov.u64 %at, %from;\n"
	                  "\tmov.u64 %out, %to;\n"
	                  "TRIP:\n");
	for (int k = 0; k < BW_RATE_UNROLL && shape != BW_SHAPE_WRITE; k++) {
		bw_text_printf(ptx, "\tmov.u64 %%a%d, %%at;\n\tadd.u64 %%at, %%at, %%stride;\n", k);
		put_words("\tld.global.cg.v4.u32 {%%w%d, %%w%d, %%w%d, %%w%d}, [%%a%d];\n", k, ptx);
	}
	for (int k = 0; k < BW_RATE_UNROLL && shape == BW_SHAPE_READ; k++)
		put_take(k, ptx);
	for (int k = 0; k < BW_RATE_UNROLL && shape != BW_SHAPE_READ; k++) {
		bw_text_printf(ptx, "\tmov.u64 %%o%d, %%out;\n\tadd.u64 %%out, %%out, %%stride;\n", k);
		put_words("\tst.global.v4.u32 [%%o%5$d], {%%w%1$d, %%w%2$d, %%w%3$d, %%w%4$d};\n", k, ptx);
	}
	put_again("left", "TRIP", ptx);
	put_again("rounds", "ROUND", ptx);
	if (shape == BW_SHAPE_READ)
		bw_text_puts(ptx, "\tst.global.v4.u32 [%to], {%x0, %x1, %x2, %x3};\n");
}

static void put_shared(struct bw_text *ptx)
{
	bw_text_printf(ptx,
	               "\t.shared .align 16 .b8 memory[%d];\n"
	               "\t.reg .u64 %%at;\n"
	               "\t.reg .u32 %%place, %%w<%d>, %%x<4>;\n"
	               "\tmov.u32 %%place, memory;\n"
	               "\tmad.lo.u32 %%place, %%self, 16, %%place;\n",
	               16 * BW_RATE_BLOCK * SHARED_PLACES, 4 * SHARED_LOADS);
	for (int k = 0; k < SHARED_PLACES; k++)
		bw_text_printf(ptx, "\tst.shared.v4.u32 [%%place+%d], {%%thread, %%self, %%block, %%size};\n",
		               16 * BW_RATE_BLOCK * k);
	put_none(ptx);
	bw_text_puts(ptx, "ROUND:\n");
	for (int k = 0; k < SHARED_LOADS; k++) {
		bw_text_printf(ptx, "\tld.shared.v4.u32 {%%w%d, %%w%d, %%w%d, %%w%d}, [%%place+%d];\n", 4 * k,
		               4 * k + 1, 4 * k + 2, 4 * k + 3, 16 * BW_RATE_BLOCK * (k % SHARED_PLACES));
		put_take(k, ptx);
		if (k % SHARED_PLACES == SHARED_PLACES - 1)
			bw_text_puts(ptx, "\tadd.u32 %place, %place, %trips;\n");
	}
	put_again("rounds", "ROUND", ptx);
	bw_text_printf(ptx,
	               "\tmul.wide.u32 %%at, %%thread, %d;\n"
	               "\tadd.u64 %%to, %%to, %%at;\n"
	               "\tst.global.v4.u32 [%%to], {%%x0, %%x1, %%x2, %%x3};\n",
	               BW_RATE_LEFT);
}

/* Writes a loop of arithmetic. Chain k begins with the thread's number plus k. The operand $b is the thread's
 * number & %trips, and $c is the thread's number: both differ from thread to thread, so that they stay in
 * per-thread registers. If `clocked`, the thread stores the cycles that the loop took in place of its first
 * chain. */
static void put_arithmetic(const struct kernel *kernel, bool clocked, struct bw_text *ptx)
{
	const char *type = kernel->type;
	bw_text_printf(ptx,
	               "\t.reg .u64 %%at, %%began, %%ended;\n"
	               "\t.reg .u32 %%r;\n"
	               "\t.reg .f32 %%f<%d>;\n"
	               "\t.reg .%s %%v<%d>;\n",
	               CHAINS, type, CHAINS + 2);
	for (int k = 0; k < CHAINS; k++)
		bw_text_printf(ptx, "\tadd.u32 %%r, %%thread, %d;\n\t%s %%v%d, %%r;\n", k, kernel->from, k);
	bw_text_printf(ptx,
	               "\tand.b32 %%r, %%thread, %%trips;\n"
	               "\t%s %%v%d, %%r;\n"
	               "\t%s %%v%d, %%thread;\n",
	               kernel->from, CHAINS, kernel->from, CHAINS + 1);
	bw_text_puts(ptx, clocked ? "\tmov.u64 %began, %clock64;\nROUND:\n" : "ROUND:\n");
	for (int step = 0; step < STEPS; step++)
		for (int k = 0; k < CHAINS; k++)
			put_step(kernel->step, k, ptx);
	put_again("rounds", "ROUND", ptx);
	if (clocked)
		bw_text_puts(ptx, "\tmov.u64 %ended, %clock64;\n\tsub.u64 %ended, %ended, %began;\n");
	bw_text_printf(ptx, "\tmul.wide.u32 %%at, %%thread, %d;\n\tadd.u64 %%to, %%to, %%at;\n",
	               BW_RATE_LEFT);
	for (int k = 0; k < CHAINS; k++)
		bw_text_printf(ptx, "\tst.global.%s [%%to+%d], %%v%d;\n", type, 8 * k, k);
	if (clocked)
		bw_text_puts(ptx, "\tst.global.u64 [%to], %ended;\n");
}

void bw_rate_ptx(enum bw_rate_key key, struct bw_text *ptx)
{
	const struct kernel *kernel = &kernels[key];
	put_begin(kernel, ptx);
	switch (kernel->shape) {
	case BW_SHAPE_EMPTY:
		break;
	case BW_SHAPE_BARRIER:
		put_barriers(ptx);
		break;
	case BW_SHAPE_READ:
	case BW_SHAPE_WRITE:
	case BW_SHAPE_COPY:
		put_global(kernel->shape, ptx);
		break;
	case BW_SHAPE_SHARED:
		put_shared(ptx);
		break;
	case BW_SHAPE_ARITHMETIC:
		put_arithmetic(kernel, key == BW_RATE_clock, ptx);
		break;
	}
	bw_text_puts(ptx, "\tret;\n}\n");
}

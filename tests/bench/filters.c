/* Filters by hand, shaped as Halide's compiled ones are, that do what no schedule of Halide's can be made to do: crash, hang, write
 * where they must not, answer differently later. Compiled once for each VARIANT. The algorithm, over an output of 5 x 3 from (2, -1):
 *   out(x, y) = 10 x + y + in(x, y) + in(x + 1, y) + step          in is uint8, out int32 or, with FLOATS, float32 of out / 3 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench/halide_abi.h"

enum variant { RIGHT, WRONG_POINT, UNWRITTEN, OUTSIDE_ROW, OUTSIDE_NEXT, CRASH, ILLEGAL, ABORTS, QUITS, HANG, REFUSES, NOISY, GREEDY, LATER_WRONG, SLIGHTLY_OFF, NOT_A_NUMBER, CRASH_QUERY, BIG_OUTPUT, INTERLEAVED, SLOW, KILLS_WORKER, COUNTED, TIMED, UNREAD };
#ifndef VARIANT
#define VARIANT RIGHT
#endif
#ifndef FLOATS
#define FLOATS 0
#endif

static const int64_t out_x = 2, out_w = VARIANT == BIG_OUTPUT ? 6 : 5, out_y = -1, out_h = 3, in_x = 2, in_w = 6, in_y = -1, in_h = 3;
static const int64_t *const out_estimates[] = {&out_x, &out_w, &out_y, &out_h}, *const in_estimates[] = {&in_x, &in_w, &in_y, &in_h};
static const int32_t step_estimate = 7;

static const struct bw_halide_argument arguments[] = {
	{.name = "in", .kind = BW_HALIDE_INPUT_BUFFER, .dimensions = 2, .type = {BW_HALIDE_UINT, 8, 1}, .buffer_estimates = in_estimates},
	{.name = "step", .kind = BW_HALIDE_INPUT_SCALAR, .type = {BW_HALIDE_INT, 32, 1}, .scalar_estimate = &step_estimate},
	{.name = "out", .kind = BW_HALIDE_OUTPUT_BUFFER, .dimensions = 2, .type = {FLOATS ? BW_HALIDE_FLOAT : BW_HALIDE_INT, 32, 1}, .buffer_estimates = out_estimates},
};
static const struct bw_halide_metadata metadata = {1, 3, arguments, "x86-64-linux", "bw_filter"};

const struct bw_halide_metadata *bw_filter_metadata(void)
{
	return &metadata;
}

/* Notes in the file TIMED_RUNS, if this process or another has the turn TURN_FILE for itself alone, that the worker times, or that it met another one
 * which does. */
static void note_timed(void)
{
	char mark[512];
	int turn = open(getenv("TURN_FILE"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	bool alone = flock(turn, LOCK_SH | LOCK_NB) != 0;
	close(turn);
	if (!alone)
		return;
	snprintf(mark, sizeof mark, "%s.mark", getenv("TIMED_RUNS"));
	int marked = open(mark, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *runs = fopen(getenv("TIMED_RUNS"), "a");
	fprintf(runs, "%d %s\n", (int)getppid(), marked >= 0 ? "times" : "meets another");
	fclose(runs);
	usleep(1000);
	if (marked >= 0 && close(marked) == 0)
		unlink(mark);
}

static uint8_t *at(const struct bw_halide_buffer *buffer, int x, int y)
{
	return buffer->host + bw_halide_bytes(buffer->type) * ((int64_t)(x - buffer->dim[0].min) * buffer->dim[0].stride + (int64_t)(y - buffer->dim[1].min) * buffer->dim[1].stride);
}

static void put(const struct bw_halide_buffer *out, int x, int y, int32_t value)
{
	float third = (float)value / 3;
	if (VARIANT == SLIGHTLY_OFF)
		third *= 1 + 1e-5f;
	if (VARIANT == NOT_A_NUMBER && x == 3)
		third = NAN;
	if (FLOATS)
		memcpy(at(out, x, y), &third, sizeof third);
	else
		memcpy(at(out, x, y), &value, sizeof value);
}

/* Answers a bounds query: the input's box is the output's and one more in x. */
static void answer(struct bw_halide_buffer *in, struct bw_halide_buffer *out)
{
	if (VARIANT == CRASH_QUERY)
		raise(SIGBUS);
	if (VARIANT == INTERLEAVED && !out->host) {
		out->dim[1].stride = 1;
		out->dim[0].stride = out->dim[1].extent;
	}
	if (!out->host)
		out->flags = 0;
	if (in->host || VARIANT == UNREAD)
		return;
	in->flags = 0;
	for (int d = 0; d < 2; d++) {
		in->dim[d].min = out->dim[d].min;
		in->dim[d].extent = out->dim[d].extent + (d == 0) + (d == 0 && VARIANT == GREEDY ? 3 : 0);
	}
}

/* What misbehaves before anything is computed; returns what the filter returns, 0 to go on. */
static int misbehave(void)
{
	static const char noise[] = "{\"beamwalk-bench\":1,\"object\":0,\"verdict\":\"right\"}\nnoise\n";
	switch (VARIANT) {
	case CRASH:
		raise(SIGSEGV);
		break;
	case ILLEGAL:
		__asm__ volatile("ud2");
		break;
	case ABORTS:
		abort();
	case QUITS:
		exit(3);
	case HANG:
		for (;;)
			pause();
	case KILLS_WORKER:
		kill(getppid(), SIGKILL);
		pause();
		break;
	case SLOW:
		usleep(300000);
		break;
	case REFUSES:
		return -17;
	case NOISY:
		return write(STDOUT_FILENO, noise, sizeof noise - 1) < 0;
	default:
		break;
	}
	return 0;
}

int bw_filter_argv(void **list)
{
	static int calls;
	struct bw_halide_buffer *in = list[0], *out = list[2];
	int32_t step = *(const int32_t *)list[1];
	if ((!in->host && VARIANT != UNREAD) || !out->host) {
		answer(in, out);
		return 0;
	}
	if (VARIANT == INTERLEAVED && (out->dim[1].stride != 1 || out->dim[0].stride != out->dim[1].extent))
		return -5;
	int result = misbehave();
	if (result)
		return result;
	if (VARIANT == UNREAD && !in->host)
		raise(SIGSEGV);
	calls++;
	FILE *runs = VARIANT == COUNTED ? fopen(getenv("COUNTED_RUNS"), "a") : NULL;
	if (runs) {
		fputs("run\n", runs);
		fclose(runs);
	}
	if (VARIANT == TIMED)
		note_timed();
	int x0 = out->dim[0].min, x1 = x0 + out->dim[0].extent, y0 = out->dim[1].min, y1 = y0 + out->dim[1].extent;
	for (int y = y0; y < y1 - (VARIANT == UNWRITTEN); y++)
		for (int x = x0; x < x1; x++)
			put(out, x, y, 10 * x + y + *at(in, x, y) + *at(in, x + 1, y) + step + ((VARIANT == WRONG_POINT || (VARIANT == LATER_WRONG && calls > 2)) && x == 4 && y == 0));
	if (VARIANT == OUTSIDE_ROW)
		put(out, x1, 1, 0);
	if (VARIANT == OUTSIDE_NEXT)
		put(out, x0 + 1, y1, 0);
	return 0;
}

/* How long it takes to evaluate an expression, by kind: the least of some runs, against a bound. The search does this for each bound of
 * each region of each option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/expr.h"

enum { RUNS = 9, EVALUATIONS = 200000, N_INTERVALS = 64 };

static const struct kind {
	const char *what, *text;
	double bound; /* ns */
} kinds[] = {
	{"a bound as it is", "[{\"min\":\"x\"}]", 10},
	{"affine", "[[\"+\",[\"*\",{\"max\":\"x\"},2],1]]", 10},
	{"affine, divided by 2", "[[\"/\",[\"-\",{\"min\":\"x\"},1],2]]", 10},
	{"affine, divided by 3", "[[\"/\",[\"-\",{\"min\":\"x\"},1],3]]", 25},
	{"clamped", "[[\"max\",[\"min\",[\"+\",{\"max\":\"x\"},1],2559],0]]", 40},
	{"both ends of a mirror", "[[\"max\",[\"-\",2559,[\"abs\",[\"-\",[\"%\",{\"min\":\"x\"},5120],2560]]],[\"select\",[\"<\",{\"min\":\"x\"},{\"max\":\"y\"}],[\"/\",{\"min\":\"y\"},7],[\"uint8\",{\"max\":\"x\"}]]]]", 150},
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static const struct bw_expr *read(const char *text, struct bw_arena *arena)
{
	static const char *const names[] = {"x", "y"};
	const struct bw_scope scope = {.names = names, .n_names = 2};
	struct bw_error error;
	struct bw_json *json = bw_json_parse("kind", text, strlen(text), &error);
	const struct bw_expr *expr = NULL;
	if (json) {
		struct bw_json_at root = bw_json_root(json), at = bw_json_element(&root, 0);
		expr = bw_expr_read(&at, &scope, arena, &error);
	}
	bw_json_free(json);
	if (!expr) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return expr;
}

/* ns for one evaluation. */
static double measure(const struct bw_expr *expr, const struct bw_interval intervals[][2])
{
	double least = 0;
	for (int run = 0; run < RUNS; run++) {
		int64_t value, sum = 0;
		double begin = now();
		for (int i = 0; i < EVALUATIONS; i++)
			if (bw_expr_eval(expr, intervals[i % N_INTERVALS], &value))
				sum ^= value;
		double each = (now() - begin) / EVALUATIONS;
		__asm__ volatile("" : : "r"(sum));
		least = run && least < each ? least : each;
	}
	return least;
}

int main(void)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_interval intervals[N_INTERVALS][2];
	int status = 0;
	for (int i = 0; i < N_INTERVALS; i++) {
		intervals[i][0] = (struct bw_interval){i * 32 - 64, i * 32 - 33};
		intervals[i][1] = (struct bw_interval){i * 8 - 16, i * 8 - 9};
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		double ns = measure(read(kinds[k].text, arena), intervals);
		printf("expression, %-32s %8.1f ns (bound %g)  %s\n", kinds[k].what, ns, kinds[k].bound, ns <= kinds[k].bound ? "within" : "OVER");
		status |= ns > kinds[k].bound;
	}
	bw_arena_free(arena);
	return status;
}

/* How long a frame of each view takes: draws it on a screen of 160x50, as after a key, and prints the least and the median of the times in ms of
 * the processor, the dearest view first; at the end of the search, and, in two more columns, while one goes on: it has its turn of 2 ms before each
 * frame, from the middle of its decisions on. With --bound MS it fails where a median is above. With a CACHE, a folder, the best two states are compiled
 * before, so that `code` has lines, and `compare` the code of both.
 *
 *   frames [--bound MS] DEVICES PIPELINE [CACHE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "session/counters.h"
#include "session/session.h"
#include "session/source.h"
#include "ui/screen.h"

enum { COLUMNS = 160, ROWS = 50, ROUNDS = 15, MOST_VIEWS = 64 };

struct frames {
	const char *view;
	double ms[ROUNDS], meanwhile[ROUNDS];
};

static double thread_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static int by_ms(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int by_median(const void *a, const void *b)
{
	const struct frames *x = a, *y = b;
	double worst[] = {x->ms[ROUNDS / 2], y->ms[ROUNDS / 2]};
	worst[0] = worst[0] > x->meanwhile[ROUNDS / 2] ? worst[0] : x->meanwhile[ROUNDS / 2];
	worst[1] = worst[1] > y->meanwhile[ROUNDS / 2] ? worst[1] : y->meanwhile[ROUNDS / 2];
	return by_ms(&worst[1], &worst[0]);
}

static double draw(struct bw_screen *screen, struct bw_grid *grid)
{
	int x, y;
	double before = thread_ms();
	bw_screen_draw(screen, grid, &x, &y);
	return thread_ms() - before;
}

/* Draws a view again and again, with another selected state in between, so that nothing is left from the frame before. */
static void measure(struct bw_session *session, struct bw_screen *screen, struct bw_grid *grid, struct frames *frames)
{
	char line[64];
	snprintf(line, sizeof line, "view %s", frames->view);
	bw_session_do(session, line, -1, NULL, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		bw_session_do(session, i % 2 ? "select state 2" : "select state 1", -1, NULL, NULL);
		frames->ms[i] = draw(screen, grid);
	}
	qsort(frames->ms, ROUNDS, sizeof *frames->ms, by_ms);
}

/* Moves an edge of a block again and again: the command and the frame after it. */
static double measure_lens(struct bw_session *session, struct bw_screen *screen, struct bw_grid *grid, double *least)
{
	static const char *const moves[] = {"wider", "taller", "narrower", "flatter"};
	double ms[ROUNDS];
	bw_session_do(session, "view tile", -1, NULL, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		char line[64];
		double before = thread_ms();
		snprintf(line, sizeof line, "lens %s", moves[i % 4]);
		bw_session_run(session, line, NULL, NULL);
		ms[i] = thread_ms() - before + draw(screen, grid);
	}
	bw_session_do(session, "lens off", -1, NULL, NULL);
	qsort(ms, ROUNDS, sizeof *ms, by_ms);
	*least = ms[0];
	return ms[ROUNDS / 2];
}

/* Begins a search with another seed, and draws a view while it goes on. Returns false if it ended before the last frame. */
static bool measure_meanwhile(struct bw_session *session, struct bw_screen *screen, struct bw_grid *grid, struct frames *frames, int seed)
{
	char line[64];
	snprintf(line, sizeof line, "set seed=%d", seed);
	bw_session_run(session, "view main", NULL, NULL);
	bw_session_run(session, line, NULL, NULL);
	bw_session_run(session, "run end", NULL, NULL);
	while (session->target >= 0 && bw_search_reached(session->search) < bw_search_n_decisions(session->search) / 2)
		bw_session_work(session, 0.002);
	snprintf(line, sizeof line, "view %s", frames->view);
	bw_session_run(session, line, NULL, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		if (session->target < 0)
			return false;
		bw_session_work(session, 0.002);
		frames->meanwhile[i] = draw(screen, grid);
	}
	qsort(frames->meanwhile, ROUNDS, sizeof *frames->meanwhile, by_ms);
	return true;
}

/* Opens a pipeline that is built, by its name, or described, by its file; with a cache it is one that can be compiled. */
static struct bw_session *session_of(const char *pipeline, const char *cache, struct bw_device *devices, int n_devices)
{
	const char *build = getenv("BW_BUILD"), *sources = getenv("BW_SRC");
	char *generators = bw_format("%s/pipelines", build ? build : "."), *bundled = bw_format("%s/pipelines", sources ? sources : "."),
	     *described = bw_format("%s/data/descriptions", sources ? sources : "."), *bench = bw_format("%s/beamwalk-bench", build ? build : ".");
	struct bw_folders folders = {generators, bundled, described};
	struct bw_places places = {cache ? bw_plugins_find(build ? build : ".") : NULL, bench, cache, "cc", NULL};
	struct bw_source_request request = {.pipeline = pipeline};
	struct bw_source source = {0};
	struct bw_error error = {0};
	struct bw_pipeline *read = bw_source_open(&request, &folders, &places, &(struct bw_patience){120, NULL}, &source, &error);
	if (!read) {
		fprintf(stderr, "frames: %s\n", error.text);
		return NULL;
	}
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, "A100"));
	struct bw_session *session = bw_session_new(&source, &places, read, &options);
	bw_session_set_up(session, &(struct bw_session_setup){.devices = devices, .n_devices = n_devices, .time_limit = 600});
	return session; /* and the folders' names, which it refers to */
}

/* Gives the best two states code, and compares it. */
static bool compile(struct bw_session *session)
{
	struct bw_error error = {0};
	bool good = bw_session_do(session, "code 1", -1, NULL, &error) && bw_session_do(session, "code 2", -1, NULL, &error) &&
		    bw_session_do(session, "compare code 1 2", -1, NULL, &error);
	const struct bw_timing *timing = good ? bw_session_code(session, 0, false) : NULL;
	if (timing)
		printf("code: %d lines of PTX, %d of the statement\n", bw_code_lines(timing->code, false), bw_code_lines(timing->code, true));
	else
		fprintf(stderr, "frames: no code: %s\n", good ? session->message : error.text);
	return timing;
}

int main(int argc, char **argv)
{
	double bound = argc > 2 && !strcmp(argv[1], "--bound") ? atof(argv[2]) : 0;
	struct bw_error error = {0};
	argv += bound > 0 ? 2 : 0;
	argc -= bound > 0 ? 2 : 0;
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: frames [--bound MS] DEVICES PIPELINE [CACHE]\n");
		return 2;
	}
	int n_devices, n, wrong = 0;
	struct bw_device *devices = bw_devices_read(argv[1], &n_devices, &error);
	struct bw_session *session = devices ? session_of(argv[2], argc > 3 ? argv[3] : NULL, devices, n_devices) : NULL;
	if (!session)
		return 2;
	struct bw_screen *screen = bw_screen_new(session, false);
	struct bw_grid grid = bw_grid_new(COLUMNS, ROWS, false);
	const struct bw_view_info *infos = bw_view_infos(&n);
	struct frames frames[MOST_VIEWS] = {{0}};
	bw_session_do(session, "run end", -1, NULL, &error);
	wrong += argc > 3 && !compile(session);
	bw_session_do(session, "select func remapped_rows1", -1, NULL, NULL);
	for (int v = 0; v < n && v < MOST_VIEWS; v++) {
		frames[v].view = infos[v].name;
		measure(session, screen, &grid, &frames[v]);
	}
	double least, lens = measure_lens(session, screen, &grid, &least);
	printf("%-12s %7.2f %7.2f\n", "an edge", least, lens);
	wrong += bound > 0 && lens > bound;
	for (int v = 0; v < n && v < MOST_VIEWS; v++)
		if (!measure_meanwhile(session, screen, &grid, &frames[v], v + 1)) {
			printf("%s: the search ended before the last frame\n", frames[v].view);
			wrong++;
		}
	qsort(frames, (size_t)n, sizeof *frames, by_median);
	for (int v = 0; v < n; v++) {
		const double *ms = frames[v].ms, *meanwhile = frames[v].meanwhile;
		bool slow = bound > 0 && (ms[ROUNDS / 2] > bound || meanwhile[ROUNDS / 2] > bound);
		wrong += slow;
		printf("%-12s %7.2f %7.2f %7.2f %7.2f%s\n", frames[v].view, ms[0], ms[ROUNDS / 2], meanwhile[0], meanwhile[ROUNDS / 2],
		       slow ? "  more than the bound" : "");
	}
	bw_screen_free(screen);
	bw_grid_free(&grid);
	bw_session_free(session);
	free(devices);
	return wrong > 0;
}

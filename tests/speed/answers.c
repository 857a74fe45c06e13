/* How long each key takes while a search runs, without what other processes take: the slice of work that the search is at when the key comes, what the
 * key asks for, and its frame, in ms of the processor that the calling thread took. All keys that are bound, in all views and panes, on a terminal of
 * 100x30. The longest of all against the bound; the longest by key and view.
 *
 *   answers ROUNDS BOUND_MS DEVICES DESCRIPTION [COMMAND...]     commands set the search up */
#include <locale.h>
#include <pty.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "session/session.h"
#include "ui/screen.h"
#include "ui/terminal.h"

enum { COLUMNS = 100, ROWS = 30, MOST_BINDINGS = 200 };
static const double work_seconds = 0.004, patience_seconds = 0.002; /* as the explorer has them */

static const char *const views[] = {"main", "main", "main", "main", "decision", "statistics", "timings", "override", "compare", "features", "history", "help", "start"};
enum { N_VIEWS = sizeof views / sizeof *views };

struct answers {
	struct bw_session *session;
	struct bw_screen *screen;
	struct bw_terminal *terminal;
	struct bw_grid grid;
	FILE *report;
	int seed;
	int n, capacity;
	double *ms;
};

/* The longest answers to one key. */
struct longest {
	double ms, slice, asked, drawn;
	const char *view;
};

static double thread_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void draw(struct answers *answers)
{
	int x, y;
	answers->screen->columns = COLUMNS;
	answers->screen->rows = ROWS;
	bw_screen_draw(answers->screen, &answers->grid, &x, &y);
	bw_terminal_show(answers->terminal, &answers->grid, x, y);
}

/* A search that runs, in a view, some way on. */
static void prepare(struct answers *answers, int view)
{
	struct bw_session *session = answers->session;
	struct bw_error error;
	session->quit = false;
	if (bw_search_reached(session->search) >= bw_search_n_decisions(session->search)) {
		char line[64];
		snprintf(line, sizeof line, "set seed=%d", ++answers->seed);
		bw_session_run(session, line, NULL, &error);
	}
	if (session->target < 0)
		bw_session_run(session, "run end", NULL, &error);
	if (!strcmp(views[view], "compare"))
		bw_session_run(session, "compare 1 2", NULL, &error);
	snprintf(session->view, sizeof session->view, "%s", views[view]);
	answers->screen->focus = view < BW_N_PANES ? (enum bw_sheet_id)view : BW_SHEET_BEAM;
	bw_session_work(session, work_seconds);
	draw(answers);
}

static void answer(struct answers *answers, struct bw_binding binding, int view, struct longest *longest)
{
	prepare(answers, view);
	double began = thread_ms();
	bw_session_work(answers->session, work_seconds);
	double worked = thread_ms();
	bw_screen_before_key(answers->screen);
	if (binding.request == BW_REQUEST_REDRAW)
		bw_terminal_redraw(answers->terminal);
	bw_screen_request(answers->screen, binding);
	double asked = thread_ms();
	draw(answers);
	double drawn = thread_ms();
	BW_GROW(answers->ms, answers->n, answers->capacity);
	answers->ms[answers->n++] = drawn - began;
	if (drawn - began > longest->ms)
		*longest = (struct longest){drawn - began, worked - began, asked - worked, drawn - asked, views[view]};
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool measure(struct answers *answers, int rounds, double bound)
{
	struct bw_binding bindings[MOST_BINDINGS];
	int n = bw_bindings(bindings, MOST_BINDINGS);
	struct longest *longest = BW_NEW_ARRAY(struct longest, n);
	for (int round = 0; round < rounds; round++)
		for (int view = 0; view < N_VIEWS; view++)
			for (int i = 0; i < n; i++)
				if (bindings[i].request != BW_REQUEST_SUSPEND)
					answer(answers, bindings[i], view, &longest[i]);
	qsort(answers->ms, (size_t)answers->n, sizeof *answers->ms, by_size);
	for (int i = 0; i < n; i++)
		if (longest[i].ms > bound / 2)
			fprintf(answers->report, "  key %-8s at most %5.1f ms, in view %s: slice %.1f, command %.1f, frame %.1f\n", bindings[i].keys, longest[i].ms, longest[i].view, longest[i].slice, longest[i].asked, longest[i].drawn);
	double p99 = answers->ms[answers->n * 99 / 100], most = answers->ms[answers->n - 1];
	fprintf(answers->report, "key to frame, %d keys in %d views: median %.1f ms, 99th percentile %.1f, at most %.1f (bound %g of all)  %s\n", n, N_VIEWS, answers->ms[answers->n / 2], p99, most, bound, most <= bound ? "within" : "OVER");
	free(longest);
	free(answers->ms);
	return most <= bound;
}

static void *read_all(void *data)
{
	char bytes[4096];
	while (read(*(int *)data, bytes, sizeof bytes) > 0)
		;
	return NULL;
}

/* Standard input and output become a terminal that somebody reads; the report goes where output went. */
static bool take_terminal(struct answers *answers, int *reader)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	int terminal;
	answers->report = fdopen(dup(STDOUT_FILENO), "w");
	if (!answers->report || openpty(reader, &terminal, NULL, NULL, &size) != 0)
		return false;
	pthread_t thread;
	return dup2(terminal, STDIN_FILENO) >= 0 && dup2(terminal, STDOUT_FILENO) >= 0 && pthread_create(&thread, NULL, read_all, reader) == 0;
}

static bool run(struct answers *answers, char **argv, int argc, struct bw_error *error)
{
	int n_devices;
	struct bw_device *devices = bw_devices_read(argv[3], &n_devices, error);
	struct bw_pipeline *pipeline = devices ? bw_pipeline_read(argv[4], error) : NULL;
	if (!pipeline)
		return false;
	struct bw_settings options = bw_settings_default(&devices[0]);
	struct bw_source source = {.name = bw_strdup("pipeline"), .size = bw_strdup("1536x2560")};
	answers->session = bw_session_new(&source, &(struct bw_places){0}, pipeline, &options);
	answers->session->devices = devices;
	answers->session->n_devices = n_devices;
	answers->screen = bw_screen_new(answers->session, false);
	bw_screen_never_waits(answers->screen, patience_seconds);
	answers->grid = bw_grid_new(0, 0, false);
	answers->terminal = bw_terminal_open(&(struct bw_terminal_options){.type = "xterm-256color", .mouse = true}, error);
	bool good = answers->terminal != NULL;
	for (int i = 5; good && i < argc; i++)
		good = bw_session_run(answers->session, argv[i], NULL, error);
	bool within = good && measure(answers, atoi(argv[1]), atof(argv[2]));
	bw_terminal_close(answers->terminal);
	bw_grid_free(&answers->grid);
	bw_screen_free(answers->screen);
	bw_session_free(answers->session);
	free(devices);
	return within;
}

int main(int argc, char **argv)
{
	struct answers answers = {0};
	struct bw_error error = {0};
	int reader;
	if (argc < 5) {
		fprintf(stderr, "usage: answers ROUNDS BOUND_MS DEVICES DESCRIPTION [COMMAND...]\n");
		return 2;
	}
	setlocale(LC_ALL, "C.UTF-8");
	if (!take_terminal(&answers, &reader))
		return 2;
	bool within = run(&answers, argv, argc, &error);
	if (error.text[0])
		fprintf(stderr, "answers: %s\n", error.text);
	fclose(answers.report);
	return !within;
}

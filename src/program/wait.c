/* Waiting: for a schedule that is compiled and run, for a generator, for a search. */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/say.h"
#include "command/report.h"
#include "program/program.h"
#include "session/comparison.h"
#include "session/measure.h"
#include "session/explain.h"
#include "session/improve.h"

enum { MOST_SECONDS = 3600 }; /* of searches */
enum { SILENCE = 5 }; /* seconds of waiting for a turn that are not told where there is no terminal */

/* The progress shown while a schedule is compiled and run. */
struct shown {
	const char *file;
	time_t since, last;
	int waits; /* seconds of waiting for the device's turn that were observed */
	char told[320];
};

/* On a terminal, prints the step in progress and its duration. Elsewhere, prints once whose turn the
 * schedule waits for. */
static void show_progress(struct bw_session *session, void *data)
{
	struct shown *shown = data;
	char doing[sizeof shown->told];
	time_t now = time(NULL);
	if (now <= shown->last)
		return;
	bool waits = bw_timing_doing(session, session->asked, doing, sizeof doing);
	shown->waits = waits ? shown->waits + (int)(now - shown->last) : 0;
	shown->last = now;
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[K%s: %.100s, %.0f s", shown->file, *doing ? doing : "waiting",
			difftime(now, shown->since));
	} else if (shown->waits >= SILENCE && strcmp(doing, shown->told)) {
		fprintf(stderr, "beamwalk: %s: %s\n", shown->file, doing);
		memcpy(shown->told, doing, sizeof doing);
	}
}

bool bw_program_begin(struct bw_session *session, const char *command, const char *file,
		      struct bw_error *error)
{
	BW_SCOPED_TEXT line = {0};
	bool named = !file || strpbrk(file, "/.") || !strcmp(file, BW_HAND);
	bw_text_printf(&line, "%s %s%s", command, named ? "" : "./", file ? file : "best");
	return bw_program_line(session, bw_text_get(&line), error);
}

const struct bw_timing *bw_program_wait(struct bw_session *session, const char *command, const char *file,
					struct bw_error *error)
{
	struct shown shown = {.file = file ? file : "best", .since = time(NULL), .last = time(NULL)};
	if (!bw_program_begin(session, command, file, error))
		return NULL;
	const struct bw_timing *timing = &session->timings[session->asked];
	bw_session_settle(session, -1, show_progress, &shown);
	if (timing->phase != BW_JOB_FAILED)
		return timing;
	*error = timing->error;
	bw_fail_in(error, "%s", file ? file : "best");
	return NULL;
}

enum { QUIET_MS = 1000, SHOWN_MS = 200 }; /* before a line is shown at all, and between two */

/* The progress of a search on a terminal: when it began and when a line was last shown, by bw_clock. */
struct searching {
	double began, shown;
};

/* Returns true if it is time for the next line on a terminal, and notes that it is shown. */
static bool due(struct searching *searching)
{
	const double now = bw_clock();
	if (!isatty(STDERR_FILENO) || now < searching->began + 1e-3 * QUIET_MS ||
	    now < searching->shown + 1e-3 * SHOWN_MS)
		return false;
	searching->shown = now;
	return true;
}

static void show_search(struct bw_session *session, void *data)
{
	struct searching *searching = data;
	if (!due(searching))
		return;
	const double polished = bw_search_polishing(session->search);
	fprintf(stderr, "\r\033[K%.80s: ", session->source.name);
	if (polished > 0)
		fprintf(stderr, "polishing a schedule of %.4g %s", polished, session->options.model->said);
	else
		fprintf(stderr, "decision %d of %d", bw_search_reached(session->search),
			bw_search_n_decisions(session->search));
	fprintf(stderr, ", %.0f s", searching->shown - searching->began);
}

static void show_regrets(struct bw_session *session, void *data)
{
	struct searching *searching = data;
	int all, n = bw_regrets_progress(session, &all);
	if (!due(searching))
		return;
	fprintf(stderr, "\r\033[K%.80s: the runner-up of decision %d of %d, %.0f s", session->source.name, n, all,
		searching->shown - searching->began);
}

void bw_program_regrets(struct bw_session *session, int most)
{
	struct searching searching = {bw_clock(), 0};
	bw_regrets_begin(session, most);
	bw_session_settle(session, -1, show_regrets, &searching);
	if (searching.shown > 0)
		fputs("\r\033[K", stderr);
}

/* Shows the background work that runs besides the search. */
static void show_beside(struct bw_session *session, void *data)
{
	struct searching *searching = data;
	BW_SCOPED_TEXT words = {0};
	if (!due(searching))
		return;
	bw_session_background(session, &words);
	fprintf(stderr, "\r\033[K%.80s: %s, %.0f s", session->source.name, bw_text_get(&words),
		searching->shown - searching->began);
}

/* Opens the session, searches unless `searches` is false, and runs a command on the schedule that the command
 * line names, until it ends or ^C stops it. `more` follows the schedule's name. */
static bool run_beside(struct bw_program *program, const char *command, bool searches, const char *more,
		       struct bw_error *error)
{
	const char *file = program->arguments.n_rest ? program->arguments.rest[0] : "";
	struct searching searching = {bw_clock(), 0};
	BW_SCOPED_TEXT line = {0};
	if (program->arguments.n_rest > 1)
		return bw_fail(error, BW_ERROR_USAGE, "%s takes at most one schedule", command);
	if (!program->session && !bw_program_open(program, error))
		return false;
	if (searches && *file && !bw_program_search(program->session, error))
		return false;
	if (searches && !*file && !bw_program_search_best(program, error))
		return false;
	struct bw_session *session = program->session;
	int interrupts = bw_program_interrupts(false, error);
	bool hash = strlen(file) >= 8 && !file[strspn(file, "0123456789abcdef")] && access(file, F_OK) != 0;
	bw_text_printf(&line, "%s %s%s%s", command, *file && !strpbrk(file, "/.") && strcmp(file, BW_HAND) && !hash ? "./" : "", file, more);
	bool good = interrupts >= 0 && bw_session_run(session, bw_text_get(&line), NULL, error);
	if (good && !bw_session_settle(session, interrupts, show_beside, &searching))
		bw_session_stop(session);
	if (searching.shown > 0)
		fputs("\r\033[K", stderr);
	if (good && session->message_is_error)
		good = bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
	if (good)
		fprintf(stderr, "%s: %s\n", session->source.name, session->message);
	if (interrupts >= 0)
		close(interrupts);
	return good;
}

bool bw_program_minimal(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	return run_beside(program, "minimal", true, "", error) &&
	       (bw_minimal_print(program->session, &out) || bw_fail(error, BW_ERROR_STOPPED, "%s", program->session->message)) &&
	       bw_program_put(program, &out, error);
}

bool bw_program_improve(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	BW_SCOPED_TEXT more = {0}, out = {0};
	long most = 0;
	if (!bw_arguments_number(arguments->changes, "changes", 1, 1 << 20, &most, error) || !bw_program_open(program, error))
		return false;
	if (arguments->free)
		bw_text_printf(&more, " free %s", arguments->free);
	if (arguments->changes)
		bw_text_printf(&more, " %ld changes", most);
	const struct bw_source *source = &program->session->source;
	bool searches = !arguments->n_rest && !source->hand && !source->near_hand;
	if (!run_beside(program, "improve", searches, bw_text_get(&more), error))
		return false;
	if (!bw_improvement_of(program->session))
		return bw_fail(error, BW_ERROR_STOPPED, "%s", program->session->message);
	bw_report_improved(program->session, arguments->json, &out);
	return bw_program_put(program, &out, error);
}

/* Prints how far a stopped search came. */
static void print_stopped(const struct bw_session *session)
{
	const struct bw_search *search = session->search;
	const int reached = bw_search_reached(search);
	const double polished = bw_search_polishing(search);
	const char *said = session->options.model->said;
	const struct bw_state *const *beam;
	fprintf(stderr, "beamwalk: %s: stopped ", session->pipeline->name);
	if (polished > 0)
		fprintf(stderr, "while polishing a schedule of %.4g %s, which --set polish=0 writes\n", polished, said);
	else if (bw_search_beam(search, reached, &beam))
		fprintf(stderr, "at decision %d of %d, with %d Funcs placed at %.4g %s; nothing is written\n", reached,
			bw_search_n_decisions(search), beam[0]->nest->n_placed, beam[0]->cost, said);
}

/* Runs the search to its end or until ^C. `stopped` is called after ^C; NULL: nothing is called. */
static bool run_search(struct bw_session *session, void (*stopped)(const struct bw_session *session),
		       struct bw_error *error)
{
	struct searching searching = {bw_clock(), 0};
	sigset_t before;
	if (!bw_session_run(session, "run end", NULL, error))
		return false;
	sigprocmask(SIG_BLOCK, NULL, &before);
	const int interrupts = bw_program_interrupts(false, error);
	if (interrupts < 0)
		return false;
	const bool ended = bw_session_settle(session, interrupts, show_search, &searching);
	if (searching.shown > 0)
		fputs("\r\033[K", stderr);
	if (!ended)
		bw_program_interrupted(interrupts);
	close(interrupts);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!ended) {
		if (stopped)
			stopped(session);
		bw_session_stop(session);
		return bw_fail(error, BW_ERROR_STOPPED, "stopped");
	}
	return !session->message_is_error || bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
}

bool bw_program_search(struct bw_session *session, struct bw_error *error)
{
	return run_search(session, print_stopped, error);
}

/* One of several searches, and the cost that it found. */
struct start {
	int beam;
	unsigned long long seed;
	double cost; /* of the best state at the end; 0: it found none */
};

static bool search_from(struct bw_session *session, struct start *start, struct bw_error *error)
{
	char beam[32], seed[40];
	snprintf(beam, sizeof beam, "set beam=%d", start->beam);
	snprintf(seed, sizeof seed, "set seed=%llu", start->seed);
	bool good = bw_session_run(session, beam, NULL, error) && bw_session_run(session, seed, NULL, error) &&
		    run_search(session, NULL, error);
	start->cost = good ? bw_session_state(session)->cost : 0;
	return good;
}

static void print_start(const struct start *start, double before, const struct bw_session *session,
			struct bw_text *out)
{
	bw_text_printf(out, "beam %d, seed %llu: %.4g %s", start->beam, start->seed, start->cost,
		       session->options.model->said);
	if (before > 0)
		bw_text_printf(out, " (%+.1f%%)", 100 * (start->cost / before - 1));
	bw_text_puts(out, "\n");
}

/* Searches with further seeds until the time is over or ^C, each with the full beam and with a quarter of
 * it. ^C is blocked between two searches. At the end repeats the best search, if it was not the last. The
 * searches that were the best so far become steps. */
static bool search_again(struct bw_program *program, double until, struct start first, struct bw_error *error)
{
	struct bw_session *session = program->session;
	const int quarter = first.beam >= 8 ? first.beam / 4 : 0;
	struct start best = first, now = first;
	double shown = bw_clock();
	bool good = true;
	int n = 1;
	print_start(&first, 0, session, &program->steps);
	for (; (good || error->kind == BW_ERROR_CONFLICT) && bw_clock() < until; n += good) {
		now = (struct start){now.beam != first.beam || !quarter ? first.beam : quarter,
				     now.seed + (now.beam != first.beam || !quarter), 0};
		good = search_from(session, &now, error);
		if (good && now.cost < best.cost) {
			print_start(&now, best.cost, session, &program->steps);
			best = now;
		}
		if (isatty(STDERR_FILENO) && bw_clock() > shown + 1e-3 * SHOWN_MS) {
			shown = bw_clock();
			fprintf(stderr, "\r\033[K%.80s: %s, %.4g %s, %.0f s left", session->source.name,
				bw_say_number(n, "search").text, best.cost, session->options.model->said,
				until > shown ? until - shown : 0);
		}
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (!good && error->kind == BW_ERROR_STOPPED)
		fprintf(stderr, "beamwalk: %s: stopped after %s\n", session->pipeline->name, bw_say_number(n, "search").text);
	bw_text_printf(&program->steps, "the best of %s, %+.1f%% against the first\n", bw_say_number(n, "search").text,
		       100 * (best.cost / first.cost - 1));
	if (!good && error->kind != BW_ERROR_CONFLICT && error->kind != BW_ERROR_STOPPED)
		return false;
	return (now.beam == best.beam && now.seed == best.seed) || search_from(session, &best, error);
}

/* Appends an update, in the syntax of --rfactor, if it is worth splitting: it is associative and not
 * atomic, each thread runs at least LEAST of its iterations, and its Func has so few points (at most
 * most_points) that one thread per point leaves the device idle. The factor is a power of two, such that
 * the number of parts is near the iterations of each part. */
static void put_long(const struct bw_nest *nest, int f, int s, double most_points, struct bw_text *out)
{
	enum { LEAST = 256 };
	const struct bw_stage *stage = &nest->pipeline->funcs[f].stages[s];
	const struct bw_placed *placed = nest->placed[f];
	if (!stage->associative || !placed->n_regions || placed->placement->stages[s].atomic)
		return;
	const struct bw_placed_stage *run = &placed->stages[s];
	const double points =
	    bw_box_points(placed->regions[placed->n_regions - 1].computed, nest->pipeline->funcs[f].n_dims);
	int64_t outer = 1, inner = 1, factor = 1;
	int outermost = 0;
	for (int l = 0; l < stage->n_loops; l++)
		outermost = stage->loops[l].pure ? outermost : l;
	for (int i = 0; i < run->n_loops; i++) {
		const int loop = placed->placement->stages[s].loops[i].loop;
		if (!stage->loops[loop].pure)
			*(loop == outermost ? &outer : &inner) *= run->extents[i];
	}
	if (run->serial < LEAST || points > most_points || inner < 1) /* an empty loop has no iterations */
		return;
	while (4 * factor * factor * inner <= outer)
		factor *= 2;
	if (outer >= 2 * factor)
		bw_text_printf(out, "%s%s.update%d:%d", out->length ? "," : "", nest->pipeline->funcs[f].name, s - 1,
			       (int)factor);
}

/* Returns true if the program may split updates into parts by itself. Returns false if no update is
 * associative, if the user gives --rfactor or holds Funcs, or if there is only a description. */
static bool may_part(const struct bw_program *program)
{
	const struct bw_arguments *arguments = &program->arguments;
	const struct bw_pipeline *pipeline = program->session->pipeline;
	bool any = false;
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 1; s < pipeline->funcs[f].n_stages; s++)
			any |= pipeline->funcs[f].stages[s].associative;
	return any && program->session->source.compilable && !arguments->rfactor && !arguments->schedule &&
	       !arguments->scheduler && !arguments->random;
}

/* Searches again with the long reductions of the best schedule split into parts, as --rfactor does.
 * Replaces the session by the new one if the new one finds a cheaper schedule. */
static bool search_parts(struct bw_program *program, struct bw_error *error)
{
	struct bw_arguments *arguments = &program->arguments;
	struct bw_session *before = program->session;
	const struct bw_state *best = bw_session_state(before);
	const struct bw_device *device = before->options.device;
	BW_SCOPED_TEXT parts = {0};
	if (!may_part(program))
		return true;
	for (int f = 0; f < best->nest->pipeline->n_funcs; f++)
		for (int s = 1; s < best->nest->pipeline->funcs[f].n_stages; s++)
			put_long(best->nest, f, s, device->sms * device->warp_size, &parts);
	if (!parts.length)
		return true;
	arguments->rfactor = bw_text_get(&parts);
	bool opened = bw_program_open(program, error), good = opened && bw_program_search(program->session, error);
	const double cost = good ? bw_session_state(program->session)->cost : 0;
	arguments->rfactor = NULL;
	if (good && cost < best->cost) {
		fprintf(stderr, "beamwalk: --rfactor %s: %.4g %s, without (--rfactor none) %.4g\n", bw_text_get(&parts), cost,
			before->options.model->said, best->cost);
		bw_session_free(before);
		return true;
	}
	if (opened)
		bw_session_free(program->session);
	program->session = before;
	return good || error->kind != BW_ERROR_STOPPED;
}

bool bw_program_search_best(struct bw_program *program, struct bw_error *error)
{
	return bw_program_search(program->session, error) && search_parts(program, error);
}

void bw_program_parts_words(const struct bw_program *program, struct bw_text *out)
{
	const struct bw_pipeline *pipeline = program->session->pipeline;
	if (!pipeline->n_rfactors || program->arguments.rfactor || !program->session->source.compilable)
		return;
	bw_text_puts(out, "long reductions are in parts (--rfactor none: whole): ");
	bw_pipeline_put_rfactors(pipeline, out);
}

bool bw_program_open_parts(struct bw_program *program, struct bw_error *error)
{
	return bw_program_open(program, error) && (!may_part(program) || bw_program_search_best(program, error) ||
						   error->kind == BW_ERROR_CONFLICT);
}

bool bw_program_search_long(struct bw_program *program, struct bw_error *error)
{
	const double began = bw_clock();
	double seconds = 0;
	if (!bw_arguments_real(program->arguments.seconds, "seconds", true, MOST_SECONDS, &seconds, error) ||
	    !bw_program_search_best(program, error))
		return false;
	struct bw_session *session = program->session;
	if (seconds == 0)
		return true;
	sigset_t before;
	sigprocmask(SIG_BLOCK, NULL, &before);
	const int interrupts = bw_program_interrupts(false, error);
	struct start first = {session->options.beam, session->options.seed, bw_session_state(session)->cost};
	bool good = interrupts >= 0 && search_again(program, began + seconds, first, error);
	if (interrupts >= 0)
		close(interrupts);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return good;
}

bool bw_program_nest(struct bw_program *program, const char *path, struct bw_nest **nest,
		     struct bw_error *error)
{
	struct bw_session *session = program->session;
	bool hand = path && !strcmp(path, BW_HAND);
	const char *file = hand ? session->source.hand : path;
	*nest = NULL;
	if (hand && !file)
		return true;
	if (file)
		*nest = bw_report_whole_nest(session, file, error);
	else if (bw_program_search(session, error))
		*nest = bw_nest_keep(bw_session_state(session)->nest);
	return *nest;
}

int bw_program_interrupts(bool always, struct bw_error *error)
{
	struct sigaction action;
	sigset_t interrupt;
	sigemptyset(&interrupt);
	if (always || (sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler != SIG_IGN))
		sigaddset(&interrupt, SIGINT);
	int interrupts = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
	if (interrupts < 0)
		bw_fail(error, BW_ERROR_IO, "cannot catch ^C: %s", strerror(errno));
	else
		sigprocmask(SIG_BLOCK, &interrupt, NULL);
	return interrupts;
}

bool bw_program_interrupted(int interrupts)
{
	struct signalfd_siginfo info;
	bool was = false;
	while (interrupts >= 0 && read(interrupts, &info, sizeof info) == sizeof info)
		was = true;
	return was;
}

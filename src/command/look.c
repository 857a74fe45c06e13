/* Commands that show something: views, help; and `quit`. */
#include <limits.h>

#include "base/clock.h"
#include "cost/lanes.h"
#include "figures/graph.h"
#include "figures/lineage.h"
#include "session/advice.h"
#include "session/lens.h"
#include "session/comparison.h"
#include "session/counters.h"
#include "session/explain.h"
#include "session/improve.h"
#include "session/measure.h"
#include "session/opinions.h"
#include "session/sweep.h"
#include "session/tuning.h"
#include "session/view_table.h"

const struct bw_view_info *bw_view_infos(int *n)
{
	static const struct bw_view_info infos[] = {
		{"main", BW_VIEW_MAIN, "all panes: beam, nest, stages and options"},
#define X(id, name, kind, meaning) {#name, BW_VIEW_##kind, meaning},
		BW_VIEW_TABLE(X)
#undef X
	};
	*n = sizeof infos / sizeof *infos;
	return infos;
}

static const struct bw_view_info *find_view(const char *word, struct bw_error *error)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	BW_SCOPED_MEMORY const char **names = BW_NEW_ARRAY(const char *, n);
	for (int i = 0; i < n; i++)
		names[i] = infos[i].name;
	int found = bw_word_find(names, n, word, "view", error);
	return found < 0 ? NULL : &infos[found];
}

const char *bw_session_view_behind(const struct bw_session *session)
{
	return session->n_from ? session->from[session->n_from - 1] : "main";
}

/* Remembers the present view, to return to it, if the view `next` describes other views. */
static void remember_view(struct bw_session *session, const char *next)
{
	enum { MOST = sizeof session->from / sizeof *session->from };
	const struct bw_view_info *info = find_view(next, NULL);
	bool explains = info && info->kind == BW_VIEW_ABOUT;
	int at = 0;
	while (at < session->n_from && strcmp(session->from[at], next))
		at++;
	bool back = at < session->n_from;
	if (back || !explains)
		session->n_from = back ? at : 0;
	else if (strcmp(session->view, next) && at < MOST)
		memcpy(session->from[session->n_from++], session->view, sizeof *session->from);
}

bool bw_command_sort(struct call *call)
{
	static const char *const names[] = {
#define X(id, name) #name,
		BW_SORT_TABLE(X)
#undef X
	};
	struct bw_session *session = call->session;
	int sort = *call->rest ? bw_word_find(names, BW_N_SORTS, call->rest, "order", call->error)
			       : ((int)session->sort + 1) % BW_N_SORTS;
	if (sort < 0)
		return false;
	session->sort = (enum bw_sort)sort;
	bw_session_say(
	    call, sort == BW_SORT_ORDER ? "stages in the order in which they are decided" : "stages by %s",
	    names[sort]);
	return true;
}

bool bw_command_filter(struct call *call)
{
	struct bw_session *session = call->session;
	static const char inside[] = "inside ";
	bool within = !strncmp(call->rest, inside, sizeof inside - 1);
	const char *name = call->rest + sizeof inside - 1;
	int func = within ? bw_pipeline_find(session->pipeline, name + strspn(name, " ")) : -1;
	if (within && func < 0)
		return bw_fail(call->error, BW_ERROR_USAGE, "%s has no Func \"%s\"", session->pipeline->name, name);
	snprintf(session->listed, sizeof session->listed, "%s", within ? "" : call->rest);
	session->listed_inside = func;
	if (within)
		bw_session_say(call, "stages in the kernel of %s", session->pipeline->funcs[func].name);
	else
		bw_session_say(call, *call->rest ? "stages with %s in their names" : "all stages%s", call->rest);
	return true;
}

/* Returns the nest whose tile is shown. */
static struct bw_nest *tile_nest(struct bw_session *session, const struct bw_alternative **alternative)
{
	if (session->selection.alternative > 0)
		bw_session_alternatives_all(session);
	return bw_session_tile_nest(session, alternative);
}

static json_t *step_json(const struct bw_session *session, const struct bw_lineage_step *step, int k)
{
	BW_SCOPED_TEXT name = {0};
	json_t *parents = json_array(), *survivors = json_array();
	for (int i = 0; i < step->n; i++) {
		json_array_append_new(parents, json_integer(step->lines[i].parent + 1));
		if (step->lines[i].survives)
			json_array_append_new(survivors, json_integer(i + 1));
	}
	bw_session_decision_name(session, k, &name);
	return json_pack("{s:s, s:i, s:f, s:f, s:b, s:o, s:i, s:i, s:o, s:o}", "decision", bw_text_get(&name),
			 "states", step->n, "best", step->best, "worst", step->worst, "worst_ties",
			 bw_cost_ties(session->options.model, step->worst, step->best), "cut",
			 step->cut > 0 ? json_real(step->cut) : json_null(), "winner", step->winner + 1,
			 "structures", step->n_kinds, "parents", parents, "survivors", survivors);
}

static json_t *lineage_json(struct bw_session *session, const struct bw_lineage *lineage)
{
	json_t *decisions = json_array();
	for (int k = 0; k < lineage->n; k++)
		json_array_append_new(decisions, step_json(session, &lineage->steps[k], k));
	int n;
	bw_regrets_finish(session, INT_MAX);
	const struct bw_regret *most = bw_regret_most(session);
	json_t *object =
	    json_pack("{s:i, s:i, s:i, s:i, s:o}", "common", lineage->common, "leads", lineage->leads + 1, "decided",
		      most ? most->decision + 1 : 0, "tightest", lineage->tightest + 1, "decisions", decisions);
	const struct bw_regret *regrets = bw_regrets(session, &n);
	json_t *others = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(
		    others, json_pack("{s:i, s:i, s:b, s:o}", "decision", regrets[i].decision + 1, "rank", regrets[i].rank + 1,
				      "replaced", regrets[i].stands != NULL, "cost",
				      regrets[i].cost > 0 ? json_real(regrets[i].cost) : json_null()));
	json_object_set_new(object, "runners_up", others);
	json_object_set_new(object, "runners_up_complete", json_boolean(bw_regrets_progress(session, &n) == n));
	const struct bw_polish *polish = bw_search_polish(session->search, lineage->n);
	if (polish && polish->n)
		json_object_set_new(object, "polish",
				    json_pack("{s:i, s:f, s:f, s:b}", "changes", polish->n, "before",
					      polish->steps[0].before, "after", polish->steps[polish->n - 1].after,
					      "tie", bw_cost_ties(session->options.model, polish->steps[0].before,
							   polish->steps[polish->n - 1].after)));
	return object;
}

/* Each of these functions returns the figures that a view draws; NULL: there are none. */

/* Returns the counters of the newest counted schedule, and those of all verified schedules. */
static json_t *counters_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_timing *timing = bw_session_counted(call->session);
	json_t *json = timing ? bw_counted_json(call->session, timing) : NULL;
	(void)arena;
	if (json)
		json_object_set_new(json, "verified", bw_verified_json(call->session));
	return json;
}

static json_t *accesses_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_session *session = call->session;
	const struct bw_func *funcs = session->pipeline->funcs;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	int func = session->selection.func, n = 0;
	const struct bw_device *device = bw_search_device(session->search);
	const struct bw_lane_access *list =
	    func >= 0 && nest->placed[func] && !device->cpu ? bw_lane_accesses(nest, device, func, arena, &n) : NULL;
	json_t *accesses = json_array();
	for (int k = 0; k < n; k++) {
		BW_SCOPED_TEXT words = {0};
		json_t *places = json_array();
		for (int lane = 0; lane < BW_WARP_LANES && list[k].known; lane++)
			json_array_append_new(places, list[k].lanes.active >> lane & 1
							  ? json_integer(list[k].lanes.places[lane])
							  : json_null());
		bw_lane_access_words(session->pipeline, &list[k], &words);
		json_array_append_new(accesses, json_pack("{s:s, s:i, s:s, s:b, s:f, s:i, s:i, s:f, s:i, s:i, s:o, s:s}", "of", funcs[list[k].of].name, "stage", list[k].stage, "memory", list[k].shared ? "shared" : "global",
							  "stores", list[k].stores, "per_pass", list[k].count, "lane_bytes", list[k].lanes.bytes, list[k].shared ? "passes" : "sectors", list[k].served, "average", list[k].average, "least", list[k].least,
							  "conflicts", list[k].conflicts, "lanes", places, "words", bw_text_get(&words)));
	}
	if (n)
		return json_pack("{s:i, s:s, s:o}", "beamwalk-access", 1, "func", funcs[func].name, "accesses", accesses);
	json_decref(accesses);
	return NULL;
}

static json_t *code_diff_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_comparison *comparison = bw_session_comparison(call->session);
	const struct bw_code_diff *diff =
	    comparison && comparison->code ? bw_comparison_code_diff(call->session) : NULL;
	json_t *json = diff ? bw_code_diff_json(diff) : NULL;
	(void)arena;
	if (diff)
		json_object_set_new(json, "schedules", json_pack("[s, s]", comparison->labels[0], comparison->labels[1]));
	return json;
}

static json_t *graph_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_session *session = call->session;
	struct bw_graph graph = bw_graph_of(bw_session_state(session)->nest, bw_session_cost(session), arena);
	return bw_graph_json(session->pipeline, &graph);
}

static json_t *roofline_json(struct call *call, struct bw_arena *arena)
{
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	struct bw_rooflines rooflines =
	    bw_rooflines_of(nest, bw_search_device(session->search), session->options.model,
			    bw_session_uses(session, nest), arena);
	json_t *object = bw_rooflines_json(session->pipeline, &rooflines), *kernels = json_object_get(object, "kernels");
	bw_session_trials_all(session);
	for (int k = 0; k < rooflines.n; k++) {
		BW_SCOPED_TEXT words = {0};
		const struct bw_trials *advice = bw_advice_of(session, &rooflines.kernels[k]);
		bw_advice_words(session, &rooflines, &rooflines.kernels[k], &words);
		json_object_set_new(json_array_get(kernels, (size_t)k), "advice",
				    json_pack("{s:s, s:o}", "words", bw_text_get(&words), "cost",
					      advice ? json_real(advice->cost) : json_null()));
	}
	return object;
}

static json_t *search_json(struct call *call, struct bw_arena *arena)
{
	struct bw_lineage lineage = bw_lineage_of(call->session->search, arena);
	return lineage_json(call->session, &lineage);
}

static json_t *walk_json(struct call *call, struct bw_arena *arena)
{
	(void)arena;
	return bw_session_walk(call->session) ? bw_walk_json(bw_session_walk(call->session)) : NULL;
}

static json_t *sweep_json(struct call *call, struct bw_arena *arena)
{
	(void)arena;
	return bw_session_swept(call->session) ? bw_sweep_json(call->session) : NULL;
}

static json_t *opinions_json(struct call *call, struct bw_arena *arena)
{
	(void)arena;
	return bw_session_opinions(call->session) ? bw_opinions_json(bw_session_opinions(call->session)) : NULL;
}

static json_t *tune_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_session *session = call->session;
	(void)arena;
	return bw_session_tuning_figures(session)
		   ? bw_tuning_json(bw_session_tuning_figures(session), session->source.name)
		   : NULL;
}

static json_t *code_json(struct call *call, struct bw_arena *arena)
{
	const struct bw_session *session = call->session;
	const struct bw_timing *timing = bw_session_code(session, 0, false);
	(void)arena;
	return timing ? bw_session_code_json(session, timing) : NULL;
}

static json_t *tile_json(struct call *call, struct bw_arena *arena)
{
	struct bw_session *session = call->session;
	const struct bw_alternative *alternative;
	struct bw_block_tile tile;
	if (session->selection.func < 0)
		return NULL;
	BW_SCOPED_NEST *nest = tile_nest(session, &alternative);
	bool placed = bw_tile_of(nest, session->selection.func, arena, &tile);
	return placed ? bw_tile_json(session->pipeline, &tile) : NULL;
}

/* Writes the figures that a view draws as JSON. */
static bool print_figures(struct call *call, const char *view)
{
	static const struct {
		const char *view;
		json_t *(*figures)(struct call *call, struct bw_arena *arena);
		const char *missing; /* why the view has no figures */
	} views[] = {
	    {"access", accesses_json, "no Func is selected that loads or stores global or shared memory; `select FUNC` selects one"},
	    {"code", code_json, "no code was compiled yet; `code` compiles the selected state"},
	    {"compare", code_diff_json, "no code was compared yet; `compare code` compiles and compares it"},
	    {"counters", counters_json, "nothing was counted; `counters` or `verify` counts"},
	    {"graph", graph_json, NULL},
	    {"opinions", opinions_json, "no schedulers were compared; `compare --all` does"},
	    {"roofline", roofline_json, NULL},
	    {"search", search_json, NULL},
	    {"sweep", sweep_json, "nothing was swept yet; `sweep` does"},
	    {"tile", tile_json, "no Func is selected that is placed; `select FUNC` selects one"},
	    {"tune", tune_json, "there is no tuning; `tune` begins one"},
	    {"walk", walk_json, "there is no walk: `scheduler greedy` makes one"},
	};
	enum { N = sizeof views / sizeof *views };
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_TEXT names = {0};
	int k = 0;
	for (; k < N && strcmp(view, views[k].view); k++)
		bw_text_printf(&names, "%s%s", k ? ", " : "", views[k].view);
	if (k == N)
		return bw_fail(call->error, BW_ERROR_USAGE, "--json takes one of %s, not \"%s\"", bw_text_get(&names), view);
	json_auto_t *json = views[k].figures(call, arena);
	BW_SCOPED_MEMORY char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
	if (text && call->out)
		bw_text_printf(call->out, "%s\n", text);
	return text || bw_fail(call->error, BW_ERROR_FAILED, "%s", views[k].missing);
}

bool bw_command_view(struct call *call)
{
	struct bw_session *session = call->session;
	if (!strncmp(call->rest, "--json", 6) && (!call->rest[6] || call->rest[6] == ' '))
		return print_figures(call, call->rest + 6 + strspn(call->rest + 6, " "));
	if (*call->rest) {
		const struct bw_view_info *info = find_view(call->rest, call->error);
		if (!info)
			return false;
		bool pane = info->kind == BW_VIEW_PANE;
		remember_view(session, info->name);
		snprintf(session->view, sizeof session->view, "%s", pane ? "main" : info->name);
		snprintf(session->pane, sizeof session->pane, "%s", pane ? info->name : "");
	}
	const struct bw_hooks *hooks = bw_session_hooks(session);
	if (call->out && hooks->print)
		hooks->print(session, *session->pane ? session->pane : session->view, call->out);
	return true;
}

/* Appends the properties that `override` can change. */
static void help_override(struct bw_text *out)
{
#define X(name, word, value, meaning) \
	bw_text_puts(out, "             FUNC " word " " value ": " meaning "\n");
	BW_OVERRIDE_TABLE(X)
#undef X
	bw_text_puts(
	    out,
	    "           FUNC must be placed in the selected state. `select FUNC` and `view override` list "
	    "what each change would cost\n");
}

bool bw_command_help(struct call *call)
{
	int n;
	const struct bw_command *commands = bw_commands(&n);
	remember_view(call->session, "help");
	snprintf(call->session->view, sizeof call->session->view, "help");
	bool found = !*call->rest;
	for (int i = 0; i < n; i++) {
		if (*call->rest && strncmp(commands[i].name, call->rest, strlen(call->rest)))
			continue;
		found = true;
		if (call->out)
			bw_text_printf(call->out, "%-6s %s %s\n           %s\n", commands[i].key,
				       commands[i].name, commands[i].arguments, commands[i].help);
		if (call->out && *call->rest && !strcmp(commands[i].name, "override"))
			help_override(call->out);
	}
	return found || bw_session_knows(call->rest, call->error);
}

/* Appends the running job, the seconds in its phase, and how many jobs wait. Returns false if no job runs. */
static bool tell_job(const struct bw_session *session, struct bw_text *out)
{
	int waiting = 0;
	char doing[320];
	const struct bw_timing *running = NULL;
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *timing = &session->timings[i];
		waiting += timing->phase == BW_JOB_WAITING;
		if (timing->phase == BW_JOB_MEASURING || (timing->phase == BW_JOB_COMPILING && !running))
			running = timing;
	}
	if (!running)
		return false;
	bw_text_printf(out, "%s %s %.0f s", running->phase == BW_JOB_COMPILING ? "compiling" : "measuring",
		       running->label, bw_clock() - running->since);
	if (bw_timing_doing(session, (int)(running - session->timings), doing, sizeof doing))
		bw_text_printf(out, ", %s", doing);
	if (waiting)
		bw_text_printf(out, ", %d wait%s", waiting, waiting == 1 ? "s" : "");
	return true;
}

/* Appends a measurement that runs or waits. Returns false if it has ended. */
static bool put_timing(const struct bw_session *session, int i, struct bw_text *out)
{
	static const char *const phases[] = {[BW_JOB_WAITING] = "waits", [BW_JOB_COMPILING] = "compiling",
					     [BW_JOB_MEASURING] = "measuring"};
	const struct bw_timing *timing = &session->timings[i];
	char doing[320];
	if (timing->phase >= BW_JOB_DONE)
		return false;
	const char *what = timing->compiled  ? "compile"
			   : timing->sampled ? "verify"
			   : timing->counts  ? "counters"
					     : "time";
	bw_text_printf(out, "%s %s: %s", what, timing->label, phases[timing->phase]);
	if (timing->phase != BW_JOB_WAITING)
		bw_text_printf(out, " %.0f s", bw_clock() - timing->since);
	if (bw_timing_doing(session, i, doing, sizeof doing))
		bw_text_printf(out, ", %s", doing);
	bw_text_puts(out, "\n");
	return true;
}

void bw_session_background(const struct bw_session *session, struct bw_text *out)
{
	int done = 0;
	const struct bw_sweep *sweep = bw_session_sweep(session, &done);
	if (bw_session_tunes(session)) {
		bw_tuning_progress(bw_session_tuning(session), out);
		return;
	}
	if (tell_job(session, out) || bw_minimal_progress(session, out) || bw_improve_progress(session, out))
		return;
	if (sweep && bw_session_sweeps(session)) {
		bw_text_printf(out, "sweep: %d of %d", done, bw_sweep_size(sweep));
		return;
	}
	for (int i = session->n_timings - 1; i >= 0; i--)
		if (session->timings[i].unread) {
			char line[sizeof session->message];
			bw_timing_tell(&session->timings[i], line, sizeof line);
			bw_text_puts(out, line);
			return;
		}
}

int bw_session_jobs(const struct bw_session *session, struct bw_text *out)
{
	int n = 0, done = 0, all, looked = bw_regrets_progress(session, &all);
	if (session->target >= 0 && ++n)
		bw_text_printf(out, "run: decision %d of %d\n", bw_search_reached(session->search), session->target);
	if (session->tries && ++n)
		bw_text_puts(out, "whatif: searching\n");
	if (bw_walking(session) && ++n)
		bw_text_puts(out, "scheduler: deciding\n");
	for (int i = 0; i < session->n_timings; i++)
		n += put_timing(session, i, out);
	if (bw_session_tunes(session) && ++n) {
		bw_tuning_progress(bw_session_tuning(session), out);
		bw_text_puts(out, "\n");
	}
	const struct bw_sweep *sweep = bw_session_sweep(session, &done);
	if (sweep && bw_session_sweeps(session) && ++n)
		bw_text_printf(out, "sweep: %d of %d\n", done, bw_sweep_size(sweep));
	if (bw_regrets_go_on(session) && ++n)
		bw_text_printf(out, "why search: runner-up of decision %d of %d%s\n", looked, all,
			       bw_regrets_sought(session) ? "" : ", when nothing else is to be done");
	if (bw_minimal_progress(session, out) && ++n)
		bw_text_puts(out, "\n");
	if (bw_improve_progress(session, out) && ++n)
		bw_text_puts(out, "\n");
	return n;
}

bool bw_command_jobs(struct call *call)
{
	BW_SCOPED_TEXT text = {0};
	int n = bw_session_jobs(call->session, &text);
	if (n && call->out)
		bw_text_append(call->out, text.bytes, text.length);
	snprintf(call->session->message, sizeof call->session->message,
		 n ? "%d under way; Esc stops what can be stopped" : "nothing is under way", n);
	if (!n && call->out)
		bw_text_printf(call->out, "%s\n", call->session->message);
	return true;
}

bool bw_command_quit(struct call *call)
{
	call->session->quit = true;
	return true;
}

/* Converts requests to command lines: keys and the mouse change the session only through its table of
 * commands. The display state (focused pane, scrolling, folding) is changed here directly. */

#include "figures/graph.h"
#include "session/counters.h"
#include "session/explain.h"
#include "command/film.h"
#include "session/lens.h"
#include "session/opinions.h"
#include "session/sweep.h"
#include "session/tuning.h"
#include "ui/steer.h"

enum { FAR = 1 << 28, WHEEL_ROWS = 3 };

/* Returns true if there is something to stop. */
static bool is_stoppable(const struct bw_session *session)
{
	return session->target >= 0 || session->tries || session->waits || bw_walking(session) ||
	       bw_session_queued(session) || bw_session_sweeps(session) || bw_session_opines(session) ||
	       bw_session_tunes(session);
}

void bw_screen_before_key(struct bw_screen *screen)
{
	screen->marks = false;
	screen->notice[0] = 0;
	bw_session_read_timings(screen->session);
}

/* Turns the page of an answer that does not fit, if the key is that of `step` or `back`. After the last
 * page, `step` closes the answer. Returns false if the key does not turn a page. */
static bool page_answer(struct bw_screen *screen, struct bw_binding binding)
{
	enum { PAGE = 8 };
	struct bw_answer *answer = &screen->answer;
	bool on = binding.request == BW_REQUEST_RUN && !strcmp(binding.command, "step"),
	     back = binding.request == BW_REQUEST_RUN && !strcmp(binding.command, "back");
	if (!answer->text.length || answer->last <= 0 || (!on && !(back && answer->first > 0)))
		return false;
	if (on && answer->first >= answer->last)
		bw_steer_close_answer(screen);
	else
		answer->first += on ? PAGE : -PAGE;
	return true;
}

/* Scrolls the answer if the request is one that moves. Returns true if it scrolled. */
static bool scroll_answer(struct bw_screen *screen, enum bw_request request)
{
	static const int by[BW_N_REQUESTS] = {
		[BW_REQUEST_UP] = -1, [BW_REQUEST_DOWN] = 1, [BW_REQUEST_PAGE_UP] = -8, [BW_REQUEST_PAGE_DOWN] = 8,
		[BW_REQUEST_TOP] = -FAR, [BW_REQUEST_BOTTOM] = FAR,
	};
	if (!screen->answer.text.length || !by[request])
		return false;
	screen->answer.first += by[request];
	return true;
}

/* Folds or unfolds the family of a Func. */
static void toggle_family(struct bw_screen *screen, int func)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_families families = bw_families_of(screen->session->pipeline, arena);
	char line[512];
	snprintf(line, sizeof line, "%sfold %s", bw_family_folded(screen->session, &families, func) ? "un" : "",
		 screen->session->pipeline->funcs[func].name);
	bw_screen_run(screen, line);
}

/* Folds or unfolds the selected group of options, or the group of the selected option. */
static void toggle_group(struct bw_screen *screen)
{
	const struct bw_selection *selection = &screen->session->selection;
	bool folded = selection->group >= 0 && bw_session_folded(screen->session, selection->group);
	const struct bw_code_kernel *kernel;
	int loop = bw_session_code_loop(screen->session, &kernel);
	if (bw_steer_shows(screen, "decision"))
		bw_screen_run(screen, folded ? "unfold" : "fold");
	else if (bw_steer_shows(screen, "code"))
		bw_screen_run(screen, kernel && kernel->loops[loop].folded ? "unfold loop" : "fold loop");
	else if (selection->func >= 0 && (bw_steer_shows(screen, "main") || bw_steer_shows(screen, "graph")))
		toggle_family(screen, selection->func);
}

/* Shows or hides the kernels of the selected schedule. */
static void toggle_opinion(struct bw_screen *screen)
{
	const struct bw_session *session = screen->session;
	const struct bw_opinions *opinions = bw_session_opinions(session);
	int row = session->selection.opinion;
	char line[64];
	if (!opinions || row >= opinions->n)
		return;
	snprintf(line, sizeof line, "%sfold %s", bw_opinion_open(session, row) ? "" : "un",
		 opinions->list[row].name);
	bw_screen_run(screen, line);
}

/* Returns the decision of a Func with the greatest regret: where to compute it, or its tiling. If a regret
 * is unknown, returns the decision where to compute it. For an output, which is always at root, returns
 * its tiling. */
static int decision_of(const struct bw_session *session, int func)
{
	int pass = bw_settings_passes(&session->options),
	    where = bw_search_find(session->search, func, BW_PHASE_WHERE, pass),
	    tile = bw_search_find(session->search, func, BW_PHASE_TILE, pass);
	const struct bw_regret *a = bw_regret_at(session, where), *b = bw_regret_at(session, tile);
	bool tiling = session->pipeline->funcs[func].output || (a && b && bw_regret_weight(b) > bw_regret_weight(a));
	return tiling ? tile : where;
}

/* Opens the view of the decision at the cursor. At the end of the search, first moves to a decision of the
 * selected Func. */
static void open_decision(struct bw_screen *screen)
{
	const struct bw_session *session = screen->session;
	int func = session->selection.func;
	if (session->cursor >= bw_search_n_decisions(session->search) && session->target < 0 && func >= 0) {
		char line[32];
		snprintf(line, sizeof line, "run %d", decision_of(session, func));
		bw_screen_run(screen, line);
	}
	bw_screen_run(screen, "view decision");
}

/* Shows the view selected in the list of views. */
static void open_view(struct bw_screen *screen)
{
	int n, view = bw_screen_menu(screen);
	const struct bw_view_info *infos = bw_view_infos(&n);
	char line[64];
	snprintf(line, sizeof line, "%s%s", strcmp(infos[view].name, "compare") ? "view " : "", infos[view].name);
	bw_screen_run(screen, line);
}

/* Moves to the decision that is selected in a list of decisions, and shows it. */
static void open_listed(struct bw_screen *screen)
{
	char line[32], key[BW_KEY_NAME_SIZE];
	snprintf(line, sizeof line, "run %d", bw_session_listed(screen->session));
	if (screen->session->target < 0) {
		bw_screen_run(screen, line);
		bw_screen_run(screen, "view decision");
		return;
	}
	bw_key_of(screen->keymap, "do cancel", key);
	snprintf(screen->notice, sizeof screen->notice, "the search runs; %s stops it", key);
}

/* Folds or unfolds the selected item. */
static void toggle(struct bw_screen *screen)
{
	if (bw_steer_shows(screen, "opinions"))
		toggle_opinion(screen);
	else
		toggle_group(screen);
}

static void begin_tour(struct bw_screen *screen)
{
	bw_tour_begin(&screen->tour, screen->session);
}

static void open_row(struct bw_screen *screen)
{
	if (bw_steer_shows(screen, "decision") && screen->session->selection.group >= 0)
		toggle_group(screen);
	else if (bw_steer_shows(screen, "decision") || bw_steer_shows(screen, "start"))
		bw_screen_run(screen, "view main");
	else if (bw_steer_shows(screen, "override") ||
		 (bw_steer_shows(screen, "tile") &&
		  (screen->session->selection.alternative > 0 || bw_session_lens(screen->session))))
		bw_screen_run(screen, "override");
	else if (bw_steer_shows(screen, "views"))
		open_view(screen);
	else if (bw_steer_shows(screen, "walk"))
		bw_screen_run(screen, "walk take");
	else if (bw_steer_shows(screen, "opinions"))
		toggle_opinion(screen);
	else if (bw_steer_shows(screen, "tune"))
		bw_screen_run(screen, "tune take");
	else if (bw_steer_shows(screen, "main"))
		open_decision(screen);
	else if (bw_steer_shows(screen, "statistics") || bw_steer_shows(screen, "search"))
		open_listed(screen);
}

/* Moves to another pane. In the view tile, moves to another row instead. */
static void change_pane(struct bw_screen *screen, int by)
{
	if (bw_steer_shows(screen, "tile"))
		bw_steer_move(screen, by);
	if (bw_steer_shows(screen, "main"))
		screen->focus = (enum bw_sheet_id)(((int)screen->focus + by + BW_N_PANES) % BW_N_PANES);
}

/* Returns to the main view, or, from a view that explains another view, to the view from which it was
 * opened. */
static void leave_view(struct bw_screen *screen)
{
	char line[64];
	snprintf(line, sizeof line, "view %s", bw_session_view_behind(screen->session));
	bw_screen_run(screen, line);
}

static void leave(struct bw_screen *screen)
{
	if (screen->answer.text.length)
		bw_steer_close_answer(screen);
	else if (bw_steer_shows(screen, "main") || bw_steer_shows(screen, "start"))
		bw_screen_run(screen, "quit");
	else
		leave_view(screen);
}

static void cancel(struct bw_screen *screen)
{
	if (is_stoppable(screen->session))
		bw_session_stop(screen->session);
	else if (screen->answer.text.length)
		bw_steer_close_answer(screen);
	else if (screen->tour.step)
		screen->tour.step = 0;
	else if (bw_steer_shows(screen, "tile") && bw_session_lens(screen->session))
		bw_screen_run(screen, "lens off");
	else if (!bw_steer_shows(screen, "main"))
		leave_view(screen);
}

static void interrupt(struct bw_screen *screen)
{
	if (screen->interrupted) {
		bw_screen_run(screen, "quit");
		return;
	}
	bool running = is_stoppable(screen->session);
	bw_session_stop(screen->session);
	screen->interrupted = true;
	snprintf(screen->notice, sizeof screen->notice, "%s^C again leaves", running ? "stopped; " : "");
}

/* Returns true if a key's line opens a view that explains the current one. */
static bool explains(const char *command)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	for (int i = 0; i < n && command && !strncmp(command, "view ", 5); i++)
		if (infos[i].kind == BW_VIEW_ABOUT && !strcmp(infos[i].name, command + 5))
			return true;
	return false;
}

/* Leaves the start page for any request. */
static void leave_start(struct bw_screen *screen, enum bw_request request)
{
	bool stays = request == BW_REQUEST_NONE || request == BW_REQUEST_LEAVE ||
		     request == BW_REQUEST_INTERRUPT || request == BW_REQUEST_OPEN ||
		     request == BW_REQUEST_COMMAND || request == BW_REQUEST_REDRAW ||
		     request == BW_REQUEST_SUSPEND;
	if (bw_steer_shows(screen, "start") && !stays)
		bw_screen_run(screen, "view main");
}

void bw_screen_enter(struct bw_screen *screen, const char *line)
{
	leave_start(screen, BW_REQUEST_RUN);
	bw_screen_run(screen, line);
}

static void do_request(struct bw_screen *screen, enum bw_request request)
{
	static const struct {
		void (*move)(struct bw_screen *screen, int by);
		int by;
	} moves[BW_N_REQUESTS] = {
	    [BW_REQUEST_UP] = {bw_steer_move, -1},           [BW_REQUEST_DOWN] = {bw_steer_move, 1},
	    [BW_REQUEST_PAGE_UP] = {bw_steer_pages, -1},     [BW_REQUEST_PAGE_DOWN] = {bw_steer_pages, 1},
	    [BW_REQUEST_TOP] = {bw_steer_move, -FAR},        [BW_REQUEST_BOTTOM] = {bw_steer_move, FAR},
	    [BW_REQUEST_NEXT_PANE] = {change_pane, 1},       [BW_REQUEST_PREVIOUS_PANE] = {change_pane, -1},
	    [BW_REQUEST_PAN_RIGHT] = {bw_screen_pan, 1},     [BW_REQUEST_PAN_LEFT] = {bw_screen_pan, -1},
	    [BW_REQUEST_SEARCH_NEXT] = {bw_screen_search, 1}, [BW_REQUEST_SEARCH_PREVIOUS] = {bw_screen_search, -1},
	};
	static void (*const others[BW_N_REQUESTS])(struct bw_screen *screen) = {
	    [BW_REQUEST_OPEN] = open_row, [BW_REQUEST_FOLD] = toggle,          [BW_REQUEST_TOUR] = begin_tour,
	    [BW_REQUEST_LEAVE] = leave,   [BW_REQUEST_CANCEL] = cancel,        [BW_REQUEST_INTERRUPT] = interrupt,
	};
	if (moves[request].move)
		moves[request].move(screen, moves[request].by);
	else if (others[request])
		others[request](screen);
}

/* Returns the line that a key runs in the view opinions, applied to the selected schedule; may be
 * written to `line`. */
static const char *command_in_opinions(const struct bw_session *session, const char *command, char line[300])
{
	static const char *const about[] = {"compare", "time", "compile"};
	const struct bw_opinions *opinions = bw_session_opinions(session);
	if (!opinions || session->selection.opinion >= opinions->n)
		return command;
	const struct bw_opinion *opinion = &opinions->list[session->selection.opinion];
	*line = 0;
	for (size_t i = 0; i < sizeof about / sizeof *about; i++)
		if (!strcmp(command, about[i]))
			snprintf(line, 300, "%s %s", command, opinion->name);
	if (!strcmp(command, "accept") && opinion->scheduler)
		snprintf(line, 300, "scheduler %s", opinion->name);
	else if (!strcmp(command, "accept"))
		snprintf(line, 300, "apply %.280s", session->source.hand ? session->source.hand : "");
	return *line ? line : command;
}

/* Returns the line that a key runs in this view in place of its own; NULL: its own. */
static const char *line_in_view(const struct bw_screen *screen, struct bw_binding binding)
{
	int n;
	const struct bw_view_key *keys = bw_view_keys(screen->session->view, &n);
	char request[40] = "do ";
	bw_request_print(binding.request, request + 3);
	for (int i = 0; i < n; i++)
		if (keys[i].line && (!strcmp(keys[i].command, request) ||
				     (binding.command && !strcmp(keys[i].command, binding.command))))
			return keys[i].line;
	return NULL;
}

/* Returns the line that a key runs; may be written to `line`. At the end of the search, keys that
 * replay a decision's stages keep their usual line. */
static const char *command_of(const struct bw_screen *screen, struct bw_binding binding, char line[300])
{
	const struct bw_session *session = screen->session;
	if (bw_steer_shows(screen, "opinions") && binding.command)
		return command_in_opinions(session, binding.command, line);
	if (bw_steer_shows(screen, "decision") && session->cursor >= bw_search_n_decisions(session->search))
		return binding.command;
	const char *other = line_in_view(screen, binding);
	return other ? other : binding.command;
}

void bw_screen_unknown_key(struct bw_screen *screen, struct bw_key key)
{
	char name[BW_KEY_NAME_SIZE], help[BW_KEY_NAME_SIZE];
	bw_key_print(key, name);
	bw_key_of(screen->keymap, "view help", help);
	if (*name)
		snprintf(screen->notice, sizeof screen->notice, "%s does nothing here; %s%s lists the keys",
			 name, *help ? "" : ":", *help ? help : "help");
}

/* While a film runs in the view `search`, runs the command of a film key; any other key only stops the
 * film. Returns false if there is no film, or if the key leaves the film running (command prompt, redraw,
 * suspend). */
static bool film_key(struct bw_screen *screen, struct bw_binding binding)
{
	static const char *const lines[BW_N_REQUESTS] = {
	    [BW_REQUEST_EARLIER] = "play back",    [BW_REQUEST_LATER] = "play step",
	    [BW_REQUEST_FASTER] = "play faster",   [BW_REQUEST_SLOWER] = "play slower",
	};
	bool space = binding.request == BW_REQUEST_RUN && !strcmp(binding.command, "step"),
	     plays = space || (binding.request == BW_REQUEST_RUN && !strcmp(binding.command, "play")),
	     stays = binding.request == BW_REQUEST_COMMAND || binding.request == BW_REQUEST_REDRAW ||
		     binding.request == BW_REQUEST_SUSPEND;
	if (!bw_session_film(screen->session) || !bw_steer_shows(screen, "search") || stays)
		return false;
	const char *line = plays ? "play" : lines[binding.request];
	bw_screen_run(screen, line ? line : "play stop");
	return true;
}

void bw_screen_request(struct bw_screen *screen, struct bw_binding binding)
{
	if (film_key(screen, binding))
		return;
	if (binding.request != BW_REQUEST_INTERRUPT)
		screen->interrupted = false;
	if (binding.request == BW_REQUEST_OPEN && bw_lesson_takes_enter(screen))
		binding = (struct bw_binding){.request = BW_REQUEST_LESSON_NEXT, .command = "lesson next"};
	if (!explains(binding.command))
		leave_start(screen, binding.request);
	if (scroll_answer(screen, binding.request) || page_answer(screen, binding))
		return;
	if (binding.request != BW_REQUEST_LEAVE && binding.request != BW_REQUEST_CANCEL &&
	    binding.request != BW_REQUEST_NONE)
		bw_steer_close_answer(screen);
	bool earlier = binding.request == BW_REQUEST_EARLIER,
	     sideways = earlier || binding.request == BW_REQUEST_LATER;
	if (sideways && bw_steer_shows(screen, "graph")) {
		bw_steer_follow(screen, earlier);
		return;
	}
	int pages = (binding.request == BW_REQUEST_LESSON_NEXT) - (binding.request == BW_REQUEST_LESSON_BACK);
	if (pages && bw_lesson_scroll(screen, bw_screen_layout(screen).band.rows - 1, pages))
		return;
	char line[300];
	const char *command = command_of(screen, binding, line);
	enum bw_request request = command ? bw_request_of(command) : BW_REQUEST_NONE;
	if (request == BW_REQUEST_NONE && command && *command)
		bw_screen_run(screen, command);
	else
		do_request(screen, request != BW_REQUEST_NONE ? request : binding.request);
	bw_screen_choose(screen);
}

void bw_screen_click(struct bw_screen *screen, int x, int y)
{
	struct bw_layout layout = bw_screen_layout(screen);
	leave_start(screen, BW_REQUEST_UP);
	if (y < layout.header.rows) {
		struct bw_scene scene;
		char line[32];
		bw_arena_reset(screen->arena);
		bw_scene_make(&scene, screen->session, screen->arena);
		int decision = bw_timeline_at(&scene, layout.header, x);
		snprintf(line, sizeof line, "run %d", decision);
		if (decision >= 0)
			bw_screen_run(screen, line);
		return;
	}
	enum bw_sheet_id pane = bw_layout_pane_at(&layout, x, y);
	if (bw_steer_shows(screen, "main") && pane < BW_N_PANES)
		screen->focus = pane;
	bw_steer_click(screen, y);
	bw_screen_choose(screen);
}

void bw_screen_wheel(struct bw_screen *screen, int x, int y, int by)
{
	struct bw_layout layout = bw_screen_layout(screen);
	enum bw_sheet_id pane = bw_layout_pane_at(&layout, x, y);
	leave_start(screen, BW_REQUEST_UP);
	if (scroll_answer(screen, by < 0 ? BW_REQUEST_UP : BW_REQUEST_DOWN))
		return;
	if (bw_steer_shows(screen, "main") && pane < BW_N_PANES)
		screen->focus = pane;
	bw_steer_move(screen, by * WHEEL_ROWS);
	bw_screen_choose(screen);
}

#include "ui/explore.h"

#include <langinfo.h>

#include "base/clock.h"
#include "ui/prompt.h"
#include "ui/rescue.h"
#include "ui/screen.h"
#include "ui/terminal.h"

enum { MOST_FDS = 16, FRAME_MS = 40, IDLE_MS = 500, TICK_MS = 1000 };
static const double work_seconds = 0.004, patience_seconds = 0.002;

/* The state of the explorer. */
struct explorer {
	struct bw_session *session;
	struct bw_terminal *terminal;
	struct bw_prompt *prompt;
	struct bw_screen *screen;
	struct bw_grid grid;
	bool untouched; /* no key was pressed: the most expensive Func is selected as the search goes on */
	bool pasting; /* inside of a bracketed paste */
	bool dirty; /* something has to be drawn */
	uint64_t generation; /* of the session when it was last drawn */
	int64_t drawn; /* time of the last drawing, ms */
	enum bw_alarm ended; /* the signal that ends it, 0: none */
	struct bw_editing editing;
};

static int64_t now_ms(void)
{
	return (int64_t)(1e3 * bw_clock());
}

bool bw_explore_check(struct bw_error *error)
{
	return bw_terminal_check(getenv("TERM"), error);
}

/* If the terminal has fewer columns, views leave out some of their columns. */
enum { ENOUGH_COLUMNS = 80 };

static void draw(struct explorer *explorer)
{
	int x, y;
	struct bw_screen *screen = explorer->screen;
	int before = screen->columns;
	bw_terminal_size(explorer->terminal, &screen->columns, &screen->rows);
	if (screen->columns != before && screen->columns < ENOUGH_COLUMNS)
		snprintf(screen->notice, sizeof screen->notice, "views leave columns out; %d show more", ENOUGH_COLUMNS);
	bw_screen_draw(screen, &explorer->grid, &x, &y);
	if (bw_prompt_kind(explorer->prompt)) {
		struct bw_layout layout = bw_screen_layout(screen);
		bw_grid_wipe(&explorer->grid, layout.keys);
		x = bw_prompt_draw(explorer->prompt, &explorer->grid, layout.keys);
		y = layout.keys.y;
	}
	bw_terminal_show(explorer->terminal, &explorer->grid, x, y);
	explorer->dirty = false;
	explorer->generation = explorer->session->generation;
	explorer->drawn = now_ms();
}

/* Completes the word before the cursor as far as all candidates agree, or shows the candidates. */
static void complete(struct explorer *explorer)
{
	BW_SCOPED_TEXT line = {0}, more = {0}, list = {0};
	bw_prompt_before_cursor(explorer->prompt, &line);
	if (bw_prompt_kind(explorer->prompt) == ':')
		bw_session_complete_line(explorer->session, bw_text_get(&line), (int)line.length, &more, &list);
	if (more.length)
		bw_prompt_insert(explorer->prompt, bw_text_get(&more));
	else if (list.length)
		snprintf(explorer->screen->notice, sizeof explorer->screen->notice, "%s", bw_text_get(&list));
}

static void entered(struct explorer *explorer, char kind, const char *line)
{
	struct bw_screen *screen = explorer->screen;
	if (kind == ':') {
		if (line[strspn(line, " \t")])
			bw_screen_enter(screen, line);
		return;
	}
	if (*line)
		snprintf(screen->pattern, sizeof screen->pattern, "%s", line);
	bw_session_search_for(explorer->session, screen->pattern);
	bw_screen_find(screen);
}

static void prompt_key(struct explorer *explorer, struct bw_key key)
{
	BW_SCOPED_TEXT line = {0};
	char kind = bw_prompt_kind(explorer->prompt);
	if (explorer->pasting && (key.code == BW_KEY_ENTER || key.code == BW_KEY_TAB || key.code == BW_KEY_ESCAPE))
		key.code = BW_KEY_SPACE;
	switch (bw_prompt_key(explorer->prompt, key, &line)) {
	case BW_PROMPT_COMPLETE:
		complete(explorer);
		break;
	case BW_PROMPT_ENTERED:
		entered(explorer, kind, bw_text_get(&line));
		break;
	case BW_PROMPT_EDITING:
	case BW_PROMPT_LEFT:
		break;
	}
}

/* Opens the prompt with the first digit of an answer to a lesson's question. The user types further digits
 * and Enter. */
static void answer_lesson(struct explorer *explorer, int digit)
{
	char line[32];
	snprintf(line, sizeof line, "lesson answer %d", digit);
	bw_prompt_open(explorer->prompt, ':');
	bw_prompt_insert(explorer->prompt, line);
}

static void view_key(struct explorer *explorer, struct bw_key key)
{
	struct bw_screen *screen = explorer->screen;
	if (key.code == BW_KEY_MOUSE) {
		bw_screen_click(screen, key.x, key.y);
		return;
	}
	if (key.code == BW_KEY_WHEEL_UP || key.code == BW_KEY_WHEEL_DOWN) {
		bw_screen_wheel(screen, key.x, key.y, key.code == BW_KEY_WHEEL_UP ? -1 : 1);
		return;
	}
	struct bw_binding binding = bw_binding_of(screen->keymap, key);
	if (binding.request == BW_REQUEST_SUSPEND)
		bw_terminal_suspend(explorer->terminal);
	if (binding.request == BW_REQUEST_REDRAW)
		bw_terminal_redraw(explorer->terminal);
	if (binding.request == BW_REQUEST_COMMAND || binding.request == BW_REQUEST_SEARCH)
		bw_prompt_open(explorer->prompt, binding.request == BW_REQUEST_COMMAND ? ':' : '/');
	if (binding.request == BW_REQUEST_NONE && !key.alt && key.code >= '0' && key.code <= '9' &&
	    bw_lesson_takes_digits(screen)) {
		answer_lesson(explorer, (int)key.code - '0');
		return;
	}
	if (binding.request == BW_REQUEST_NONE && key.code != BW_KEY_NONE)
		bw_screen_unknown_key(screen, key);
	bw_screen_request(screen, binding);
}

/* Handles keys that mean the same in all views. Returns false for any other key. */
static bool common_key(struct explorer *explorer, struct bw_key key)
{
	switch (key.code) {
	case BW_KEY_PASTE_BEGIN:
	case BW_KEY_PASTE_END:
		explorer->pasting = key.code == BW_KEY_PASTE_BEGIN;
		return true;
	case BW_KEY_OTHER:
		return true;
	case 'z' & 31:
		bw_terminal_suspend(explorer->terminal);
		return true;
	case 'l' & 31:
		bw_terminal_redraw(explorer->terminal);
		return true;
	}
	return false;
}

static void take_key(struct explorer *explorer, struct bw_key key)
{
	explorer->dirty = true;
	explorer->untouched = false;
	if (key.code == ('c' & 31))
		explorer->pasting = false;
	if (common_key(explorer, key))
		return;
	bool prompt = bw_prompt_kind(explorer->prompt) != 0;
	if (explorer->pasting && !prompt)
		return;
	bw_screen_before_key(explorer->screen);
	if (prompt)
		prompt_key(explorer, key);
	else
		view_key(explorer, key);
}

/* Handles all waiting keys, so that one frame shows their effects. Pasted keys are text. */
static void take_keys(struct explorer *explorer)
{
	for (struct bw_key key;
	     !explorer->session->quit && (key = bw_terminal_key(explorer->terminal)).code != BW_KEY_NONE;)
		take_key(explorer, key);
}

static void take_alarms(struct explorer *explorer, int alarms)
{
	if (alarms & (BW_ALARM_RESIZED | BW_ALARM_CONTINUED | BW_ALARM_SUSPEND))
		explorer->dirty = true;
	if (alarms & BW_ALARM_INTERRUPTED)
		take_key(explorer, (struct bw_key){.code = 'c' & 31});
	if (alarms & (BW_ALARM_ENDED | BW_ALARM_HUNG_UP))
		explorer->ended = alarms & BW_ALARM_ENDED ? BW_ALARM_ENDED : BW_ALARM_HUNG_UP;
}

/* Waits for keys or other events, and runs the session's background work meanwhile. */
static void wait(struct explorer *explorer)
{
	bool works = bw_session_release(explorer->session);
	int list[MOST_FDS], n = bw_session_fds(explorer->session, list, MOST_FDS);
	struct pollfd fds[MOST_FDS];
	for (int i = 0; i < n; i++)
		fds[i] = (struct pollfd){.fd = list[i], .events = POLLIN};
	int timeout = works ? FRAME_MS : n > 0 ? IDLE_MS : -1;
	int alarms = bw_terminal_wait(explorer->terminal, fds, n, timeout);
	bw_session_hold(explorer->session);
	take_alarms(explorer, alarms);
}

/* Redraws after changes: immediately after a key, otherwise at most every FRAME_MS. During background
 * work, redraws every second. */
static void draw_changes(struct explorer *explorer)
{
	bool changed = explorer->generation != explorer->session->generation;
	bool running = explorer->session->target >= 0;
	bool ticks = bw_session_busy(explorer->session) && now_ms() - explorer->drawn >= TICK_MS;
	if (explorer->dirty || ticks || (changed && (!running || now_ms() - explorer->drawn >= FRAME_MS)))
		draw(explorer);
}

/* Returns the most expensive Func in the selected state, or the first decision's Func if none has a
 * cost yet. */
static int costliest(struct bw_session *session)
{
	const struct bw_cost *cost = bw_session_cost(session);
	int found = bw_search_decision(session->search, 0)->func;
	double most = 0;
	for (int f = 0; f < session->pipeline->n_funcs; f++) {
		const struct bw_func *func = &session->pipeline->funcs[f];
		double sum = 0;
		for (int stage = 0; stage < func->n_stages; stage++)
			sum += cost->stages[func->first_stage + stage].ms;
		if (sum > most) {
			most = sum;
			found = f;
		}
	}
	return found;
}

static void select_costliest(struct bw_session *session)
{
	struct bw_selection selection = session->selection;
	selection.func = costliest(session);
	bw_session_select(session, &selection);
}

/* Handles keys first, and draws their effects before any more work is done. */
static void loop(struct explorer *explorer)
{
	while (!explorer->session->quit && !explorer->ended) {
		draw_changes(explorer);
		bw_session_ask(explorer->session);
		wait(explorer);
		take_keys(explorer);
		if (explorer->untouched && explorer->generation != explorer->session->generation)
			select_costliest(explorer->session);
	}
}

/* Hands the terminal to $EDITOR until it exits. */
static bool edit(struct bw_text *text, void *data, struct bw_error *error)
{
	struct explorer *explorer = data;
	bw_terminal_lend(explorer->terminal);
	bool good = bw_edit_text(&explorer->editing, ".schedule", text, error);
	bw_terminal_take_back(explorer->terminal);
	return good;
}

static void begin(struct explorer *explorer, const struct bw_explore_options *options)
{
	struct bw_session *session = explorer->session;
	if (!options->resumes && !options->lesson)
		bw_session_run(session, options->at_start ? "run 0" : "run end", NULL, NULL);
	bool plain = !options->tutorial && !options->resumes && !options->lesson;
	bw_session_greet(session, options->said, plain ? "start" : NULL);
	explorer->untouched = session->selection.func < 0 && bw_search_n_decisions(session->search) > 0;
	if (options->tutorial)
		bw_tour_begin(&explorer->screen->tour, session);
	bw_session_work(session, 8 * work_seconds);
	if (explorer->untouched)
		select_costliest(session);
}

/* Combines --color, NO_COLOR and TERM. Returns false with an error if --color has another value. */
static bool terminal_options(const struct bw_explore_options *options, struct bw_terminal_options *terminal,
			     struct bw_error *error)
{
	static const char *const names[] = {
	    [BW_COLOR_AUTO] = "auto", [BW_COLOR_ALWAYS] = "always", [BW_COLOR_NEVER] = "never"};
	const char *color = options->color ? options->color : "auto", *no_color = getenv("NO_COLOR");
	*terminal = (struct bw_terminal_options){getenv("TERM"), BW_COLOR_AUTO, no_color && *no_color,
						 options->mouse};
	for (int mode = 0; mode <= BW_COLOR_NEVER; mode++)
		if (strcmp(color, names[mode]) == 0) {
			terminal->color = mode;
			return true;
		}
	return bw_fail(error, BW_ERROR_USAGE, "--color takes auto, always or never, not \"%s\"", color);
}

static struct bw_prompt *open_prompt(const struct bw_explore_options *options, struct bw_error *error)
{
	BW_SCOPED_TEXT path = {0};
	if (options->state_folder)
		bw_text_printf(&path, "%s/history", options->state_folder);
	return bw_prompt_new(path.length ? bw_text_get(&path) : NULL, error);
}

static bool copy(const struct bw_text *text, struct bw_error *error)
{
	enum { MOST = 100000 };
	if (text->length > MOST)
		return bw_fail(error, BW_ERROR_FAILED, "%zu bytes are more than terminals take; `export FILE` writes a file",
			       text->length);
	bw_terminal_copy(bw_text_get(text), text->length);
	return true;
}

bool bw_explore_ascii(const struct bw_explore_options *options)
{
	return options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static void run(struct explorer *explorer, const struct bw_explore_options *options)
{
	explorer->screen = bw_screen_new(explorer->session, bw_explore_ascii(options));
	explorer->screen->keymap = options->keymap;
	explorer->grid = bw_grid_new(0, 0, explorer->screen->ascii);
	explorer->editing = options->editing;
	struct bw_hooks *hooks = bw_session_hooks(explorer->session);
	hooks->draw = bw_screen_save;
	hooks->screen = explorer->screen;
	hooks->edit = edit;
	hooks->edit_data = explorer;
	hooks->copy = copy;
	begin(explorer, options);
	bw_screen_never_waits(explorer->screen, patience_seconds);
	loop(explorer);
	bw_session_set_deferred_done(explorer->session, NULL, NULL, 0);
	hooks->screen = NULL;
	hooks->edit = NULL;
	hooks->copy = NULL;
	bw_grid_free(&explorer->grid);
	bw_screen_free(explorer->screen);
}

struct bw_terminal *bw_explore_terminal(const struct bw_explore_options *options, struct bw_error *error)
{
	struct bw_terminal_options terminal;
	return terminal_options(options, &terminal, error) ? bw_terminal_open(&terminal, error) : NULL;
}

bool bw_explore(struct bw_session *session, const struct bw_explore_options *options, struct bw_error *error)
{
	struct explorer explorer = {.session = session, .dirty = true};
	if (!(explorer.prompt = open_prompt(options, error)))
		return false;
	explorer.terminal = bw_explore_terminal(options, error);
	if (explorer.terminal)
		run(&explorer, options);
	bw_terminal_close(explorer.terminal);
	bw_prompt_free(explorer.prompt);
	if (!explorer.terminal || !explorer.ended)
		return explorer.terminal;
	return bw_fail(error, BW_ERROR_STOPPED, "ended by %s",
		       explorer.ended == BW_ALARM_HUNG_UP ? "a hangup of the terminal" : "SIGTERM");
}

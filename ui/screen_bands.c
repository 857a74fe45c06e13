/* Bands over or below the views: the tour, the output of a command, the message line. */

#include "session/explain.h"
#include "command/film.h"
#include "session/sweep.h"
#include "session/tuning.h"
#include "ui/glyph.h"
#include "ui/screen.h"

static double best_cost(const struct bw_session *session)
{
	int end = bw_search_n_decisions(session->search);
	const struct bw_state *best =
	    bw_search_reached(session->search) < end ? NULL : bw_search_state(session->search, end, 0);
	return best ? best->cost : 0;
}

static void say_end(const struct bw_tour *tour, const struct bw_session *session,
		    const struct bw_keymap *keymap, struct bw_text *out)
{
	double best = best_cost(session);
	if (best > 0 && tour->best > 0)
		bw_text_printf(out, "Under your choice the best is %s, before it was %s. ",
			       bw_say_cost(best).text, bw_say_cost(tour->best).text);
	else
		bw_keys_write(
		    keymap,
		    "Your choice stands, and all that follows is searched anew. {run} runs to the end. ",
		    out);
	bw_keys_write(
	    keymap,
	    "{undo} takes the choice back, {time} compiles and times a complete schedule, {view help} shows all keys. {do cancel} ends the tour; `beamwalk learn` has lessons.",
	    out);
}

enum { OVER = 4, MANY_OPTIONS = 6 };

/* Appends the text of the current step, with the user's keys, and returns its title, or NULL if there is
 * no tour. */
static const char *tour_text(const struct bw_tour *tour, const struct bw_session *session,
				const struct bw_keymap *keymap, struct bw_text *out)
{
	static const char *const texts[] = {
	    [1] =
		"The search has placed every Func; line 2 shows in which order. Press {back}: each time it takes the cursor back by one decision, and "
		"the panes show the beam as it was then. Go on until the pane DECISION has a good many options.",
	    [2] =
		"The pane DECISION lists what could be chosen here. {do next-pane} goes there, {do down} and {do up} choose an option. Press {why} to be told why it was "
		"kept, dropped or pruned.",
	    [3] =
		"Choose another option that has a cost, and press {accept} to accept it. Or choose a Func that is placed already in the pane STAGES, "
		"and press {freeze} to freeze it as it is. The search goes on around your choice.",
	};
	if (tour->step == 0)
		return NULL;
	bw_text_clear(out);
	if (tour->step == OVER)
		say_end(tour, session, keymap, out);
	else
		bw_keys_write(keymap, texts[tour->step], out);
	return bw_text_get(out);
}

struct bw_sheet bw_tour_sheet(const struct bw_screen *screen)
{
	struct bw_sheet sheet = bw_sheet_new(screen->columns, screen->ascii);
	BW_SCOPED_TEXT text = {0};
	const char *words = tour_text(&screen->tour, screen->session, screen->keymap, &text);
	if (words) {
		bw_sheet_plain(&sheet);
		bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, words);
	}
	return sheet;
}

static void draw_sheet_plain(struct bw_grid *grid, struct bw_rect rect, const struct bw_sheet *sheet,
			     int first, const char *title, const char *right)
{
	bw_grid_wipe(grid, rect);
	bw_grid_copy(grid, (struct bw_rect){rect.x, rect.y + 1, rect.columns, rect.rows - 1}, &sheet->grid, first);
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	pen.right -= bw_glyph_columns(right);
	bw_pen_printf(&pen, BW_STYLE_MARK, " %s ", title);
	bw_pen_rule(&pen, BW_STYLE_RULE);
	pen.right += bw_glyph_columns(right);
	bw_pen_puts(&pen, BW_STYLE_DIM, right);
}

/* Returns a text whose lines in braces are replaced by their keys (bw_keys_write); in the frame's arena. */
static const char *with_keys(const struct bw_screen *screen, const char *text)
{
	return bw_scene_keys(&(struct bw_scene){.keymap = screen->keymap, .arena = screen->arena}, text);
}

static const char *tour_title(const struct bw_tour *tour)
{
	static const char *const titles[] = {"", "TOUR 1 of 3: go back", "TOUR 2 of 3: ask why",
					     "TOUR 3 of 3: change its mind", "TOUR: done"};
	return titles[tour->step];
}

void bw_draw_tour(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	if (rect.rows < 2)
		return;
	BW_SCOPED_SHEET sheet = bw_tour_sheet(screen);
	draw_sheet_plain(grid, rect, &sheet, 1, tour_title(&screen->tour),
			 with_keys(screen, " {do cancel} leaves it"));
}

void bw_draw_answer(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect body)
{
	if (!screen->answer.text.length)
		return;
	BW_SCOPED_SHEET sheet = bw_sheet_new(body.columns, grid->ascii);
	bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, bw_text_get(&screen->answer.text));
	int most = body.rows > 12 ? body.rows * 2 / 3 : body.rows,
	    rows = sheet.n_rows + 1 < most ? sheet.n_rows + 1 : most;
	int last = screen->answer.last = sheet.n_rows - (rows - 1);
	screen->answer.first = screen->answer.first > last ? last
			       : screen->answer.first < 0  ? 0
							   : screen->answer.first;
	struct bw_rect rect = {body.x, body.y + body.rows - rows, body.columns, rows};
	draw_sheet_plain(grid, rect, &sheet, screen->answer.first, screen->answer.title,
			 with_keys(screen, last > screen->answer.first ? " {step} next page, {do cancel} closes"
						    : last > 0 ? " {back} page back, {do cancel} closes"
						    : " {do cancel} closes"));
}

/* Returns the visible rows of the session's error; empty if there is none or a notice hides it. */
static struct bw_sheet error_sheet(const struct bw_screen *screen)
{
	enum { MOST_ROWS = 4 };
	struct bw_sheet sheet = bw_sheet_new(screen->columns, screen->ascii);
	BW_SCOPED_TEXT text = {0};
	sheet.margin = 1;
	if (screen->session->message_is_error && !*screen->notice) {
		bw_text_printf(&text, "error: %s", screen->session->message);
		bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, bw_text_get(&text));
	}
	sheet.n_rows = sheet.n_rows < MOST_ROWS ? sheet.n_rows : MOST_ROWS;
	return sheet;
}

int bw_error_rows(const struct bw_screen *screen)
{
	BW_SCOPED_SHEET sheet = error_sheet(screen);
	return sheet.n_rows;
}

/* Draws an error in full, since the message line cannot be scrolled. If it needs more rows than the
 * message has, it covers the rows above. */
static void draw_error(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	BW_SCOPED_SHEET sheet = error_sheet(screen);
	int more = sheet.n_rows - rect.rows, above = more < 0 ? 0 : more < rect.y ? more : rect.y;
	struct bw_rect all = {rect.x, rect.y - above, rect.columns, above + rect.rows};
	bw_grid_wipe(grid, all);
	bw_grid_copy(grid, all, &sheet.grid, 0);
	struct bw_pen pen = bw_pen_at(grid, all, 0);
	bw_pen_to(&pen, 1);
	bw_pen_puts(&pen, BW_STYLE_ERROR, "error:");
}

/* Draws the background jobs, or the newest outcome, at the right end of the message line. Takes at most
 * half of the line, and does not cover an error. Returns the number of columns taken. */
static int draw_beside(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	const struct bw_session *session = screen->session;
	BW_SCOPED_TEXT text = {0};
	bw_session_background(session, &text);
	char shown[512];
	bw_glyph_shorten(bw_text_get(&text), rect.columns / 2, shown, sizeof shown);
	int columns = bw_glyph_columns(shown);
	bool error = session->message_is_error && !*screen->notice;
	if (!columns || error || strcmp(bw_text_get(&text), session->message) == 0)
		return 0;
	struct bw_rect right = {rect.x + rect.columns - columns - 3, rect.y, columns + 3, 1};
	struct bw_pen pen = bw_pen_at(grid, right, 0);
	bw_pen_to(&pen, 2);
	bw_pen_puts(&pen, BW_STYLE_MARK, shown);
	return right.columns;
}

void bw_draw_message(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	const struct bw_session *session = screen->session;
	struct bw_rect left = rect;
	left.columns -= draw_beside(screen, grid, rect);
	struct bw_pen pen = bw_pen_at(grid, left, 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, " ");
	if (*screen->notice)
		bw_pen_puts(&pen, BW_STYLE_MARK, screen->notice);
	else if (session->message_is_error)
		draw_error(screen, grid, rect);
	else if (!screen->answer.text.length && *session->message)
		bw_pen_puts(&pen, BW_STYLE_NORMAL, session->message);
	else if (!screen->answer.text.length)
		bw_pen_puts(&pen, BW_STYLE_DIM, bw_view_marks(session->view));
}

/* The line of keys at the bottom of the screen. */

enum { MOST_KEYS = 24, WORDS_FROM = 60 /* columns, from which on hidden panes are told of */ };
struct key_line {
	const struct bw_keymap *keymap;
	struct {
		char key[BW_KEY_NAME_SIZE];
		const char *word;
		bool plain; /* shown without its word, to save room */
	} list[MOST_KEYS];
	int n, named; /* the first `named` are the view's own */
};

static void add_key(struct key_line *line, const char *command, const char *word)
{
	char key[BW_KEY_NAME_SIZE];
	bw_key_of(line->keymap, command, key);
	if (!*key || line->n == MOST_KEYS)
		return;
	memcpy(line->list[line->n].key, key, sizeof key);
	line->list[line->n].plain = false;
	line->list[line->n++].word = word;
}

static int key_columns(const struct key_line *line)
{
	int columns = 0;
	for (int i = 0; i < line->n; i++)
		columns += (i ? 2 : 0) + bw_glyph_columns(line->list[i].key) +
			   (line->list[i].plain ? 0 : 1 + bw_glyph_columns(line->list[i].word));
	return columns;
}

/* Makes the line of keys fit. First drops words: those of the view's own keys from the last one on, then
 * those of the keys after them, except for `help` and hidden panes. Then drops the view's own keys, from
 * the last one on. At last drops the other words, too, from the first one on. */
static void fit_keys(struct key_line *line, int columns)
{
	for (int i = line->named - 1; i >= 0 && key_columns(line) > columns; i--)
		line->list[i].plain = true;
	for (int i = line->named; i < line->n && key_columns(line) > columns; i++)
		line->list[i].plain |= i == line->n - 3 || i == line->n - 1;
	while (line->named > 0 && key_columns(line) > columns) {
		line->named--;
		BW_REMOVE(line->list, line->n, line->named);
	}
	for (int i = 0; i < line->n && key_columns(line) > columns; i++)
		line->list[i].plain = true;
}

/* Returns the number of panes that have no room on the screen. */
static int hidden_panes(const struct bw_session *session, const struct bw_layout *layout)
{
	int n = 0;
	for (int pane = 0; pane < BW_N_PANES && !strcmp(session->view, "main"); pane++)
		n += layout->panes[pane].rows <= 0;
	return n;
}

void bw_draw_keys(const struct bw_screen *screen, struct bw_grid *grid, const struct bw_layout *layout)
{
	struct bw_rect rect = layout->keys;
	const struct bw_session *session = screen->session;
	struct key_line line = {.keymap = screen->keymap};
	int n;
	char more[40];
	int hidden = hidden_panes(session, layout);
	snprintf(more, sizeof more, "%d more pane%s", hidden, hidden == 1 ? "" : "s");
	/* In a film the key that stops ends the film. */
	bool film = bw_session_film(session) && !strcmp(session->view, "search");
	const struct bw_view_key *own = bw_view_keys(film ? "film" : session->view, &n);
	bool start = !strcmp(session->view, "start"), at_top = start || !strcmp(session->view, "main");
	bool runs = session->target >= 0 || session->tries || session->waits || bw_walking(session) ||
		    bw_session_sweeps(session) || bw_session_tunes(session) || bw_regrets_sought(session);
	if (runs && !film)
		add_key(&line, "do cancel", "stop");
	if (start)
		add_key(&line, "do tour", "tour");
	if (hidden && rect.columns < WORDS_FROM)
		add_key(&line, "do next-pane", more);
	for (int i = 0; i < n; i++)
		add_key(&line, own[i].command, own[i].word ? own[i].word : own[i].command);
	line.named = line.n;
	if (hidden && rect.columns >= WORDS_FROM)
		add_key(&line, "do next-pane", more);
	add_key(&line, "do command", "command");
	add_key(&line, "view help", "help");
	add_key(&line, "do leave", at_top ? "quit" : "back");
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	fit_keys(&line, rect.columns - 2);
	bw_pen_to(&pen, 1);
	for (int i = 0; i < line.n; i++) {
		bw_pen_printf(&pen, BW_STYLE_KEY, "%s%s", i ? "  " : "", line.list[i].key);
		if (!line.list[i].plain)
			bw_pen_printf(&pen, BW_STYLE_DIM, " %s", line.list[i].word);
	}
}

void bw_tour_begin(struct bw_tour *tour, const struct bw_session *session)
{
	*tour = (struct bw_tour){.step = 1, .best = best_cost(session)};
}

static bool is(const char *line, const char *command)
{
	size_t length = strlen(command);
	return strncmp(line, command, length) == 0 && (line[length] == ' ' || line[length] == 0);
}

/* Returns true if at least MANY_OPTIONS options at the cursor have costs. */
static bool much_to_choose(struct bw_session *session)
{
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int costed = 0;
	for (int i = 0; expansion && i < expansion->n; i++)
		costed += expansion->options[i].cost > 0;
	return costed >= MANY_OPTIONS;
}

/* Returns true if the command line completes the tour's current step. */
static bool done(const struct bw_tour *tour, struct bw_session *session, const char *line)
{
	switch (tour->step) {
	case 1:
		return is(line, "back") && (session->cursor == 0 || much_to_choose(session));
	case 2:
		return is(line, "why");
	case 3:
		return (is(line, "accept") || is(line, "freeze")) && session->n_journal > 0;
	}
	return false;
}

void bw_tour_observe(struct bw_tour *tour, struct bw_session *session, const char *line)
{
	if (tour->step == 0 || tour->step == OVER || session->message_is_error || !done(tour, session, line))
		return;
	tour->step++;
}

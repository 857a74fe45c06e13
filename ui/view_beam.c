/* The beam: the states at the cursor, best first, each with the choice of the last decision. A row
 * whose choice equals the best state's shows the latest Func that it places differently from the best
 * state. */

#include <ctype.h>

#include "base/say.h"
#include "session/explain.h"
#include "ui/glyph.h"
#include "ui/view.h"

enum { LEAST_NAME = 3, LEAST_CHOICE = 7, MARK = 2 }; /* columns of a name, a choice, a constraint's mark */

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (scene->n_states)
		*right = bw_scene_text(scene, "%d of %d", scene->session->selection.state + 1, scene->n_states);
	const char *so_far = bw_scene_so_far(scene);
	return bw_scene_text(scene, "BEAM by cost%s%s", *so_far ? ", " : "", so_far);
}

/* Returns the placement that the decision before the cursor gave this state. */
static const struct bw_placement *last_choice(const struct bw_scene *scene, const struct bw_state *state)
{
	int before = scene->session->cursor - 1;
	if (before < 0)
		return NULL;
	const struct bw_decision *decision = bw_search_decision(scene->session->search, before);
	const struct bw_placed *placed = state->nest->placed[decision->func];
	return placed ? placed->placement : NULL;
}

static const struct bw_placement *placement_in(const struct bw_state *state, int func)
{
	return state->nest->placed[func] ? state->nest->placed[func]->placement : NULL;
}

static bool differs(const struct bw_state *a, const struct bw_state *b, int func)
{
	const struct bw_placement *in_a = placement_in(a, func), *in_b = placement_in(b, func);
	return in_a != in_b && (!in_a || !in_b || !bw_placement_equal(in_a, in_b));
}

/* The difference between a state and the best one. */
struct difference {
	int func; /* the latest Func placed differently than in the best state; -1: none */
	int more; /* number of other Funcs placed differently */
};

static struct difference difference(const struct bw_scene *scene, const struct bw_state *state)
{
	struct difference found = {-1, -1};
	const struct bw_state *best = scene->beam[0];
	for (int k = scene->session->cursor - 1; k >= 0 && found.func < 0; k--) {
		int func = bw_search_decision(scene->session->search, k)->func;
		if (differs(state, best, func))
			found.func = func;
	}
	for (int f = 0; f < scene->pipeline->n_funcs; f++)
		found.more += differs(state, best, f);
	return found;
}

/* Columns at which numbers end and the choice begins. */
struct columns {
	int rank, cost, worse, from, choice;
};

static struct columns columns_for(int width)
{
	if (width >= 44)
		return (struct columns){3, 11, 18, 24, 26};
	return (struct columns){3, 10, 16, 0, 18};
}

/* Returns true if there are passes or penalties to show. */
static bool is_steered(const struct bw_scene *scene)
{
	bool steered = scene->several;
	for (int s = 0; s < scene->n_states; s++)
		steered |= scene->beam[s]->penalty > 1;
	return steered;
}

static void draw_head(const struct bw_scene *scene, struct bw_sheet *sheet, const struct columns *at)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_right(&pen, at->rank, BW_STYLE_DIM, "#");
	bw_pen_right(&pen, at->cost, BW_STYLE_DIM, "%s", scene->complete ? "cost" : "so far");
	bw_pen_right(&pen, at->worse, BW_STYLE_DIM, "worse");
	if (at->from)
		bw_pen_right(&pen, at->from, BW_STYLE_DIM, "from");
	bw_pen_to(&pen, at->choice);
	if (scene->session->cursor > 0)
		bw_pen_puts(&pen, BW_STYLE_DIM, "told apart by");
	if (is_steered(scene) && bw_pen_left(&pen) > 2)
		bw_pen_right(&pen, sheet->grid.columns - sheet->margin, BW_STYLE_DIM, "×");
}

/* Draws at the right end a state's penalty, or the earlier pass that found it, and whether it is
 * blessed. The pen keeps the rest of the row. */
static void draw_steering(const struct bw_scene *scene, struct bw_pen *pen, int rank)
{
	const struct bw_state *state = scene->beam[rank];
	bool earlier = state->parent && state->position < scene->session->cursor,
	     blessed = bw_explain_blessed(scene->session, rank);
	const char *penalty =
	    state->penalty > 1 && !earlier ? bw_scene_text(scene, "×%d", state->penalty)
	    : earlier ? bw_scene_text(scene, "@%d", bw_search_pass(scene->session->search, state->position - 1))
		      : "";
	int columns = bw_glyph_columns(penalty) + blessed;
	if (!columns || bw_pen_left(pen) < LEAST_CHOICE + columns)
		return;
	struct bw_pen end = *pen;
	end.x = end.right - columns;
	bw_pen_puts(&end, BW_STYLE_NORMAL, penalty);
	bw_pen_puts(&end, BW_STYLE_NORMAL, blessed ? "✓" : "");
	pen->right -= columns + 1;
}

/* Returns the length in bytes of the common beginning of two texts, up to a blank or slash. */
static size_t common_words(const char *a, const char *b)
{
	size_t common = 0;
	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		common = a[i] == ' ' || a[i] == '/' ? i + 1 : common;
	return common;
}

/* Returns the words of a choice. If they do not fit, returns how the choice differs from the best state's:
 * without the words with which both begin, or with a letter for the loop, as on line 3 of the screen. */
static const char *telling_words(const struct bw_scene *scene, const struct bw_placement *choice, int columns)
{
	const char *words = bw_scene_words_within(scene, choice, columns), *whole = bw_scene_words(scene, choice);
	const struct bw_placement *best = placement_in(scene->beam[0], choice->func);
	if (bw_glyph_columns(words) <= columns)
		return words;
	bool others = best && !bw_placement_equal(best, choice);
	size_t common = others ? common_words(whole, bw_scene_words(scene, best)) : 0;
	if (strlen(whole + common) < strlen(words))
		return bw_scene_text(scene, "…%s", whole + common);
	size_t role = strcspn(words, " "), digits = role;
	while (digits > 1 && isdigit((unsigned char)words[digits - 1]))
		digits--;
	return choice->compute.kind == BW_SITE_AT ? bw_scene_text(scene, "%c%s", words[0], words + digits) : words;
}

static void draw_choice(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_state *state)
{
	const struct bw_placement *last = last_choice(scene, state);
	struct difference from_best = difference(scene, state);
	if (!last) {
		bw_pen_to(pen, pen->x - pen->left + MARK);
		bw_pen_puts(pen, BW_STYLE_DIM, "nothing yet");
		return;
	}
	bool told = from_best.func < 0 || differs(state, scene->beam[0], last->func);
	const struct bw_placement *choice = told ? last : placement_in(state, from_best.func);
	bw_pen_field(pen, MARK, BW_STYLE_MARK, bw_scene_held(scene, choice->func));
	const char *more = !told && from_best.more ? bw_scene_text(scene, " +%d", from_best.more) : "";
	int room = bw_pen_left(pen) - 1 - bw_glyph_columns(more),
	    words = bw_glyph_columns(bw_scene_words_within(scene, choice, 0));
	const char *name =
	    bw_scene_short(scene, choice->func, room - words < LEAST_NAME ? LEAST_NAME : room - words);
	bw_pen_puts(pen, BW_STYLE_NORMAL, bw_scene_text(scene, "%s ", name));
	bw_pen_puts(pen, BW_STYLE_NORMAL, telling_words(scene, choice, room - bw_glyph_columns(name)));
	bw_pen_puts(pen, BW_STYLE_NORMAL, more);
}

static void draw_state(const struct bw_scene *scene, struct bw_pen pen, const struct columns *at, int rank)
{
	const struct bw_state *state = scene->beam[rank];
	double best = scene->beam[0]->cost;
	bw_pen_right(&pen, at->rank, BW_STYLE_NORMAL, "%d", rank + 1);
	bw_pen_right(&pen, at->cost, BW_STYLE_NORMAL, "%s", bw_say_cost(state->cost).text);
	if (bw_scene_spills(scene, state))
		bw_pen_puts(&pen, BW_STYLE_ERROR, "!");
	bw_pen_right(&pen, at->worse, bw_style_heat(best > 0 ? state->cost / best - 1 : 0), "%s",
		     bw_excess_of(scene->options->model, state->cost, best).text);
	if (at->from && state->parent && state->position == scene->session->cursor)
		bw_pen_right(&pen, at->from, BW_STYLE_DIM, "%d", state->parent_rank + 1);
	bw_pen_to(&pen, at->choice - 2);
	draw_steering(scene, &pen, rank);
	draw_choice(scene, &pen, state);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct columns at = columns_for(sheet->grid.columns);
	draw_head(scene, sheet, &at);
	for (int rank = 0; rank < scene->n_states; rank++) {
		bool wanted = bw_sheet_wanted(sheet);
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_STATE, .index = rank});
		if (wanted)
			draw_state(scene, pen, &at, rank);
	}
}

const struct bw_view bw_view_beam = {.name = "beam", .selects = BW_ROW_STATE, .title = title, .fill = fill};

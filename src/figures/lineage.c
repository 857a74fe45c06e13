#include "figures/lineage.h"

#include <math.h>

static int find_parent(const struct bw_state *state, const struct bw_state *const *before, int n_before)
{
	if (state->parent && state->parent_rank >= 0 && state->parent_rank < n_before &&
	    before[state->parent_rank] == state->parent)
		return state->parent_rank;
	for (int i = 0; i < n_before; i++)
		if (before[i] == state->parent || before[i] == state)
			return i;
	return -1;
}

static int count_kinds(const struct bw_state *const *states, int n)
{
	int kinds = 0;
	for (int i = 0; i < n; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = states[k]->structures[0] == states[i]->structures[0];
		kinds += !seen;
	}
	return kinds;
}

/* Returns the cost of the cheapest child that the beam's width cut: the first dropped child after all
 * kept children. Other dropped children are duplicates of schedules in the beam, or were dropped at
 * random. */
static double find_cut(const struct bw_decision *decision)
{
	double last = 0, cut = 0;
	for (int i = 0; i < decision->n_recorded; i++) {
		const struct bw_child *child = &decision->children[i];
		if (child->kept >= 0 && child->cost * child->penalty > last)
			last = child->cost * child->penalty;
	}
	for (int i = 0; i < decision->n_recorded; i++) {
		const struct bw_child *child = &decision->children[i];
		if (child->kept < 0 && !child->dropped_out && child->cost * child->penalty >= last &&
		    (cut == 0 || child->cost < cut))
			cut = child->cost;
	}
	return cut;
}

static void fill_step(const struct bw_search *search, int k, struct bw_lineage_step *step,
		      struct bw_arena *arena)
{
	const struct bw_state *const *states, *const *before;
	int n_before = bw_search_beam(search, k, &before);
	step->n = bw_search_beam(search, k + 1, &states);
	step->lines = BW_ARENA_ARRAY(arena, struct bw_line, step->n + 1);
	step->winner = -1;
	for (int i = 0; i < step->n; i++)
		step->lines[i] = (struct bw_line){.parent = find_parent(states[i], before, n_before)};
	if (!step->n)
		return;
	step->best = step->worst = states[0]->cost;
	for (int i = 1; i < step->n; i++) {
		step->best = states[i]->cost < step->best ? states[i]->cost : step->best;
		step->worst = states[i]->cost > step->worst ? states[i]->cost : step->worst;
	}
	step->cut = find_cut(bw_search_decision(search, k));
	step->n_kinds = count_kinds(states, step->n);
}

/* Marks the surviving states, from the last beam backwards, and counts them. */
static void mark(const struct bw_search *search, struct bw_lineage *lineage)
{
	for (int k = lineage->n - 1; k >= 0; k--) {
		struct bw_lineage_step *step = &lineage->steps[k], *before = k > 0 ? &lineage->steps[k - 1] : NULL;
		const struct bw_state *const *states;
		bw_search_beam(search, k + 1, &states);
		for (int i = 0; i < step->n; i++) {
			struct bw_line *line = &step->lines[i];
			if (k == lineage->n - 1)
				*line = (struct bw_line){line->parent, true, i == 0};
			step->n_survivors += line->survives;
			if (line->wins) {
				step->winner = i;
				step->winner_cost = states[i]->cost;
			}
			if (!before || line->parent < 0 || line->parent >= before->n)
				continue;
			before->lines[line->parent].survives |= line->survives;
			before->lines[line->parent].wins |= line->wins;
		}
	}
}

/* Returns the position of the winner's ancestor in the beam after a decision: 0 at the end of the beam, 1
 * at the top. Returns 2 if no state had a choice, so that none could be lost. */
static double room_in(const struct bw_search *search, const struct bw_lineage_step *step, int k)
{
	const struct bw_state *const *before;
	int n_before = bw_search_beam(search, k, &before);
	bool choice = bw_search_decision(search, k)->n_children > n_before;
	return choice && step->n > 1 && step->winner >= 0 ? 1 - (double)step->winner / (step->n - 1) : 2;
}

struct bw_lineage bw_lineage_of(const struct bw_search *search, struct bw_arena *arena)
{
	struct bw_lineage lineage = {.n = bw_search_reached(search), .leads = -1, .tightest = -1};
	lineage.steps = BW_ARENA_ARRAY(arena, struct bw_lineage_step, lineage.n + 1);
	for (int k = 0; k < lineage.n; k++) {
		lineage.steps[k] = (struct bw_lineage_step){0};
		fill_step(search, k, &lineage.steps[k], arena);
	}
	mark(search, &lineage);
	double least = 1; /* position of the cheapest state, which is never dropped */
	for (int k = lineage.n - 1; k >= 0 && lineage.steps[k].winner == 0; k--)
		lineage.leads = k;
	for (int k = 0; k < lineage.n; k++) {
		const struct bw_lineage_step *step = &lineage.steps[k];
		if (step->n_survivors == 1 && lineage.common == k)
			lineage.common = k + 1;
		double room = room_in(search, step, k);
		if (room < least) {
			least = room;
			lineage.tightest = k;
		}
	}
	return lineage;
}

void bw_lineage_histogram(const struct bw_decision *decision, double most, int n, int *children, int *kept)
{
	double best = 0;
	for (int i = 0; i < n; i++)
		children[i] = kept[i] = 0;
	for (int i = 0; i < decision->n_recorded; i++)
		if (decision->children[i].cost > 0 && (best == 0 || decision->children[i].cost < best))
			best = decision->children[i].cost;
	for (int i = 0; i < decision->n_recorded && best > 0; i++) {
		const struct bw_child *child = &decision->children[i];
		int class = most > 1 ? (int)((child->cost / best - 1) / (most - 1) * n) : 0;
		class = class < 0 ? 0 : class >= n ? n - 1 : class;
		children[class]++;
		kept[class] += child->kept >= 0;
	}
}

/* Pictures: decisions go from left to right, each in a column of its own. */

/* Returns an empty picture with an axis of decisions. The name of each Func is at its first decision. */
static struct bw_picture begin(const struct bw_search *search, const struct bw_lineage_part *part,
			       struct bw_arena *arena, double height, const char *says)
{
	const struct bw_pipeline *pipeline = bw_search_pipeline(search);
	struct bw_picture picture = bw_picture_new(arena, 660, height, says);
	picture.x = bw_axis_x(part->first - 0.5, part->end - 0.5, false, "decision");
	for (int k = part->first; k < part->end; k++) {
		const struct bw_decision *decision = bw_search_decision(search, k);
		if (decision->phase == BW_PHASE_WHERE)
			bw_picture_tick(&picture, &picture.x, k, pipeline->funcs[decision->func].name);
	}
	return picture;
}

/* Sets the axis of costs: from the best to the worst kept cost, and a little further for dropped
 * states. */
static void set_costs(struct bw_picture *picture, const struct bw_lineage *lineage,
		      const struct bw_lineage_part *part)
{
	double low = INFINITY, high = 0;
	for (int k = part->first; k < part->end; k++) {
		const struct bw_lineage_step *step = &lineage->steps[k];
		if (!(step->best > 0))
			continue;
		low = fmin(low, step->best);
		high = fmax(high, fmax(step->worst, fmin(step->cut, 1.5 * step->worst)));
	}
	if (!(high > 0))
		low = high = 1;
	picture->y = bw_axis_y(low / 1.05, high * 1.05, true,
			       bw_arena_format(picture->arena, "cost so far%s%s, lower is better",
					       *part->unit ? ", " : "", part->unit));
	bw_picture_ticks(picture, &picture->y, 5, bw_say_tick);
}

enum { BEST, WORST, WINNER };

static double cost_of(const struct bw_lineage_step *step, int which)
{
	return which == BEST       ? step->best
	       : which == WORST    ? step->worst
	       : step->winner >= 0 ? step->winner_cost
				   : 0;
}

/* Adds a line of a figure through all decisions that have it; with a second figure, adds the area between
 * the two. */
static void add_costs(struct bw_picture *picture, const struct bw_lineage *lineage,
		      const struct bw_lineage_part *part, struct bw_mark mark, int which, int back)
{
	int n = 0;
	struct bw_mark *path = bw_picture_path(picture, mark, 2 * (part->end - part->first));
	for (int way = 0; way < 1 + (mark.kind == BW_MARK_AREA); way++)
		for (int i = part->first; i < part->end; i++) {
			int k = way ? part->first + part->end - 1 - i : i;
			double cost = cost_of(&lineage->steps[k], way ? back : which);
			if (!(cost > 0))
				continue;
			path->path[n][0] = bw_axis_at(&picture->x, k);
			path->path[n++][1] = bw_axis_at(&picture->y, cost);
		}
	path->n = n;
}

/* Marks a decision with a line from the top to the bottom, and with its name. */
static void mark_decision(struct bw_picture *picture, const struct bw_lineage_part *part, int k,
			  enum bw_tint tint, const char *words)
{
	if (k < part->first || k >= part->end)
		return;
	struct bw_mark mark = bw_mark_line(tint);
	mark.fine = tint != BW_TINT_CHOSEN;
	mark.dashed = true;
	bw_picture_span(picture, mark, k, picture->y.low, k, picture->y.high);
	mark.kind = BW_MARK_TEXT;
	mark.anchor = bw_axis_at(&picture->x, k) > 0.5 ? BW_ANCHOR_END : BW_ANCHOR_START;
	mark.text = bw_arena_format(picture->arena, " %s%s ", words, part->names[k]);
	bw_picture_at(picture, mark, k, picture->y.high);
}

/* Returns a text on the fate of a decision's states. */
static const char *said_of(struct bw_picture *picture, const struct bw_lineage_step *step,
			   const struct bw_lineage_part *part, int k)
{
	return bw_arena_format(
	    picture->arena,
	    "%d %s: states: %d, with descendants at the end: %d, near copies: %d; the best comes from the %s",
	    k, part->names[k], step->n, step->n_survivors, step->n - step->n_kinds,
	    step->winner >= 0 ? bw_say_rank(step->winner).text : "?");
}

struct bw_picture bw_lineage_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				     const struct bw_lineage_part *part, struct bw_arena *arena)
{
	struct bw_picture picture =
	    begin(search, part, arena, 250, "the costs of the states of the beam, decision by decision");
	const struct bw_mark range = {.kind = BW_MARK_AREA, .tint = BW_TINT_SOFT},
			     best = bw_mark_line(BW_TINT_SOFT), way = bw_mark_line(BW_TINT_GOOD);
	struct bw_mark winner = bw_mark_dot(BW_TINT_GOOD, BW_SYMBOL_DISC),
		       cut = bw_mark_dot(BW_TINT_WARM, BW_SYMBOL_CROSS);
	set_costs(&picture, lineage, part);
	add_costs(&picture, lineage, part, range, BEST, WORST);
	add_costs(&picture, lineage, part, best, BEST, BEST);
	mark_decision(&picture, part, lineage->tightest, BW_TINT_BAD, "narrowest: ");
	mark_decision(&picture, part, part->at, BW_TINT_CHOSEN, "");
	add_costs(&picture, lineage, part, way, WINNER, WINNER);
	for (int k = part->first; k < part->end; k++) {
		const struct bw_lineage_step *step = &lineage->steps[k];
		winner.says = cut.says = said_of(&picture, step, part, k);
		if (step->cut > 0 && step->cut <= picture.y.high)
			bw_picture_at(&picture, cut, k, step->cut);
		if (step->winner >= 0)
			bw_picture_at(&picture, winner, k, step->winner_cost);
	}
	bw_picture_legend(&picture, winner, "way of the best");
	bw_picture_legend(&picture, cut, "cheapest dropped");
	bw_picture_legend(&picture, bw_mark_box(BW_TINT_SOFT, BW_FILL_LIGHT), "best to worst kept");
	return picture;
}

/* A film while its marks are added. */
struct filming {
	struct bw_picture *picture;
	const struct bw_search *search;
	const struct bw_lineage *lineage;
	const struct bw_lineage_part *part;
	int frame; /* the only frame to draw; -1: all */
};

/* Adds the marks that stay from the frame of a decision on: the path from the previous decision. */
static void add_way(const struct filming *filming, int k, const char *says)
{
	struct bw_picture *picture = filming->picture;
	const struct bw_lineage_step *step = &filming->lineage->steps[k], *before = step - 1;
	int at = k - filming->part->first;
	struct bw_mark area = {.kind = BW_MARK_AREA, .tint = BW_TINT_SOFT, .begin = at},
		       way = bw_mark_line(BW_TINT_GOOD), winner = bw_mark_dot(BW_TINT_GOOD, BW_SYMBOL_DISC),
		       cut = bw_mark_dot(BW_TINT_WARM, BW_SYMBOL_CROSS);
	way.begin = winner.begin = cut.begin = at;
	winner.says = cut.says = says;
	if (at > 0 && before->best > 0 && step->best > 0) {
		double (*path)[2] = bw_picture_path(picture, area, 4)->path;
		const double costs[] = {before->best, step->best, step->worst, before->worst};
		for (int i = 0; i < 4; i++) {
			path[i][0] = bw_axis_at(&picture->x, k - (i % 3 == 0));
			path[i][1] = bw_axis_at(&picture->y, costs[i]);
		}
	}
	if (at > 0 && before->winner >= 0 && step->winner >= 0)
		bw_picture_span(picture, way, k - 1, before->winner_cost, k, step->winner_cost);
	if (step->cut > 0 && step->cut <= picture->y.high)
		bw_picture_at(picture, cut, k, step->cut);
	if (step->winner >= 0)
		bw_picture_at(picture, winner, k, step->winner_cost);
}

/* Returns a text on what the rules pruned of a decision's options. */
static const char *cut_text(const struct filming *filming, int k)
{
	BW_SCOPED_TEXT text = {0};
	const struct bw_decision *decision = bw_search_decision(filming->search, k);
	long all = 0;
	for (int rule = 0; rule < BW_N_RULES; rule++)
		all += decision->pruned[rule];
	bw_text_printf(&text, "%s of %s options pruned", bw_say_count((double)all).text,
		       bw_say_count((double)decision->enumerated).text);
	for (int rule = 0, n = 0; rule < BW_N_RULES; rule++)
		if (decision->pruned[rule])
			bw_text_printf(&text, "%s %s %s", n++ ? "," : ":", bw_say_count((double)decision->pruned[rule]).text,
				       bw_rule_name((enum bw_rule)rule));
	bw_text_printf(&text, "; %s %s, %d kept", bw_say_count((double)decision->n_children).text,
		       decision->n_children == 1 ? "child" : "children", filming->lineage->steps[k].n);
	return bw_arena_strdup(filming->picture->arena, bw_text_get(&text));
}

/* Adds the marks that only the frame of a decision has. */
static void add_decision(const struct filming *filming, int k)
{
	struct bw_picture *picture = filming->picture;
	const struct bw_state *const *states;
	int at = k - filming->part->first, first = picture->n, n = bw_search_beam(filming->search, k + 1, &states);
	mark_decision(picture, filming->part, k, BW_TINT_CHOSEN, "");
	for (int i = 0; i < n; i++)
		if (states[i]->cost <= picture->y.high && i != filming->lineage->steps[k].winner)
			bw_picture_at(picture,
				      bw_mark_dot(BW_TINT_CHOSEN, filming->lineage->steps[k].lines[i].survives
								  ? BW_SYMBOL_RING
								  : BW_SYMBOL_POINT),
				      k, states[i]->cost);
	struct bw_mark words = {.kind = BW_MARK_TEXT, .tint = BW_TINT_SOFT, .fine = true, .at = {0, 1.09}};
	words.text = cut_text(filming, k);
	bw_picture_add(picture, words);
	for (int i = first; i < picture->n; i++) {
		picture->marks[i].begin = at;
		picture->marks[i].end = at + 1;
	}
}

struct bw_picture bw_lineage_film(const struct bw_search *search, const struct bw_lineage *lineage,
				  const struct bw_lineage_part *part, int frame, struct bw_arena *arena)
{
	struct bw_picture picture = begin(search, part, arena, 300, "the search, decision by decision");
	const struct filming filming = {&picture, search, lineage, part, frame};
	set_costs(&picture, lineage, part);
	picture.frames = frame < 0 ? part->end - part->first : 0;
	for (int k = part->first; k < part->end && (frame < 0 || k - part->first <= frame); k++)
		add_way(&filming, k, said_of(&picture, &lineage->steps[k], part, k));
	for (int k = part->first; k < part->end; k++)
		if (frame < 0 || k - part->first == frame)
			add_decision(&filming, k);
	bw_picture_legend(&picture, bw_mark_dot(BW_TINT_GOOD, BW_SYMBOL_DISC), "way of the best");
	bw_picture_legend(&picture, bw_mark_dot(BW_TINT_CHOSEN, BW_SYMBOL_RING), "has descendants");
	bw_picture_legend(&picture, bw_mark_dot(BW_TINT_CHOSEN, BW_SYMBOL_POINT), "has none");
	bw_picture_legend(&picture, bw_mark_dot(BW_TINT_WARM, BW_SYMBOL_CROSS), "cheapest dropped");
	return picture;
}

/* Adds a part of a bar over a decision, from one value to another. */
static void add_bar(struct bw_picture *picture, struct bw_mark mark, int k, double from, double to)
{
	if (to > from)
		bw_picture_span(picture, mark, k - 0.4, from, k + 0.4, to);
}

/* Orders the rules by the number of options that they pruned, largest first. Returns the number of
 * rules that pruned any. */
static int order_rules(const struct bw_search *search, const struct bw_lineage_part *part,
		       int rules[BW_N_RULES])
{
	long pruned[BW_N_RULES] = {0};
	int n = 0;
	for (int rule = 0; rule < BW_N_RULES; rule++) {
		for (int k = part->first; k < part->end; k++)
			pruned[rule] += bw_search_decision(search, k)->pruned[rule];
		int i = n;
		for (; i > 0 && pruned[rules[i - 1]] < pruned[rule]; i--)
			rules[i] = rules[i - 1];
		rules[i] = rule;
		n += pruned[rule] > 0;
	}
	return n;
}

struct bw_picture bw_fates_picture(const struct bw_search *search, const struct bw_lineage_part *part,
				   struct bw_arena *arena)
{
	enum { SHOWN = 5 };
	int rules[BW_N_RULES], n = order_rules(search, part, rules), shown = n < SHOWN ? n : SHOWN;
	struct bw_picture picture =
	    begin(search, part, arena, 110, "what became of the options of each decision");
	struct bw_mark kept = bw_mark_box(BW_TINT_GOOD, BW_FILL_FULL),
		       left = bw_mark_box(BW_TINT_SOFT, BW_FILL_LIGHT),
		       cut = bw_mark_box(BW_TINT_SERIES, BW_FILL_DARK);
	picture.y = bw_axis_y(0, 1, false, "options");
	bw_picture_ticks(&picture, &picture.y, 2, bw_say_percent);
	for (int k = part->first; k < part->end; k++) {
		const struct bw_decision *decision = bw_search_decision(search, k);
		double all = decision->enumerated ? (double)decision->enumerated : 1,
		       at = fmin((double)decision->kept / all, 1);
		kept.says = left.says = cut.says = bw_arena_format(
		    arena, "%d %s: options: %s, costed: %s, kept: %s", k, part->names[k], bw_say_count(all).text,
		    bw_say_count((double)decision->costed).text, bw_say_count((double)decision->kept).text);
		add_bar(&picture, kept, k, 0, at);
		double top = 1;
		for (int i = 0; i < shown; i++) {
			double share = (double)decision->pruned[rules[i]] / all;
			cut.series = i;
			cut.says =
			    bw_arena_format(arena, "%d %s: %s of %s options pruned: %s", k, part->names[k],
					    bw_say_count((double)decision->pruned[rules[i]]).text,
					    bw_say_count(all).text, bw_rule_name((enum bw_rule)rules[i]));
			add_bar(&picture, cut, k, top - share, top);
			top -= share;
		}
		add_bar(&picture, left, k, at, top);
	}
	bw_picture_legend(&picture, kept, "kept");
	bw_picture_legend(&picture, left, n > shown ? "dropped, or pruned by others" : "dropped");
	for (int i = 0; i < shown; i++) {
		cut.series = i;
		bw_picture_legend(&picture, cut, bw_rule_name((enum bw_rule)rules[i]));
	}
	return picture;
}

struct bw_picture bw_survivors_picture(const struct bw_search *search, const struct bw_lineage *lineage,
				       const struct bw_lineage_part *part, struct bw_arena *arena)
{
	struct bw_picture picture = begin(search, part, arena, 80, "states with descendants at the end");
	struct bw_mark all = bw_mark_box(BW_TINT_SOFT, BW_FILL_LIGHT),
		       live = bw_mark_box(BW_TINT_GOOD, BW_FILL_FULL);
	picture.y = bw_axis_y(0, 1, false, "states");
	for (int k = part->first; k < part->end; k++)
		picture.y.high = fmax(picture.y.high, lineage->steps[k].n);
	bw_picture_ticks(&picture, &picture.y, 2, bw_say_count);
	for (int k = part->first; k < part->end; k++) {
		all.says = live.says = said_of(&picture, &lineage->steps[k], part, k);
		add_bar(&picture, all, k, 0, lineage->steps[k].n);
		add_bar(&picture, live, k, 0, lineage->steps[k].n_survivors);
	}
	bw_picture_legend(&picture, live, "with descendants in the last beam");
	bw_picture_legend(&picture, all, "without");
	return picture;
}

struct bw_picture bw_children_picture(const struct bw_decision *decision, const struct bw_lineage_step *step,
				      struct bw_arena *arena)
{
	enum { CLASSES = 40 };
	static const double most = 0.5;
	int children[CLASSES], kept[CLASSES], highest = 1;
	struct bw_picture picture = bw_picture_new(arena, 320, 120, "children by cost");
	picture.x = bw_axis_x(0, most, false, "cost (last: more)");
	bw_lineage_histogram(decision, 1 + most, CLASSES, children, kept);
	for (int i = 0; i < CLASSES; i++)
		highest = children[i] > highest ? children[i] : highest;
	picture.y = bw_axis_y(0, highest, false, "children by cost: █ kept  ▒ dropped");
	for (int i = 0; i < 5; i++)
		bw_picture_tick(&picture, &picture.x, 0.1 * i,
				bw_arena_format(arena, i ? "+%d%%" : "best", 10 * i));
	bw_picture_tick(&picture, &picture.y, 0, "0");
	bw_picture_tick(&picture, &picture.y, highest, bw_say_count(highest).text);
	for (int way = 0; way < 2; way++)
		for (int i = 0; i < CLASSES; i++)
			if (way ? kept[i] : children[i])
				bw_picture_span(&picture,
						way ? bw_mark_box(BW_TINT_GOOD, BW_FILL_FULL)
						    : bw_mark_box(BW_TINT_WARM, BW_FILL_DARK),
						i * most / CLASSES, 0, (i + 1) * most / CLASSES,
						way ? kept[i] : children[i]);
	double cut = step->cut > 0 && step->best > 0 ? step->cut / step->best - 1 : INFINITY;
	struct bw_mark line = bw_mark_line(BW_TINT_CHOSEN);
	line.dashed = true;
	line.text = "first dropped";
	if (cut < most)
		bw_picture_span(&picture, line, cut, 0, cut, highest);
	return picture;
}

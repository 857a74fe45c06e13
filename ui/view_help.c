/* The help screen: the keys and meaning of a view, all keys, and all commands, from the tables that
 * implement them; and the glossary. */

#include "session/alternatives.h"
#include "ui/glyph.h"
#include "ui/view.h"

enum { MOST_BINDINGS = 128, KEYS = 12, ARGUMENTS = 46, NARROW = 90 };

/* The legends, in sentences for newcomers. The entries of a view are consecutive, in reading order. */
static const struct bw_legend legends[] = {
	{"start", "best", "the launches of the best schedule found, the most expensive first, with blocks, threads of a block, and share of the cost"},
	{"main", "line 2", "the Funcs in the order in which the search decides them, consumers before producers; [ ] is where you stand"},
	{"main", "line 3", "where the selected state computes each: K a kernel of its own, b once for each block, t in a thread, s in a serial loop, i inlined, ? decided now, . not yet. Behind the letter a bar for each decision, `where` and sizes: what its runner-up would cost at the end over the best; █ is twice as much"},
	{"main", "BEAM", "the partial schedules that the search keeps at this point, cheapest first; `told apart by` is the newest choice in which one differs from the best"},
	{"main", "SPILLS, !", "compiling showed that registers did not suffice, and values go through memory: of the costs only latency estimates that (spilled), so each is marked by a !"},
	{"main", "LOOP NEST", "the kernels of the selected state: grid, block, loops from outside in, and what is computed inside each loop with the memory that it takes"},
	{"main", "STAGES", "the predicted cost of each Func and its share; `inside X`: inlined, its cost is part of X. Below the selected one are the terms of its cost, then the same cost by what is inlined: `in X`, `itself`. {sort} changes the order"},
	{"main", "+rema…ows* 7", "Funcs whose names differ in numbers alone, as the levels of a pyramid do, as one stage with the cost of all; below the selected one is the most expensive of them. {do fold} opens and closes the row"},
	{"main", "DECISION", "what can be chosen for the Func at the cursor, and what became of each choice"},
	{"decision", "B10, #18", "an option by bucket and member, or by number. A bucket is a group of options that make the same structure"},
	{"decision", "FATE", "kept, 5th: the 5th state of the next beam. dropped, 40th: 39 others cost less. not sampled: of its bucket others were drawn, its cost is unknown"},
	{"decision", "×2", "its cost counts as twice as much, since states of its structure came before; states are ranked by that. `why` says both ranks"},
	{"decision", "pruned", "a rule refuses the option before it is costed; the figure and the limit are beside it"},
	{"decision", "second choice", "an option that counts only if no other makes a child"},
	{"decision", "threads", "of a block, as the option tiles the Func"},
	{"decision", "recompute, again", "points computed over points needed: what neighbouring blocks or threads compute again"},
	{"decision", "idle lanes, idle", "threads of the block's warps that have nothing to do"},
	{"decision", "bytes", "a block: the memory that the Func takes, and where"},
	{"decision", "bucketed", "the second line counts: of all options those that are legal, the buckets that these fall into, those drawn from the buckets, costed, and kept in the beam"},
	{"graph", "boxes", "kernels with their share of the cost; what is read flows down. A box with +3 has three more Funcs inside: select it to open it, in a wide window beside the graph. [ ] is a box for which a frame has no room"},
	{"graph", "names", "in a box: Funcs with a share are computed and stored, the others are inlined where they are read. Beside boxes: inputs, and Funcs not placed yet"},
	{"graph", "keys", "{do earlier} goes to a Func that the selected one reads, {do later} to one that reads it; {do up} and {do down} go through the list"},
	{"roofline", "plot", "operations a second over operations for each byte from memory, both logarithmic. A kernel near its line is limited by it"},
	{"roofline", "DRAM, L2, shared", "what each memory can feed; float: what the arithmetic can do"},
	{"roofline", "A, B", "the kernels of the list by the bytes that DRAM moves, or L2 if DRAM moves none, the most expensive first; of the selected one also ○: by those of L2, ×: by those of shared memory. Each mark is below its memory's line"},
	{"roofline", "share, bound by", "the kernel's part of the whole cost, and what takes most of its time, by the model that steers the search, which line 1 names; `to try`: the change of a Func that lowers the cost most; `tried`: none does"},
	{"roofline", "op/byte", "operations for each byte that DRAM moves; L2 before it: that L2 moves, if DRAM moves none"},
	{"roofline", "could reach, of", "operations a second that the roofline model predicts, and their part of what the lowest ceiling above the kernel allows"},
	{"roofline", "occup.", "occupancy: resident warps over the most; behind a need: the nearest value that raises it, all else as it is"},
	{"search", "picture", "decisions from left to right, costs from the bottom up, logarithmic: ● the way of the best, × the cheapest child dropped for its cost, dotted from the best to the worst state kept"},
	{"search", "histogram", "the children of the decision by cost over the best: █ kept, ▒ dropped; the last column has all beyond the axis"},
	{"search", "states, best", "the states kept after the decision, and the cost of the cheapest"},
	{"search", "worst, dropped", "cost of the worst state kept, and of the cheapest child dropped for its cost, against the best"},
	{"search", "winner", "rank of the state that the best at the end comes from: near the end of the beam, a narrower one would have missed it"},
	{"search", "decided at", "the decision whose runner-up would cost most at the end. Decisions with one live option decide nothing"},
	{"search", "polished", "changes of one Func at a time that the search made to the best state at its end, while any lowers its cost"},
	{"search", "runner-up", "what the schedule costs at the end with the cheapest other option of the decision, polished, against the best. Blank: there was none; ...: not priced yet. Below 0: `improve runner-up` takes the cheapest. {why} says which"},
	{"search", "survive", "states that have descendants at the end"},
	{"tile", "picture", "the region that one block computes of each Func, one in the other as they lie, in points from the block's first one; thin margins are widened. Dashed: the borders to the blocks beside"},
	{"tile", "░", "points of the selected Func that the blocks beside need, too: a block that computes them computes them again"},
	{"tile", "▓", "the points of one thread"},
	{"tile", "threads", "64x2 of 576 threads: the block has 576, since another Func in it needs as many; the selected Func's loops use 64x2 of them"},
	{"tile", "keys", "{do later} shows the block with the next larger size of the selected Func, {do earlier} with the next smaller one, by points of a block (of a thread for a Func inside a block), and what that would cost, or why it cannot be. {do open} holds it so. {view override} lists these and all other changes"},
	{"tile", "kernel, inside", "the Func that the kernel stores in global memory, and those computed in its blocks or threads"},
	{"tile", "inlined, read", "computed at each use and never stored; and what the block reads from global memory"},
	{"tile", "points a block", "of each Func, as x by y"},
	{"tile", "shared", "part of the block's points that other blocks need, too"},
	{"tile", "computed", "points computed over points needed, over the whole image"},
	{"tile", "recompute", "points computed again over points needed, of all Funcs together that a block computes and stores: less than the 27% of a Func that is computed 1.27x"},
	{"sweep", "picture", "costs over what was varied, both logarithmic; a line for each device"},
	{"sweep", "A, B", "schedules, in the order in which they were found; a letter is the same schedule everywhere"},
	{"sweep", "names", "the device, with a factor of its bandwidth to global memory, and the size or parameter if several were asked for"},
	{"sweep", "beam, seed", "the settings that the schedule was found with"},
	{"sweep", "kernels", "launches of the schedule"},
	{"sweep", "1.12x", "what the schedule of the row costs on the device of the column, over the best that was found there"},
	{"views", "rows", "a view, the key that opens it, here and everywhere, and what it shows; without a key `:view NAME` opens it"},
	{"views", "main", "the view that the others go back to; its panes share the screen, and {do next-pane} goes from one to the next"},
	{"stages", "Func, +group", "a Func alone, without what else its kernel computes ({why} has the kernel, too); +: Funcs alike in name and place, added up"},
	{"statistics", "PASS", "options enumerated, legal, in buckets, costed and kept, summed over the decisions of a pass"},
	{"statistics", "PRUNED BY", "options that each rule refused"},
	{"override", "rows", "the selected Func with one property changed and all else as it is, with the cost of the whole state. A row without a cost says which limit or rule forbids it"},
#define X(name, word, value, meaning) {"override", word, meaning},
	BW_OVERRIDE_TABLE(X)
#undef X
	{"override", "changed to", "what the property would be: a site, or points a thread and the block that they make"},
	{"override", "change", "of the cost of the whole state; `betters the best`: less than the best state at the cursor; `ties with the best`: less, by no more than the model's error; `as held`: the best of the search with what is held, not of the search that was free"},
	{"override", "keys", "{do open} holds the Func so: the search runs again around it, and may place the others otherwise; {undo} takes it back. {view tile} shows the block with the selected row"},
	{"walk", "line 1", "the decisions, one character each: o taken, H by hand, . none taken, which ends a phase; [ ] is where you stand"},
	{"walk", "rows", "the candidates of the decision, the best first; * is taken, H by hand, x refused with the reason"},
	{"walk", "keys", "{step} and {back} go through the decisions. {do open} takes the selected candidate, {reject} forbids it, {freeze} holds its Func: no candidate is about it from there on. Then the scheduler decides again, and the search is held to the new schedule"},
	{"walk", "below", "the schedule after the decision: groups of Funcs computed per block of another one, kernels alone, Funcs inlined"},
	{"opinions", "rows", "the schedule of each scheduler, of `exact` what it has after 10 s, and the generator's own by hand; below them what is said of the selected one"},
	{"opinions", "columns", "the cost models, then what the emulated device counted (`counters NAME`) and what was measured (`time NAME`); 1.00 is the column's best, 1.50 half as much again"},
	{"opinions", "refused", "the model's rules refuse a kernel of the schedule, for which it has no cost of its own"},
	{"opinions", "keys", "{do open} shows the kernels of the selected schedule, in the same units, and {accept} holds the search to it; {compare} puts it beside the selected state, {time} measures it"},
	{"tune", "left", "the fastest so far over time, or over schedules if time says nothing, and each schedule as a dot; at the upper edge: slower than the scale"},
	{"tune", "right", "predictions from left to right, times from the bottom up, both logarithmic: the newest batch is marked. rho: their rank correlation, 1 if the model orders all as the device does"},
	{"tune", "them, all", "where most of the fastest tenth compute a Func, or how they tile it: how many of them do, and how many of all. Where the two differ most, a try by hand is worth it"},
	{"tune", "measured", "the time of a run"},
	{"tune", "vs best", "how much slower than the fastest; `tie` at the end of a tuning: the ranges of six turns overlap"},
	{"tune", "predicted, batch", "the cost that the model predicts, and in which turn of measurements it was"},
	{"tune", "origin", "`state of the beam`: found by the search; else the measured schedule of which one thing was changed, and the change"},
	{"tune", "keys", "{do open} holds the search to the selected schedule, {undo} lets it go. {do cancel} stops the tuning, and `:tune` goes on with it; what was measured is stored"},
	{"access", "rows", "each load and store of the selected Func: the 32 lanes of a warp over the bytes of each sector (32 B) of global memory, or over the banks of each pass through shared memory"},
	{"access", "a pass", "such requests in one pass of a thread through its unrolled loops"},
	{"access", "8 sectors for 4", "what a request takes, and what so many bytes take at least; on average: over all warps of the block, wherever in a sector their rows begin"},
	{"compare", "rows", "two schedules Func by Func, and the terms of the cost that differ"},
	{"compare", "code", "after `compare code`: the lines of loops, PTX and SASS that differ, how often warps ran each, and two equal ones beside them"},
	{"compare", "< > |", "a line of one side alone; lines that differ"},
	{"compare", "~", "an equal line stands elsewhere on the other side"},
	{"features", "rows", "the figures from which both cost models predict the selected Func's stages"},
	{"history", "rows", "the commands that changed the search; moving to one shows the search as it was then"},
	{"history", "made at, from", "the decision of a choice on the way to the selected state, and the rank of the state before it"},
	{"history", "choice", "what was chosen there; `so far` is the cost of all that was placed by then"},
	{"timings", "rows", "what was compiled or run: registers and spills, whether the output is right, and the time with the device"},
	{"code", "loop nest", "above: the loops of the selected line's kernel, each with its share of all instructions of PTX that warps ran, the Funcs inside of it included; `>`: the loop of the line"},
	{"code", "columns", "the loop that a line belongs to (`-`: that is not told), how often warps ran it, the PTX, and the SASS that became of it, without operands. `|`: lines of the selected line's loop. {do search} finds a Func or an instruction"},
	{"code", "statement", "what Halide lowers the schedule to, in its own text: {do later} shows it in place of the PTX, and back. On a wide screen both stand side by side, and what belongs to the selected line's loop beside it. The figure: what warps ran in all lines of a loop"},
	{"code", "▸", "a folded loop: its lines and those of the loops inside of it as one row, with their sums. {do fold} folds the loop of the selected line and unfolds it; {play} folds all loops but the costliest, and again none. {sort} shows the lines of that line's Func alone, and again of all; {step func} and {back func} go to another"},
	{"code", "block", "below: what the emulated device counted of the basic block of the selected line"},
	{"counters", "figures", "what the emulated device counted of each kernel and stage; beside each, counted over predicted"},
	{"", "3, best", "a state, by its rank in the beam"},
	{"", "Ix.where, 19", "a decision: by Func and phase (`where` it is computed, how to `tile` it), or by number"},
	{"", "*  F  f", "changed by the last command; held by a freeze, an accepted option or a file; frozen by the search"},
	{"", "×2  ✓  @1", "in the beam: cost taken as 2 times as much, as states of its structure came before (penalty); structure blessed by a good state of a pass; from pass 1"},
	{"", "so far", "a cost of what is placed up to now; states are compared at equal depth only"},
	{"", "Func, stage", "a function of the pipeline over a grid of points; its definition and each update are stages"},
	{"", "schedule", "where each Func is computed and how its loops are split over blocks, threads and unrolled iterations"},
	{"", "kernel", "one launch on the GPU: a Func in global memory, with all that is computed inside its blocks"},
	{"", "block, thread", "a kernel's points are divided among blocks; the threads of a block share its shared memory"},
	{"", "warp, lane", "threads that execute together, 32 on NVIDIA's GPUs; a lane is one of them"},
	{"", "SM, occupancy", "a multiprocessor holds several blocks; occupancy is its resident warps over the most that it can hold"},
	{"", "wave", "as many blocks as the whole device holds at once; 8.9 waves: eight full ones and one nearly full"},
	{"", "state, beam", "a state is a schedule of some Funcs; the beam is the set of states that the search keeps after each decision"},
	{"", "inline", "computed where it is read, again for each reader and never stored"},
	{"", "tiling 1x4/64x1", "points a thread before the stroke, threads a block behind it, both as x by y: 1x4 points a thread, 64x1 threads a block"},
	{"", "output.serial0", "a loop of output's threads, to compute another Func at; 0 is the outermost. output.block and output.thread are the loops over blocks and threads"},
	{"", "160; 128: 50%", "a block's need, and the nearest value that raises the occupancy, with what it would be"},
	{"", "staged", "loaded into registers once for all points of a thread that use the value, and not once for each; what is `not staged` has one of these reasons"},
#define X(name, words, meaning) {"", words, meaning},
	BW_STAGING_TABLE(X)
#undef X
	{"", "+remapped* 7", "seven Funcs whose names differ in numbers or ends alone, folded into one row; + opens it"},
	{"", "hash depth 2", "how deep two schedules are compared to call them one structure: options of one structure share a bucket. Depth 0 is kernels alone, each pass looks deeper"},
	{"", "second choice", "an option that counts only if no other makes a child"},
	{"", "dropped ×5", "dropped from the beam, its cost taken as 5 times as much: four states of its structure cost less (penalty)"},
	{"", "~", "a tie: the lead is less than the cost model's own error; which of both is faster, only a measurement tells"},
	{"", "cost", "predicted, by the model named in line 1; measured times name their device"},
	{"", "roofline", "a cost model: the time that the busiest of arithmetic, global and shared memory takes, and a part of the others'"},
	{"", "freeze, accept", "hold a Func, or a choice; the search goes on around what is held"},
	{"", "penalty", "with several passes: states whose structure was seen before count as more expensive, so that others get a chance"},
};
enum { N_LEGENDS = sizeof legends / sizeof *legends };

const struct bw_legend *bw_legends(int *n)
{
	*n = N_LEGENDS;
	return legends;
}

const char *bw_view_marks(const char *view)
{
	static const char tie[] = "~ a tie: less than the cost model's own error";
	static const struct {
		const char *view, *marks;
	} lines[] = {
	    {"main", "K kernel b block t thread s serial i inline  ▁ runner-up  * changed  ~ tie"},
	    {"walk", "o * taken  H by hand  x refused  . none taken  [ ] where you stand"},
	    {"decision", "~ a tie  ×2 its cost is taken twice, a penalty  again: computed again"},
	    {"search", tie},
	    {"override", tie},
	    {"compare", tie},
	    {"history", tie},
	    {"graph", "a box is a kernel, with its share; +3: three more Funcs inside"},
	    {"tile", "~ a tie  points a block are x by y  1.27x: computed over needed"},
	    {"roofline", "behind a need: the nearest value that raises the occupancy, and to what"},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i].view, view))
			return lines[i].marks;
	return "";
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{step} next page, {do leave} back");
	return "HELP";
}

static void heading(struct bw_sheet *sheet, const char *text)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_sheet_go_on(sheet, &pen, 0, BW_STYLE_TITLE, text);
}

static void draw_binding(struct bw_sheet *sheet, const char *keys, const char *help, const char *command)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_field(&pen, KEYS, BW_STYLE_KEY, keys);
	bw_sheet_go_on(sheet, &pen, KEYS, BW_STYLE_NORMAL, help);
	if (!*command)
		return;
	int gap = *help ? 3 : 0;
	if (gap + 1 + bw_glyph_columns(command) > bw_pen_left(&pen)) {
		pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, KEYS);
	} else {
		pen.x += gap;
	}
	bw_pen_printf(&pen, BW_STYLE_DIM, ":%s", command);
}

/* Draws the user's own keys from beamwalkrc(5). */
static void draw_bound(struct bw_sheet *sheet, const struct bw_keymap *keymap)
{
	for (int i = 0; keymap && i < keymap->n; i++) {
		struct bw_key key = bw_key_parse(keymap->list[i].key);
		struct bw_binding binding = bw_binding_of(keymap, key);
		if (binding.request != BW_REQUEST_NONE)
			draw_binding(sheet, keymap->list[i].key, binding.help, binding.command);
	}
}

static void draw_keys(struct bw_sheet *sheet, const struct bw_keymap *keymap)
{
	struct bw_binding bindings[MOST_BINDINGS];
	int n = bw_bindings(bindings, MOST_BINDINGS);
	heading(sheet, "KEYS, the same in all views");
	draw_bound(sheet, keymap);
	for (int i = 0; i < n; i++) {
		char left[64];
		bw_keys_left(keymap, bindings[i].keys, left);
		if (*left)
			draw_binding(sheet, left, bindings[i].help, bindings[i].command);
	}
}

static void draw_commands(struct bw_sheet *sheet)
{
	int n;
	const struct bw_command *commands = bw_commands(&n);
	heading(sheet, "COMMANDS, behind `:` and in scripts; what is not given is what is selected");
	for (int i = 0; i < n; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bool narrow = sheet->grid.columns < NARROW;
		int column = narrow ? 4 : ARGUMENTS;
		bw_pen_printf(&pen, BW_STYLE_STRONG, "%s ", commands[i].name);
		bw_sheet_go_on(sheet, &pen, 4, BW_STYLE_NORMAL, commands[i].arguments);
		if (narrow || pen.x - pen.left >= column)
			pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, column);
		bw_sheet_go_on(sheet, &pen, column, BW_STYLE_DIM, commands[i].help);
	}
}

/* Draws the meanings of a view's terms. Returns false if there are none. */
static bool draw_legend(const struct bw_scene *scene, struct bw_sheet *sheet, const char *title,
			const char *view)
{
	enum { TERM = 18, NARROW_LEGEND = 60 };
	int drawn = 0;
	for (int i = 0; i < N_LEGENDS; i++) {
		if (strcmp(legends[i].view, view))
			continue;
		if (!drawn++)
			heading(sheet, title);
		struct bw_pen pen = bw_sheet_plain(sheet);
		bool narrow = sheet->grid.columns < NARROW_LEGEND;
		bw_pen_puts(&pen, BW_STYLE_STRONG, legends[i].term);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, narrow ? ": " : "");
		bw_pen_to(&pen, narrow ? 4 : TERM);
		bw_sheet_go_on(sheet, &pen, narrow ? 4 : TERM, BW_STYLE_NORMAL, bw_scene_keys(scene, legends[i].meaning));
	}
	return drawn > 0;
}

/* Draws the meanings of the columns of the scheduler that is walked through. */
static void draw_walk_columns(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_walk *walk = bw_session_walk(scene->session);
	const struct bw_walk_scheduler *calls = walk ? bw_walk_scheduler_of(walk)->walk : NULL;
	for (int c = 0; calls && c < calls->n_columns; c++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_STRONG, calls->columns[c].name);
		bw_pen_to(&pen, 18);
		bw_sheet_go_on(sheet, &pen, 18, BW_STYLE_NORMAL, calls->columns[c].meaning);
	}
}

/* Returns the meaning of a line, from the tables of commands and of requests. */
static const char *meaning_of(const char *line)
{
	struct bw_binding bindings[MOST_BINDINGS];
	enum bw_request request = bw_request_of(line);
	for (int i = 0, n = bw_bindings(bindings, MOST_BINDINGS); i < n; i++)
		if (request != BW_REQUEST_NONE ? bindings[i].request == request : !strcmp(bindings[i].command, line))
			return bindings[i].help;
	return "";
}

/* Draws the keys of the view's own line of keys, before all other keys. */
static void draw_view_keys(const struct bw_scene *scene, struct bw_sheet *sheet, const char *view)
{
	int n;
	const struct bw_view_key *keys = bw_view_keys(view, &n);
	heading(sheet, bw_scene_text(scene, "KEYS OF THE VIEW %s", view));
	for (int i = 0; i < n; i++) {
		char key[BW_KEY_NAME_SIZE];
		bw_key_of(scene->keymap, keys[i].command, key);
		bool own = keys[i].line || bw_request_of(keys[i].command) != BW_REQUEST_NONE;
		const char *meaning = meaning_of(keys[i].command);
		if (*key)
			draw_binding(sheet, key, own && keys[i].word ? keys[i].word : meaning, "");
	}
	bw_sheet_plain(sheet);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const char *view = bw_session_view_behind(scene->session);
	if (!strcmp(view, "main") || !strcmp(view, "start")) {
		heading(sheet, "TO FIND OUT");
		bw_draw_questions(scene, sheet);
		bw_sheet_plain(sheet);
	}
	draw_view_keys(scene, sheet, view);
	bool drawn = draw_legend(scene, sheet, bw_scene_text(scene, "WHAT THE VIEW %s SHOWS", view), view);
	if (!strcmp(view, "walk"))
		draw_walk_columns(scene, sheet);
	if (drawn)
		bw_sheet_plain(sheet);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_scene_keys(scene, "{view glossary} explains every word and mark, {view views} lists the views."));
	bw_sheet_plain(sheet);
	draw_keys(sheet, scene->keymap);
	bw_sheet_plain(sheet);
	draw_commands(sheet);
}

static const char *glossary_title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{do search} searches, {step} next page, {do leave} back");
	return "GLOSSARY";
}

/* Draws the words that all views use, then the words of each view. */
static void fill_glossary(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	draw_legend(scene, sheet, "WORDS AND MARKS", "");
	for (int i = 0; i < n; i++) {
		bw_sheet_plain(sheet);
		if (!draw_legend(scene, sheet, bw_scene_text(scene, "IN THE VIEW %s", infos[i].name), infos[i].name))
			sheet->n_rows--;
	}
}

const struct bw_view bw_view_glossary = {
    .name = "glossary", .selects = BW_ROW_PLAIN, .title = glossary_title, .fill = fill_glossary};
const struct bw_view bw_view_help = {.name = "help", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};

/* The list of views, to choose from: the key that opens each, and its meaning. */
enum { VIEW_KEY = 10, VIEW_NAME = 12 };

static const char *views_title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{do open} shows the selected one, {do leave} back");
	return "VIEWS";
}

/* Returns the keys that open a view. For a pane, returns the keys that move between panes. */
static const char *view_key(const struct bw_scene *scene, const struct bw_view_info *info)
{
	if (info->kind == BW_VIEW_PANE)
		return bw_scene_keys(scene, "{do next-pane}");
	if (info->kind == BW_VIEW_MAIN)
		return bw_scene_keys(scene, "{do leave}");
	if (!strcmp(info->name, "compare") || !strcmp(info->name, "code"))
		return bw_scene_key(scene, info->name);
	if (!strcmp(info->name, "opinions"))
		return bw_scene_keys(scene, "{compare --all}");
	return bw_scene_key(scene, bw_scene_text(scene, "view %s", info->name));
}

/* Writes a view's meaning; a long one continues in further rows of the view. */
static void put_meaning(struct bw_sheet *sheet, struct bw_pen *pen, int view, const char *meaning)
{
	int first = sheet->n_rows;
	bw_sheet_go_on(sheet, pen, VIEW_KEY + VIEW_NAME, BW_STYLE_NORMAL, meaning);
	for (int row = first; row < sheet->n_rows; row++)
		sheet->rows[row] = (struct bw_row){.kind = BW_ROW_VIEW, .index = view, .again = true};
}

static void fill_views(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	for (int i = 0; i < n; i++) {
		const char *key = view_key(scene, &infos[i]);
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_VIEW, .index = i});
		bw_pen_field(&pen, VIEW_KEY, BW_STYLE_KEY, *key == ':' ? "" : key);
		bw_pen_field(&pen, VIEW_NAME, BW_STYLE_STRONG, infos[i].name);
		bool pane = infos[i].kind == BW_VIEW_PANE;
		put_meaning(sheet, &pen, i,
			    bw_scene_text(scene, "%s%s", infos[i].meaning, pane ? ": a pane of main" : ""));
	}
	bw_sheet_plain(sheet);
	bw_sheet_wrap(
	    sheet, BW_STYLE_DIM,
	    bw_scene_keys(
		scene,
		"Each is also `:view NAME`; in a script or `beamwalk repl` that prints it, and `screenshot FILE.svg` saves it. {view help} in a view says what its letters mean."));
}

const struct bw_view bw_view_views = {.name = "views", .selects = BW_ROW_VIEW, .title = views_title, .fill = fill_views};

#include "command/figure.h"

#include <math.h>

#include "command/commands.h"
#include "figures/rooflines.h"
#include "figures/tile.h"
#include "session/counters.h"

static const struct {
	const char *word;
	enum bw_figure_kind kind;
} table[] = {
#define X(name, word, kind, meaning) {word, BW_FIGURE_##kind},
    BW_FUNC_FIGURE_TABLE(X)
#undef X
};

int bw_func_figure_find(const char *word, size_t length)
{
	for (int i = 0; i < BW_N_FUNC_FIGURES; i++)
		if (strlen(table[i].word) == length && !strncmp(table[i].word, word, length))
			return i;
	return -1;
}

/* A Func's kernel in the selected state. */
struct kernel {
	const struct bw_roofline_kernel *roofline;
	const struct bw_cost_model *model; /* the model by which the kernel's times are computed */
	struct bw_block_tile tile;
};

/* Finds the kernel that computes a Func. Returns false if the Func has no kernel yet. */
static bool find_kernel(struct bw_session *session, int func, struct bw_arena *arena, struct kernel *kernel)
{
	const struct bw_nest *nest = bw_session_state(session)->nest;
	if (!bw_tile_of(nest, func, arena, &kernel->tile))
		return false;
	struct bw_rooflines all =
	    bw_rooflines_of(nest, session->options.device, session->options.model,
			    bw_session_uses(session, nest), arena);
	kernel->model = all.model;
	for (int i = 0; i < all.n; i++)
		if (all.kernels[i].func == kernel->tile.func && all.kernels[i].stage == kernel->tile.stage)
			kernel->roofline = &all.kernels[i];
	return kernel->roofline;
}

/* Sets the value or the words of a figure. Returns false if the figure does not apply to the Func's part in
 * its kernel. */
static bool value_of(const struct kernel *kernel, enum bw_func_figure which, struct bw_figure *figure)
{
	const struct bw_roofline_kernel *roofline = kernel->roofline;
	const struct bw_block_tile *tile = &kernel->tile;
	static const struct bw_tile_part none;
	const struct bw_tile_part *part = tile->selected >= 0 ? &tile->parts[tile->selected] : &none;
	const double values[BW_N_FUNC_FIGURES] = {
	    [BW_FUNC_FIGURE_KERNEL] = roofline->ms,
	    [BW_FUNC_FIGURE_SHARE] = roofline->share,
	    [BW_FUNC_FIGURE_BLOCKS] = tile->n_blocks,
	    [BW_FUNC_FIGURE_THREADS] = (double)roofline->needs.threads,
	    [BW_FUNC_FIGURE_SHARED] = (double)roofline->needs.shared_bytes,
	    [BW_FUNC_FIGURE_OCCUPANCY] = roofline->occupancy.occupancy,
	    [BW_FUNC_FIGURE_RESIDENT] = (double)roofline->occupancy.blocks_per_sm,
	    [BW_FUNC_FIGURE_SMS] = roofline->busy_sms,
	    [BW_FUNC_FIGURE_EFFICIENCY] = roofline->load_efficiency,
	    [BW_FUNC_FIGURE_INTENSITY] = roofline->intensity[BW_ROOF_DRAM],
	    [BW_FUNC_FIGURE_RECOMPUTE] = part->again,
	    [BW_FUNC_FIGURE_CALLS] = part->calls,
	    [BW_FUNC_FIGURE_REGION] = part->points,
	};
	figure->value = values[which];
	if (which == BW_FUNC_FIGURE_LIMITER)
		figure->words = bw_limiter_name(roofline->occupancy.limiter);
	if (which == BW_FUNC_FIGURE_BOUND)
		figure->words = kernel->model->terms[roofline->bound].name;
	bool inlined = part->kind == BW_TILE_INLINED;
	return which == BW_FUNC_FIGURE_RECOMPUTE ? part != &none && !inlined
	       : which == BW_FUNC_FIGURE_CALLS   ? part != &none && inlined
	       : which == BW_FUNC_FIGURE_REGION  ? part->bounded
						 : true;
}

/* Reads `NAME of FUNC`; `which` is the figure NAME. */
static bool read_func_figure(struct bw_session *session, enum bw_func_figure which, const char *name,
			     struct bw_figure *figure, struct bw_error *error)
{
	int func;
	if (!bw_select_func(session, name, &func, error))
		return false;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct kernel kernel = {0};
	*figure = (struct bw_figure){.kind = table[which].kind};
	const struct bw_placed *placed = bw_session_state(session)->nest->placed[func];
	if (placed && which == BW_FUNC_FIGURE_COST) {
		const struct bw_func *about = &session->pipeline->funcs[func];
		for (int stage = 0; stage < about->n_stages; stage++)
			figure->value += bw_session_cost(session)->stages[about->first_stage + stage].ms;
		return true;
	}
	if (placed && which >= BW_FUNC_FIGURE_POINTS) {
		double bytes = (double)session->pipeline->funcs[func].bytes;
		figure->value = which == BW_FUNC_FIGURE_POINTS
				    ? bw_busy_points(bw_session_state(session)->nest, func)
				    : placed->minimum_points * bytes;
		return true;
	}
	return (find_kernel(session, func, arena, &kernel) && value_of(&kernel, which, figure)) ||
	       bw_fail(error, BW_ERROR_WRONG, "%s of %s: the selected state has no such figure now",
		       table[which].word, name);
}

/* Sets a figure of the options of the decision at the cursor. Returns false if there is no decision or it has
 * not reached this stage. */
static bool funnel_figure(struct bw_session *session, enum bw_replay stage, double *value)
{
	bool asks = session->cursor < bw_search_n_decisions(session->search) &&
		    bw_search_decision(session->search, session->cursor)->phase != BW_PHASE_PASS;
	const struct bw_expansion *expansion = asks ? bw_session_expansion(session) : NULL;
	if (!expansion || (stage == BW_REPLAY_KEPT && bw_session_last_replay(session) < BW_REPLAY_KEPT))
		return false;
	*value = bw_expansion_funnel(expansion).n[stage];
	return true;
}

static int count_kernels(struct bw_session *session)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n;
	bw_nest_kernels(bw_session_state(session)->nest, arena, &n);
	return n;
}
bool bw_asserted_value(struct bw_session *session, enum bw_asserted figure, double *value)
{
	const struct bw_state *const *states;
	if (figure >= BW_ASSERTED_ENUMERATED)
		return funnel_figure(session, (enum bw_replay)((int)figure - BW_ASSERTED_ENUMERATED), value);
	const double values[] = {
	    [BW_ASSERTED_COST] = bw_session_state(session)->cost,
	    [BW_ASSERTED_STATES] = bw_search_beam(session->search, session->cursor, &states),
	    [BW_ASSERTED_KERNELS] = count_kernels(session),
	    [BW_ASSERTED_POSITION] = session->cursor,
	    [BW_ASSERTED_DECISIONS] = bw_search_n_decisions(session->search),
	    [BW_ASSERTED_HELD] = bw_search_constraints(session->search)->n,
	    [BW_ASSERTED_COMMANDS] = bw_journal_done(session),
	    [BW_ASSERTED_TIMINGS] = session->n_timings,
	};
	*value = values[figure];
	return true;
}

static bool read_asserted(struct bw_session *session, const char *text, struct bw_figure *figure,
			  struct bw_error *error)
{
	static const char *const words[] = {BW_ASSERTED_TABLE(BW_SECOND)};
	for (int i = 0; i < BW_N_ASSERTED; i++)
		if (!strcmp(words[i], text)) {
			figure->kind = i == BW_ASSERTED_COST ? BW_FIGURE_COST : BW_FIGURE_COUNT;
			return bw_asserted_value(session, (enum bw_asserted)i, &figure->value) ||
			       bw_fail(error, BW_ERROR_WRONG, "%s: there is no such figure here", text);
		}
	return bw_fail(error, BW_ERROR_USAGE, "there is no figure \"%s\"; beamwalk-commands(7) lists them",
		       text);
}

/* Reads a field of the device of predictions. */
static bool read_device(struct bw_session *session, const char *key, struct bw_figure *figure,
			struct bw_error *error)
{
	static const struct {
		const char *key, *unit;
		size_t offset;
	} fields[] = {
#define X(field, name, unit, text) {name, unit, offsetof(struct bw_device, field)},
	    BW_DEVICE_TABLE(X)
#undef X
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!strcmp(fields[i].key, key)) {
			memcpy(&figure->value, (const char *)session->options.device + fields[i].offset,
			       sizeof figure->value);
			figure->kind = !strcmp(fields[i].unit, "bytes") ? BW_FIGURE_BYTES : BW_FIGURE_COUNT;
			return true;
		}
	return bw_fail(error, BW_ERROR_USAGE, "a device has no number \"%s\"; beamwalk-devices(5) lists them",
		       key);
}

/* Reads a figure of the selected state's code. */
static bool read_code(struct bw_session *session, const char *word, struct bw_figure *figure,
		      struct bw_error *error)
{
	static const struct {
		const char *word;
		enum bw_figure_kind kind;
	} figures[] = {
#define X(name, word, kind, meaning) {word, BW_FIGURE_##kind},
	    BW_CODE_FIGURE_TABLE(X)
#undef X
	};
	int which = 0;
	while (which < BW_N_CODE_FIGURES && strcmp(figures[which].word, word) != 0)
		which++;
	if (which == BW_N_CODE_FIGURES)
		return bw_fail(error, BW_ERROR_USAGE, "code has no figure \"%s\"; beamwalk-commands(7) lists them", word);
	const uint64_t own = bw_nest_schedule_hash(bw_session_state(session)->nest);
	const struct bw_timing *timing = own ? bw_session_code(session, own, false) : NULL;
	bool statement = timing && bw_session_reads_statement(session, timing);
	int line = timing ? bw_session_line(session, timing) : -1;
	const struct bw_code_kernel *kernel = timing ? bw_code_kernel_at(timing->code, statement, &line) : NULL;
	if (!kernel && timing)
		return bw_fail(error, BW_ERROR_WRONG, "code %s: no line of code belongs to the Func that alone is shown; `code func all` shows all", word);
	if (!kernel)
		return bw_fail(error, BW_ERROR_WRONG, "code %s: the selected state has no code yet; `code` compiles it", word);
	int loop = bw_code_row_loop(kernel, statement, line, bw_session_code_func(session));
	bool sass = which >= BW_CODE_FIGURE_SASS_FLOATS && kernel->n_sass;
	struct bw_code_mix mix = bw_code_mix(kernel, loop, sass);
	double all = bw_code_runs(timing->code), of = mix.all > 0 ? mix.all : 1;
	bool loads = which == BW_CODE_FIGURE_LOADS || which == BW_CODE_FIGURE_SASS_LOADS;
	figure->kind = figures[which].kind;
	figure->value = which == BW_CODE_FIGURE_INSTRUCTIONS ? all
			: which == BW_CODE_FIGURE_SHARE      ? kernel->loops[loop].runs / all
							     : (loads ? mix.loads : mix.floats) / of;
	return true;
}

static bool read_present(struct bw_session *session, const char *text, struct bw_figure *figure,
			 struct bw_error *error)
{
	size_t length = strcspn(text, " ");
	int which = bw_func_figure_find(text, length);
	*figure = (struct bw_figure){.kind = BW_FIGURE_COUNT};
	if (which >= 0 && !strncmp(text + length, " of ", 4))
		return read_func_figure(session, (enum bw_func_figure)which, text + length + 4, figure,
					error);
	if (!strncmp(text, "device ", 7))
		return read_device(session, text + 7, figure, error);
	if (!strncmp(text, "code ", 5))
		return read_code(session, text + 5, figure, error);
	return read_asserted(session, text, figure, error);
}

bool bw_figure_read(struct bw_session *session, const char *text, struct bw_figure *figure,
		    struct bw_error *error)
{
	bool best = !strncmp(text, "best ", 5);
	int selected = session->selection.state;
	if (best)
		session->selection.state = 0;
	bool good = read_present(session, text + (best ? 5 : 0), figure, error);
	session->selection.state = selected;
	return good;
}

/* Appends a number with three significant digits, or all digits of a whole number. */
static void put_number(double value, struct bw_text *out)
{
	if (value == floor(value) && fabs(value) < 1e6)
		bw_text_printf(out, "%s", bw_say_count(value).text);
	else if (fabs(value) >= 1e6)
		bw_text_printf(out, "%.3g million", value / 1e6);
	else
		bw_text_printf(out, "%.3g", value);
}

void bw_figure_print(const struct bw_session *session, const struct bw_figure *figure, bool raw,
		     struct bw_text *out)
{
	if (figure->kind == BW_FIGURE_WORDS)
		bw_text_puts(out, figure->words);
	else if (raw)
		bw_text_printf(out, "%.17g", figure->value);
	else if (figure->kind == BW_FIGURE_COST)
		bw_text_printf(out, "%s%s%s", bw_say_cost(figure->value).text,
			       *session->options.model->unit ? " " : "", session->options.model->unit);
	else if (figure->kind == BW_FIGURE_SHARE)
		bw_text_printf(out, "%.0f%%", 100 * figure->value);
	else if (figure->kind == BW_FIGURE_BYTES)
		bw_text_puts(out, bw_say_bytes(figure->value).text);
	else if (figure->kind == BW_FIGURE_TIMES)
		bw_text_printf(out, "%.3g", figure->value);
	else
		put_number(figure->value, out);
}

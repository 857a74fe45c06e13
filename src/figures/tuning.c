#include "figures/tuning.h"
#include "base/arith.h"

#include <math.h>
#include <string.h>

double bw_tuning_median(const struct bw_tuning_rounds *rounds)
{
	return rounds->n ? (rounds->ms[(rounds->n - 1) / 2] + rounds->ms[rounds->n / 2]) / 2 : (double)NAN;
}

bool bw_tuning_is_tie(const struct bw_tuning_rounds *a, const struct bw_tuning_rounds *b)
{
	return a->ms[0] <= b->ms[b->n - 1] && b->ms[0] <= a->ms[a->n - 1];
}

bool bw_tuning_ties(const struct bw_tuning *tuning, int number)
{
	const struct bw_nest *nest = bw_tuning_candidate(tuning, number)->nest;
	for (int k = 1; k < tuning->n_rounds && tuning->phase == BW_TUNING_ENDED; k++)
		if (tuning->rounds[k].nest == nest && tuning->rounds[k].n && tuning->rounds[0].n)
			return bw_tuning_is_tie(&tuning->rounds[0], &tuning->rounds[k]);
	return false;
}

void bw_tuning_verdict(const struct bw_tuning *tuning, int rounds, struct bw_text *out)
{
	const struct bw_tuning_rounds *fastest = &tuning->rounds[0], *of = &tuning->rounds[rounds];
	if (!rounds || !fastest->n || !of->n)
		return;
	if (bw_tuning_is_tie(fastest, of))
		bw_text_puts(out, "a tie with the fastest");
	else
		bw_text_printf(out, "%.3f times the fastest", bw_tuning_median(of) / bw_tuning_median(fastest));
}

void bw_tuning_rounds_words(const struct bw_tuning *tuning, int rounds, struct bw_text *out)
{
	const struct bw_tuning_rounds *of = &tuning->rounds[rounds];
	BW_SCOPED_TEXT verdict = {0};
	if (!of->n) {
		bw_text_printf(out, "%-10s  %s", of->name, of->error.text[0] ? of->error.text : "not measured");
		return;
	}
	bw_text_printf(out, "%-10s  %10.4g ms", of->name, bw_tuning_median(of));
	if (of->n > 1)
		bw_text_printf(out, "  (%.4g to %.4g in %d rounds)", of->ms[0], of->ms[of->n - 1], of->n);
	bw_tuning_verdict(tuning, rounds, &verdict);
	if (verdict.length)
		bw_text_printf(out, ": %s", bw_text_get(&verdict));
}

void bw_tuning_controls_words(const struct bw_tuning *tuning, struct bw_text *out)
{
	double least = INFINITY, most = 0;
	for (int i = 0; i < tuning->n_controls; i++) {
		least = fmin(least, tuning->controls[i].ms);
		most = fmax(most, tuning->controls[i].ms);
	}
	if (tuning->n_controls < 2)
		return;
	bw_text_printf(out, "the first shot was measured again %d times meanwhile: %.4g to %.4g ms",
		       tuning->n_controls, least, most);
	if (most > least * (1 + BW_TUNING_DRIFT))
		bw_text_printf(
		    out, "; %s was not equally fast all the time, so compare what was measured in turns",
		    tuning->meter->device);
	bw_text_puts(out, "\n");
}

void bw_tuning_schedule(const struct bw_tuning *tuning, int number, struct bw_text *out)
{
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(bw_tuning_candidate(tuning, number)->nest);
	bw_schedule_print(tuning->pipeline, schedule, out);
}

BW_ORDER(by_time, struct bw_tuning_row,
	  2 * BW_COMPARE(a->measured, b->measured) + BW_COMPARE(a->sample, b->sample))

BW_ORDER(as_they_came, struct bw_tuning_row, 2 * BW_COMPARE(a->at, b->at) + BW_COMPARE(a->sample, b->sample))

static struct bw_tuning_row *rows_of(const struct bw_tuning *tuning, struct bw_arena *arena)
{
	struct bw_tuning_row *rows = BW_ARENA_ARRAY(arena, struct bw_tuning_row, tuning->n + 1);
	for (int i = 0; i < tuning->n; i++) {
		const struct bw_tuning_sample *sample = &tuning->samples[i];
		const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, sample->number);
		rows[i] = (struct bw_tuning_row){sample->number,       i + 1,               sample->batch,
						 candidate->predicted, candidate->measured, sample->at};
	}
	return rows;
}

/* Returns how well predictions agree with the outcomes of a batch; -1: of all batches. */
static struct bw_agreement agreement_of(const struct bw_tuning_figures *figures, int batch,
					struct bw_arena *arena)
{
	struct bw_pair *pairs = BW_ARENA_ARRAY(arena, struct bw_pair, figures->n + 1);
	int n = 0;
	for (int i = 0; i < figures->n; i++)
		if (batch < 0 || figures->rows[i].batch == batch)
			pairs[n++] = (struct bw_pair){figures->rows[i].predicted, figures->rows[i].measured};
	return bw_agreement_of(pairs, n);
}

/* A known placement, and its choices of site and tiling; -1: none. */
struct kind {
	uint64_t hash;
	int site, tiles;
};

/* Choices and placements counted so far. */
struct counted {
	struct bw_tuning_choice *list;
	int n, capacity;
	struct kind *kinds;
	int n_kinds, kinds_capacity;
};

/* Returns the choice described by these words; adds it if it is new. */
static int choice_of(struct counted *counted, int func, const char *words, struct bw_arena *arena)
{
	int i = 0;
	while (i < counted->n && (counted->list[i].func != func || strcmp(counted->list[i].words, words) != 0))
		i++;
	if (i == counted->n) {
		char *copy = BW_ARENA_ARRAY(arena, char, strlen(words) + 1);
		strcpy(copy, words);
		BW_PUSH(counted->list, counted->n, counted->capacity, (struct bw_tuning_choice){func, copy, 0, 0});
	}
	return i;
}

/* Returns the choices of a placement: the site of its Func, and the tiling. */
static struct kind kind_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			   struct counted *counted, struct bw_arena *arena)
{
	BW_SCOPED_TEXT site = {0}, whole = {0};
	bw_site_print(pipeline, &placement->compute, &site);
	struct kind kind = {placement->hash, choice_of(counted, placement->func, bw_text_get(&site), arena), -1};
	if (placement->n_stages) {
		bw_placement_words(pipeline, placement, &whole);
		const char *words = bw_text_get(&whole), *found = strstr(words, bw_text_get(&site));
		const char *rest = found ? found + site.length : words;
		rest += strspn(rest, " ;");
		if (*rest) {
			bw_text_clear(&site);
			bw_text_printf(&site, "tiles %s", rest);
			kind.tiles = choice_of(counted, placement->func, bw_text_get(&site), arena);
		}
	}
	return kind;
}

static void count(const struct bw_pipeline *pipeline, const struct bw_placement *placement, bool best,
		  struct counted *counted, struct bw_arena *arena)
{
	int i = 0;
	while (i < counted->n_kinds && counted->kinds[i].hash != placement->hash)
		i++;
	if (i == counted->n_kinds) {
		BW_PUSH(counted->kinds, counted->n_kinds, counted->kinds_capacity,
			kind_of(pipeline, placement, counted, arena));
	}
	const int choices[] = {counted->kinds[i].site, counted->kinds[i].tiles};
	for (int k = 0; k < 2; k++)
		if (choices[k] >= 0) {
			counted->list[choices[k]].best += best;
			counted->list[choices[k]].all++;
		}
}

/* Returns the share of the best tenth with a choice, minus the share of all schedules with it. */
static double excess(const struct bw_tuning_figures *figures, const struct bw_tuning_choice *choice)
{
	return (double)choice->best / figures->n_best - (double)choice->all / figures->n_timed;
}

/* Orders choices by their excess, the largest first. */
static void sort_choices(const struct bw_tuning_figures *figures, struct bw_tuning_choice *list, int n)
{
	for (int i = 1; i < n; i++) {
		struct bw_tuning_choice choice = list[i];
		int at = i;
		for (; at > 0 && excess(figures, &list[at - 1]) < excess(figures, &choice); at--)
			list[at] = list[at - 1];
		list[at] = choice;
	}
}

/* Finds the choices that more than half of the best tenth share and that are rarer among all schedules. */
static void find_choices(struct bw_tuning_figures *figures, struct bw_arena *arena)
{
	static const double LEAST = 0.05; /* excess worth a row */
	struct counted counted = {0};
	const struct bw_tuning *tuning = figures->tuning;
	for (int i = 0; i < figures->n_timed; i++) {
		const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, figures->rows[i].number);
		BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(candidate->nest);
		for (int p = 0; p < schedule->n; p++)
			if (schedule->placements[p])
				count(tuning->pipeline, schedule->placements[p], i < figures->n_best, &counted, arena);
	}
	struct bw_tuning_choice *list = BW_ARENA_ARRAY(arena, struct bw_tuning_choice, counted.n + 1);
	for (int i = 0; i < counted.n; i++)
		if (2 * counted.list[i].best > figures->n_best && excess(figures, &counted.list[i]) >= LEAST)
			list[figures->n_choices++] = counted.list[i];
	sort_choices(figures, list, figures->n_choices);
	figures->choices = list;
	free(counted.list);
	free(counted.kinds);
}

struct bw_tuning_figures bw_tuning_figures_of(const struct bw_tuning *tuning, struct bw_arena *arena)
{
	enum { LEAST_BEST = 3, LEAST_TIMED = 12 };
	struct bw_tuning_figures figures = {.tuning = tuning, .n = tuning->n, .batch = -1};
	struct bw_tuning_row *rows = rows_of(tuning, arena), *came = rows_of(tuning, arena);
	qsort(rows, (size_t)tuning->n, sizeof *rows, by_time);
	qsort(came, (size_t)tuning->n, sizeof *came, as_they_came);
	figures.rows = rows;
	figures.came = came;
	while (figures.n_timed < tuning->n && isfinite(rows[figures.n_timed].measured))
		figures.n_timed++;
	figures.by_samples = (tuning->meter && tuning->meter->file) || 2 * tuning->stored > tuning->n;
	if (figures.n_timed >= LEAST_TIMED) {
		figures.n_best = figures.n_timed / 10 < LEAST_BEST ? LEAST_BEST : figures.n_timed / 10;
		find_choices(&figures, arena);
	}
	for (int i = 0; i < tuning->n; i++)
		figures.batch = rows[i].batch > figures.batch ? rows[i].batch : figures.batch;
	figures.of_all = agreement_of(&figures, -1, arena);
	figures.of_batch = agreement_of(&figures, figures.batch, arena);
	return figures;
}

/* A tuning as JSON. */

static json_t *hash_json(uint64_t hash)
{
	char text[17];
	snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
	return json_string(text);
}

static json_t *sample_json(const struct bw_tuning *tuning, const struct bw_tuning_sample *sample)
{
	static const char *const origins[] = {"beam", "draw", "change", "hand"};
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, sample->number);
	return json_pack("{s:o, s:s, s:o, s:o, s:i, s:f}", "schedule", hash_json(candidate->hash), "origin",
			 origins[candidate->origin], "predicted", bw_json_real(candidate->predicted), "minimum_ms",
			 bw_json_real(candidate->measured), "batch", sample->batch + 1, "seconds", sample->at);
}

static json_t *fastest_json(const struct bw_tuning *tuning)
{
	int best = bw_tuning_best(tuning);
	for (int i = 0; i < tuning->n; i++)
		if (tuning->samples[i].number == best)
			return sample_json(tuning, &tuning->samples[i]);
	return json_null();
}

static json_t *rounds_json(const struct bw_tuning *tuning)
{
	static const char *const keys[][2] = {
	    {"fastest", "fastest_ms"}, {"first shot", "first_shot_ms"}, {"by hand", "by_hand_ms"}};
	json_t *rounds = json_object();
	for (int k = 0; k < tuning->n_rounds; k++) {
		json_t *list = json_array();
		for (int i = 0; i < tuning->rounds[k].n; i++)
			json_array_append_new(list, json_real(tuning->rounds[k].ms[i]));
		for (int i = 0; i < 3; i++)
			if (!strcmp(tuning->rounds[k].name, keys[i][0]))
				json_object_set_new(rounds, keys[i][1], list);
	}
	return rounds;
}

static json_t *choices_json(const struct bw_tuning_figures *figures)
{
	json_t *list = json_array();
	for (int i = 0; i < figures->n_choices; i++) {
		const struct bw_tuning_choice *choice = &figures->choices[i];
		json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f}", "func",
						      figures->tuning->pipeline->funcs[choice->func].name, "choice",
						      choice->words, "share_of_best",
						      (double)choice->best / figures->n_best, "share_of_all",
						      (double)choice->all / figures->n_timed));
	}
	return list;
}

static json_t *controls_json(const struct bw_tuning *tuning)
{
	json_t *list = json_array();
	for (int i = 0; i < tuning->n_controls; i++)
		json_array_append_new(list, json_pack("{s:i, s:f, s:f}", "sample", tuning->controls[i].sample,
						      "seconds", tuning->controls[i].at, "minimum_ms",
						      tuning->controls[i].ms));
	return list;
}

json_t *bw_tuning_json(const struct bw_tuning_figures *figures, const char *pipeline)
{
	static const char *const phases[] = {"searching", "proposing", "measuring", "comparing", "ended"};
	const struct bw_tuning *tuning = figures->tuning;
	const struct bw_meter *meter = tuning->meter;
	const struct bw_settings *options = &tuning->options;
	json_t *samples = json_array();
	BW_SCOPED_TEXT schedule = {0};
	for (int i = 0; i < tuning->n; i++)
		json_array_append_new(samples, sample_json(tuning, &tuning->samples[i]));
	if (bw_tuning_best(tuning) >= 0)
		bw_tuning_schedule(tuning, bw_tuning_best(tuning), &schedule);
	json_t *object = json_pack(
	    "{s:i, s:s, s:s, s:b, s:s?, s:s, s:s, s:s, s:I, s:s, s:f, s:o, s:b}", "beamwalk-tune", 1, "pipeline",
	    pipeline, "device", meter ? meter->device : options->device->name, "estimated",
	    meter && meter->estimates, "replays", meter ? meter->file : NULL, "cost_model", options->model->title,
	    "cost_unit", options->model->unit, "strategy", bw_tune_strategy_name(tuning->strategy), "seed",
	    (json_int_t)options->seed, "phase", phases[tuning->phase], "seconds", bw_tuning_seconds(tuning),
	    "seconds_left", bw_json_real(tuning->phase < BW_TUNING_ENDED ? bw_tuning_left(tuning) : 0), "stopped",
	    tuning->stopped);
	json_auto_t *rest = json_pack(
	    "{s:i, s:o, s:i, s:i, s:o, s:s, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o}", "measured", tuning->n, "samples_wanted",
	    tuning->budget.samples < BW_TUNING_SAMPLES_MOST ? json_integer(tuning->budget.samples) : json_null(),
	    "stored", tuning->stored, "failed", tuning->failed, "fastest", fastest_json(tuning), "fastest_schedule",
	    bw_text_get(&schedule), "rho", bw_json_real(figures->of_all.rho), "batches", figures->batch + 1, "rho_of_batch",
	    bw_json_real(figures->of_batch.rho), "best_of", figures->n_best, "choices", choices_json(figures), "rounds",
	    rounds_json(tuning), "controls", controls_json(tuning), "samples", samples);
	json_object_update(object, rest);
	return object;
}

/* Pictures. */

/* Returns the tooltip of an outcome. */
static const char *said_of(const struct bw_tuning_figures *figures, const struct bw_tuning_row *row,
			   struct bw_arena *arena)
{
	BW_SCOPED_TEXT origin = {0};
	bw_tuning_origin(figures->tuning, row->number, &origin);
	const char *text =
	    bw_arena_format(arena, "schedule %d: %.4g ms, predicted %.4g %s, %s", row->sample, row->measured,
			    row->predicted, figures->tuning->options.model->said, bw_text_get(&origin));
	return text;
}

/* Returns the slowest time on the curve: the first shot's, at most 4 times the fastest, or the third
 * quartile if that is slower. */
static double slowest(const struct bw_tuning_figures *figures)
{
	double first = INFINITY, high = figures->rows[3 * (figures->n_timed - 1) / 4].measured;
	for (int i = 0; i < figures->n_timed; i++)
		if (figures->rows[i].sample == 1)
			first = figures->rows[i].measured;
	return fmax(high, isfinite(first) ? fmin(first, 4 * figures->rows[0].measured) : 0);
}

/* Returns the horizontal position of an outcome. */
static double along(const struct bw_tuning_figures *figures, int i)
{
	return figures->by_samples ? i + 1 : figures->came[i].at;
}

static struct bw_said say_time(double seconds)
{
	return seconds > 0 ? bw_say_seconds(seconds) : (struct bw_said){"0"};
}

/* Sets the axis of times measured, a little wider than the times. */
static void set_times(struct bw_picture *picture, double low, double high, bool log, const char *title)
{
	double more = log ? pow(high / low, 0.03) : 0, by = log ? 0 : 0.03 * (high - low);
	picture->y = bw_axis_y(log ? low / more : low - by, log ? high * more : high + by, log, title);
	bw_picture_ticks(picture, &picture->y, 4, bw_say_tick);
}

struct bw_picture bw_tuning_curve(const struct bw_tuning_figures *figures, struct bw_arena *arena)
{
	double high = slowest(figures), best = INFINITY;
	int n = 0;
	struct bw_picture picture = bw_picture_new(arena, 400, 240, "The fastest schedule so far over time");
	picture.x =
	    bw_axis_x(0, along(figures, figures->n - 1), false, figures->by_samples ? "schedules" : "time");
	bw_picture_ticks(&picture, &picture.x, 5, figures->by_samples ? bw_say_tick : say_time);
	set_times(&picture, figures->rows[0].measured, high, false, "fastest so far, ms");
	struct bw_mark dot = bw_mark_dot(BW_TINT_SOFT, BW_SYMBOL_POINT), line = bw_mark_line(BW_TINT_GOOD);
	for (int i = 0; i < figures->n; i++) {
		dot.says = said_of(figures, &figures->came[i], arena);
		if (isfinite(figures->came[i].measured))
			bw_picture_at(&picture, dot, along(figures, i),
				      fmin(figures->came[i].measured, high));
	}
	struct bw_mark *path = bw_picture_path(&picture, line, 2 * figures->n);
	for (int i = 0; i < figures->n; i++)
		for (int way = 0; way < 2; way++) {
			best = way ? fmin(best, figures->came[i].measured) : best;
			if (!isfinite(best))
				continue;
			path->path[n][0] = bw_axis_at(&picture.x, along(figures, i));
			path->path[n++][1] = bw_axis_at(&picture.y, fmin(best, high));
		}
	path->n = n;
	return picture;
}

struct bw_picture bw_tuning_scatter(const struct bw_tuning_figures *figures, struct bw_arena *arena)
{
	double low = INFINITY, high = 0, slow = figures->rows[19 * (figures->n_timed - 1) / 20].measured;
	for (int i = 0; i < figures->n_timed; i++) {
		low = fmin(low, figures->rows[i].predicted);
		high = fmax(high, figures->rows[i].predicted);
	}
	const char *unit = figures->tuning->options.model->unit;
	struct bw_picture picture = bw_picture_new(arena, 400, 240, "Times measured over times predicted");
	picture.x = bw_axis_x(low / 1.02, high * 1.02, low > 0,
			      bw_arena_format(arena, "predicted%s%s", *unit ? ", " : "", unit));
	bw_picture_ticks(&picture, &picture.x, 4, bw_say_tick);
	const char *title = isfinite(figures->of_all.rho)
				? bw_arena_format(arena, "measured, ms; rho %.2f", figures->of_all.rho)
				: "measured, ms";
	if (isfinite(figures->of_batch.rho) && figures->batch > 0)
		title = bw_arena_format(arena, "%s, batch %d: %.2f", title, figures->batch + 1,
					figures->of_batch.rho);
	set_times(&picture, figures->rows[0].measured, slow, true, title);
	for (int round = 0; round < 2; round++)
		for (int i = figures->n_timed - 1; i >= 0; i--) {
			const struct bw_tuning_row *row = &figures->rows[i];
			bool newest = row->batch == figures->batch;
			struct bw_mark dot = bw_mark_dot(!i       ? BW_TINT_GOOD
							 : newest ? BW_TINT_CHOSEN
								  : BW_TINT_SOFT,
							 BW_SYMBOL_POINT);
			dot.size = i ? 0 : 0.5;
			dot.says = said_of(figures, row, arena);
			if ((newest || !i) == round)
				bw_picture_at(&picture, dot, row->predicted, fmin(row->measured, slow));
		}
	return picture;
}

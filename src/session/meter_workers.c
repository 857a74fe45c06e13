/* A meter of one or many workers: a pool (bench/pool.h) whose outcomes are stored like those of a session. A
 * schedule is measured once on each kind of device; the tuning uses the outcome on the first kind. */
#include <math.h>

#include "bench/pool.h"
#include "bench/slurm.h"
#include "session/counters.h"
#include "session/measure.h"
#include "session/tuning.h"

enum { MOST_TAKEN = 16 };

/* A requested schedule. */
struct asked {
	int number;
	struct bw_nest *nest; /* its nest, kept; NULL: the generator's own schedule */
	struct bw_directives *directives;
	int parts; /* number of kinds of device without an outcome yet */
};

/* A requested schedule on one kind of device. */
struct part {
	int ticket, kind;
	struct asked *of;
	struct bw_timing timing;
	struct bw_result *result; /* NULL: not stored */
};

/* The fastest schedule on one kind of device. */
struct fastest {
	uint64_t schedule; /* its hash; 0: no schedule has had the right output yet */
	double ms;
	int n; /* number of schedules measured or found stored */
};

struct own {
	struct bw_meter meter;
	struct bw_session *session;
	struct bw_pool *pool;
	struct bw_slurm *slurm;
	struct bw_meter_workers workers; /* settings of the workers; `commands` is not used */
	char **commands;
	int n_commands, n_kinds;
	struct part *parts;
	int n_parts, parts_capacity;
	struct bw_meter_outcome *ready; /* outcomes that the tuning has not taken yet */
	int n_ready, ready_capacity;
	struct fastest *fastest; /* indexed by kind of device */
};

static void fail(struct bw_meter_outcome *outcome, const struct bw_error *error)
{
	enum bw_error_kind kind = error->kind;
	outcome->ms = INFINITY;
	outcome->error = *error;
	outcome->ends = kind != BW_ERROR_HALIDE && kind != BW_ERROR_DEVICE && kind != BW_ERROR_WRONG &&
			kind != BW_ERROR_UNSTABLE;
}

/* Sets an outcome's time, or its error, from an ended timing. */
static void set_outcome(const struct bw_session *session, const struct bw_timing *timing,
			struct bw_meter_outcome *outcome)
{
	const struct bw_measurement *m = &timing->measurement;
	struct bw_error wrong = {0};
	if (timing->phase == BW_JOB_FAILED) {
		fail(outcome, &timing->error);
	} else if (bw_verdict_differs(m->verdict)) {
		bw_difference_fail(m, &wrong);
		fail(outcome, &wrong);
	} else {
		outcome->ms = timing->counted	      ? bw_counted_total(session, timing).ms
			      : timing->estimated > 0 ? timing->estimated
						      : m->minimum;
		if (outcome->ms > 0)
			return;
		bw_fail(&wrong, BW_ERROR_WRONG, "it took no time");
		fail(outcome, &wrong);
	}
}

/* Sets an outcome from an ended timing, and updates the statistics of its kind of device. */
static void set(struct own *own, int kind, const struct bw_timing *timing, struct bw_meter_outcome *outcome)
{
	struct fastest *fastest = &own->fastest[kind];
	set_outcome(own->session, timing, outcome);
	fastest->n++;
	if (isfinite(outcome->ms) && (!fastest->schedule || outcome->ms < fastest->ms)) {
		fastest->schedule = timing->schedule;
		fastest->ms = outcome->ms;
	}
}

/* Looks for a stored outcome on a kind of device. */
static bool find(struct own *own, const struct bw_meter_asked *asked, int kind)
{
	struct bw_timing timing = {.schedule = asked->hash};
	struct bw_meter_outcome outcome = {.number = asked->number, .stored = true};
	const char *device = bw_pool_device(own->pool, kind)->name;
	if (asked->again || !asked->nest ||
	    !bw_record_first_by(own->session, &timing, (const char *const *)own->commands, own->n_commands,
				device))
		return false;
	bool known = !own->meter.estimates || timing.phase == BW_JOB_FAILED || timing.estimated > 0 ||
		     bw_verdict_differs(timing.measurement.verdict);
	if (known)
		set(own, kind, &timing, &outcome);
	if (known && !kind)
		BW_PUSH(own->ready, own->n_ready, own->ready_capacity, outcome);
	free(timing.label);
	return known;
}

/* Requests a schedule's measurement on one kind of device. */
static void ask_kind(struct own *own, struct asked *of, int kind, const struct bw_schedule *schedule,
		     const char *label)
{
	struct part part = {.kind = kind, .of = of};
	part.timing = bw_session_timing(own->session, of->nest, schedule, label, BW_TO_TIME);
	part.result = part.timing.schedule ? bw_record_begin(own->session, schedule, &part.timing) : NULL;
	of->parts++;
	BW_GROW(own->parts, own->n_parts, own->parts_capacity);
	part.ticket = bw_pool_ask(own->pool, kind, of->directives);
	own->parts[own->n_parts++] = part;
}

static void drop_asked(struct asked *of)
{
	bw_directives_free(of->directives);
	bw_nest_drop(of->nest);
	free(of);
}

static bool ask(void *data, const struct bw_meter_asked *asked, struct bw_error *error)
{
	struct own *own = data;
	struct bw_error refused = {0};
	struct asked *of = BW_NEW(struct asked);
	BW_SCOPED_SCHEDULE *schedule = asked->nest ? bw_nest_schedule(asked->nest) : NULL;
	int kinds = asked->again || !asked->nest ? 1 : own->n_kinds;
	(void)error;
	of->number = asked->number;
	of->nest = asked->nest ? bw_nest_keep((struct bw_nest *)asked->nest) : NULL;
	of->directives = asked->nest ? bw_lower(asked->nest, &refused) : NULL;
	for (int kind = 0; kind < kinds; kind++) {
		if (find(own, asked, kind))
			continue;
		if (!asked->nest || of->directives)
			ask_kind(own, of, kind, schedule, asked->label);
		else if (!kind)
			BW_PUSH(own->ready, own->n_ready, own->ready_capacity,
				(struct bw_meter_outcome){.number = asked->number, .ms = INFINITY, .error = refused});
	}
	if (!of->parts)
		drop_asked(of);
	return true;
}

/* Stores an outcome under the worker that measured it. */
static void store(struct own *own, struct part *part, const struct bw_pooled *pooled)
{
	if (!part->result || pooled->ends)
		return;
	struct bw_result whole = *part->result;
	whole.ran_by = pooled->ran ? pooled->command : own->commands[0];
	bw_record_end(own->session, &part->timing, bw_result_copy(&whole), pooled->device);
}

static void end_part(struct own *own, int place)
{
	struct part *part = &own->parts[place];
	bw_result_free(part->result);
	free(part->timing.label);
	bw_counted_free(part->timing.counted);
	if (!--part->of->parts)
		drop_asked(part->of);
	own->parts[place] = own->parts[--own->n_parts];
}

/* Receives an outcome from the pool. */
static void take_in(struct own *own, struct bw_pooled *pooled)
{
	int place = 0;
	while (own->parts[place].ticket != pooled->ticket)
		place++;
	struct part *part = &own->parts[place];
	struct bw_timing *timing = &part->timing;
	struct bw_meter_outcome outcome = {.number = part->of->number};
	timing->phase = pooled->measured.good ? BW_JOB_DONE : BW_JOB_FAILED;
	timing->measurement = pooled->measured.measurement;
	timing->error = pooled->measured.error;
	timing->counted = pooled->measured.counted;
	timing->device = pooled->device;
	timing->nest = part->of->nest;
	store(own, part, pooled);
	set(own, part->kind, timing, &outcome);
	outcome.ends |= pooled->ends;
	if (!part->kind)
		BW_PUSH(own->ready, own->n_ready, own->ready_capacity, outcome);
	end_part(own, place);
}

/* Passes news about workers to the caller's function. */
static void say_news(struct own *own)
{
	BW_SCOPED_TEXT news = {0};
	bw_pool_news(own->pool, &news);
	for (char *line = own->workers.news ? news.bytes : NULL, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = 0;
		own->workers.news(line, own->workers.data);
	}
}

static bool take(void *data, struct bw_meter_outcome *outcome)
{
	struct own *own = data;
	struct bw_pooled pooled[MOST_TAKEN];
	int taken = bw_pool_take(own->pool, pooled, MOST_TAKEN, 0);
	for (int i = 0; i < taken; i++)
		take_in(own, &pooled[i]);
	say_news(own);
	if (!own->n_ready)
		return false;
	*outcome = own->ready[0];
	BW_REMOVE(own->ready, own->n_ready, 0);
	return true;
}

static int fds(const void *data, int *fds, int most)
{
	if (most < 1)
		return 0;
	fds[0] = bw_pool_fd(((const struct own *)data)->pool);
	return 1;
}

static void tell(const void *data, struct bw_text *out)
{
	bw_pool_tell(((const struct own *)data)->pool, out);
}

static void stop(void *data)
{
	struct own *own = data;
	bw_pool_stop(own->pool);
	while (own->n_parts)
		end_part(own, own->n_parts - 1);
	own->n_ready = 0;
}

/* Appends the fastest schedule on each of the other kinds of device. */
static void sum(const void *data, struct bw_text *out)
{
	const struct own *own = data;
	char hash[BW_UID_SIZE];
	for (int kind = 1; kind < own->n_kinds; kind++) {
		const struct fastest *fastest = &own->fastest[kind];
		const char *device = bw_pool_device(own->pool, kind)->name;
		bw_text_printf(out, "on %s: %d of them measured", device, fastest->n);
		bw_result_hash(fastest->schedule, hash);
		if (fastest->schedule)
			bw_text_printf(out, ", the fastest in %.4g ms: beamwalk results --schedule %s",
				       fastest->ms, hash);
		bw_text_puts(out, "\n");
	}
}

bool bw_meter_ready(struct bw_meter *meter, struct bw_error *error)
{
	struct own *own = meter->data;
	bool ready = bw_pool_ready(own->pool);
	say_news(own);
	if (!ready || meter->device)
		return ready;
	own->n_kinds = bw_pool_kinds(own->pool);
	if (!own->n_kinds) {
		*error = bw_pool_trouble(own->pool);
		return false;
	}
	own->fastest = BW_NEW_ARRAY(struct fastest, own->n_kinds);
	meter->device = bw_pool_device(own->pool, 0)->name;
	meter->width = bw_pool_width(own->pool);
	if (own->n_kinds > 1 && own->workers.news) {
		BW_SCOPED_MEMORY char *line = bw_format("workers have %d kinds of device: the search follows the times of %s",
			       own->n_kinds, meter->device);
		own->workers.news(line, own->workers.data);
	}
	return true;
}

void bw_meter_of_workers_free(struct bw_meter *meter)
{
	struct own *own = meter ? meter->data : NULL;
	if (!own)
		return;
	if (own->pool)
		stop(own);
	bw_pool_free(own->pool);
	bw_slurm_close(own->slurm, true);
	for (int i = 0; i < own->n_commands; i++)
		free(own->commands[i]);
	free(own->commands);
	free(own->parts);
	free(own->ready);
	free(own->fastest);
	free(own);
}

/* Opens the folder of the Slurm jobs. In stored results all these jobs count as one worker. */
static bool open_slurm(struct own *own, struct bw_error *error)
{
	const struct bw_meter_workers *workers = &own->workers;
	own->commands[own->n_commands++] = bw_format("sbatch %s", workers->slurm);
	own->slurm = bw_slurm_open(workers->folder, workers->slurm, own->session->places.bench, error);
	return own->slurm;
}

struct bw_meter *bw_meter_of_workers(struct bw_session *session, const struct bw_meter_workers *workers,
				     struct bw_error *error)
{
	struct own *own = BW_NEW(struct own);
	struct bw_timing timing = {0};
	bool emulated = bw_device_emulated(session->options.device);
	*own = (struct own){
	    .meter = {own, NULL, emulated, NULL, 0, ask, take, fds, tell, stop, sum},
	    .session = session,
	    .workers = *workers,
	    .commands = BW_NEW_ARRAY(char *, workers->n + 1),
	    .n_commands = workers->n,
	};
	for (int i = 0; i < workers->n; i++)
		own->commands[i] = workers->commands[i] ? bw_strdup(workers->commands[i]) : NULL;
	if (!workers->slurm || open_slurm(own, error))
		own->pool =
		    bw_pool_new(&(struct bw_pool_setup){.request = bw_session_request(session, &timing),
							.commands = workers->commands,
							.n_commands = workers->n,
							.slurm = own->slurm,
							.silence = bw_session_silence(session),
							.slurm_command = *own->commands});
	if (own->pool)
		return &own->meter;
	bw_meter_of_workers_free(&own->meter);
	return NULL;
}

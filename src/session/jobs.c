/* Jobs: compile and measure schedules, in the order of the requests. A measurement runs alone, so that
 * nothing disturbs it; jobs that only compile run in parallel. If a job is requested again before it has
 * ended, it runs only once. */
#include <unistd.h>

#include "base/clock.h"
#include "figures/code.h"
#include "session/core.h"

/* A job in progress, with all data that it reads. */
struct job {
	struct bw_job *job; /* NULL: it has ended */
	struct bw_directives *directives;
	struct bw_nest *nest;          /* the nest of the schedule; NULL: the generator's own schedule */
	struct bw_job_request request; /* the request with which the job starts or was started */
	struct bw_result *result;      /* the result, filled with what is known in advance; NULL: not to be
					  stored */
};

struct jobs {
	struct job *list; /* one for each of the session's timings */
	int capacity, timings_capacity;
};

static BW_PART_DATA(jobs_of, struct jobs, JOBS)

enum { MOST_WAITING = 256, MOST_AT_ONCE = 4 };

/* Returns the number of jobs that run now. */
static int n_running(const struct bw_session *session)
{
	int n = 0;
	for (int i = 0; i < session->n_timings; i++)
		n += jobs_of(session)->list[i].job != NULL;
	return n;
}

int bw_session_queued(const struct bw_session *session)
{
	int n = 0;
	for (int i = 0; i < session->n_timings; i++)
		n += session->timings[i].phase == BW_JOB_WAITING;
	return n;
}

/* Returns true if any job runs or waits. */
static bool has_job(const struct bw_session *session)
{
	return n_running(session) || bw_session_queued(session);
}

/* Returns the most compilers to run in parallel: at most one per processor, since each needs a processor and
 * hundreds of MB of memory. */
static int most_at_once(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors < 1 ? 1 : processors < MOST_AT_ONCE ? (int)processors : MOST_AT_ONCE;
}

/* Returns true if a waiting job may start beside the running ones. */
static bool may_begin(const struct bw_session *session, const struct bw_timing *timing)
{
	int n = 0;
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *other = &session->timings[i];
		bool runs = jobs_of(session)->list[i].job,
		     beside = (timing->compiled || timing->sampled) && (other->compiled || other->sampled);
		if (runs && (!beside || ++n >= most_at_once()))
			return false;
	}
	return true;
}

bool bw_timing_doing(const struct bw_session *session, int timing, char *text, size_t size)
{
	struct bw_job *job = jobs_of(session)->list[timing].job;
	*text = 0;
	return job && bw_job_doing(job, text, size);
}

/* Starts the waiting jobs whose turn it is. */
static void begin_next(struct bw_session *session)
{
	for (int i = 0; i < session->n_timings; i++) {
		struct bw_timing *timing = &session->timings[i];
		if (timing->phase != BW_JOB_WAITING)
			continue;
		if (!may_begin(session, timing))
			return;
		jobs_of(session)->list[i].job = bw_job_start(&jobs_of(session)->list[i].request);
		timing->phase = BW_JOB_COMPILING;
		timing->since = bw_clock();
		if (!timing->compiled)
			bw_session_ask(session);
	}
}

/* Returns the record of the emulated device, or NULL. */
static const struct bw_device *emulated(const struct bw_session *session)
{
	for (int k = 0; k < session->n_devices; k++)
		if (bw_device_emulated(&session->devices[k]))
			return &session->devices[k];
	return NULL;
}

struct bw_job_request bw_session_request(const struct bw_session *session, const struct bw_timing *timing)
{
	bool compile = timing->compiled;
	struct bw_emulation emulation = session->emulation;
	const struct bw_device *wanted = timing->counts ? emulated(session) : session->options.device;
	emulation.counts = wanted && bw_device_emulated(wanted);
	emulation.sampled = timing->sampled;
	return (struct bw_job_request){
	    .generator = &session->source.generator,
	    .places = &session->places,
	    .device = compile ? session->options.device : NULL,
	    .seed = session->options.seed,
	    .bound = session->source.bound,
	    .seconds = timing->sampled ? 0 : session->time_seconds,
	    .limit = session->time_limit,
	    .registers = compile ? bw_settings_registers(&session->options) : session->options.register_limit,
	    .emulation = emulation,
	    .assemble = compile,
	    .assembled_for = timing->sampled ? session->options.device : NULL,
	    .ptxas = session->ptxas,
	    .bench = session->bench,
	    .wanted = wanted,
	    .records = session->devices,
	    .n_records = session->n_devices,
	};
}

/* Returns the unfinished job that does the requested work already; -1: there is none. */
static int find_same(const struct bw_session *session, const struct bw_timing *timing,
		     const struct bw_job_request *request)
{
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *other = &session->timings[i];
		const struct bw_job_request *of = &jobs_of(session)->list[i].request;
		if (other->phase < BW_JOB_DONE && other->compiled == timing->compiled &&
		    other->counts == timing->counts && other->sampled == timing->sampled &&
		    other->schedule == timing->schedule &&
		    of->wanted == request->wanted && of->registers == request->registers &&
		    of->bench == request->bench)
			return i;
	}
	return -1;
}

struct bw_timing bw_session_timing(const struct bw_session *session, const struct bw_nest *nest,
				   const struct bw_schedule *schedule, const char *label,
				   enum bw_purpose purpose)
{
	bool compile = purpose == BW_TO_ASSEMBLE;
	struct bw_arena *arena = bw_arena_new();
	struct bw_timing timing = {
	    .label = bw_strdup(label),
	    .schedule =
		nest ? bw_schedule_hash(schedule) : bw_session_hand((struct bw_session *)session, true),
	    .predicted = nest ? bw_search_cost(session->search, nest, arena).total : 0,
	    .predicted_for = nest ? session->options.device : NULL,
	    .phase = BW_JOB_WAITING,
	    .counts = purpose == BW_TO_COUNT || purpose == BW_TO_VERIFY,
	    .sampled = purpose == BW_TO_VERIFY,
	    .compiled = compile,
	    .device = compile ? session->options.device : NULL,
	};
	bw_arena_free(arena);
	return timing;
}

struct bw_timing *bw_jobs_append(struct bw_session *session, const struct bw_timing *timing)
{
	struct jobs *jobs = jobs_of(session);
	BW_GROW(session->timings, session->n_timings, jobs->timings_capacity);
	BW_GROW(jobs->list, session->n_timings, jobs->capacity);
	jobs->list[session->n_timings] = (struct job){0};
	session->timings[session->n_timings] = *timing;
	return &session->timings[session->n_timings++];
}

/* Appends the requested timing and makes it the session's newest request. */
static void add_timing(struct bw_session *session, const struct bw_timing *timing)
{
	session->asked = session->n_timings;
	bw_jobs_append(session, timing);
}

static enum bw_timed ask(struct bw_session *session, const struct bw_nest *nest,
			 const struct bw_schedule *schedule,
			 struct bw_timing *timing, struct bw_error *error)
{
	struct bw_job_request request = bw_session_request(session, timing);
	int same = find_same(session, timing, &request);
	if (same >= 0) {
		session->asked = same;
		return BW_TIMED_BEFORE;
	}
	if (timing->counts && !request.wanted) {
		bw_fail(error, BW_ERROR_INPUT,
			"no device record is of the emulated device; --devices may have left it out");
		return BW_TIMED_NOT;
	}
	if (!timing->compiled && !timing->counts && timing->schedule && own_of(session)->replays &&
	    bw_record_find(session, timing)) {
		add_timing(session, timing);
		return BW_TIMED_BEGUN;
	}
	if (bw_session_queued(session) >= MOST_WAITING) {
		bw_fail(
		    error, BW_ERROR_FAILED,
		    "%d schedules wait already to be compiled or measured: wait until some of them are, or stop them",
		    MOST_WAITING);
		return BW_TIMED_NOT;
	}
	struct bw_directives *directives = nest ? bw_lower(nest, error) : NULL;
	if (nest && !directives)
		return BW_TIMED_NOT;
	request.directives = directives;
	struct bw_result *result = timing->compiled || timing->counts || !timing->schedule
				       ? NULL
				       : bw_record_begin(session, schedule, timing);
	timing->nest = request.emulation.counts && nest ? bw_nest_keep((struct bw_nest *)nest) : NULL;
	add_timing(session, timing);
	jobs_of(session)->list[session->asked] = (struct job){.directives = directives,
						 .nest = nest ? bw_nest_keep((struct bw_nest *)nest) : NULL,
						 .request = request,
						 .result = result};
	begin_next(session);
	return session->timings[session->asked].phase == BW_JOB_WAITING ? BW_TIMED_WAITS : BW_TIMED_BEGUN;
}

enum bw_timed bw_session_time(struct bw_session *session, const struct bw_nest *nest, const char *label,
			      enum bw_purpose purpose, struct bw_error *error)
{
	if (!session->source.compilable) {
		bw_fail(error, BW_ERROR_HALIDE, "%s is only described, there is no generator to compile",
			session->source.name);
		return BW_TIMED_NOT;
	}
	BW_SCOPED_SCHEDULE *schedule = nest ? bw_nest_schedule(nest) : NULL;
	struct bw_timing timing = bw_session_timing(session, nest, schedule, label, purpose);
	int before = session->n_timings;
	enum bw_timed timed = ask(session, nest, schedule, &timing, error);
	if (session->n_timings == before)
		free(timing.label);
	return timed;
}

static void end_job(struct job *job)
{
	bw_job_free(job->job);
	bw_directives_free(job->directives);
	bw_nest_drop(job->nest);
	bw_result_free(job->result);
	*job = (struct job){0};
}

/* If there is a kernel that the device cannot launch, replaces the error of the driver or runtime by one that
 * names the kernel. */
static void explain_launch(const struct bw_session *session, const struct bw_nest *nest,
			   const struct bw_device *device, struct bw_error *error)
{
	if (!nest || !device || (error->kind != BW_ERROR_HALIDE && error->kind != BW_ERROR_DEVICE))
		return;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_TEXT why = {0};
	int n;
	const struct bw_kernel_facts *facts = bw_kernel_facts(nest, device, NULL, NULL, arena, &n);
	for (int k = 0; k < n && !why.length; k++)
		if (!bw_kernel_fits(session->pipeline, &facts[k], device, &why))
			bw_fail(error, error->kind,
				"%s: give it smaller tiles, or compute fewer Funcs in its blocks", bw_text_get(&why));
}

/* Takes over a job's phase and results. Returns true if the phase is new. */
static bool poll_job(struct bw_session *session, int place)
{
	struct bw_timing *timing = &session->timings[place];
	struct job *job = &jobs_of(session)->list[place];
	enum bw_job_phase phase = bw_job_poll(job->job, &timing->measurement, &timing->error);
	bool changed = phase != timing->phase;
	timing->phase = phase;
	if (changed)
		timing->since = bw_clock();
	if (phase < BW_JOB_DONE)
		return changed;
	timing->unread = true;
	timing->counted = bw_job_take_counted(job->job);
	if (timing->counted && timing->counts)
		timing->code = bw_code_make(session->pipeline, timing->nest, session->options.device, timing->counted);
	if (phase == BW_JOB_FAILED)
		explain_launch(session, job->nest, bw_job_device(job->job), &timing->error);
	bw_record_end(session, timing, job->result, bw_job_device(job->job));
	job->result = NULL;
	end_job(job);
	if (!timing->compiled && session->runs_on)
		timing->device = bw_device_find(session->devices, session->n_devices, session->runs_on->name);
	session->message_is_error = bw_timing_tell(timing, session->message, sizeof session->message);
	return changed;
}

/* Takes over the results of jobs, and starts the waiting jobs whose turn it is. */
static void poll(struct bw_session *session)
{
	bool changed = false;
	for (int i = 0; i < session->n_timings; i++)
		changed |= jobs_of(session)->list[i].job && poll_job(session, i);
	begin_next(session);
	if (changed)
		bw_session_touch(session);
}

/* Removes the waiting jobs from the queue. */
static void stop(struct bw_session *session)
{
	int n = 0;
	for (int i = 0; i < session->n_timings; i++) {
		struct bw_timing *timing = &session->timings[i];
		if (timing->phase != BW_JOB_WAITING)
			continue;
		n++;
		timing->phase = BW_JOB_FAILED;
		bw_fail(&timing->error, BW_ERROR_STOPPED, "stopped before it began");
		end_job(&jobs_of(session)->list[i]);
	}
	if (!n)
		return;
	bw_session_tell(session, false, "stopped: %d schedule%s that waited %s not compiled", n, n == 1 ? "" : "s",
			n == 1 ? "is" : "are");
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	int n = 0;
	for (int i = 0; i < session->n_timings && n < most; i++)
		if (jobs_of(session)->list[i].job)
			fds[n++] = bw_job_fd(jobs_of(session)->list[i].job);
	return n;
}

static void end(struct bw_session *session)
{
	struct jobs *jobs = jobs_of(session);
	for (int i = 0; i < session->n_timings; i++)
		if (jobs->list[i].job)
			bw_job_stop(jobs->list[i].job);
	for (int i = 0; i < session->n_timings; i++) {
		end_job(&jobs->list[i]);
		free(session->timings[i].label);
		bw_code_free(session->timings[i].code);
		bw_counted_free(session->timings[i].counted);
		bw_nest_drop(session->timings[i].nest);
	}
	free(session->timings);
	free(jobs->list);
}

const struct bw_session_part bw_part_jobs = {
    .size = sizeof(struct jobs),
    .poll = poll,
    .busy = has_job,
    .fds = fds,
    .stop = stop,
    .end = end,
};

/* Results of schedules that were compiled or measured. */

const struct bw_kernel_uses *bw_session_uses(const struct bw_session *session, const struct bw_nest *nest)
{
	uint64_t hash = session->n_timings ? bw_nest_schedule_hash(nest) : 0;
	for (int i = session->n_timings - 1; i >= 0 && hash; i--) {
		const struct bw_timing *timing = &session->timings[i];
		const struct bw_kernel_uses *uses = &timing->measurement.kernels;
		if (timing->phase == BW_JOB_DONE && timing->schedule == hash &&
		    timing->device == session->options.device && uses->n &&
		    uses->register_limit == bw_settings_registers(&session->options))
			return uses;
	}
	return NULL;
}

void bw_session_read_timings(struct bw_session *session)
{
	enum { SHOWN_S = 3 };
	for (int i = 0; i < session->n_timings; i++)
		if (session->timings[i].unread && bw_clock() > session->timings[i].since + SHOWN_S)
			session->timings[i].unread = false;
}

bool bw_timing_tell(const struct bw_timing *timing, char *line, size_t size)
{
	const struct bw_measurement *m = &timing->measurement;
	if (timing->phase == BW_JOB_FAILED) {
		snprintf(line, size, "%s: %.400s", timing->label, timing->error.text);
		return true;
	}
	if (timing->compiled && !m->kernels.n) {
		snprintf(line, size, "%s: compiled for %s; what its kernels take is its driver's to know",
			 timing->label, timing->device->name);
		return false;
	}
	if (timing->compiled) {
		BW_SCOPED_TEXT words = {0};
		bw_kernel_uses_words(&m->kernels, &words);
		snprintf(line, size, "%s: %s on %s", timing->label, bw_text_get(&words), timing->device->name);
		return false;
	}
	if (timing->sampled) {
		snprintf(line, size, "%s: counted by a sample of blocks; `view counters` shows it", timing->label);
		return false;
	}
	if (bw_verdict_differs(m->verdict)) {
		struct bw_error error;
		bw_difference_fail(m, &error);
		snprintf(line, size, "%s: %s", timing->label, error.text);
		return true;
	}
	snprintf(line, size, "%s: %s%s, minimum %.3f ms, median %.3f ms, spread %.1f%%%s%s%s", timing->label,
		 bw_verdict_name(m->verdict), bw_measurement_mark(m), m->minimum, m->median, 100 * m->spread,
		 *timing->stored ? "; stored " : "", timing->stored, *timing->stored ? " UTC" : "");
	return false;
}

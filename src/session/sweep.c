#include "session/sweep.h"

#include <unistd.h>

#include "base/say.h"
#include "session/core.h"

/* A sweep with its thread. */
struct bw_sweeping {
	struct bw_sweep sweep;
	struct bw_settings options;
	struct bw_sweep_axes axes;
	struct bw_sweep_variants variants;
	struct bw_source_request request; /* request for variants other than the described one; for that one,
					     the session's source is used */
	const struct bw_places *places;
	bool varied; /* the variants have to be opened first */
	atomic_bool stop;
	bool good;
	atomic_int progress;
	int seen; /* progress at the last look */
	struct bw_error error;
};

/* Returns the address of the pointer to the newest sweep. The pointer is NULL if there is none. */
static BW_PART_DATA(place_in, struct bw_sweeping *, SWEEP)

const struct bw_sweep *bw_session_sweep(const struct bw_session *session, int *done)
{
	struct bw_sweeping *sweeping = *place_in(session);
	if (sweeping && done)
		*done = atomic_load(&sweeping->progress);
	return sweeping ? &sweeping->sweep : NULL;
}

bool bw_session_swept(const struct bw_session *session)
{
	const struct bw_sweeping *sweeping = *place_in(session);
	return sweeping && !bw_session_sweeps(session) && sweeping->good;
}

const char *bw_session_sweep_failed(const struct bw_session *session)
{
	const struct bw_sweeping *sweeping = *place_in(session);
	return sweeping && !bw_session_sweeps(session) && !sweeping->good ? sweeping->error.text : NULL;
}

bool bw_session_sweeps(const struct bw_session *session)
{
	return bw_part_runs(session, BW_PART_SWEEP);
}

static void stop(struct bw_session *session)
{
	struct bw_sweeping *sweeping = *place_in(session);
	if (sweeping)
		atomic_store(&sweeping->stop, true);
}

static void end(struct bw_session *session)
{
	struct bw_sweeping *sweeping = *place_in(session);
	stop(session);
	if (!sweeping)
		return;
	bw_part_halt(session, BW_PART_SWEEP);
	bw_sweep_free(&sweeping->sweep);
	bw_sweep_variants_close(&sweeping->variants);
	free(sweeping);
	*place_in(session) = NULL;
}

/* Runs the sweep; on a thread of its own. */
static void run(const struct bw_yield *yield, void *data)
{
	(void)yield;
	static const struct bw_folders none = {"", "", ""};
	struct bw_sweeping *sweeping = *(struct bw_sweeping **)data;
	struct bw_sweep_origin origin = {&sweeping->request, &none, sweeping->places};
	sweeping->good =
	    (!sweeping->varied || bw_sweep_variants_open(&origin, &sweeping->variants, &sweeping->error)) &&
	    bw_sweep_run(&sweeping->options, &sweeping->sweep, &sweeping->error);
}

/* Takes over the sweep's progress. */
static void take(struct bw_session *session, bool ended)
{
	struct bw_sweeping *sweeping = *place_in(session);
	if (atomic_load(&sweeping->progress) != sweeping->seen) {
		sweeping->seen = atomic_load(&sweeping->progress);
		bw_session_touch(session);
	}
	if (!ended)
		return;
	if (sweeping->good)
		bw_session_tell(session, false, "%s: %s; `view sweep` shows them",
				bw_say_number(sweeping->sweep.n_runs, "search").text,
				bw_say_number(sweeping->sweep.n_schedules, "schedule").text);
	else
		bw_session_tell(session, true, "sweep: %s", sweeping->error.text);
}

const char *bw_sweep_target_name(const struct bw_sweep_target *target, char name[80])
{
	if (target->bandwidth == 1)
		snprintf(name, 80, "%s", target->device.name);
	else
		snprintf(name, 80, "%.60s %gx", target->device.name, target->bandwidth);
	return name;
}

/* Reads the arguments, NAME=LIST separated by blanks, into `lists`, whose strings point into `text`. */
static bool read_lists(char *text, struct bw_sweep_lists *lists, struct bw_error *error)
{
	const struct {
		const char *name;
		const char **list;
	} known[] = {{"gpus", &lists->gpus},   {"bandwidths", &lists->bandwidths}, {"beams", &lists->beams},
		     {"seeds", &lists->seeds}, {"image-sizes", &lists->sizes},     {"vary", &lists->vary}};
	char *save = NULL;
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t length = strcspn(word, "="), i = 0;
		while (i < sizeof known / sizeof *known &&
		       (strlen(known[i].name) != length || strncmp(word, known[i].name, length)))
			i++;
		if (i == sizeof known / sizeof *known || !word[length] || !word[length + 1])
			return bw_fail(
			    error, BW_ERROR_USAGE,
			    "sweep takes gpus=, bandwidths=, beams=, seeds=, image-sizes= and vary=, not \"%s\"", word);
		*known[i].list = word + length + 1;
	}
	return true;
}

/* Sets the source for the variants, if any of them differs from the pipeline as described. */
static bool take_variants(const struct bw_session *session, const struct bw_sweep_lists *lists,
			  struct bw_sweeping *sweeping, struct bw_error *error)
{
	const struct bw_generator *generator = &session->source.generator;
	if (!bw_sweep_variants_list(lists, &sweeping->variants, error))
		return false;
	sweeping->variants.list[0].pipeline = session->pipeline;
	sweeping->varied = lists->sizes || lists->vary;
	if (sweeping->varied && !session->source.compilable)
		return bw_fail(error, BW_ERROR_FAILED,
			       "%s is a description: other sizes and parameters need its generator",
			       session->source.name);
	sweeping->request = (struct bw_source_request){
	    generator->path,       generator->name,     generator->args,     generator->n_args, generator->estimates,
	    generator->n_estimates, generator->features, generator->gpu, generator->rfactor};
	sweeping->places = &session->places;
	return true;
}

/* Reads the lists of the sweep. */
static bool take_lists(const struct bw_session *session, struct bw_sweep_lists *lists,
		       struct bw_sweeping *sweeping, struct bw_error *error)
{
	lists->devices = session->devices;
	lists->n_devices = session->n_devices;
	lists->beam = session->options.beam;
	if (!bw_sweep_axes_read(lists, &sweeping->axes, error) || !take_variants(session, lists, sweeping, error))
		return false;
	sweeping->sweep = (struct bw_sweep){.threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
					    .variants = sweeping->variants.list,
					    .n_variants = sweeping->variants.n,
					    .targets = sweeping->axes.targets,
					    .n_targets = sweeping->axes.n_targets,
					    .beams = sweeping->axes.beams,
					    .n_beams = sweeping->axes.n_beams,
					    .n_seeds = sweeping->axes.n_seeds,
					    .stop = &sweeping->stop,
					    .progress = &sweeping->progress};
	return true;
}

static bool begin(struct bw_session *session, struct bw_sweep_lists *lists, struct bw_error *error)
{
	struct bw_sweeping *sweeping = BW_NEW(struct bw_sweeping);
	*sweeping = (struct bw_sweeping){.options = session->options};
	if (!take_lists(session, lists, sweeping, error)) {
		free(sweeping);
		return false;
	}
	end(session);
	*place_in(session) = sweeping;
	bw_part_begin(session, BW_PART_SWEEP);
	return true;
}

bool bw_session_sweep_through(struct bw_session *session, struct bw_sweep_lists *lists,
			      struct bw_error *error)
{
	if (!begin(session, lists, error))
		return false;
	bw_session_settle(session, -1, NULL, NULL);
	if (!bw_session_swept(session))
		*error = (*place_in(session))->error;
	return bw_session_swept(session);
}

static bool command(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_sweep_lists lists = {.dashes = ""};
	if (bw_session_sweeps(session))
		return bw_fail(call->error, BW_ERROR_FAILED, "a sweep is running; ^C stops it");
	char *text = bw_strdup(call->rest);
	bool good = read_lists(text, &lists, call->error) && begin(session, &lists, call->error);
	free(text);
	if (!good)
		return false;
	snprintf(session->view, sizeof session->view, "sweep");
	bw_session_say(call, "sweeping: %s", bw_say_number(bw_sweep_size(&(*place_in(session))->sweep), "search").text);
	return true;
}

const char *bw_session_sweep_size(const struct bw_session *session)
{
	const struct bw_sweeping *sweeping = *place_in(session);
	return sweeping && sweeping->varied ? sweeping->variants.sources[0].size : session->source.size;
}

static json_t *run_json(const struct bw_sweep *sweep, int r)
{
	const struct bw_sweep_run *run = &sweep->runs[r];
	const struct bw_sweep_target *target = &sweep->targets[run->target];
	const struct bw_sweep_variant *variant = &sweep->variants[run->variant];
	char hash[24];
	snprintf(hash, sizeof hash, "%016llx",
		 (unsigned long long)bw_schedule_hash(sweep->schedules[run->schedule]));
	return json_pack("{s:s, s:f, s:s, s:s, s:i, s:I, s:f, s:i, s:s, s:f, s:b}", "device",
			 target->device.name, "bandwidth", target->bandwidth, "size", variant->size,
			 "parameters", variant->parameters, "beam", run->beam, "seed", (json_int_t)run->seed,
			 "cost", run->cost, "kernels", run->n_kernels, "schedule", hash, "seconds",
			 run->seconds, "best",
			 sweep->best[run->variant * sweep->n_targets + run->target] == r);
}

static json_t *crossings_json(const struct bw_sweep *sweep)
{
	json_t *list = json_array();
	for (int c = 0; c < sweep->n_crossings; c++) {
		const struct bw_sweep_crossing *crossing = &sweep->crossings[c];
		BW_SCOPED_TEXT words = {0};
		bw_sweep_crossing_words(sweep, crossing, &words);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:i, s:i, s:o, s:s}", "axis", crossing->bandwidth ? "bandwidth" : "size",
			      "from_run", sweep->best[crossing->from], "to_run", sweep->best[crossing->to],
			      "at", crossing->value > 0 ? json_real(crossing->value) : json_null(), "words",
			      bw_text_get(&words)));
	}
	return list;
}

json_t *bw_sweep_json(const struct bw_session *session)
{
	const struct bw_sweep *sweep = bw_session_sweep(session, NULL);
	json_t *runs = json_array(), *matrix = json_array(), *devices = json_array();
	char target[80];
	for (int r = 0; r < sweep->n_runs; r++)
		json_array_append_new(runs, run_json(sweep, r));
	for (int row = 0; row < sweep->n_targets; row++) {
		json_t *costs = json_array();
		for (int column = 0; column < sweep->n_targets; column++) {
			double cost = sweep->costs[row * sweep->n_targets + column];
			json_array_append_new(costs, cost > 0 ? json_real(cost) : json_null());
		}
		json_array_append_new(matrix, costs);
		json_array_append_new(devices,
				      json_string(bw_sweep_target_name(&sweep->targets[row], target)));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "pipeline", session->pipeline->name, "size",
			 bw_session_sweep_size(session), "runs", runs,
			 "devices", devices, "costs", matrix, "crossings", crossings_json(sweep));
}

const struct bw_session_part bw_part_sweep = {
    .size = sizeof(struct bw_sweeping *),
    .run = run,
    .beside = true,
    .take = take,
    .stop = stop,
    .command = command,
    .end = end,
};

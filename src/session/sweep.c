#include "session/sweep.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/commands.h"
#include "session/session_private.h"

enum { MOST_TARGETS = 128, MOST_LIST = 32, MOST_SEEDS = 100 };

/* A sweep with its thread. */
struct bw_sweeping {
	struct bw_sweep sweep;
	struct bw_search_options options;
	struct bw_sweep_variant variant;
	struct bw_sweep_target targets[MOST_TARGETS];
	double bandwidths[MOST_LIST];
	int beams[MOST_LIST], n_bandwidths;
	pthread_t thread;
	bool running, good;
	int pipe[2]; /* becomes readable at the end */
	atomic_bool stop, ended;
	atomic_int progress;
	int seen; /* progress, when it was looked at last */
	struct bw_error error;
};

const struct bw_sweep *bw_session_sweep(const struct bw_session *session, int *done)
{
	struct bw_sweeping *sweeping = own_of(session)->sweeping;
	if (sweeping && done)
		*done = atomic_load(&sweeping->progress);
	return sweeping ? &sweeping->sweep : NULL;
}

bool bw_session_swept(const struct bw_session *session)
{
	const struct bw_sweeping *sweeping = own_of(session)->sweeping;
	return sweeping && !sweeping->running && sweeping->good;
}

bool bw_session_sweeps(const struct bw_session *session)
{
	return own_of(session)->sweeping && own_of(session)->sweeping->running;
}

int bw_sweeping_fd(const struct own *own)
{
	return own->sweeping && own->sweeping->running ? own->sweeping->pipe[0] : -1;
}

void bw_sweeping_stop(struct own *own)
{
	if (own->sweeping)
		atomic_store(&own->sweeping->stop, true);
}

/* Waits for the thread. */
static void join(struct bw_sweeping *sweeping)
{
	if (!sweeping->running)
		return;
	pthread_join(sweeping->thread, NULL);
	sweeping->running = false;
	close(sweeping->pipe[0]);
	close(sweeping->pipe[1]);
}

void bw_sweeping_end(struct own *own)
{
	bw_sweeping_stop(own);
	if (!own->sweeping)
		return;
	join(own->sweeping);
	bw_sweep_free(&own->sweeping->sweep);
	free(own->sweeping);
	own->sweeping = NULL;
}

/* Runs the sweep: the thread. */
static void *run(void *data)
{
	struct bw_sweeping *sweeping = data;
	sweeping->good = bw_sweep_run(&sweeping->options, &sweeping->sweep, &sweeping->error);
	atomic_store(&sweeping->ended, true);
	if (write(sweeping->pipe[1], "", 1) < 0)
		return NULL;
	return NULL;
}

void bw_sweeping_poll(struct bw_session *session)
{
	struct bw_sweeping *sweeping = own_of(session)->sweeping;
	char bytes[64];
	if (!sweeping || !sweeping->running)
		return;
	while (read(sweeping->pipe[0], bytes, sizeof bytes) > 0)
		continue;
	if (atomic_load(&sweeping->progress) != sweeping->seen) {
		sweeping->seen = atomic_load(&sweeping->progress);
		bw_session_touch(session);
	}
	if (!atomic_load(&sweeping->ended))
		return;
	join(sweeping);
	if (sweeping->good)
		snprintf(session->message, sizeof session->message,
			 "%d searches: %d schedules; `view sweep` shows them", sweeping->sweep.n_runs,
			 sweeping->sweep.n_schedules);
	else
		snprintf(session->message, sizeof session->message, "sweep: %s", sweeping->error.text);
	session->message_is_error = !sweeping->good;
	bw_session_touch(session);
}

const char *bw_sweep_target_name(const struct bw_sweep_target *target, char name[80])
{
	if (target->bandwidth == 1)
		snprintf(name, 80, "%s", target->device.name);
	else
		snprintf(name, 80, "%.60s %gx", target->device.name, target->bandwidth);
	return name;
}

/* Cuts the next word off a list with commas. Returns false at its end. */
static bool next_word(const char **list, char word[64])
{
	size_t length = strcspn(*list, ",");
	if (!**list)
		return false;
	snprintf(word, 64, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

static bool read_whole(const char *word, const char *name, long most, long *value, struct bw_error *error)
{
	char *end;
	*value = strtol(word, &end, 10);
	return (*word && !*end && *value >= 1 && *value <= most) ||
	       bw_fail(error, BW_ERROR_USAGE, "%s takes whole numbers from 1 to %ld, not \"%s\"", name, most,
		       word);
}

static bool add_device(struct bw_sweeping *sweeping, const struct bw_device *device, struct bw_error *error)
{
	for (int b = 0; b < sweeping->n_bandwidths; b++) {
		if (sweeping->sweep.n_targets == MOST_TARGETS)
			return bw_fail(error, BW_ERROR_USAGE, "at most %d devices and bandwidths",
				       MOST_TARGETS);
		struct bw_sweep_target *target = &sweeping->targets[sweeping->sweep.n_targets++];
		*target = (struct bw_sweep_target){*device, sweeping->bandwidths[b]};
		target->device.global_bandwidth *= sweeping->bandwidths[b];
	}
	return true;
}

static bool add_devices(struct bw_session *session, struct bw_sweeping *sweeping, const char *list,
			struct bw_error *error)
{
	char word[64];
	for (int i = 0; !list && i < session->n_devices; i++)
		if (!session->devices[i].cpu && session->devices[i].api == BW_API_CUDA &&
		    !*bw_device_mark(&session->devices[i]) &&
		    !add_device(sweeping, &session->devices[i], error))
			return false;
	while (list && next_word(&list, word)) {
		const struct bw_device *device = bw_device_find(session->devices, session->n_devices, word);
		if (!device)
			return bw_fail(error, BW_ERROR_USAGE,
				       "no device \"%s\"; `beamwalk devices` lists them", word);
		if (!add_device(sweeping, device, error))
			return false;
	}
	return sweeping->sweep.n_targets || bw_fail(error, BW_ERROR_USAGE, "no device to sweep over");
}

/* Reads one of beams=, bandwidths= and seeds=. */
static bool read_axis(struct bw_sweeping *sweeping, const char *name, const char *list,
		      struct bw_error *error)
{
	char word[64], *end;
	while (next_word(&list, word)) {
		long whole = 0;
		double factor = strtod(word, &end);
		if (!strcmp(name, "seeds")) {
			if (!read_whole(word, "seeds", MOST_SEEDS, &sweeping->sweep.n_seeds, error))
				return false;
		} else if (!strcmp(name, "beams")) {
			if (!read_whole(word, "beams", 100000, &whole, error) ||
			    sweeping->sweep.n_beams == MOST_LIST)
				return false;
			sweeping->beams[sweeping->sweep.n_beams++] = (int)whole;
		} else if (strcmp(name, "bandwidths") != 0) {
			return bw_fail(error, BW_ERROR_USAGE,
				       "sweep takes gpus=, bandwidths=, beams= and seeds=, not \"%s=\"",
				       name);
		} else if (!*word || *end || !(factor >= 0.01 && factor <= 100) ||
			   sweeping->n_bandwidths == MOST_LIST) {
			return bw_fail(error, BW_ERROR_USAGE,
				       "bandwidths takes rising factors from 0.01 to 100, not \"%s\"", word);
		} else {
			sweeping->bandwidths[sweeping->n_bandwidths++] = factor;
		}
	}
	return true;
}

/* Reads the arguments: NAME=LIST with blanks between. */
static bool read_arguments(struct call *call, struct bw_sweeping *sweeping)
{
	char *gpus = NULL, *rest = bw_strdup(call->rest), *save = NULL;
	bool good = true;
	for (char *word = strtok_r(rest, " ", &save); word && good; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');
		if (!equals || !equals[1]) {
			good = bw_fail(call->error, BW_ERROR_USAGE,
				       "sweep takes gpus=, bandwidths=, beams= and seeds=, not \"%s\"", word);
			break;
		}
		*equals = 0;
		if (!strcmp(word, "gpus"))
			gpus = equals + 1;
		else
			good = read_axis(sweeping, word, equals + 1, call->error);
	}
	if (!sweeping->n_bandwidths)
		sweeping->bandwidths[sweeping->n_bandwidths++] = 1;
	if (!sweeping->sweep.n_beams)
		sweeping->beams[sweeping->sweep.n_beams++] = call->session->options.beam;
	if (!sweeping->sweep.n_seeds)
		sweeping->sweep.n_seeds = 1;
	good = good && add_devices(call->session, sweeping, gpus, call->error);
	free(rest);
	return good;
}

/* Starts the thread; with its own end of the pipe, neither of which blocks. */
static bool start(struct bw_sweeping *sweeping, struct bw_error *error)
{
	if (pipe2(sweeping->pipe, O_CLOEXEC | O_NONBLOCK))
		return bw_fail(error, BW_ERROR_FAILED, "sweep: no pipe");
	sweeping->running = !pthread_create(&sweeping->thread, NULL, run, sweeping);
	if (sweeping->running)
		return true;
	close(sweeping->pipe[0]);
	close(sweeping->pipe[1]);
	return bw_fail(error, BW_ERROR_FAILED, "sweep: no thread");
}

bool bw_command_sweep(struct call *call)
{
	struct bw_session *session = call->session;
	struct own *own = own_of(session);
	if (own->sweeping && own->sweeping->running)
		return bw_fail(call->error, BW_ERROR_FAILED, "a sweep is running; ^C stops it");
	struct bw_sweeping *sweeping = BW_NEW(struct bw_sweeping);
	*sweeping = (struct bw_sweeping){.options = session->options};
	sweeping->variant = (struct bw_sweep_variant){session->pipeline, "", "", 0};
	sweeping->sweep = (struct bw_sweep){.n_variants = 1,
					    .threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
					    .variants = &sweeping->variant,
					    .targets = sweeping->targets,
					    .beams = sweeping->beams,
					    .stop = &sweeping->stop,
					    .progress = &sweeping->progress};
	if (!read_arguments(call, sweeping) || !start(sweeping, call->error)) {
		free(sweeping);
		return false;
	}
	bw_sweeping_end(own);
	own->sweeping = sweeping;
	snprintf(session->view, sizeof session->view, "sweep");
	bw_session_say(call, "sweeping: %d searches", bw_sweep_size(&sweeping->sweep));
	return true;
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
		struct bw_text words = {0};
		bw_sweep_crossing_words(sweep, crossing, &words);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:i, s:i, s:o, s:s}", "axis", crossing->bandwidth ? "bandwidth" : "size",
			      "from_run", sweep->best[crossing->from], "to_run", sweep->best[crossing->to],
			      "at", crossing->value > 0 ? json_real(crossing->value) : json_null(), "words",
			      bw_text_get(&words)));
		bw_text_free(&words);
	}
	return list;
}

json_t *bw_sweep_json(const char *name, const char *size, const struct bw_sweep *sweep)
{
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
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "pipeline", name, "size", size, "runs", runs,
			 "devices", devices, "costs", matrix, "crossings", crossings_json(sweep));
}

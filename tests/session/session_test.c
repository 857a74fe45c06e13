#include "../core/test.h"
#include "session_test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/generator.h"
#include "nest/words.h"
#include "schedule/schedule.h"
#include "session/core.h"
#include "session/source.h"

static struct bw_device *devices;
static int n_devices;
static char folder[64];
static struct bw_plugin *plugins;
static char *worker;

int session_group_open(void **state)
{
	char path[4096];
	struct bw_error error = {0};
	snprintf(path, sizeof path, "%s/data/devices.json", getenv("BW_SRC"));
	devices = bw_devices_read(path, &n_devices, &error);
	snprintf(folder, sizeof folder, "/tmp/beamwalk-session-XXXXXX");
	return devices && mkdtemp(folder) ? 0 : -1;
}

int session_group_close(void **state)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	free(devices);
	bw_plugins_free(plugins);
	free(worker);
	return system(command);
}

static struct bw_session *open_on(const char *name, int beam, int sampling)
{
	char path[4096];
	struct bw_error error = {0};
	snprintf(path, sizeof path, "%s/data/descriptions/%s.json", getenv("BW_SRC"), name);
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	struct bw_settings options = bw_settings_default(devices);
	options.beam = beam;
	options.sampling = sampling;
	options.model = &bw_roofline; /* whose figures are worked out by hand */
	struct bw_source source = {.name = bw_strdup(name), .size = bw_strdup("6400x4800")};
	struct bw_places places = {0};
	struct bw_session *session = bw_session_new(&source, &places, pipeline, &options);
	session->devices = devices;
	session->n_devices = n_devices;
	return session;
}

struct bw_session *session_open_on(const char *pipeline, int beam)
{
	return open_on(pipeline, beam, 1);
}

struct bw_session *session_open(void)
{
	return open_on("blur", 4, 0); /* without sampling, so that the figures of all options are known */
}

static char *in_folder(const char *variable, const char *rest)
{
	struct bw_text path = {0};
	const char *from = getenv(variable);
	bw_text_printf(&path, "%s/%s", from ? from : ".", rest);
	return bw_text_take(&path);
}

struct bw_session *session_open_built(const char *pipeline, int beam)
{
	char *generators = in_folder("BW_BUILD", "pipelines"), *bundled = in_folder("BW_SRC", "pipelines"), *descriptions = in_folder("BW_SRC", "data/descriptions");
	worker = worker ? worker : in_folder("BW_BUILD", "beamwalk-bench");
	plugins = plugins ? plugins : bw_plugins_find(getenv("BW_BUILD") ? getenv("BW_BUILD") : ".");
	const char *ptxas = getenv("PTXAS");
	struct bw_folders folders = {generators, bundled, descriptions};
	struct bw_places places = {plugins, worker, folder, "cc", NULL};
	struct bw_source_request request = {.pipeline = pipeline};
	struct bw_source source = {0};
	struct bw_error error = {0};
	struct bw_pipeline *read = bw_source_open(&request, &folders, &places, &(struct bw_patience){120, NULL}, &source, &error);
	if (!read)
		fail_msg("%s", error.text);
	struct bw_settings options = bw_settings_default(devices);
	options.beam = beam;
	struct bw_session *session = bw_session_new(&source, &places, read, &options);
	session->devices = devices;
	session->n_devices = n_devices;
	session->ptxas = ptxas && *ptxas ? ptxas : NULL;
	session->time_seconds = 0;
	free(generators);
	free(bundled);
	free(descriptions);
	return session;
}

bool session_measures(struct bw_session *session)
{
	const char *any = getenv("BW_TEST_CPU");
	if (!session->source.compilable)
		return false;
	bw_session_ask(session);
	while (session->asks)
		bw_session_work(session, 0.01);
	return session->runs_on && (!session->runs_on->cpu || (any && !strcmp(any, "1")));
}

void session_close(struct bw_session *session)
{
	bw_session_free(session);
}

void session_settle(struct bw_session *session)
{
	enum { MOST_FDS = 16, LOOK_MS = 100 };
	for (; bw_session_busy(session); bw_session_work(session, 1)) {
		int list[MOST_FDS], n = bw_session_under_way(session) ? 0 : bw_session_fds(session, list, MOST_FDS);
		struct pollfd fds[MOST_FDS];
		for (int i = 0; i < n; i++)
			fds[i] = (struct pollfd){.fd = list[i], .events = POLLIN};
		poll(fds, (nfds_t)n, n ? LOOK_MS : 0);
	}
}

char *session_do(struct bw_session *session, const char *line)
{
	struct bw_text out = {0};
	struct bw_error error = {0};
	if (!bw_session_run(session, line, &out, &error))
		fail_msg("%s: %s", line, error.text);
	session_settle(session);
	if (session->message_is_error)
		fail_msg("%s: %s", line, session->message);
	bw_text_append(&out, "", 0);
	return bw_text_take(&out);
}

void session_refuses(struct bw_session *session, const char *line, struct bw_error *error)
{
	struct bw_text out = {0};
	*error = (struct bw_error){0};
	if (bw_session_run(session, line, &out, error))
		fail_msg("%s: was done, and says \"%s\"", line, session->message);
	assert_true(session->message_is_error);
	assert_non_null(strstr(error->text, session->message));
	bw_text_free(&out);
}

static void print_beams(struct bw_session *session, struct bw_text *out)
{
	for (int p = 0; p <= bw_search_reached(session->search); p++) {
		const struct bw_state *const *states;
		int n = bw_search_beam(session->search, p, &states);
		bw_text_printf(out, "%d:", p);
		for (int s = 0; s < n; s++)
			bw_text_printf(out, " %016llx %a", (unsigned long long)states[s]->hash, states[s]->cost);
		bw_text_puts(out, "\n");
	}
}

char *session_fingerprint(struct bw_session *session)
{
	struct bw_text out = {0};
	const struct bw_constraints *constraints = bw_search_constraints(session->search);
	bw_text_printf(&out, "cursor %d, target %d, func %d, state %d, option %d, device %s, model %s\n", session->cursor, session->target, session->selection.func, session->selection.state,
		       session->selection.option, session->options.device->name, session->options.model->name);
	bw_settings_print(&session->options, &out);
	for (int i = 0; i < constraints->n; i++) {
		if (constraints->list[i].sizes)
			bw_placement_print(session->pipeline, constraints->list[i].placement, &out);
		else
			bw_placement_print_head(session->pipeline, constraints->list[i].placement, &out);
		bw_text_puts(&out, "\n");
	}
	print_beams(session, &out);
	return bw_text_take(&out);
}

const char *session_path(const char *name)
{
	enum { PATHS = 8 };
	static char paths[PATHS][256];
	static int next;
	char *path = paths[next++ % PATHS];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

void session_write(const char *name, const char *text)
{
	struct bw_error error = {0};
	if (!bw_file_write(session_path(name), text, strlen(text), &error))
		fail_msg("%s", error.text);
}

char *session_read(const char *name)
{
	struct bw_text text = {0};
	struct bw_error error = {0};
	if (!bw_file_read(session_path(name), 1 << 20, &text, &error))
		fail_msg("%s", error.text);
	return bw_text_take(&text);
}

/* Shared by fuzz targets that need files or a session: a folder of their own, which is their current one, and the pipeline `blur`. */
#pragma once
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "session/session.h"
#include "target.h"

/* Returns true if a text cannot control the terminal; newlines and tabs may be. */
static inline bool is_plain(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7f)
			return false;
	return true;
}

static char fuzz_folder[64];

static void fuzz_leave(void)
{
	char command[96];
	snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
	if (chdir("/") || system(command))
		fprintf(stderr, "%s is left\n", fuzz_folder);
}

/* Enters the folder, once. */
static inline void fuzz_enter(void)
{
	if (*fuzz_folder)
		return;
	snprintf(fuzz_folder, sizeof fuzz_folder, "/tmp/bw-fuzz-XXXXXX");
	expect(mkdtemp(fuzz_folder) && chdir(fuzz_folder) == 0, "a folder");
	setenv("EDITOR", "true", 1);
	atexit(fuzz_leave);
}

/* Writes a file of the folder. */
static inline void fuzz_write(const char *name, const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	fuzz_enter();
	expect(bw_file_write(name, (const char *)bytes, length, &error), error.text);
}

/* A session on blur, with a beam of 2 and the roofline, that has not begun. */
static inline struct bw_session *fuzz_session(void)
{
	static struct bw_device *devices;
	static int n_devices;
	static struct bw_text description;
	struct bw_error error = {0};
	char path[4096];
	const char *source_folder = getenv("BW_SRC");
	if (!devices) {
		snprintf(path, sizeof path, "%s/data/devices.json", source_folder ? source_folder : ".");
		devices = bw_devices_read(path, &n_devices, &error);
		snprintf(path, sizeof path, "%s/data/descriptions/blur.json", source_folder ? source_folder : ".");
		expect(devices && bw_file_read(path, 1 << 20, &description, &error), error.text);
	}
	struct bw_pipeline *pipeline = bw_pipeline_parse("blur", description.bytes, description.length, &error);
	expect(pipeline, error.text);
	struct bw_settings options = bw_settings_default(devices);
	options.beam = 2;
	options.polish = false;
	options.model = &bw_roofline;
	struct bw_source source = {.name = bw_strdup("blur")};
	struct bw_places places = {0};
	struct bw_session *session = bw_session_new(&source, &places, pipeline, &options);
	session->devices = devices;
	session->n_devices = n_devices;
	return session;
}

/* Has a session do what it began; what takes long is stopped. */
static inline void fuzz_settle(struct bw_session *session)
{
	static const double most = 1;
	double end = bw_clock() + most;
	while (bw_session_busy(session) && bw_clock() < end)
		bw_session_work(session, 0.05);
	if (bw_session_busy(session))
		bw_session_run(session, "stop", NULL, NULL);
}

/* Returns true if lines of commands can be run here: they name no file elsewhere (a slash stands between sizes), start no program and ask for no search that takes
 * minutes. */
static inline bool fuzz_may_run(const char *text)
{
	for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/'))
		if (slash == text || slash[-1] < '0' || slash[-1] > '9')
			return false;
	return !strchr(text, '~') && !strstr(text, "on=") && !strstr(text, "sweep") && !strstr(text, "tune") && !strstr(text, "exact");
}

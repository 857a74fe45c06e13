#include "../core/test.h"
#include "base/file.h"
#include "made.h"
#include "session/counters.h"
#include "session/measure.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

static char *path_in_sources(const char *format, const char *name)
{
	struct bw_text path = {0};
	const char *sources = getenv("BW_SRC");
	bw_text_printf(&path, "%s/", sources ? sources : ".");
	bw_text_printf(&path, format, name);
	return bw_text_take(&path);
}

struct made *made_around(struct bw_session *session, bool ascii)
{
	struct made *made = BW_NEW(struct made);
	made->session = session;
	made->screen = bw_screen_new(session, ascii);
	made->grid = bw_grid_new(0, 0, ascii);
	bw_session_hooks(session)->draw = bw_screen_save;
	bw_session_hooks(session)->screen = made->screen;
	return made;
}

struct made *made_new(const char *pipeline, const char *device, bool ascii)
{
	struct bw_error error = {0};
	int n;
	char *path = path_in_sources("data/descriptions/%s.json", pipeline);
	struct bw_pipeline *read = bw_pipeline_read(path, &error);
	if (!read)
		fail_msg("%s", error.text);
	free(path);
	path = path_in_sources("data/%s.json", "devices");
	struct bw_device *devices = bw_devices_read(path, &n, &error);
	if (!devices)
		fail_msg("%s", error.text);
	free(path);
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n, device));
	struct bw_source source = {.name = bw_strdup(pipeline), .size = bw_strdup("1536x2560")};
	struct bw_session *session = bw_session_new(&source, &(struct bw_places){0}, read, &options);
	session->devices = devices;
	session->n_devices = n;
	struct made *made = made_around(session, ascii);
	made->devices = devices;
	return made;
}

void made_free(struct made *made)
{
	bw_grid_free(&made->grid);
	bw_screen_free(made->screen);
	bw_session_free(made->session);
	free(made->devices);
	free(made);
}

void made_finish(struct made *made)
{
	while (bw_session_busy(made->session))
		bw_session_work(made->session, 1);
}

void made_run(struct made *made, const char *line)
{
	bw_screen_before_key(made->screen);
	bw_screen_run(made->screen, line);
	if (made->session->message_is_error)
		fail_msg("%s: %s", line, made->session->message);
	made_finish(made);
}

void made_press(struct made *made, uint32_t code)
{
	bw_screen_before_key(made->screen);
	bw_screen_request(made->screen, bw_binding_of(made->screen->keymap, (struct bw_key){.code = code}));
	made_finish(made);
}

char *made_draw(struct made *made, int columns, int rows)
{
	int x, y;
	struct bw_text text = {0};
	made->screen->columns = columns;
	made->screen->rows = rows;
	while (!bw_session_busy(made->session) && bw_session_under_way(made->session))
		bw_session_work(made->session, 1);
	bw_screen_complete(made->session, made->session->view);
	bw_screen_draw(made->screen, &made->grid, &x, &y);
	assert_true(x >= 0 && x < (columns > 0 ? columns : 1) && y >= 0 && y < (rows > 0 ? rows : 1));
	bw_grid_text(&made->grid, &text);
	return bw_text_take(&text);
}

void made_mask(char *text, const char *pattern)
{
	regex_t expression;
	regmatch_t match;
	assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED), 0);
	while (regexec(&expression, text, 1, &match, 0) == 0) {
		size_t begin = (size_t)match.rm_so, end = (size_t)match.rm_eo;
		text[begin] = '#';
		memmove(text + begin + 1, text + end, strlen(text + end) + 1);
	}
	regfree(&expression);
}

void made_without_times(char *text)
{
	made_mask(text, ", in [0-9.]+ m?s");
	made_mask(text, "options in [0-9.]+ m?s");
	made_mask(text, "searched in [0-9.]+ m?s");
	made_mask(text, "schedules in [0-9.]+ m?s (─|-)+"); /* the longer the time, the shorter the line after it */
}

void made_add_code(struct made *made, bool otherwise)
{
	struct bw_text path = {0}, read[3] = {{0}}, list = {0};
	struct bw_error error;
	double runs = 0;
	static const char *const names[] = {"harris.counters", "harris.ptx", "harris.stmt"};
	for (int k = 0; k < 3; k++) {
		bw_text_free(&path);
		bw_text_printf(&path, "%s/tests/ui/code/%s", getenv("BW_SRC"), names[k]);
		assert_true(bw_file_read(bw_text_get(&path), 1 << 20, &read[k], &error));
	}
	bw_text_printf(&list, "[%s]", bw_text_get(&read[0]));
	char *at = otherwise ? strstr(read[1].bytes, "fma.rn.f32") : NULL;
	for (int k = 0; at && k < 3; k++, at = strstr(at + 200, "fma.rn.f32"))
		memcpy(at, "fma.rz.f32", 10);
	char *store = otherwise ? strstr(read[1].bytes, "st.global.f32") : NULL;
	if (store)
		memcpy(store, "st.global.f16", 13);
	struct bw_json *json = bw_json_parse("counters", bw_text_get(&list), list.length, &error);
	struct bw_json_at root = bw_json_root(json);
	const struct bw_nest *nest = bw_session_state(made->session)->nest;
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	struct bw_timing timing = bw_session_timing(made->session, nest, schedule, "state 1", BW_TO_COUNT);
	timing.phase = BW_JOB_DONE;
	timing.nest = bw_nest_keep((struct bw_nest *)nest);
	timing.counted = bw_counted_read(&root, &error);
	assert_non_null(timing.counted);
	timing.counted->ptx = bw_text_take(&read[1]);
	timing.counted->statement = bw_text_take(&read[2]);
	timing.code = bw_code_make(made->session->pipeline, nest, made->session->options.device, timing.counted);
	const struct bw_code_kernel *kernel = &timing.code->kernels[0];
	for (int k = 0; k < kernel->n_lines; k++)
		runs += kernel->lines[k].runs;
	assert_true(otherwise || (kernel->runs > 1e7 && runs == kernel->runs && kernel->told == runs && kernel->loops[0].runs == runs));
	bw_jobs_append(made->session, &timing);
	bw_schedule_drop(schedule);
	bw_json_free(json);
	bw_text_free(&path);
	bw_text_free(&read[0]);
	bw_text_free(&list);
}

void made_show_code(struct made *made)
{
	struct bw_text apply = {0};
	bw_text_printf(&apply, "apply %s/data/descriptions/harris.schedule", getenv("BW_SRC"));
	made_run(made, bw_text_get(&apply));
	made_run(made, "run end");
	made_add_code(made, false);
	bw_text_free(&apply);
}

/* Takes the directive lists of a case (cases/NAME.json, Funcs by name) out of beamwalk: for each the C++ that is exported, and the
 * request for the plugin that applies it.
 *
 *   lists DESCRIPTION CASE FOLDER      writes FOLDER/0.h, FOLDER/0.request, FOLDER/1.h, ...; prints how many */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "schedule/export.h"

/* Puts the index in the place of a Func's name. */
static void resolve(const struct bw_pipeline *pipeline, json_t *directive, const char *key)
{
	json_t *value = json_object_get(directive, key);
	int func = json_is_string(value) ? bw_pipeline_find(pipeline, json_string_value(value)) : -1;
	if (func >= 0)
		json_object_set_new(directive, key, json_integer(pipeline->funcs[func].handle));
}

static bool write(const char *folder, int number, const char *suffix, struct bw_text *text, struct bw_error *error)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%d.%s", folder, number, suffix);
	bool good = bw_file_write(path, bw_text_get(text), text->length, error);
	bw_text_free(text);
	return good;
}

static bool take_out(const struct bw_pipeline *pipeline, json_t *list, const char *folder, int number, struct bw_error *error)
{
	struct bw_text request = {0}, code = {0};
	json_t *directive;
	size_t i;
	json_array_foreach(list, i, directive) {
		resolve(pipeline, directive, "func");
		resolve(pipeline, directive, "at_func");
	}
	char *text = json_dumps(list, 0);
	struct bw_json *json = bw_json_parse("list", text, strlen(text), error);
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *directives = bw_directives_read(&root, error);
	bool good = directives != NULL;
	if (good) {
		struct bw_export export = {.pipeline = pipeline, .directives = directives, .version = "test"};
		bw_text_puts(&request, "{\"beamwalk-request\":1,\"do\":\"apply\",\"directives\":");
		bw_directives_print(directives, &request);
		bw_text_puts(&request, "}\n");
		good = write(folder, number, "request", &request, error) && bw_export_cpp(&export, &code, error) && write(folder, number, "h", &code, error);
		bw_text_free(&code);
	}
	bw_directives_free(directives);
	bw_json_free(json);
	free(text);
	return good;
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	if (argc != 4) {
		fprintf(stderr, "usage: lists DESCRIPTION CASE FOLDER\n");
		return 2;
	}
	struct bw_pipeline *pipeline = bw_pipeline_read(argv[1], &error);
	json_t *file = json_load_file(argv[2], 0, NULL), *lists = json_object_get(file, "schedules"), *list;
	bool good = pipeline && json_is_array(lists);
	size_t i;
	json_array_foreach(lists, i, list)
		good = good && take_out(pipeline, list, argv[3], (int)i, &error);
	if (good)
		printf("%zu\n", json_array_size(lists));
	else
		fprintf(stderr, "lists: %s: %s\n", argv[2], error.text);
	bw_pipeline_free(pipeline);
	json_decref(file);
	return good ? 0 : 1;
}

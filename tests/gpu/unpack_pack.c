/* Reading a pack: manifest, descriptions, schedules, and whether they are still what was packed. */
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

enum { MOST_MANIFEST = 256 << 20, MOST_TEXT = 64 << 20, MOST_NOTES = 10 };

const struct model_text models[N_MODELS] = {
#define X(name, key, unit) {key, unit},
	MODEL_TABLE(X)
#undef X
};

void pack_note(struct pack *pack, const char *format, ...)
{
	va_list args;
	char *line = NULL;
	va_start(args, format);
	if (vasprintf(&line, format, args) >= 0)
		bw_text_printf(&pack->notes, "%s\n", line);
	free(line);
	va_end(args);
}

const char *json_text(struct bw_arena *arena, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? bw_arena_strdup(arena, text) : NULL;
}

static int json_count(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < 1 << 30
	               ? (int)json_integer_value(value)
	               : -1;
}

static double json_figure(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

struct variant *pack_variant(const struct pack *pack, const char *name)
{
	for (int i = 0; name && i < pack->n_variants; i++)
		if (!strcmp(pack->variants[i]->name, name))
			return pack->variants[i];
	return NULL;
}

struct label *pack_label(const struct pack *pack, const char *variant, const char *name)
{
	for (int i = 0; name && variant && i < pack->n_labels; i++)
		if (!strcmp(pack->labels[i]->name, name) && !strcmp(pack->labels[i]->variant->name, variant))
			return pack->labels[i];
	return NULL;
}

const char *pack_sum(const struct pack *pack, const char *path)
{
	for (int i = 0; i < pack->n_sums; i++)
		if (!strcmp(pack->sums[i].path, path))
			return pack->sums[i].sum;
	return NULL;
}

const struct kernel_plan *label_kernel(const struct label *label, const char *entry)
{
	for (int m = 0; m < N_MODELS; m++)
		for (int k = 0; k < label->by[m].n_kernels; k++)
			if (!strcmp(label->by[m].kernels[k].entry, entry))
				return &label->by[m].kernels[k];
	return NULL;
}

/* A line `HASH  PATH` of sha256sum, PATH with or without ./ before it. */
static bool read_sum(char *line, const char **sum, const char **path)
{
	char *blank = strchr(line, ' ');
	if (!blank || blank - line != 64 || (blank[1] != ' ' && blank[1] != '*'))
		return false;
	*blank = 0;
	*sum = line;
	*path = blank + 2;
	if (!strncmp(*path, "./", 2))
		*path += 2;
	return true;
}

static bool read_sums(struct pack *pack, const char *path, struct bw_error *error)
{
	struct bw_text text = {0};
	if (!bw_file_read(path, MOST_TEXT, &text, error))
		return false;
	char *rest = NULL;
	for (char *line = strtok_r(bw_arena_strdup(pack->arena, bw_text_get(&text)), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct file_sum sum;
		BW_GROW(pack->sums, pack->n_sums, pack->sums_room);
		if (read_sum(line, &sum.sum, &sum.path))
			pack->sums[pack->n_sums++] = sum;
	}
	bw_text_free(&text);
	return true;
}

/* Compares the files with the list that was packed. */
static void check_hashes(struct pack *pack)
{
	struct bw_text path = {0}, text = {0};
	struct bw_error error;
	int n = 0;
	bw_text_printf(&path, "%s/hashes", pack->folder);
	if (!bw_file_read(bw_text_get(&path), MOST_TEXT, &text, &error)) {
		pack_note(pack, "%s: without it a damaged pack is not noticed", error.text);
	} else {
		char *rest = NULL;
		for (char *line = strtok_r(bw_arena_strdup(pack->arena, bw_text_get(&text)), "\n", &rest);
		     line; line = strtok_r(NULL, "\n", &rest)) {
			const char *sum, *file,
				*now = read_sum(line, &sum, &file) ? pack_sum(pack, file) : "";
			if ((!now || (*now && strcmp(now, sum))) && n++ < MOST_NOTES)
				pack_note(pack, "%s/%s: %s", pack->folder, file,
				          now ? "changed since it was packed" : "was packed and is missing");
		}
		if (n > MOST_NOTES)
			pack_note(pack, "%s: %d more files changed since they were packed", pack->folder,
			          n - MOST_NOTES);
	}
	bw_text_free(&path);
	bw_text_free(&text);
}

static bool read_head(struct pack *pack, const json_t *line, struct bw_error *error)
{
	int version = json_count(line, "beamwalk-pack");
	if (version != PACK_VERSION)
		return version < 0
		               ? bw_fail(error, BW_ERROR_INPUT,
		                         "%s/manifest:1: its first line is not that of a pack", pack->folder)
		               : bw_fail(error, BW_ERROR_INPUT,
		                         "%s/manifest: a pack of version %d, this unpack reads version %d: use the unpack of beamwalk %s, which packed it",
		                         pack->folder, version, PACK_VERSION,
		                         json_string_value(json_object_get(line, "version"))
		                                 ? json_string_value(json_object_get(line, "version"))
		                                 : "of that time");
	const json_t *seed = json_object_get(line, "seed");
	char number[32];
	snprintf(number, sizeof number, "%lld", (long long)json_integer_value(seed));
	pack->version = json_text(pack->arena, line, "version");
	pack->packed_utc = json_text(pack->arena, line, "packed_utc");
	pack->gpu = json_text(pack->arena, line, "gpu");
	pack->api = json_text(pack->arena, line, "api");
	pack->halide = json_text(pack->arena, line, "halide");
	pack->weights = json_text(pack->arena, line, "weights");
	pack->seed = json_is_integer(seed) ? bw_arena_strdup(pack->arena, number) : NULL;
	pack->register_limit = json_count(line, "register_limit");
	return (pack->version && pack->gpu) ||
	       bw_fail(error, BW_ERROR_INPUT, "%s/manifest:1: lacks \"version\" or \"gpu\"", pack->folder);
}

/* The text of a file of the pack, in the arena; NULL, with a note, where it cannot be read. */
static const char *read_text(struct pack *pack, const char *path)
{
	struct bw_text whole = {0}, text = {0};
	struct bw_error error;
	bw_text_printf(&whole, "%s/%s", pack->folder, path);
	bool good = bw_file_read(bw_text_get(&whole), MOST_TEXT, &text, &error);
	if (!good)
		pack_note(pack, "%s", error.text);
	const char *copy = good ? bw_arena_strdup(pack->arena, bw_text_get(&text)) : NULL;
	bw_text_free(&whole);
	bw_text_free(&text);
	return copy;
}

/* Whether a file still has the sum that the manifest says. */
static bool is_same(const struct pack *pack, const char *path, const char *sum)
{
	const char *now = pack_sum(pack, path);
	return now && sum && !strcmp(now, sum);
}

/* The extents of the first output: 1536x2560. */
static const char *size_of(struct pack *pack, const struct bw_pipeline *pipeline)
{
	struct bw_text size = {0};
	for (int f = 0; f < pipeline->n_funcs && !size.length; f++)
		for (int d = 0; pipeline->funcs[f].output && d < pipeline->funcs[f].n_dims; d++)
			bw_text_printf(&size, d ? "x%lld" : "%lld",
			               (long long)(pipeline->funcs[f].estimate[d].max -
			                           pipeline->funcs[f].estimate[d].min + 1));
	const char *copy = bw_arena_strdup(pack->arena, bw_text_get(&size));
	bw_text_free(&size);
	return copy;
}

static void read_description(struct pack *pack, struct variant *variant)
{
	struct bw_text path = {0};
	struct bw_error error;
	bw_text_printf(&path, "%s/description.json", variant->name);
	variant->description = read_text(pack, bw_text_get(&path));
	if (variant->description && !is_same(pack, bw_text_get(&path), variant->hash))
		variant->trouble = "its description is not the one that was packed";
	else if (variant->description &&
	         !(variant->read = bw_pipeline_parse(bw_text_get(&path), variant->description,
	                                             strlen(variant->description), &error)))
		variant->trouble = bw_arena_strdup(pack->arena, error.text);
	else if (!variant->description)
		variant->trouble = "its description is missing";
	if (variant->read)
		variant->size = size_of(pack, variant->read);
	if (variant->trouble)
		pack_note(pack, "%s: %s; its results are passed over", variant->name, variant->trouble);
	bw_text_free(&path);
}

static bool is_name(const char *name)
{
	return name && *name && !strchr(name, '/') && *name != '.';
}

static void read_variant(struct pack *pack, const json_t *line, int number)
{
	struct variant *variant = BW_ARENA_NEW(pack->arena, struct variant);
	variant->name = json_text(pack->arena, line, "variant");
	variant->pipeline = json_text(pack->arena, line, "pipeline");
	variant->arguments = json_text(pack->arena, line, "arguments");
	variant->size = json_text(pack->arena, line, "size");
	variant->hash = json_text(pack->arena, line, "description");
	variant->small = json_is_true(json_object_get(line, "small"));
	if (!is_name(variant->name) || !is_name(variant->pipeline) || pack_variant(pack, variant->name)) {
		pack_note(pack, "%s/manifest:%d: no variant, or one that there is already; passed over",
		          pack->folder, number);
		return;
	}
	read_description(pack, variant);
	if (!variant->size)
		variant->size = "?";
	BW_GROW(pack->variants, pack->n_variants, pack->variants_room);
	pack->variants[pack->n_variants++] = variant;
}

static void read_prediction(struct pack *pack, const json_t *object, struct prediction *prediction)
{
	const json_t *kernels = json_object_get(object, "kernels");
	prediction->value = json_figure(object, "predicted_ms");
	prediction->device = json_text(pack->arena, object, "device");
	prediction->kernels = BW_ARENA_ARRAY(pack->arena, struct kernel_plan, json_array_size(kernels) + 1);
	for (size_t k = 0; k < json_array_size(kernels); k++) {
		const json_t *kernel = json_array_get(kernels, k);
		const char *entry = json_text(pack->arena, kernel, "entry");
		if (entry)
			prediction->kernels[prediction->n_kernels++] = (struct kernel_plan){
				entry,
				json_count(kernel, "registers_per_thread"),
				json_count(kernel, "stack_bytes_per_thread"),
				json_count(kernel, "resident_blocks_per_sm"),
				json_figure(kernel, "occupancy"),
				json_figure(kernel, "predicted_occupancy"),
			};
	}
}

/* Reads the schedule of a label; one without a file, in C++ alone, is known by its object. */
static void read_schedule(struct pack *pack, struct label *label)
{
	struct bw_text path = {0};
	struct bw_error error;
	bw_text_printf(&path, "%s/%s.schedule", label->variant->name, label->name);
	label->trouble = label->variant->trouble;
	if (label->trouble) {
		bw_text_free(&path);
		return;
	}
	if (!label->hash) {
		label->identity =
			label->object
				? strtoull(bw_arena_strdup(pack->arena, label->object) +
		                                   (strlen(label->object) > 16 ? strlen(label->object) - 16
		                                                               : 0),
		                           NULL, 16)
				: 0;
	} else if (!is_same(pack, bw_text_get(&path), label->hash)) {
		label->trouble = "its schedule is not the one that was packed";
	} else if ((label->text = read_text(pack, bw_text_get(&path)))) {
		label->schedule = bw_schedule_parse(label->variant->read, bw_text_get(&path), label->text,
		                                    strlen(label->text), NULL, &error);
		label->trouble = label->schedule ? NULL : bw_arena_strdup(pack->arena, error.text);
		label->identity = label->schedule ? bw_schedule_hash(label->schedule) : 0;
	}
	if (label->trouble)
		pack_note(pack, "%s %s: %s; its results are passed over", label->variant->name, label->name,
		          label->trouble);
	bw_text_free(&path);
}

static void read_label(struct pack *pack, const json_t *line, int number)
{
	struct label *label = BW_ARENA_NEW(pack->arena, struct label);
	const json_t *seed = json_object_get(line, "seed");
	char digits[32];
	label->variant = pack_variant(pack, json_string_value(json_object_get(line, "variant")));
	label->name = json_text(pack->arena, line, "label");
	label->kind = json_text(pack->arena, line, "kind");
	label->hash = json_text(pack->arena, line, "schedule");
	label->object = json_text(pack->arena, line, "object");
	if (!label->variant || !is_name(label->name) || !label->kind ||
	    pack_label(pack, label->variant->name, label->name)) {
		pack_note(
			pack,
			"%s/manifest:%d: no schedule of a variant before it, or one that there is already; passed over",
			pack->folder, number);
		return;
	}
	snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(seed));
	label->seed = json_is_integer(seed) ? bw_arena_strdup(pack->arena, digits) : NULL;
	for (int m = 0; m < N_MODELS; m++)
		read_prediction(pack, json_object_get(line, models[m].key), &label->by[m]);
	read_schedule(pack, label);
	BW_GROW(pack->labels, pack->n_labels, pack->labels_room);
	pack->labels[pack->n_labels++] = label;
}

static bool read_line(struct pack *pack, const char *text, int number, struct bw_error *error)
{
	json_t *line = json_loads(text, 0, NULL);
	bool good = true;
	if (number == 1)
		good = read_head(pack, line, error);
	else if (!line)
		pack_note(pack, "%s/manifest:%d: cut short or damaged; passed over", pack->folder, number);
	else if (json_object_get(line, "label"))
		read_label(pack, line, number);
	else
		read_variant(pack, line, number);
	json_decref(line);
	return good;
}

/* Reads the plan: ID, step, variant, tool, and what else a line has. Without it sanitizers' findings are of
 * unknown schedules. */
static void read_plan(struct pack *pack)
{
	struct bw_text path = {0}, text = {0};
	struct bw_error error;
	bw_text_printf(&path, "%s/plan", pack->folder);
	if (!bw_file_read(bw_text_get(&path), MOST_TEXT, &text, &error))
		pack_note(pack, "%s", error.text);
	char *rest = NULL;
	for (char *line = strtok_r(bw_arena_strdup(pack->arena, bw_text_get(&text)), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct planned planned = {strtoll(strsep(&line, "\t"), NULL, 10), NULL, NULL};
		strsep(&line, "\t");
		planned.variant = strsep(&line, "\t");
		planned.tool = strsep(&line, "\t");
		BW_GROW(pack->planned, pack->n_planned, pack->planned_room);
		if (planned.id > 0 && planned.variant && planned.tool)
			pack->planned[pack->n_planned++] = planned;
	}
	bw_text_free(&path);
	bw_text_free(&text);
}

bool pack_read(struct pack *pack, const char *folder, const char *sums, struct bw_error *error)
{
	struct bw_text path = {0}, text = {0};
	pack->arena = bw_arena_new();
	pack->folder = folder;
	bw_text_printf(&path, "%s/manifest", folder);
	bool good =
		bw_file_read(bw_text_get(&path), MOST_MANIFEST, &text, error) && read_sums(pack, sums, error);
	if (good) {
		pack->sum = pack_sum(pack, "manifest");
		check_hashes(pack);
		read_plan(pack);
	}
	int number = 0;
	char *rest = NULL;
	for (char *line = good ? strtok_r(bw_arena_strdup(pack->arena, bw_text_get(&text)), "\n", &rest)
	                       : NULL;
	     line && good; line = strtok_r(NULL, "\n", &rest))
		good = read_line(pack, line, ++number, error);
	if (good && !number)
		good = bw_fail(error, BW_ERROR_INPUT, "%s: empty", bw_text_get(&path));
	bw_text_free(&path);
	bw_text_free(&text);
	return good;
}

void pack_free(struct pack *pack)
{
	for (int i = 0; i < pack->n_labels; i++)
		bw_schedule_drop(pack->labels[i]->schedule);
	for (int i = 0; i < pack->n_variants; i++)
		bw_pipeline_free(pack->variants[i]->read);
	free(pack->variants);
	free(pack->labels);
	free(pack->sums);
	free(pack->planned);
	bw_text_free(&pack->notes);
	if (pack->arena)
		bw_arena_free(pack->arena);
}

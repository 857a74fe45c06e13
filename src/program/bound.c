/* The user's bound of error: read, kept for the generator, and found again. */
#include "program/bound.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* The word that forgets the user's bound. */
static const char word_default[] = "default";

/* Reads a number of 0 or more and a comma after it; *text becomes NULL at the end. */
static bool take_number(const char **text, double *number)
{
	char *end;
	*number = strtod(*text, &end);
	bool good = end != *text && isfinite(*number) && *number >= 0 && (!*end || *end == ',') &&
		    !strpbrk(*text, "xX");
	*text = *end ? end + 1 : NULL;
	return good;
}

/* Reads ABS, ABS,REL or ABS,REL,COUNT. Returns false with an error that shows the form. */
static bool bound_read(const char *text, struct bw_bound_of_error *bound, struct bw_error *error)
{
	static const double most_points = 0x1p53;
	const char *rest = text;
	double points = 0;
	*bound = (struct bw_bound_of_error){0};
	bool good = take_number(&rest, &bound->absolute) && (!rest || take_number(&rest, &bound->relative)) &&
		    (!rest || take_number(&rest, &points));
	bound->points = good && points <= most_points ? (int64_t)points : -1;
	if (good && !rest && points == (double)bound->points)
		return true;
	return bw_fail(
	    error, BW_ERROR_USAGE,
	    "--bound takes ABS,REL,COUNT: a point may differ by ABS + REL * |value|, and COUNT points by more, as in 1,0,600; or %s; not \"%s\"",
	    word_default, text);
}

void bw_bound_print(const struct bw_bound_of_error *bound, struct bw_text *out)
{
	bw_text_printf(out, bound->points ? "%g,%g,%lld" : "%g,%g", bound->absolute, bound->relative,
		       (long long)bound->points);
}

/* Returns the path of the file of kept bounds; free(). */
static char *file_of(const struct bw_program *program)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/bounds.json", program->layout.state);
	return bw_text_take(&path);
}

/* Returns the key of a generator in that file; free(). */
static char *key_of(const struct bw_generator *generator)
{
	struct bw_text key = {0};
	bw_text_printf(&key, "%s%s%s", generator->path, generator->name ? " -g " : "",
		       generator->name ? generator->name : "");
	return bw_text_take(&key);
}

/* Returns the kept bounds by generator, empty if there are none or they cannot be read. */
static json_t *read_kept(const char *path)
{
	enum { MOST_BYTES = 1 << 20 };
	struct bw_text text = {0};
	struct bw_error ignored;
	json_t *kept = bw_file_read(path, MOST_BYTES, &text, &ignored)
			   ? json_loadb(bw_text_get(&text), text.length, 0, NULL)
			   : NULL;
	bw_text_free(&text);
	if (json_is_object(kept))
		return kept;
	json_decref(kept);
	return json_object();
}

/* Keeps a text as the bound of a generator; NULL: removes it. */
static bool keep(const struct bw_program *program, const char *path, const char *key, const char *text,
		 struct bw_error *error)
{
	json_t *kept = read_kept(path);
	json_object_del(kept, key);
	if (text)
		json_object_set_new(kept, key, json_string(text));
	char *whole = json_dumps(kept, JSON_INDENT(1) | JSON_SORT_KEYS);
	bool good = whole && bw_trusted_folder_make(program->layout.state, error) &&
		    bw_file_write(path, whole, strlen(whole), error);
	free(whole);
	json_decref(kept);
	return good;
}

/* A quarter of the values of an integer type, or of the whole numbers that a float type has without gaps. */
static double quarter_of(enum bw_type type)
{
	static const double quarters[] = {
	    [BW_TYPE_BOOL] = 0.5,      [BW_TYPE_INT8] = 0x1p6,     [BW_TYPE_INT16] = 0x1p14,
	    [BW_TYPE_INT32] = 0x1p30,  [BW_TYPE_INT64] = 0x1p62,   [BW_TYPE_FLOAT32] = 0x1p22,
	    [BW_TYPE_FLOAT64] = 0x1p51,
	};
	return quarters[type];
}

/* Returns true if nearly any output of the pipeline is within the bound: half of all points may differ by any
 * amount, a float by its own value, or a value by a quarter of what its type can tell apart. */
static bool bound_allows_anything(const struct bw_bound_of_error *bound, const struct bw_pipeline *pipeline)
{
	double points = 0, quarter = INFINITY;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		double size = func->n_values;
		for (int d = 0; func->output && d < func->n_dims; d++)
			size *= (double)(func->estimate[d].max - func->estimate[d].min + 1);
		points += func->output ? size : 0;
		for (int v = 0; func->output && v < func->n_values; v++)
			quarter = fmin(quarter, quarter_of(func->types[v]));
	}
	return bound->relative >= 1 || bound->absolute >= quarter || (double)bound->points >= points / 2;
}

/* Returns the kept bound of a generator, or NULL; free(). */
static char *find_kept(const char *path, const char *key)
{
	json_t *kept = read_kept(path);
	const char *text = json_string_value(json_object_get(kept, key));
	char *found = text ? bw_strdup(text) : NULL;
	json_decref(kept);
	return found;
}

/* Sets the source's bound, that of this run or the kept one, and keeps it, unless it allows anything. */
static bool take(const struct bw_program *program, const struct bw_pipeline *pipeline, bool given,
		 const struct bw_bound_of_error *bound, struct bw_source *source, struct bw_error *error)
{
	bool anything = bound_allows_anything(bound, pipeline);
	if (anything && !given)
		return true;
	source->bound = *bound;
	source->bound_kept = !anything;
	if (!given)
		return true;
	if (anything)
		fprintf(stderr,
			"beamwalk: --bound %s allows nearly any output, so it holds for this run alone\n",
			program->arguments.bound);
	char *path = file_of(program), *key = key_of(&source->generator);
	bool good = anything || keep(program, path, key, program->arguments.bound, error);
	free(path);
	free(key);
	return good;
}

bool bw_program_bound(const struct bw_program *program, const struct bw_pipeline *pipeline,
		      struct bw_source *source, struct bw_error *error)
{
	const char *given = program->arguments.bound;
	struct bw_bound_of_error bound;
	struct bw_error ignored;
	bool taken_back = given && !strcmp(given, word_default), good = true;
	if (given && !taken_back && !bound_read(given, &bound, error))
		return false;
	if (given && !source->compilable)
		return bw_fail(error, BW_ERROR_USAGE,
			       "--bound: %s is only a description, which cannot be run", source->name);
	if (!source->compilable)
		return true;
	if (given && !taken_back)
		return take(program, pipeline, true, &bound, source, error);
	char *path = file_of(program), *key = key_of(&source->generator),
	     *kept = taken_back ? NULL : find_kept(path, key);
	if (taken_back)
		good = keep(program, path, key, NULL, error);
	else if (kept && bound_read(kept, &bound, &ignored))
		good = take(program, pipeline, false, &bound, source, error);
	free(path);
	free(key);
	free(kept);
	return good;
}

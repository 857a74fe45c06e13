/* The user's bound of error: read, kept for the generator, and found again. */
#include "program/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/trusted_file.h"

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

bool bw_bound_read(const char *text, struct bw_bound_of_error *bound, struct bw_error *error)
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

/* Sets the source's bound to the kept one, if any. */
static void find_kept(const char *path, const char *key, struct bw_source *source)
{
	json_t *kept = read_kept(path);
	const char *text = json_string_value(json_object_get(kept, key));
	struct bw_bound_of_error bound;
	struct bw_error ignored;
	if (text && bw_bound_read(text, &bound, &ignored)) {
		source->bound = bound;
		source->bound_kept = true;
	}
	json_decref(kept);
}

bool bw_program_bound(const struct bw_program *program, struct bw_source *source, struct bw_error *error)
{
	const char *given = program->arguments.bound;
	bool taken_back = given && !strcmp(given, word_default), good = true;
	struct bw_bound_of_error bound;
	if (given && !taken_back && !bw_bound_read(given, &bound, error))
		return false;
	if (given && !source->compilable)
		return bw_fail(error, BW_ERROR_USAGE,
			       "--bound: %s is only a description, which cannot be run", source->name);
	if (!source->compilable)
		return true;
	char *path = file_of(program), *key = key_of(&source->generator);
	if (given)
		good = keep(program, path, key, taken_back ? NULL : given, error);
	if (given && !taken_back) {
		source->bound = bound;
		source->bound_kept = true;
	} else if (!given) {
		find_kept(path, key, source);
	}
	free(path);
	free(key);
	return good;
}

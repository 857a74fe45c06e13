#include "schedulers/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *const files[] = {"mullapudi2016", "jangda2020", "sioutas2020", "anderson2021", "cs6120"};
enum { N_FILES = sizeof files / sizeof *files, ANDERSON = 3, MOST_FIELDS = 10, MOST_BYTES = 1 << 20 };

/* A file while it is being read. */
struct reading {
	struct bw_published_paper *paper;
	const char *path;
	int line;
};

static bool take_system(struct reading *reading, char *fields[MOST_FIELDS])
{
	struct bw_published_paper *paper = reading->paper;
	paper->systems[paper->n_systems++] = (struct bw_published_system){fields[1], fields[2], fields[3]};
	return true;
}

static bool take_figure(struct reading *reading, char *fields[MOST_FIELDS])
{
	struct bw_published_paper *paper = reading->paper;
	char *end;
	double value = strtod(fields[9], &end);
	if (end == fields[9] || *end || !bw_published_system(paper, fields[6]))
		return false;
	paper->figures[paper->n_figures++] = (struct bw_published_figure){
	    fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7], fields[8], value};
	return true;
}

static bool take_paper(struct reading *reading, char *fields[MOST_FIELDS])
{
	reading->paper->name = fields[1];
	reading->paper->title = fields[2];
	return true;
}

static bool read_line(struct reading *reading, char *line, struct bw_error *error)
{
	static const struct {
		const char *name;
		int n_fields;
		bool (*take)(struct reading *reading, char *fields[MOST_FIELDS]);
	} kinds[] = {{"paper", 3, take_paper}, {"system", 4, take_system}, {"figure", 10, take_figure}};
	char *fields[MOST_FIELDS] = {line};
	int n = 1;
	for (char *at = line; n < MOST_FIELDS && (at = strchr(at, '\t')); fields[n++] = at)
		*at++ = 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, fields[0]) && kinds[i].n_fields == n && kinds[i].take(reading, fields))
			return true;
	return bw_fail(error, BW_ERROR_INPUT, "%s:%d: neither a paper, nor a system, nor a figure of a system",
		       reading->path, reading->line);
}

static bool read_text(struct reading *reading, char *text, struct bw_error *error)
{
	for (char *line = text, *next; *line; line = next) {
		char *end = line + strcspn(line, "\n");
		next = end + (*end == '\n');
		*end = 0;
		reading->line++;
		if (*line && *line != '#' && !read_line(reading, line, error))
			return false;
	}
	return reading->paper->name ||
	       bw_fail(error, BW_ERROR_INPUT, "%s: no line says which paper it is", reading->path);
}

static bool read_file(struct bw_published *published, const char *folder, const char *name,
		      struct bw_error *error)
{
	size_t lines = 0;
	BW_SCOPED_MEMORY char *path = bw_format("%s/%s.tsv", folder, name);
	BW_SCOPED_TEXT read = {0};
	char *text = NULL;
	if (bw_file_read(path, MOST_BYTES, &read, error)) {
		text = bw_arena_strdup(published->arena, bw_text_get(&read));
		for (const char *at = text; *at; at++)
			lines += *at == '\n';
	}
	struct reading reading = {&published->papers[published->n], path, 0};
	*reading.paper = (struct bw_published_paper){
	    .systems = BW_ARENA_ARRAY(published->arena, struct bw_published_system, lines + 1),
	    .figures = BW_ARENA_ARRAY(published->arena, struct bw_published_figure, lines + 1)};
	bool good = text && read_text(&reading, text, error);
	published->n += good;
	return good;
}

struct bw_published *bw_published_read(const char *folder, struct bw_error *error)
{
	struct bw_published *published = BW_NEW(struct bw_published);
	*published = (struct bw_published){.arena = bw_arena_new()};
	published->papers = BW_ARENA_ARRAY(published->arena, struct bw_published_paper, N_FILES);
	bool good = true;
	for (int i = 0; i < N_FILES && good; i++)
		good = read_file(published, folder, files[i], error);
	if (good)
		return published;
	bw_published_free(published);
	return NULL;
}

void bw_published_free(struct bw_published *published)
{
	if (published)
		bw_arena_free(published->arena);
	free(published);
}

const struct bw_published_system *bw_published_system(const struct bw_published_paper *paper,
						      const char *name)
{
	for (int i = 0; i < paper->n_systems; i++)
		if (!strcmp(paper->systems[i].name, name))
			return &paper->systems[i];
	return NULL;
}

/* Returns a figure of the search with the switches that these letters name, or NAN. */
static double find(const struct bw_published *published, const char *pipeline, const char *letters,
		   const char *quantity)
{
	const struct bw_published_paper *paper = &published->papers[ANDERSON];
	const char *system = *letters ? letters : "-";
	for (int i = 0; i < paper->n_figures; i++) {
		const struct bw_published_figure *figure = &paper->figures[i];
		if (!strcmp(figure->pipeline, pipeline) && !strcmp(figure->system, system) &&
		    !strcmp(figure->quantity, quantity))
			return figure->value;
	}
	return (double)NAN;
}

struct bw_published_search bw_published_of(const struct bw_published *published, const char *pipeline,
					   const char *letters)
{
	const char *without_memoization = letters + (*letters == 'M');
	double states = find(published, pipeline, without_memoization, "states"),
	       states_off = find(published, pipeline, "", "states"),
	       seconds = find(published, pipeline, letters, "beam search"),
	       seconds_off = find(published, pipeline, "", "beam search");
	return (struct bw_published_search){states, 100 * states / states_off, seconds, seconds_off / seconds,
					    find(published, pipeline, letters, "memory of a beam search")};
}

struct bw_published_search bw_published_mean(const struct bw_published *published, const char *letters)
{
	const struct bw_published_paper *paper = &published->papers[ANDERSON];
	double sums[5] = {0};
	int n = 0;
	for (int i = 0; i < paper->n_figures; i++) {
		const struct bw_published_figure *one = &paper->figures[i];
		if (strcmp(one->system, "-") || strcmp(one->quantity, "states"))
			continue;
		struct bw_published_search figures = bw_published_of(published, one->pipeline, letters);
		const double values[] = {figures.states, figures.states_percent, figures.seconds,
					 figures.speedup, figures.megabytes};
		for (int k = 0; k < 5; k++)
			sums[k] += log(values[k]);
		n++;
	}
	return (struct bw_published_search){exp(sums[0] / n), exp(sums[1] / n), exp(sums[2] / n), exp(sums[3] / n),
					    exp(sums[4] / n)};
}

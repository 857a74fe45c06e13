/* How far the user is in each lesson: a file of lines `STEP done|- NAME`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/trusted_file.h"
#include "program/learn.h"

enum { MOST_BYTES = 1 << 20, MOST_STEPS = 1000 };

static struct bw_progress_line *find(const struct bw_progresses *progresses, const char *name)
{
	for (int i = 0; i < progresses->n; i++)
		if (!strcmp(progresses->list[i].name, name))
			return &progresses->list[i];
	return NULL;
}

static struct bw_progress_line *add(struct bw_progresses *progresses, const char *name)
{
	BW_GROW(progresses->list, progresses->n, progresses->capacity);
	progresses->list[progresses->n] = (struct bw_progress_line){.name = bw_strdup(name)};
	return &progresses->list[progresses->n++];
}

/* Lines that are not understood are left out: the file is the program's own, and a lesson can be taken
 * again. */
static void take_line(struct bw_progresses *progresses, const char *line)
{
	int step, length = 0;
	char word[8];
	if (sscanf(line, "%d %7s %n", &step, word, &length) != 2 || !length || step < 0 ||
	    step > MOST_STEPS || !line[length] || find(progresses, line + length))
		return;
	add(progresses, line + length)->progress = (struct bw_lesson_progress){step, !strcmp(word, "done")};
}

bool bw_progresses_read(const char *folder, struct bw_progresses *progresses, struct bw_error *error)
{
	struct bw_text path = {0}, text = {0};
	bw_text_printf(&path, "%s/lessons", folder);
	*progresses = (struct bw_progresses){.path = bw_text_take(&path)};
	FILE *there = fopen(progresses->path, "re");
	if (!there)
		return true;
	fclose(there);
	bool good = bw_trusted_file_read(progresses->path, MOST_BYTES, &text, error) &&
		    bw_text_lines(progresses->path, &text, error);
	for (char *line = good ? text.bytes : NULL, *next; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		take_line(progresses, line);
	}
	bw_text_free(&text);
	return good;
}

struct bw_lesson_progress bw_progress_of(const struct bw_progresses *progresses, const char *name)
{
	const struct bw_progress_line *line = find(progresses, name);
	return line ? line->progress : (struct bw_lesson_progress){0};
}

static void write_all(struct bw_progresses *progresses)
{
	struct bw_text text = {0}, folder = {0};
	for (int i = 0; i < progresses->n; i++)
		bw_text_printf(&text, "%d %s %s\n", progresses->list[i].progress.step,
			       progresses->list[i].progress.done ? "done" : "-", progresses->list[i].name);
	bw_text_append(&folder, progresses->path,
		       (size_t)(strrchr(progresses->path, '/') - progresses->path));
	struct bw_error error = {0};
	if (!bw_trusted_folder_make(bw_text_get(&folder), &error) ||
	    !bw_file_write(progresses->path, bw_text_get(&text), text.length, &error))
		progresses->unwritten = error;
	bw_text_free(&text);
	bw_text_free(&folder);
}

void bw_progress_set(struct bw_progresses *progresses, const char *name, struct bw_lesson_progress progress)
{
	struct bw_progress_line *line = find(progresses, name);
	if (!line)
		line = add(progresses, name);
	else if (line->progress.step == progress.step && line->progress.done == progress.done)
		return;
	line->progress = progress;
	write_all(progresses);
}

void bw_progresses_free(struct bw_progresses *progresses)
{
	for (int i = 0; i < progresses->n; i++)
		free(progresses->list[i].name);
	free(progresses->list);
	free(progresses->path);
}

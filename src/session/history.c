/* The history: every command that changed the search, as a tree. The journal is the way from its root on
 * which the session is; a command that takes the place of undone ones leaves these on a branch, as lines,
 * which `jump` does again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/save.h"

enum { MOST_REMEMBERED = 1000 };

static struct point *point_of(const struct own *own, int number)
{
	return &own->points[number - 1];
}

int bw_session_n_points(const struct bw_session *session)
{
	return own_of(session)->n_points;
}

int bw_session_point(const struct bw_session *session)
{
	const struct own *own = own_of(session);
	return own->n_done ? own->entries[own->n_done - 1].point : 0;
}

void bw_session_points(const struct bw_session *session, struct bw_point *points)
{
	const struct own *own = own_of(session);
	points[0] = (struct bw_point){0};
	for (int i = 1; i <= own->n_points; i++)
		points[i] = (struct bw_point){point_of(own, i)->line, point_of(own, i)->parent, BW_POINT_BRANCH};
	for (int i = 0; i < session->n_journal; i++)
		points[own->entries[i].point].state = i < own->n_done ? BW_POINT_DONE : BW_POINT_UNDONE;
}

/* Forgets the oldest end of a branch. */
static void forget_one(struct own *own)
{
	bool *stays = BW_NEW_ARRAY(bool, own->n_points + 1);
	for (int i = 1; i <= own->n_points; i++)
		if (point_of(own, i)->line)
			stays[point_of(own, i)->parent] = true;
	for (int i = 0; i < own->session.n_journal; i++)
		stays[own->entries[i].point] = true;
	for (int i = 1; i <= own->n_points; i++)
		if (point_of(own, i)->line && !stays[i]) {
			free(point_of(own, i)->line);
			point_of(own, i)->line = NULL;
			own->n_forgotten++;
			break;
		}
	free(stays);
}

/* The point that a line leads to from another; 0: there is none yet. */
static int find_point(const struct own *own, int parent, const char *line)
{
	for (int i = 1; i <= own->n_points; i++)
		if (point_of(own, i)->line && point_of(own, i)->parent == parent && !strcmp(point_of(own, i)->line, line))
			return i;
	return 0;
}

static int append(struct own *own, int parent, const char *line)
{
	BW_GROW(own->points, own->n_points, own->points_capacity);
	own->points[own->n_points++] = (struct point){bw_strdup(line), parent};
	return own->n_points;
}

int bw_history_add(struct own *own, const char *line, bool *is_new)
{
	int parent = bw_session_point(&own->session), found = find_point(own, parent, line);
	*is_new = !found;
	if (found)
		return found;
	if (own->n_points - own->n_forgotten >= MOST_REMEMBERED)
		forget_one(own);
	return append(own, parent, line);
}

/* A history without branches is the journal, which is saved by itself. */
static bool has_branches(const struct own *own)
{
	return own->n_points - own->n_forgotten > own->session.n_journal;
}

void bw_history_print(const struct own *own, struct bw_text *out)
{
	int *numbers = BW_NEW_ARRAY(int, own->n_points + 1), n = 0;
	for (int i = 1; i <= own->n_points && has_branches(own); i++)
		if (point_of(own, i)->line) {
			numbers[i] = ++n;
			bw_text_printf(out, BW_SAVED_POINT "%d %d %s\n", n, numbers[point_of(own, i)->parent],
				       point_of(own, i)->line);
		}
	free(numbers);
}

void bw_history_graft(struct own *own, const char *line)
{
	int number, parent, length = 0;
	if (sscanf(line, BW_SAVED_POINT "%d %d %n", &number, &parent, &length) != 2 || !length)
		return;
	line += length;
	const struct bw_command *command = bw_command_find(line, strcspn(line, " \t"));
	if (!own->n_grafted) {
		BW_GROW(own->grafted, own->n_grafted, own->grafted_capacity);
		own->grafted[own->n_grafted++] = bw_session_point(&own->session);
	}
	if (!command || !command->journaled || number != own->n_grafted || parent < 0 || parent >= number ||
	    own->n_points - own->n_forgotten >= MOST_REMEMBERED)
		return;
	int found = find_point(own, own->grafted[parent], line),
	    point = found ? found : append(own, own->grafted[parent], line);
	BW_GROW(own->grafted, own->n_grafted, own->grafted_capacity);
	own->grafted[own->n_grafted++] = point;
}

void bw_history_drop(struct own *own, int point)
{
	free(point_of(own, point)->line);
	point_of(own, point)->line = NULL;
	if (point == own->n_points)
		own->n_points--;
	else
		own->n_forgotten++;
}

void bw_history_end(struct own *own)
{
	for (int i = 0; i < own->n_points; i++)
		free(own->points[i].line);
	free(own->points);
	free(own->grafted);
}

const char *bw_history_line(const struct bw_session *session, int number)
{
	return point_of(own_of(session), number)->line;
}

int *bw_history_way(const struct own *own, int number, int *n)
{
	*n = 0;
	for (int at = number; at; at = point_of(own, at)->parent)
		++*n;
	int *way = BW_NEW_ARRAY(int, *n + 1), i = *n;
	for (int at = number; at; at = point_of(own, at)->parent)
		way[--i] = at;
	return way;
}

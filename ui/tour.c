#include "ui/tour.h"

#include <string.h>

#include "base/say.h"
#include "session/decisions.h"

enum { OVER = 4, MANY_OPTIONS = 6 };

static double best_cost(const struct bw_session *session)
{
	const struct bw_state *const *states;
	int end = bw_session_n_decisions(session);
	if (bw_session_reached(session) < end || bw_session_beam(session, end, &states) == 0)
		return 0;
	return states[0]->cost;
}

void bw_tour_begin(struct bw_tour *tour, const struct bw_session *session)
{
	*tour = (struct bw_tour){.step = 1, .best = best_cost(session)};
}

static bool is(const char *line, const char *command)
{
	size_t length = strlen(command);
	return strncmp(line, command, length) == 0 && (line[length] == ' ' || line[length] == 0);
}

/* Returns true if there are several options with costs at the cursor. */
static bool much_to_choose(struct bw_session *session)
{
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int costed = 0;
	for (int i = 0; expansion && i < expansion->n; i++)
		costed += expansion->options[i].cost > 0;
	return costed >= MANY_OPTIONS;
}

/* Returns true if the step is done. */
static bool done(const struct bw_tour *tour, struct bw_session *session, const char *line)
{
	switch (tour->step) {
	case 1:
		return is(line, "back") && (session->cursor == 0 || much_to_choose(session));
	case 2:
		return is(line, "why");
	case 3:
		return (is(line, "accept") || is(line, "freeze")) && session->n_journal > 0;
	}
	return false;
}

void bw_tour_observe(struct bw_tour *tour, struct bw_session *session, const char *line)
{
	if (tour->step == 0 || tour->step == OVER || session->message_is_error || !done(tour, session, line))
		return;
	tour->step++;
}

const char *bw_tour_title(const struct bw_tour *tour)
{
	static const char *const titles[] = {"", "TOUR 1 of 3: go back", "TOUR 2 of 3: ask why",
					     "TOUR 3 of 3: change its mind", "TOUR: done"};
	return titles[tour->step];
}

static void say_end(const struct bw_tour *tour, const struct bw_session *session,
		    const struct bw_keymap *keymap, struct bw_text *out)
{
	double best = best_cost(session);
	if (best > 0 && tour->best > 0)
		bw_text_printf(out, "Under your choice the best is %s, before it was %s. ",
			       bw_say_cost(best).text, bw_say_cost(tour->best).text);
	else
		bw_keys_write(
		    keymap,
		    "Your choice stands, and all that follows is searched anew. {run} runs to the end. ",
		    out);
	bw_keys_write(
	    keymap,
	    "{undo} takes the choice back, {time} compiles and times a complete schedule, {view help} shows all keys. {do cancel} ends the tour; `beamwalk learn` has lessons.",
	    out);
}

const char *bw_tour_text(const struct bw_tour *tour, const struct bw_session *session,
			 const struct bw_keymap *keymap, struct bw_text *out)
{
	static const char *const texts[] = {
	    [1] =
		"The search has placed every Func; line 2 shows in which order. Press {back}: each time it takes the cursor back by one decision, and "
		"the panes show the beam as it was then. Go on until the pane DECISION has a good many options.",
	    [2] =
		"The pane DECISION lists what could be chosen here. {do next-pane} goes there, {do down} and {do up} choose an option. Press {why} to be told why it was "
		"kept, dropped or pruned.",
	    [3] =
		"Choose another option that has a cost, and press {accept} to accept it. Or choose a Func that is placed already in the pane STAGES, "
		"and press {freeze} to freeze it as it is. The search goes on around your choice.",
	};
	if (tour->step == 0)
		return NULL;
	bw_text_clear(out);
	if (tour->step == OVER)
		say_end(tour, session, keymap, out);
	else
		bw_keys_write(keymap, texts[tour->step], out);
	return bw_text_get(out);
}

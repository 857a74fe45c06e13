/* A session, from its beginning to its end. */
#include "session/session.h"

#include <poll.h>

#include "session/core.h"
#include "session/source.h"

const struct bw_session_part *bw_session_part(const struct bw_session *session, enum bw_part_id id)
{
	return own_of(session)->parts[id].part;
}

void *bw_part_data(const struct bw_session *session, enum bw_part_id id)
{
	return own_of(session)->parts[id].data;
}

void bw_session_add(struct bw_session *session, enum bw_part_id id, const struct bw_session_part *part)
{
	struct own *own = own_of(session);
	own->parts[id].part = part;
	own->parts[id].data = bw_new_array(1, part->size);
	if (part->begin)
		part->begin(session);
}

static struct bw_routine *routine_of(struct part_slot *slot)
{
	if (!slot->routine)
		slot->routine = bw_routine_new(slot->part->run, slot->data);
	return slot->routine;
}

struct bw_routine *bw_part_routine(struct bw_session *session, enum bw_part_id id)
{
	return routine_of(&own_of(session)->parts[id]);
}

bool bw_part_runs(const struct bw_session *session, enum bw_part_id id)
{
	return own_of(session)->parts[id].routine;
}

void bw_part_begin(struct bw_session *session, enum bw_part_id id)
{
	struct part_slot *slot = &own_of(session)->parts[id];
	slot->begun = true;
	if (slot->part->beside)
		bw_routine_release(routine_of(slot));
}

bool bw_part_begun(const struct bw_session *session, enum bw_part_id id)
{
	return own_of(session)->parts[id].begun;
}

static void halt(struct part_slot *slot)
{
	bw_routine_end(slot->routine);
	slot->routine = NULL;
	slot->begun = false;
}

void bw_part_halt(struct bw_session *session, enum bw_part_id id)
{
	halt(&own_of(session)->parts[id]);
}

bool bw_part_finish(struct bw_session *session, enum bw_part_id id)
{
	static const double slice = 0.1; /* seconds between two checks whether the line is to stop */
	struct pollfd stops = {.fd = own_of(session)->stop_fd, .events = POLLIN};
	bool stopped = false, ended = !bw_part_begun(session, id);
	while (!stopped && !ended) {
		stopped = poll(&stops, 1, 0) > 0 && stops.revents & POLLIN;
		ended = !stopped && bw_routine_go(bw_part_routine(session, id), slice);
	}
	bw_part_halt(session, id);
	return !stopped;
}

/* Frees a part that was ended. */
static void free_part(struct bw_session *session, enum bw_part_id id)
{
	struct part_slot *slot = &own_of(session)->parts[id];
	halt(slot);
	if (slot->part && slot->part->free)
		slot->part->free(session);
	free(slot->data);
	*slot = (struct part_slot){0};
}

static void end_part(struct bw_session *session, enum bw_part_id id)
{
	const struct bw_session_part *part = bw_session_part(session, id);
	if (part && part->end)
		part->end(session);
	bw_part_halt(session, id);
}

void bw_session_remove(struct bw_session *session, enum bw_part_id id)
{
	end_part(session, id);
	free_part(session, id);
}

/* Defines a function that calls one function of every part that has it. */
#define TELL_PARTS(function, parameters, ...) \
	void bw_parts_##function parameters \
	{ \
		for (int i = 0; i < BW_N_PARTS; i++) { \
			const struct bw_session_part *part = own_of(session)->parts[i].part; \
			if (part && part->function) \
				part->function(__VA_ARGS__); \
		} \
	}
TELL_PARTS(changed, (struct bw_session *session), session)
TELL_PARTS(taken_back, (struct bw_session *session, const char *line), session, line)
TELL_PARTS(comment, (struct bw_session *session, const char *line), session, line)
TELL_PARTS(settled, (struct bw_session *session), session)

struct bw_session *bw_session_make(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_settings *options,
				   bw_command_function *const *functions,
				   const struct bw_session_part *const *parts)
{
	struct own *own = BW_NEW(struct own);
	struct bw_session *session = &own->session;
	session->source = *source;
	session->places = *places;
	session->pipeline = pipeline;
	session->options = *options;
	session->search = bw_search_new(pipeline, options, NULL);
	session->bench = bw_bench_new(places, NULL, 0);
	session->target = -1;
	own->stop_fd = -1;
	session->time_seconds = 1;
	session->selection =
	    (struct bw_selection){.func = -1, .option = -1, .group = -1,
				  .candidate = -1, .decision = -1, .line = -1};
	session->listed_inside = -1;
	session->toggled = BW_NEW_ARRAY(bool, pipeline->n_funcs + 1);
	snprintf(session->view, sizeof session->view, "main");
	session->generation = 1;
	own->functions = functions;
	for (int i = 0; i < BW_N_PARTS; i++)
		if (parts[i])
			bw_session_add(session, (enum bw_part_id)i, parts[i]);
	return session;
}

void bw_session_end(struct bw_session *session)
{
	if (!session)
		return;
	for (int i = 0; i < BW_N_PARTS; i++)
		end_part(session, (enum bw_part_id)i);
	bw_bench_drop(session->bench);
	bw_walk_drop(own_of(session)->walk);
	own_of(session)->walk = NULL;
	free(session->toggled);
}

void bw_session_free(struct bw_session *session)
{
	if (!session)
		return;
	bw_session_end(session);
	for (int i = 0; i < BW_N_PARTS; i++)
		free_part(session, (enum bw_part_id)i);
	bw_search_free(session->search);
	bw_pipeline_free((struct bw_pipeline *)session->pipeline);
	bw_source_free(&session->source);
	free(own_of(session));
}

void bw_session_touch(struct bw_session *session)
{
	session->generation++;
}

void bw_session_tell(struct bw_session *session, bool is_error, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(session->message, sizeof session->message, format, args);
	va_end(args);
	session->message_is_error = is_error;
	bw_session_touch(session);
}

void bw_session_say(struct call *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(call->session->message, sizeof call->session->message, format, args);
	va_end(args);
	bw_one_line(call->session->message);
	call->session->message_is_error = false;
	if (call->out)
		bw_text_printf(call->out, "%s\n", call->session->message);
}

int bw_session_listed(const struct bw_session *session)
{
	const struct bw_selection *selection = &session->selection;
	bool chosen = selection->decision >= 0 && selection->decision_at == session->cursor;
	return chosen ? selection->decision : session->cursor;
}

void bw_session_select(struct bw_session *session, const struct bw_selection *selection)
{
	session->selection = *selection;
}

void bw_session_took_pane(struct bw_session *session)
{
	*session->pane = 0;
}

void bw_session_set_until(struct bw_session *session, const struct bw_until *until)
{
	own_of(session)->until = *until;
}

void bw_session_quit(struct bw_session *session)
{
	session->quit = true;
}

void bw_session_emulate(struct bw_session *session, const struct bw_emulation *emulation)
{
	session->emulation = *emulation;
}

void bw_session_search_for(struct bw_session *session, const char *text)
{
	snprintf(session->filter, sizeof session->filter, "%.63s", text);
}

void bw_session_greet(struct bw_session *session, const char *said, const char *view)
{
	snprintf(session->message, sizeof session->message, "%s", said);
	if (view)
		snprintf(session->view, sizeof session->view, "%s", view);
}

void bw_session_stop(struct bw_session *session)
{
	own_of(session)->stopping = (struct bw_stopping){.runs = session->target >= 0, .waits = session->waits};
	for (int i = 0; i < BW_N_PARTS; i++) {
		struct part_slot *slot = &own_of(session)->parts[i];
		if (slot->part && slot->part->stop) {
			slot->part->stop(session);
		} else if (slot->begun) {
			halt(slot);
			slot->part->take(session, true);
		}
	}
}

int bw_session_fds(const struct bw_session *session, int *fds, int most)
{
	const struct own *own = own_of(session);
	int n = 0;
	for (int i = 0; i < BW_N_PARTS; i++) {
		const struct part_slot *slot = &own->parts[i];
		if (slot->part && slot->part->beside)
			n += bw_routine_fds(slot->routine, fds + n, most - n);
		if (slot->part && slot->part->fds)
			n += slot->part->fds(session, fds + n, most - n);
	}
	return n + bw_routine_fds(own->released, fds + n, most - n);
}

struct bw_hooks *bw_session_hooks(const struct bw_session *session)
{
	return &own_of(session)->hooks;
}

bool bw_session_distrust(struct bw_session *session, bool trusted)
{
	bool before = own_of(session)->untrusted;
	own_of(session)->untrusted = before || !(trusted || session->trusts);
	return before;
}

void bw_session_restore_trust(struct bw_session *session, bool before)
{
	own_of(session)->untrusted = before;
}

bool bw_session_scripted(const struct bw_session *session)
{
	return own_of(session)->depth;
}

/* Work between commands. Each part computes on its own routine (base/routine.h), and only one part at a time
 * has the turn. */

/* Returns the part with the most urgent work; NULL if there is none. */
static struct part_slot *most_urgent(const struct bw_session *session)
{
	for (int i = 0; i < BW_N_PARTS; i++) {
		struct part_slot *slot = &own_of(session)->parts[i];
		const struct bw_session_part *part = slot->part;
		if (part && (part->wanted ? part->wanted(session) : slot->begun && !part->beside))
			return slot;
	}
	return NULL;
}

/* Polls other processes and the parts that run concurrently with the session. */
static void poll_others(struct bw_session *session)
{
	for (int i = 0; i < BW_N_PARTS; i++) {
		struct part_slot *slot = &own_of(session)->parts[i];
		if (slot->part && slot->part->poll)
			slot->part->poll(session);
		if (!slot->part || !slot->part->beside || !slot->routine)
			continue;
		bool ended = bw_routine_heard(slot->routine);
		if (ended)
			halt(slot);
		slot->part->take(session, ended);
	}
}

/* Chooses the part that works next. Returns false if there is none. */
static bool choose(struct bw_session *session)
{
	struct own *own = own_of(session);
	own->released = NULL;
	own->before_work = session->generation;
	while (!own->released && (own->working = most_urgent(session))) {
		const struct bw_session_part *part = own->working->part;
		own->released = part->work ? part->work(session) : routine_of(own->working);
		if (!own->released)
			part->take(session, true);
	}
	return own->released;
}

bool bw_session_release(struct bw_session *session)
{
	bool goes_on = choose(session);
	if (goes_on)
		bw_routine_release(own_of(session)->released);
	return goes_on;
}

/* Takes over the results of the part that had the turn. ended: its routine has ended. Returns true if
 * anything changed. */
static bool take_over(struct bw_session *session, bool ended)
{
	struct own *own = own_of(session);
	struct part_slot *slot = own->working;
	uint64_t before = own->before_work;
	own->released = NULL;
	own->working = NULL;
	if (slot && ended)
		halt(slot);
	if (slot && slot->part->take)
		slot->part->take(session, ended);
	poll_others(session);
	if (session->generation != before && session->target < 0)
		bw_parts_settled(session);
	return session->generation != before;
}

bool bw_session_hold(struct bw_session *session)
{
	struct bw_routine *released = own_of(session)->released;
	return take_over(session, released && bw_routine_hold(released));
}

bool bw_session_work(struct bw_session *session, double seconds)
{
	bool goes_on = choose(session);
	return take_over(session, goes_on && bw_routine_go(own_of(session)->released, seconds));
}

static bool runs(const struct bw_session *session)
{
	const struct part_slot *slot = most_urgent(session);
	return slot && !(slot->part->unseen && slot->part->unseen(session));
}

bool bw_session_busy(const struct bw_session *session)
{
	bool busy = runs(session);
	for (int i = 0; i < BW_N_PARTS && !busy; i++) {
		const struct part_slot *slot = &own_of(session)->parts[i];
		busy = slot->part && (slot->part->beside ? (bool)slot->routine
							 : slot->part->busy && slot->part->busy(session));
	}
	return busy;
}

bool bw_session_under_way(const struct bw_session *session)
{
	return most_urgent(session);
}

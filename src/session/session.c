/* The session's state: cursor, journal with undo, work under way, and what views show. */
#include "session/session.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"
#include "session/source.h"

struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places, struct bw_pipeline *pipeline, const struct bw_search_options *options)
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
	session->time_seconds = 1;
	session->selection = (struct bw_selection){-1, 0, -1, -1};
	snprintf(session->view, sizeof session->view, "main");
	session->generation = 1;
	own->arena = bw_arena_new();
	return session;
}

static void free_entry(struct entry *entry)
{
	free(entry->line);
	bw_search_free(entry->other.search);
}

static void truncate_journal(struct own *own, int n)
{
	while (own->session.n_journal > n)
		free_entry(&own->entries[--own->session.n_journal]);
}

static void drop_aside(struct own *own)
{
	while (own->n_aside)
		free_entry(&own->aside[--own->n_aside]);
	free(own->aside);
	own->aside = NULL;
}

/* Takes the entries that are undone out of the journal. */
static void set_aside(struct own *own)
{
	drop_aside(own);
	own->n_aside = own->session.n_journal - own->n_done;
	own->aside = BW_NEW_ARRAY(struct entry, own->n_aside);
	for (int i = 0; i < own->n_aside; i++)
		own->aside[i] = own->entries[own->n_done + i];
	own->session.n_journal = own->n_done;
}

/* Puts them back at its end. */
static void put_back(struct own *own)
{
	for (int i = 0; i < own->n_aside; i++) {
		BW_GROW(own->entries, own->session.n_journal, own->entries_capacity);
		own->entries[own->session.n_journal++] = own->aside[i];
	}
	own->n_aside = 0;
}

static void drop_expander(struct own *own)
{
	bw_expansion_free(bw_expander_end(own->expander));
	own->expander = NULL;
}

void bw_session_free(struct bw_session *session)
{
	if (!session)
		return;
	struct own *own = own_of(session);
	bw_session_end_jobs(session);
	bw_bench_drop(session->bench);
	truncate_journal(own, 0);
	drop_aside(own);
	free(own->entries);
	free(own->journal);
	for (int i = 0; i < session->n_timings; i++)
		free(session->timings[i].label);
	free(session->timings);
	free(own->jobs);
	struct bw_text unheard = {0};
	bw_recorder_end(own->recorder, &unheard);
	bw_text_free(&unheard);
	bw_ledger_end(own);
	drop_expander(own);
	bw_expansion_free(own->expansion);
	if (own->before)
		bw_nest_drop(own->before);
	bw_arena_free(own->arena);
	bw_search_free(session->search);
	bw_pipeline_free((struct bw_pipeline *)session->pipeline);
	bw_source_free(&session->source);
	free(own);
}

void bw_session_touch(struct bw_session *session)
{
	session->generation++;
}

void bw_session_say(struct call *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(call->session->message, sizeof call->session->message, format, args);
	va_end(args);
	call->session->message_is_error = false;
	if (call->out)
		bw_text_printf(call->out, "%s\n", call->session->message);
}

static void publish_journal(struct own *own)
{
	own->expanded.search = NULL;
	drop_expander(own);
	struct bw_session *session = &own->session;
	own->journal = bw_resize_array(own->journal, (size_t)session->n_journal, sizeof *own->journal);
	for (int i = 0; i < session->n_journal; i++)
		own->journal[i] = (struct bw_journal_entry){own->entries[i].line, i >= own->n_done};
	session->journal = own->journal;
	bw_session_touch(session);
}

/* Exchanges the session's search and place with the snapshot's. */
static void exchange(struct bw_session *session, struct snapshot *other)
{
	struct snapshot mine = {session->search, session->options, session->cursor, session->target, session->selection};
	session->search = other->search;
	session->options = other->options;
	session->cursor = other->cursor;
	session->target = other->target;
	session->selection = other->selection;
	*other = mine;
}

void bw_session_change(struct bw_session *session, const char *line, const struct bw_search_options *options, const struct bw_constraints *constraints)
{
	struct own *own = own_of(session);
	int stood = session->target > session->cursor ? session->target : session->cursor;
	set_aside(own);
	BW_GROW(own->entries, session->n_journal, own->entries_capacity);
	struct entry *entry = &own->entries[session->n_journal++];
	own->n_done = session->n_journal;
	entry->line = bw_strdup(line);
	entry->other = (struct snapshot){session->search, session->options, session->cursor, session->target, session->selection};
	bool at_end = stood >= bw_search_n_decisions(session->search);
	session->search = bw_search_fork(session->search, options, constraints);
	int end = bw_search_n_decisions(session->search);
	stood = at_end || stood > end ? end : stood; /* another number of passes moves the end */
	if (options)
		session->options = *options;
	int reached = bw_search_reached(session->search);
	session->cursor = stood < reached ? stood : reached;
	session->target = stood;
	session->selection.option = session->selection.group = -1;
	publish_journal(own);
}

const struct bw_search_options *bw_session_first_options(const struct bw_session *session)
{
	const struct own *own = own_of(session);
	return own->n_done ? &own->entries[0].other.options : &session->options;
}

/* Takes the newest command back. One before it whose search had not come back yet goes on with that. */
static void revert(struct own *own)
{
	exchange(&own->session, &own->entries[--own->n_done].other);
	if (own->session.target < 0 || own->n_proven > own->n_done)
		own->n_proven = own->n_done;
}

/* A conflict: the newest change is taken back as if it had never been. */
static void take_back(struct bw_session *session, const struct bw_error *error)
{
	struct own *own = own_of(session);
	revert(own);
	truncate_journal(own, own->n_done);
	put_back(own);
	publish_journal(own);
	snprintf(session->message, sizeof session->message, "%.440s; nothing was changed", error->text);
	session->message_is_error = true;
}

bool bw_session_undo(struct call *call)
{
	struct own *own = own_of(call->session);
	if (!own->n_done)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to undo");
	drop_aside(own);
	revert(own);
	if (own->n_proven == own->n_done)
		call->session->target = -1;
	publish_journal(own);
	bw_session_say(call, "undone: %s", own->entries[own->n_done].line);
	return true;
}

void bw_session_return(struct bw_session *session, int n_done, int cursor, const struct bw_selection *selection)
{
	struct own *own = own_of(session);
	while (own->n_done > n_done)
		exchange(session, &own->entries[--own->n_done].other);
	truncate_journal(own, own->n_done);
	session->cursor = cursor;
	session->target = -1;
	session->selection = *selection;
	own->n_proven = own->n_done;
	publish_journal(own);
}

bool bw_session_redo(struct call *call)
{
	struct own *own = own_of(call->session);
	if (own->n_done == call->session->n_journal)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing to redo");
	struct entry *entry = &own->entries[own->n_done++];
	drop_aside(own);
	exchange(call->session, &entry->other);
	if (call->session->target < 0)
		own->n_proven = own->n_done;
	publish_journal(own);
	bw_session_say(call, "done again: %s", entry->line);
	return true;
}

static void clamp_selection(struct bw_session *session)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, session->cursor, &states);
	if (session->selection.state >= n)
		session->selection.state = n - 1;
	if (session->selection.state < 0)
		session->selection.state = 0;
}

static void advance(struct bw_session *session, double seconds)
{
	struct own *own = own_of(session);
	struct bw_error error = {0};
	enum bw_search_status status = bw_search_advance(session->search, session->target, seconds, NULL, &error);
	int reached = bw_search_reached(session->search);
	int cursor = reached < session->target ? reached : session->target;
	if (cursor != session->cursor) {
		session->cursor = cursor;
		session->selection.option = session->selection.group = -1;
		clamp_selection(session);
	}
	bw_session_touch(session);
	if (status == BW_SEARCH_DEAD && own->n_done > own->n_proven) {
		take_back(session, &error);
	} else if (status == BW_SEARCH_DEAD) {
		session->target = -1;
		snprintf(session->message, sizeof session->message, "%.500s", error.text);
		session->message_is_error = true;
	} else if (status == BW_SEARCH_DONE) {
		session->target = -1;
		own->n_proven = own->n_done;
	}
}

static bool poll_jobs(struct bw_session *session)
{
	struct own *own = own_of(session);
	bool changed = false;
	for (int i = 0; i < session->n_timings; i++) {
		struct bw_timing *timing = &session->timings[i];
		struct job *job = &own->jobs[i];
		if (!job->job)
			continue;
		enum bw_job_phase phase = bw_job_poll(job->job, &timing->measurement, &timing->error);
		changed |= phase != timing->phase;
		timing->phase = phase;
		if (phase != BW_JOB_DONE && phase != BW_JOB_FAILED)
			continue;
		bw_record_end(session, timing, job->result, bw_job_device(job->job));
		job->result = NULL;
		bw_job_free(job->job);
		job->job = NULL;
		bw_directives_free(job->directives);
		job->directives = NULL;
		if (!timing->compiled && session->runs_on)
			timing->device = bw_device_find(session->devices, session->n_devices, session->runs_on->name);
		session->message_is_error = bw_timing_tell(timing, session->message, sizeof session->message);
	}
	if (changed)
		bw_session_touch(session);
	return changed;
}

static const struct bw_expansion *expand_for(struct bw_session *session, double seconds);

bool bw_session_work(struct bw_session *session, double seconds)
{
	uint64_t before = session->generation;
	if (session->target >= 0)
		advance(session, seconds);
	else if (own_of(session)->expander && expand_for(session, seconds))
		bw_session_touch(session);
	bw_session_poll_devices(session);
	poll_jobs(session);
	bw_record_poll(session);
	return session->generation != before;
}

bool bw_session_busy(const struct bw_session *session)
{
	const struct own *own = own_of(session);
	for (int i = 0; i < session->n_timings; i++)
		if (own->jobs[i].job)
			return true;
	return bw_session_under_way(session);
}

bool bw_session_under_way(const struct bw_session *session)
{
	return session->target >= 0 || own_of(session)->expander;
}

void bw_session_stop(struct bw_session *session)
{
	struct own *own = own_of(session);
	if (session->target < 0)
		return;
	session->target = -1;
	own->n_proven = own->n_done;
	snprintf(session->message, sizeof session->message, "stopped at decision %d of %d", session->cursor, bw_search_n_decisions(session->search));
	session->message_is_error = false;
	bw_session_touch(session);
}

int bw_session_fds(const struct bw_session *session, int *fds, int most)
{
	const struct own *own = own_of(session);
	int n = 0;
	for (int i = 0; i < session->n_timings && n < most; i++)
		if (own->jobs[i].job)
			fds[n++] = bw_job_fd(own->jobs[i].job);
	if (session->asks && n < most)
		fds[n++] = bw_bench_fd(session->bench);
	if (session->n_unstored && n < most)
		fds[n++] = bw_recorder_fd(own->recorder);
	return n;
}

const struct bw_state *bw_session_state(struct bw_session *session)
{
	const struct bw_state *const *states;
	clamp_selection(session);
	bw_search_beam(session->search, session->cursor, &states);
	return states[session->selection.state];
}

static void refresh(struct bw_session *session)
{
	struct own *own = own_of(session);
	if (own->cost_generation == session->generation)
		return;
	bw_arena_reset(own->arena);
	own->cost = bw_search_cost(session->search, bw_session_state(session)->nest, own->arena);
	own->cost_generation = session->generation;
}

const struct bw_cost *bw_session_cost(struct bw_session *session)
{
	refresh(session);
	return &own_of(session)->cost;
}

static struct expanded expansion_key(struct bw_session *session)
{
	clamp_selection(session);
	return (struct expanded){session->search, session->cursor, session->selection.state, bw_search_reached(session->search) > session->cursor};
}

static bool same_key(const struct expanded *a, const struct expanded *b)
{
	return a->search == b->search && a->cursor == b->cursor && a->state == b->state && a->made == b->made;
}

/* Works on the expansion for at most about `seconds`. */
static const struct bw_expansion *expand_for(struct bw_session *session, double seconds)
{
	struct own *own = own_of(session);
	if (session->cursor >= bw_search_n_decisions(session->search))
		return NULL;
	struct expanded key = expansion_key(session);
	if (own->expansion && same_key(&key, &own->expanded))
		return own->expansion;
	if (own->expander && !same_key(&key, &own->expands))
		drop_expander(own);
	if (!own->expander) {
		own->expander = bw_expander_begin(session->search, session->cursor, session->selection.state);
		own->expands = key;
	}
	if (!bw_expander_go(own->expander, seconds))
		return NULL;
	bw_expansion_free(own->expansion);
	own->expansion = bw_expander_end(own->expander);
	own->expander = NULL;
	own->expanded = key;
	bw_ledger_begin(own);
	return own->expansion;
}

const struct bw_expansion *bw_session_expansion(struct bw_session *session)
{
	return expand_for(session, 1e9);
}

const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session)
{
	static const double at_once = 0.002;
	struct own *own = own_of(session);
	struct expanded key = expansion_key(session);
	bool begun = own->expander && same_key(&key, &own->expands);
	return begun ? NULL : expand_for(session, at_once);
}

const struct bw_expansion *bw_session_expansion_made(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct expanded key = expansion_key(session);
	return own->expansion && same_key(&key, &own->expanded) ? own->expansion : NULL;
}

bool bw_session_changed(struct bw_session *session, int func)
{
	const struct bw_nest *before = own_of(session)->before;
	if (!before)
		return false;
	const struct bw_placed *old = before->placed[func], *new = bw_session_state(session)->nest->placed[func];
	return (!old) != (!new) || (old && !bw_placement_equal(old->placement, new->placement));
}

const struct bw_constraint *bw_session_constraint(const struct bw_session *session, int func)
{
	const struct bw_constraints *constraints = bw_search_constraints(session->search);
	for (int i = 0; i < constraints->n; i++)
		if (constraints->list[i].placement->func == func)
			return &constraints->list[i];
	const struct bw_frozen *frozen = bw_session_frozen(session, func);
	return frozen ? &frozen->constraint : NULL;
}

const struct bw_frozen *bw_session_frozen(const struct bw_session *session, int func)
{
	const struct bw_search *search = session->search;
	int pass = bw_search_pass(search, session->cursor);
	bool at_end = pass == 0 && session->cursor == bw_search_pass_end(search, 0);
	return bw_search_frozen_on(search, func, at_end ? 1 : pass);
}

void bw_session_set_screen(struct bw_session *session, bw_session_draw *draw, void *data)
{
	own_of(session)->draw = draw;
	own_of(session)->draw_data = data;
}

#include "session/alternatives.h"

#include <inttypes.h>

#include "nest/words.h"
#include "schedulers/scheduler.h"
#include "session/core.h"

static const char *const names[] = {BW_OVERRIDE_TABLE(BW_SECOND)};

const char *bw_override_name(enum bw_override override)
{
	return names[override];
}

int bw_override_find(const char *name, size_t length)
{
	for (int i = 0; i < BW_N_OVERRIDES; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return i;
	return -1;
}

static const char *name_of(const struct bw_session *session, const struct bw_placement *placement)
{
	return session->pipeline->funcs[placement->func].name;
}

static bool at_block(const struct bw_placement *placement)
{
	return placement->compute.kind == BW_SITE_AT && placement->compute.role == BW_ROLE_BLOCK;
}

/* Reads sizes by axis, `32x8`. An omitted pure dimension gets size 1. An omitted RVar gets -1: its size stays
 * unchanged. At a block, an RVar of size 0 is serial in each thread. */
static bool read_sizes(const struct bw_session *session, const struct bw_placement *now, const char *value,
		       int64_t *sizes, struct bw_error *error)
{
	enum { MOST_SIZE = 1 << 20 };
	const struct bw_func *func = &session->pipeline->funcs[now->func];
	int n = func->n_axes, rvars = n - func->n_dims, read = 0;
	const char *at = value;
	for (int i = 0; i < n; i++)
		sizes[i] = i < func->n_dims ? 1 : -1;
	while (read < n) {
		char *end;
		long long size = strtoll(at, &end, 10);
		bool zero = read >= func->n_dims && at_block(now);
		if (end == at || *at < '0' || *at > '9' || size < !zero || size > MOST_SIZE)
			break;
		sizes[read++] = size;
		at = end;
		if (*at != 'x')
			break;
		at++;
	}
	return (*at == 0 && at > value && at[-1] != 'x') ||
	       bw_fail(error, BW_ERROR_USAGE,
		       "%s has %d dimension%s%s: expected sizes from 1 on with x between, not \"%s\"", func->name,
		       func->n_dims, func->n_dims == 1 ? "" : "s",
		       rvars ? ", and behind them parallel RVars" : "", value);
}

/* Returns the placement `plan` with the storage of `now`; drops `plan`. */
static const struct bw_placement *stored_as(const struct bw_placement *plan, const struct bw_placement *now)
{
	struct bw_placement draft = *plan;
	draft.store = now->store;
	draft.memory = now->memory;
	draft.n_storage = now->n_storage;
	draft.storage = now->storage;
	memcpy(draft.align, now->align, sizeof draft.align);
	const struct bw_placement *placement = bw_placement_make(&draft);
	bw_placement_drop(plan);
	return placement;
}

static const struct bw_placement *with_sizes(const struct bw_session *session, const struct bw_placement *now,
					     const int64_t *serial, const int64_t *threads)
{
	bool root = now->compute.kind == BW_SITE_ROOT;
	return stored_as(root ? bw_plan_root(session->pipeline, now->func, serial, threads)
			      : bw_plan_at_block(session->pipeline, now->func, &now->compute, serial),
			 now);
}

/* Fails unless the sizes apply to the Func: serial sizes apply at root and at a block, threads and blocks
 * only at root. */
static bool has_sizes(const struct bw_session *session, const struct bw_placement *now,
		      enum bw_override override, struct bw_error *error)
{
	const char *name = name_of(session, now);
	bool root = now->compute.kind == BW_SITE_ROOT;
	if (root && !now->tiled)
		return bw_fail(
		    error, BW_ERROR_FAILED,
		    "%s's tiling is not decided here; step on, or say all of it: override %s root 1x4/32x8",
		    name, name);
	if (!root && !at_block(now))
		return bw_fail(error, BW_ERROR_FAILED, "%s is computed %s: it has no %s sizes of its own",
			       name, now->compute.kind == BW_SITE_INLINE ? "inline" : "in a thread",
			       bw_override_name(override));
	return root || override == BW_OVERRIDE_SERIAL ||
	       bw_fail(
		   error, BW_ERROR_FAILED,
		   "%s is computed at a block: its threads follow from its serial sizes; override %s serial",
		   name, name);
}

static const struct bw_placement *resize(const struct bw_session *session, const struct bw_placement *now,
					 enum bw_override override, const char *value, struct bw_error *error)
{
	int64_t sizes[BW_MAX_AXES], serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	const struct bw_func *func = &session->pipeline->funcs[now->func];
	if (!has_sizes(session, now, override, error) || !read_sizes(session, now, value, sizes, error))
		return NULL;
	bw_plan_sizes(session->pipeline, now, serial, threads);
	for (int d = 0; d < func->n_axes; d++) {
		if (sizes[d] < 0)
			continue;
		if (override == BW_OVERRIDE_BLOCK && sizes[d] % threads[d]) {
			bw_fail(error, BW_ERROR_CONFLICT,
				"%s: %" PRId64 " points in %s are no multiple of its %" PRId64 " threads",
				func->name, sizes[d], bw_func_axis(func, d), threads[d]);
			return NULL;
		}
		if (override == BW_OVERRIDE_THREAD)
			threads[d] = sizes[d];
		else
			serial[d] = override == BW_OVERRIDE_BLOCK ? sizes[d] / threads[d] : sizes[d];
	}
	return with_sizes(session, now, serial, threads);
}

static const struct bw_placement *unroll(const struct bw_session *session, const struct bw_placement *now,
					 const char *value, struct bw_error *error)
{
	bool on = !strcmp(value, "on");
	if (!on && strcmp(value, "off")) {
		bw_fail(error, BW_ERROR_USAGE, "unroll takes on or off, not \"%s\"", value);
		return NULL;
	}
	const struct bw_placement *placement = 
		now->tiled
			? bw_plan_variant(session->pipeline, now, on ? BW_PLAN_UNROLLED_VARIANT : BW_PLAN_SERIAL_VARIANT)
			: NULL;
	if (!placement)
		bw_fail(error, BW_ERROR_FAILED,
			"%s has no serial iterations in its threads: there is nothing to unroll",
			name_of(session, now));
	return placement;
}

static const struct bw_placement *keep_in(const struct bw_session *session, const struct bw_placement *now,
					  const char *value, struct bw_error *error)
{
	struct bw_placement draft = *now;
	BW_SCOPED_SUGGESTION known = {.unknown = value};
	int found = -1;
	for (int m = 0; m < BW_N_MEMORIES; m++) {
		bw_suggestion_add(&known, bw_memory_name((enum bw_memory)m));
		found = strcmp(value, bw_memory_name((enum bw_memory)m)) ? found : m;
	}
	bool inlined = now->compute.kind == BW_SITE_INLINE, good = found >= 0 && !inlined && now->tiled;
	if (found < 0)
		bw_fail(error, BW_ERROR_USAGE, "no memory \"%s\"; %s", value, bw_suggestion_say(&known, NULL));
	else if (!good)
		bw_fail(error, BW_ERROR_FAILED,
			inlined ? "%s is computed inline: it is not kept"
				: "%s's tiling is not decided here; step on",
			name_of(session, now));
	draft.memory = good ? (enum bw_memory)found : draft.memory;
	return good ? bw_placement_make(&draft) : NULL;
}

static const struct bw_placement *move(const struct bw_session *session, const struct bw_placement *now,
				       const char *value, struct bw_error *error)
{
	BW_SCOPED_TEXT words = {0};
	bw_name_print(name_of(session, now), &words);
	bw_text_printf(&words, " %s", value);
	const struct bw_placement *placement = bw_placement_parse(session->pipeline, bw_text_get(&words), error);
	if (!placement || bw_placement_searched(session->pipeline, "", placement, error))
		return placement;
	bw_placement_drop(placement);
	return NULL;
}

const struct bw_placement *bw_override_make(const struct bw_session *session, const struct bw_placement *now,
					    enum bw_override override, const char *value,
					    struct bw_error *error)
{
	switch (override) {
	case BW_OVERRIDE_SITE:
		return move(session, now, value, error);
	case BW_OVERRIDE_UNROLL:
		return unroll(session, now, value, error);
	case BW_OVERRIDE_MEMORY:
		return keep_in(session, now, value, error);
	default:
		return resize(session, now, override, value, error);
	}
}

static void say_sizes(const struct bw_session *session, const struct bw_placement *placement,
		      enum bw_override override, struct bw_text *out)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	struct bw_error error;
	if (!has_sizes(session, placement, override, &error))
		return;
	bw_plan_sizes(session->pipeline, placement, serial, threads);
	for (int d = 0; d < session->pipeline->funcs[placement->func].n_axes; d++)
		bw_text_printf(out, d ? "x%" PRId64 : "%" PRId64,
			       override == BW_OVERRIDE_SERIAL   ? serial[d]
			       : override == BW_OVERRIDE_THREAD ? threads[d]
								: serial[d] * threads[d]);
}

static void say_unrolled(const struct bw_placement *placement, struct bw_text *out)
{
	int pieces = 0, unrolled = 0;
	for (int s = 0; s < placement->n_stages; s++)
		for (int i = 0; i < placement->stages[s].n_loops; i++) {
			pieces += bw_plan_may_unroll(&placement->stages[s].loops[i]);
			unrolled += bw_plan_may_unroll(&placement->stages[s].loops[i]) &&
				    placement->stages[s].loops[i].kind == BW_LOOP_UNROLLED;
		}
	if (pieces && placement->tiled)
		bw_text_puts(out, unrolled == pieces ? "on" : unrolled ? "in part" : "off");
}

void bw_override_now(const struct bw_session *session, const struct bw_placement *placement,
		     enum bw_override override, struct bw_text *out)
{
	switch (override) {
	case BW_OVERRIDE_SITE:
		bw_site_print(session->pipeline, &placement->compute, out);
		break;
	case BW_OVERRIDE_UNROLL:
		say_unrolled(placement, out);
		break;
	case BW_OVERRIDE_MEMORY:
		bw_text_puts(out, placement->compute.kind == BW_SITE_INLINE ? "" : bw_memory_name(placement->memory));
		break;
	default:
		say_sizes(session, placement, override, out);
	}
}

/* A placement is one block of memory: the struct, then stages, loops, and the storage order. */
#include "nest/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"

BW_WORDS(bw_memory_name, enum bw_memory, BW_MEMORY_TABLE(BW_SECOND))

BW_WORDS(bw_tail_name, enum bw_tail, BW_TAIL_TABLE(BW_SECOND))

BW_WORDS(bw_loop_kind_name, enum bw_loop_kind, BW_LOOP_TABLE(BW_SECOND))

static struct bw_site site_of(const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return (struct bw_site){.kind = site->kind, .func = -1};
	struct bw_site copy = *site;
	if (copy.role != BW_ROLE_SERIAL)
		copy.serial = 0;
	return copy;
}

bool bw_site_equal(const struct bw_site *a, const struct bw_site *b)
{
	struct bw_site x = site_of(a), y = site_of(b);
	return x.kind == y.kind && x.func == y.func && x.stage == y.stage && x.role == y.role &&
	       x.serial == y.serial;
}

static uint64_t hash_site(uint64_t hash, const struct bw_site *site)
{
	const int fields[] = {site->kind, site->func, site->stage, site->role, site->serial};
	return bw_hash_bytes(hash, fields, sizeof fields);
}

static uint64_t hash_stage(uint64_t hash, const struct bw_stage_plan *stage)
{
	hash = bw_hash_mix(hash, (uint64_t)stage->n_loops | (uint64_t)stage->atomic << 32);
	for (int i = 0; i < stage->n_loops; i++) {
		const struct bw_loop *loop = &stage->loops[i];
		const int64_t fields[] = {loop->loop, loop->extent, loop->kind, loop->tail};
		hash = bw_hash_bytes(hash, fields, sizeof fields);
	}
	return hash;
}

static uint64_t hash_placement(const struct bw_placement *placement)
{
	const int fields[] = {placement->func,          placement->derivation, placement->derived_for,
			      0, 0, placement->memory, /* the zeros keep hashes as they were stored */
			      placement->tiled, placement->n_storage, placement->n_stages};
	uint64_t hash = bw_hash_bytes(0, fields, sizeof fields);
	hash = hash_site(hash_site(hash, &placement->compute), &placement->store);
	for (int i = 0; i < placement->n_storage; i++)
		hash = bw_hash_mix(hash, (uint64_t)placement->storage[i]);
	for (int d = 0; d < BW_MAX_DIMS; d++)
		hash = placement->align[d] ? bw_hash_mix(hash, (uint64_t)d << 8 | placement->align[d]) : hash;
	for (int i = 0; i < placement->n_stages; i++)
		hash = hash_stage(hash, &placement->stages[i]);
	return hash;
}

/* Returns true if the storage order is the order of the dimensions, which is the default. */
static bool storage_is_plain(const struct bw_placement *placement)
{
	for (int i = 0; i < placement->n_storage; i++)
		if (placement->storage[i] != i)
			return false;
	return true;
}

/* Returns the draft with a fixed value in each field that has no meaning for it. */
static struct bw_placement meaning_of(const struct bw_placement *draft)
{
	struct bw_placement plain = *draft;
	plain.references = 1;
	plain.compute = site_of(&draft->compute);
	plain.store = draft->store.kind == BW_SITE_INLINE ? plain.compute : site_of(&draft->store);
	if (plain.derivation != BW_DERIVED_WRAPPER && plain.derivation != BW_DERIVED_CLONE)
		plain.derived_for = -1;
	if (plain.compute.kind != BW_SITE_ROOT)
		plain.tiled = true;
	if (plain.compute.kind == BW_SITE_INLINE) {
		plain.store = plain.compute;
		plain.memory = BW_MEMORY_AUTO;
		plain.n_storage = plain.n_stages = 0;
		memset(plain.align, 0, sizeof plain.align);
	}
	for (int d = 0; d < BW_MAX_DIMS; d++)
		plain.align[d] = plain.align[d] > 1 ? plain.align[d] : 0;
	if (storage_is_plain(&plain))
		plain.n_storage = 0;
	return plain;
}

/* Returns the tail of a piece. It has a meaning only for the outermost piece of a loop that has an
 * extent; inner pieces always divide. */
static enum bw_tail meaning_of_tail(const struct bw_loop *loops, int at)
{
	if (!loops[at].extent || loops[at].tail == BW_TAIL_AUTO)
		return BW_TAIL_AUTO;
	for (int i = 0; i < at; i++)
		if (loops[i].loop == loops[at].loop && loops[i].extent)
			return BW_TAIL_AUTO;
	return loops[at].tail;
}

/* Sizes of the parts of a placement's block of memory, in elements. */
struct sizes {
	size_t stages, loops, storage;
};

static struct sizes measure(const struct bw_placement *placement)
{
	struct sizes sizes = {.stages = (size_t)placement->n_stages, .storage = (size_t)placement->n_storage};
	for (int i = 0; i < placement->n_stages; i++)
		sizes.loops += (size_t)placement->stages[i].n_loops;
	return sizes;
}

/* Returns the bytes of a placement's block of memory with parts of these sizes. */
static size_t bytes_of(const struct sizes *sizes)
{
	return sizeof(struct bw_placement) + sizes->stages * sizeof(struct bw_stage_plan) +
	       sizes->loops * sizeof(struct bw_loop) + sizes->storage * sizeof(int);
}

size_t bw_placement_bytes(const struct bw_placement *placement)
{
	struct sizes sizes = measure(placement);
	return bytes_of(&sizes);
}

static void copy_stages(const struct bw_placement *from, struct bw_stage_plan *stages, struct bw_loop *loops)
{
	for (int i = 0; i < from->n_stages; i++) {
		const struct bw_stage_plan *stage = &from->stages[i];
		for (int j = 0; j < stage->n_loops; j++) {
			loops[j] = stage->loops[j];
			loops[j].tail = meaning_of_tail(stage->loops, j);
		}
		stages[i] = (struct bw_stage_plan){stage->n_loops, loops, stage->atomic};
		loops += stage->n_loops;
	}
}

const struct bw_placement *bw_placement_make(const struct bw_placement *draft)
{
	struct bw_placement plain = meaning_of(draft);
	struct sizes sizes = measure(&plain);
	struct bw_placement *placement = bw_new_array(1, bytes_of(&sizes));
	struct bw_stage_plan *stages = (struct bw_stage_plan *)(placement + 1);
	struct bw_loop *loops = (struct bw_loop *)(stages + sizes.stages);
	int *storage = (int *)(loops + sizes.loops);
	copy_stages(&plain, stages, loops);
	for (size_t i = 0; i < sizes.storage; i++)
		storage[i] = plain.storage[i];
	*placement = plain;
	placement->stages = stages;
	placement->storage = storage;
	placement->hash = hash_placement(placement);
	return placement;
}

/* Several threads share placements, so the reference count is atomic. No other field ever changes. */
const struct bw_placement *bw_placement_keep(const struct bw_placement *placement)
{
	if (placement)
		__atomic_add_fetch(&((struct bw_placement *)placement)->references, 1, __ATOMIC_RELAXED);
	return placement;
}

void bw_placement_drop(const struct bw_placement *placement)
{
	if (placement &&
	    __atomic_sub_fetch(&((struct bw_placement *)placement)->references, 1, __ATOMIC_ACQ_REL) == 0)
		free((struct bw_placement *)placement);
}

bool bw_placement_aligns(const struct bw_placement *placement)
{
	bool aligns = false;
	for (int d = 0; d < BW_MAX_DIMS; d++)
		aligns |= placement->align[d] != 0;
	return aligns;
}

int bw_placement_order(const struct bw_placement *a, const struct bw_placement *b)
{
	return 4 * BW_COMPARE(a->func, b->func) + 2 * BW_COMPARE(a->derivation, b->derivation) +
	       BW_COMPARE(a->derived_for, b->derived_for);
}

static bool stages_equal(const struct bw_stage_plan *a, const struct bw_stage_plan *b)
{
	if (a->n_loops != b->n_loops || a->atomic != b->atomic)
		return false;
	for (int i = 0; i < a->n_loops; i++) {
		const struct bw_loop *x = &a->loops[i], *y = &b->loops[i];
		if (x->loop != y->loop || x->extent != y->extent || x->kind != y->kind || x->tail != y->tail)
			return false;
	}
	return true;
}

static bool parts_equal(const struct bw_placement *a, const struct bw_placement *b)
{
	for (int i = 0; i < a->n_storage; i++)
		if (a->storage[i] != b->storage[i])
			return false;
	for (int i = 0; i < a->n_stages; i++)
		if (!stages_equal(&a->stages[i], &b->stages[i]))
			return false;
	return true;
}

bool bw_placement_equal(const struct bw_placement *a, const struct bw_placement *b)
{
	if (a == b)
		return true;
	return a->hash == b->hash && bw_placement_order(a, b) == 0 &&
	       bw_site_equal(&a->compute, &b->compute) && bw_site_equal(&a->store, &b->store) &&
	       a->memory == b->memory && a->tiled == b->tiled && a->n_storage == b->n_storage &&
	       a->n_stages == b->n_stages && !memcmp(a->align, b->align, sizeof a->align) &&
	       parts_equal(a, b);
}

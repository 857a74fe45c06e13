/* Costs of states by hash, which itself says where a cost lies: there, or in one of the next few places. */
#include "pricing/known.h"

#include <stdlib.h>

#include "base/mem.h"

/* FREE stands for no state, so a state whose hash is FREE is left out. */
enum { FREE = 0, MOST_LOOKS = 16 };

struct known_cost {
	uint64_t hash;
	double cost;
};

struct bw_known {
	long n;            /* looked for in vain so far: at least as many as are here */
	uint64_t capacity; /* a power of two of places, less than half of them taken when there is room */
	struct known_cost *places;
};

static const uint64_t first_places = 1024, most_places = 1 << 18;

struct bw_known *bw_known_new(void)
{
	struct bw_known *known = BW_NEW(struct bw_known);
	known->capacity = first_places;
	known->places = BW_NEW_ARRAY(struct known_cost, known->capacity);
	return known;
}

void bw_known_free(struct bw_known *known)
{
	if (known)
		free(known->places);
	free(known);
}

static uint64_t place_of(const struct bw_known *known, uint64_t hash, int look)
{
	return ((hash ^ hash >> 32) + (uint64_t)look) & (known->capacity - 1);
}

void bw_known_add(struct bw_known *known, uint64_t hash, double cost)
{
	if (!known || known->n >= BW_MOST_KNOWN || hash == FREE)
		return;
	for (int look = 0; look < MOST_LOOKS; look++) {
		struct known_cost *place = &known->places[place_of(known, hash, look)];
		if (place->hash == hash)
			return;
		if (place->hash == FREE) {
			*place = (struct known_cost){hash, cost};
			return;
		}
	}
}

bool bw_known_get(const struct bw_known *known, uint64_t hash, double *cost)
{
	if (!known || hash == FREE)
		return false;
	for (int look = 0; look < MOST_LOOKS; look++) {
		const struct known_cost *place = &known->places[place_of(known, hash, look)];
		if (place->hash == hash)
			*cost = place->cost;
		if (place->hash == hash || place->hash == FREE)
			return place->hash == hash;
	}
	return false;
}

void bw_known_fetch(const struct bw_known *known, uint64_t hash)
{
	if (known)
		bw_fetch(&known->places[place_of(known, hash, 0)], sizeof(struct known_cost));
}

void bw_known_make_room(struct bw_known *known, long missed)
{
	uint64_t wanted = known ? known->capacity : 0;
	if (!known || (known->n += missed) >= BW_MOST_KNOWN)
		return;
	while (wanted < most_places && wanted < 2 * (uint64_t)(known->n + missed))
		wanted *= 2;
	if (wanted == known->capacity)
		return;
	struct bw_known grown = {known->n, wanted, BW_NEW_ARRAY(struct known_cost, wanted)};
	for (uint64_t i = 0; i < known->capacity; i++)
		bw_known_add(&grown, known->places[i].hash, known->places[i].cost);
	free(known->places);
	*known = grown;
}

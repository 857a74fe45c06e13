/* Costs of schedules by hash, which itself says where a cost lies. */
#include "search/known.h"

#include <stdlib.h>

#include "base/mem.h"

struct known_cost {
	uint64_t hash; /* 0: the place is free */
	double cost;
};

struct bw_known {
	int n, capacity; /* a power of two of places, at most three quarters of them taken */
	struct known_cost *places;
};

struct bw_known *bw_known_new(void)
{
	enum { FIRST_PLACES = 256 };
	struct bw_known *known = BW_NEW(struct bw_known);
	known->capacity = FIRST_PLACES;
	known->places = BW_NEW_ARRAY(struct known_cost, known->capacity);
	return known;
}

void bw_known_free(struct bw_known *known)
{
	if (known)
		free(known->places);
	free(known);
}

/* The place of a hash, taken or free. */
static struct known_cost *place_of(const struct bw_known *known, uint64_t hash)
{
	uint64_t mask = (uint64_t)known->capacity - 1, at = (hash ^ hash >> 32) & mask;
	while (known->places[at].hash && known->places[at].hash != hash)
		at = (at + 1) & mask;
	return &known->places[at];
}

static void grow(struct bw_known *known)
{
	struct bw_known grown = {.n = known->n, .capacity = 2 * known->capacity};
	grown.places = BW_NEW_ARRAY(struct known_cost, grown.capacity);
	for (int i = 0; i < known->capacity; i++)
		if (known->places[i].hash)
			*place_of(&grown, known->places[i].hash) = known->places[i];
	free(known->places);
	*known = grown;
}

/* The nest with nothing in it, whose hash is 0, is never costed: it is left out. */
void bw_known_add(struct bw_known *known, uint64_t hash, double cost)
{
	struct known_cost *place = place_of(known, hash);
	if (!hash || place->hash || known->n == BW_MOST_KNOWN)
		return;
	if (4 * (known->n + 1) > 3 * known->capacity) {
		grow(known);
		place = place_of(known, hash);
	}
	*place = (struct known_cost){hash, cost};
	known->n++;
}

const double *bw_known_get(const struct bw_known *known, uint64_t hash)
{
	const struct known_cost *place = known && hash ? place_of(known, hash) : NULL;
	return place && place->hash ? &place->cost : NULL;
}

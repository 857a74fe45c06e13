#include "figures/family.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

const char *bw_family_name(const struct bw_pipeline *pipeline, int func, struct bw_arena *arena)
{
	const char *name = pipeline->funcs[func].name;
	char *pattern = BW_ARENA_ARRAY(arena, char, strlen(name) + 1);
	size_t at = 0;
	for (; *name; name++) {
		bool digit = isdigit((unsigned char)*name), goes_on = digit && at > 0 && pattern[at - 1] == '*';
		if (!goes_on)
			pattern[at++] = digit ? '*' : *name;
	}
	pattern[at] = 0;
	return pattern;
}

struct bw_families bw_families_of(const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	int n = pipeline->n_funcs;
	struct bw_families families = {BW_ARENA_ARRAY(arena, int, n + 1), BW_ARENA_ARRAY(arena, int, n + 1)};
	const char **names = BW_ARENA_ARRAY(arena, const char *, n + 1);
	for (int f = 0; f < n; f++) {
		names[f] = bw_family_name(pipeline, f, arena);
		families.of[f] = f;
		families.size[f] = 0;
		for (int g = 0; g < f && !pipeline->funcs[f].input; g++)
			if (families.of[g] == g && !pipeline->funcs[g].input && !strcmp(names[f], names[g])) {
				families.of[f] = g;
				break;
			}
		families.size[families.of[f]]++;
	}
	for (int f = n - 1; f >= 0; f--) {
		int first = families.of[f];
		families.size[f] = families.size[first];
		if (families.size[first] >= BW_FAMILY_LEAST)
			continue;
		families.size[f] = 1;
		families.of[f] = f;
	}
	return families;
}

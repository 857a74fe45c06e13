/* The parts of an opcode's name such as `ld.global.nc.v2.f32`, and the types among them. */
#include <string.h>

#include "emulator/opcode.h"

int bw_opcode_split(const char *name, char *copy, size_t size, char *part[], int most)
{
	size_t length = strlen(name);
	int n = 0;
	if (length >= size)
		return 0;
	memcpy(copy, name, length + 1);
	for (char *at = copy; at; n++) {
		if (n == most)
			return 0;
		part[n] = at;
		at = strchr(at, '.');
		if (at)
			*at++ = 0;
	}
	return n;
}

const struct bw_type *bw_type_find(const char *name)
{
	static const struct bw_type types[] = {
	    {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8},
	    {"s8", 's', 1},  {"s16", 's', 2}, {"s32", 's', 4}, {"s64", 's', 8},
	    {"b8", 'b', 1},  {"b16", 'b', 2}, {"b32", 'b', 4}, {"b64", 'b', 8},
	    {"f16", 'f', 2}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"pred", 'p', 0}};
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (!strcmp(types[k].name, name))
			return &types[k];
	return NULL;
}

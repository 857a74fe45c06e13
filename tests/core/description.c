#include "description.h"
#include "test.h"

#include <string.h>

#include "base/mem.h"
#include "schedule/schedule.h"

const struct bw_device round_device = {
	.name = "round", .target = "cuda", .api = BW_API_CUDA, .sms = 10, .warp_size = 32, .threads_per_block = 1024, .threads_per_sm = 2048,
	.blocks_per_sm = 16, .warps_per_sm = 64, .block_x = 1024, .block_y = 1024, .block_z = 64, .grid_x = 2147483647, .grid_y = 65535, .grid_z = 65535,
	.registers_per_sm = 65536, .registers_per_block = 65536, .registers_per_thread = 255, .register_limit = 64, .register_unit = 256, .warp_unit = 4,
	.shared_per_sm = 65536, .shared_per_block = 49152, .shared_reserved = 0, .shared_unit = 128, .shared_banks = 32, .sector = 32,
	.global_bandwidth = 1e12, .l2_bandwidth = 4e12, .l2_bytes = 1 << 20, .shared_bandwidth = 1e13, .register_bandwidth = 1e14,
	.float_rate = 1e13, .int_rate = 1e13, .double_rate = 5e12, .special_rate = 2e12, .launch_seconds = 5e-6, .barrier_seconds = 1e-8, .gap_seconds = 7e-7,
	.block_seconds = 1e-9, .l1_clocks = 40, .l2_clocks = 260, .memory_clocks = 480, .atomic_clocks = 1, .clock = 1e9,
};

struct bw_pipeline *description_read(const char *text)
{
	char *json = bw_strdup(text);
	for (char *at = json; *at; at++)
		if (*at == '\'')
			*at = '"';
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_parse("test", json, strlen(json), &error);
	free(json);
	if (!pipeline)
		fail_msg("%s", error.text);
	return pipeline;
}

int description_func(const struct bw_pipeline *pipeline, const char *name)
{
	int func = bw_pipeline_find(pipeline, name);
	if (func < 0)
		fail_msg("no Func %s", name);
	return func;
}

struct bw_nest *nest_of(const struct bw_pipeline *pipeline, const char *const *entries, struct bw_error *error)
{
	struct bw_error own = {0};
	const struct bw_placement **placements = BW_NEW_ARRAY(const struct bw_placement *, pipeline->n_funcs);
	for (int i = 0; entries[i]; i++) {
		const struct bw_placement *placement = bw_placement_parse(pipeline, entries[i], &own);
		if (!placement)
			fail_msg("%s: %s", entries[i], own.text);
		placements[placement->func] = placement;
	}
	struct bw_nest *nest = bw_nest_build(pipeline, placements, pipeline->n_funcs, error ? error : &own);
	for (int f = 0; f < pipeline->n_funcs; f++)
		bw_placement_drop(placements[f]);
	free(placements);
	if (!nest && !error)
		fail_msg("%s: %s", entries[0], own.text);
	return nest;
}

bw_level level_of(const struct bw_pipeline *pipeline, const char *words)
{
	if (!strcmp(words, "root"))
		return BW_LEVEL_ROOT;
	char copy[128];
	int stage = 0, serial = 0;
	snprintf(copy, sizeof copy, "%s", words);
	char *role = strrchr(copy, '.');
	assert_non_null(role);
	*role++ = 0;
	char *update = strstr(copy, ".update");
	if (update) {
		stage = atoi(update + 7) + 1;
		*update = 0;
	}
	enum bw_role kind = !strcmp(role, "block") ? BW_ROLE_BLOCK : !strcmp(role, "thread") ? BW_ROLE_THREAD : BW_ROLE_SERIAL;
	if (kind == BW_ROLE_SERIAL)
		serial = atoi(role + 6);
	return bw_level_make(description_func(pipeline, copy), stage, kind, serial);
}

const char *box_words(const struct bw_interval *box, int n, char *words)
{
	size_t used = 0;
	words[0] = 0;
	for (int d = 0; d < n; d++)
		used += (size_t)snprintf(words + used, 256 - used, "%s%lld..%lld", d ? " " : "", (long long)box[d].min, (long long)box[d].max);
	return words;
}

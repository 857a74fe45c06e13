#include "figures/kernels.h"

#include <ctype.h>
#include <string.h>

#include "base/arith.h"
#include "base/say.h"

/* Returns the length of a Func's name at the beginning of an entry's name, or 0 if the entry begins
 * differently. In an entry's name, a dot is one underscore. A dollar is two underscores, or one if Halide
 * added the dollar to make the kernel's name unique. Any other character that C forbids is three
 * underscores. */
static size_t begins(const char *entry, const char *name)
{
	const char *at = entry;
	for (; *name; name++) {
		bool plain = isalnum((unsigned char)*name) || *name == '_';
		size_t most = plain || *name == '.' ? 1 : *name == '$' ? 2 : 3, least = *name == '$' ? 1 : most, n = 0;
		while (n < most && at[n] == (plain ? *name : '_'))
			n++;
		if (n < least)
			return 0;
		at += n;
	}
	return (size_t)(at - entry);
}

/* Returns the length of the Func's name in an entry's name `_kernel_FUNC_sSTAGE_`, or 0 if the entry is
 * not of this stage. Halide makes a Func's name unique with a dollar and a number. */
static size_t is_of(const char *entry, const char *func, int stage)
{
	static const char kernel[] = "_kernel_";
	char suffix[32];
	if (strncmp(entry, kernel, sizeof kernel - 1) != 0)
		return 0;
	const char *name = entry + sizeof kernel - 1;
	size_t length = begins(name, func);
	const char *rest = name + length;
	if (rest[0] == '_' && rest[1] == '_' && isdigit((unsigned char)rest[2]))
		rest += 2 + strspn(rest + 2, "0123456789");
	snprintf(suffix, sizeof suffix, "_s%d_", stage);
	return strncmp(rest, suffix, strlen(suffix)) ? 0 : length;
}

/* Finds each kernel's entry, or -1. An entry whose name fits two Funcs belongs to the one with the
 * longer name. */
static void match(const struct bw_nest *nest, const struct bw_kernel *kernels, int n,
		  const struct bw_kernel_uses *uses, int *entries)
{
	for (int k = 0; k < n; k++)
		entries[k] = -1;
	for (int e = 0; e < uses->n; e++) {
		size_t longest = 0;
		int best = -1;
		for (int k = 0; k < n; k++) {
			size_t length = is_of(uses->list[e].name, nest->pipeline->funcs[kernels[k].func].name, kernels[k].stage);
			if (entries[k] < 0 && length > longest) {
				longest = length;
				best = k;
			}
		}
		if (best >= 0)
			entries[best] = e;
	}
}

struct bw_kernel_facts *bw_kernel_facts(const struct bw_nest *nest, const struct bw_device *device,
					const struct bw_kernel_uses *uses, const struct bw_cost *cost,
					struct bw_arena *arena, int *n)
{
	static const struct bw_kernel_uses nothing;
	struct bw_kernel *kernels = bw_nest_kernels(nest, arena, n);
	struct bw_kernel_facts *list = BW_ARENA_ARRAY(arena, struct bw_kernel_facts, *n + 1);
	int *entries = BW_ARENA_ARRAY(arena, int, *n + 1);
	match(nest, kernels, *n, uses ? uses : &nothing, entries);
	for (int k = 0; k < *n; k++) {
		const struct bw_kernel_use *use = entries[k] >= 0 ? &uses->list[entries[k]] : NULL;
		int stage = nest->pipeline->funcs[kernels[k].func].first_stage + kernels[k].stage;
		struct bw_block_needs needs = {kernels[k].n_threads, cost ? cost->stages[stage].registers : 0,
					       kernels[k].shared_bytes};
		list[k] = (struct bw_kernel_facts){.kernel = kernels[k],
						   .use = use,
						   .shared_bytes = needs.shared_bytes,
						   .registers = (int)needs.registers,
						   .predicted = bw_occupancy(device, &needs)};
		list[k].occupancy = list[k].predicted;
		if (!use)
			continue;
		needs.shared_bytes = list[k].shared_bytes += bw_max(use->shared_bytes, 0);
		needs.registers = list[k].registers = use->registers < 0 ? list[k].registers : use->registers;
		list[k].occupancy = bw_occupancy(device, &needs);
	}
	return list;
}

void bw_kernel_name(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel, struct bw_text *out)
{
	bw_text_puts(out, pipeline->funcs[kernel->func].name);
	if (kernel->stage)
		bw_text_printf(out, ".update%d", kernel->stage - 1);
}

bool bw_kernel_fits(const struct bw_pipeline *pipeline, const struct bw_kernel_facts *facts,
		    const struct bw_device *device, struct bw_text *why)
{
	const struct bw_kernel *kernel = &facts->kernel;
	const struct {
		double asked, most;
		const char *what;
	} limits[] = {
		{(double)kernel->n_threads, device->threads_per_block, "threads a block"},
		{(double)kernel->threads[0], device->block_x, "threads a block in x"},
		{(double)kernel->threads[1], device->block_y, "threads a block in y"},
		{(double)kernel->threads[2], device->block_z, "threads a block in z"},
		{(double)kernel->blocks[0], device->grid_x, "blocks in x"},
		{(double)kernel->blocks[1], device->grid_y, "blocks in y"},
		{(double)kernel->blocks[2], device->grid_z, "blocks in z"},
		{(double)facts->shared_bytes, device->shared_per_block, "bytes of shared memory a block"},
		{facts->use ? facts->use->registers : 0, device->registers_per_thread, "registers a thread"},
	};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].asked > limits[i].most) {
			bw_kernel_name(pipeline, kernel, why);
			bw_text_printf(why, " needs %.0f %s, %s has at most %.0f", limits[i].asked,
				       limits[i].what, device->name, limits[i].most);
			return false;
		}
	if (!facts->use || facts->occupancy.blocks_per_sm || device->cpu)
		return true;
	bw_kernel_name(pipeline, kernel, why);
	bw_text_printf(why, " needs %d registers for each of %lld threads a block, more than %s has",
		       facts->use->registers, (long long)kernel->n_threads, device->name);
	return false;
}

bool bw_kernel_spills(const struct bw_kernel_use *use)
{
	return use->spill_stores > 0 || use->spill_loads > 0;
}

void bw_kernel_uses_words(const struct bw_kernel_uses *uses, struct bw_text *out)
{
	int most = 0, spilling = 0, local = 0;
	bool known = true;
	for (int k = 0; k < uses->n; k++) {
		const struct bw_kernel_use *use = &uses->list[k];
		most = use->registers > most ? use->registers : most;
		local = use->local_bytes > local ? use->local_bytes : local;
		spilling += bw_kernel_spills(use);
		known &= use->spill_stores >= 0;
	}
	bw_text_printf(out, "%d kernel%s, %s%d registers a thread (limit %d)", uses->n,
		       uses->n == 1 ? "" : "s", uses->n == 1 ? "" : "at most ", most, uses->register_limit);
	if (spilling)
		bw_text_printf(out, ", SPILLS in %s", bw_say_number(spilling, "kernel").text);
	else if (known)
		bw_text_puts(out, ", no spills");
	else
		bw_text_printf(out, ", %s%d bytes of local memory", uses->n == 1 ? "" : "at most ", local);
}

void bw_kernel_times_words(const struct bw_kernel_uses *uses, const char *indent, struct bw_text *out)
{
	for (int k = 0; k < uses->n; k++) {
		const struct bw_kernel_use *use = &uses->list[k];
		if (use->ms < 0)
			continue;
		bw_text_printf(out, "%s%.4f ms  %s", indent, use->ms, use->name);
		if (use->launches > 1)
			bw_text_printf(out, "  (%d launches)", use->launches);
		bw_text_puts(out, "\n");
	}
}

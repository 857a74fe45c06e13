#include "emulator/launch.h"

#include <stdlib.h>

#include "emulator/warp.h"

/* Initial capacity of a warp's stack of nested branches. */
enum { FIRST_PATHS = 16 };

static int warps_of(const struct bw_ptx_launch *launch)
{
	return (int)((launch->threads[0] * launch->threads[1] * launch->threads[2] + BW_LANES - 1) / BW_LANES);
}

static void fill(struct bw_warp *warp, enum bw_special special, uint32_t value)
{
	uint32_t at = warp->block->kernel->special[special], *lanes = (uint32_t *)(warp->base[0] + at);
	for (int l = 0; at && l < BW_LANES; l++)
		lanes[l] = value;
}

/* Sets the special registers that are equal for all blocks. */
static void set_threads(const struct bw_ptx_launch *launch, struct bw_warp *warp)
{
	const uint32_t *special = launch->kernel->special;
	for (int l = 0; l < BW_LANES; l++) {
		unsigned thread = (unsigned)warp->index * BW_LANES + (unsigned)l, x = launch->threads[0],
			 y = launch->threads[1];
		uint32_t below = (1u << l) - 1;
		const struct {
			enum bw_special special;
			uint32_t value;
		} values[] = {{BW_SPECIAL_TID_X, thread % x},
			      {BW_SPECIAL_TID_Y, thread / x % y},
			      {BW_SPECIAL_TID_Z, thread / x / y},
			      {BW_SPECIAL_LANEID, (uint32_t)l},
			      {BW_SPECIAL_LANEMASK_EQ, 1u << l},
			      {BW_SPECIAL_LANEMASK_LT, below},
			      {BW_SPECIAL_LANEMASK_LE, below | 1u << l},
			      {BW_SPECIAL_LANEMASK_GT, ~(below | 1u << l)},
			      {BW_SPECIAL_LANEMASK_GE, ~below}};
		for (size_t k = 0; k < sizeof values / sizeof *values; k++)
			if (special[values[k].special])
				((uint32_t *)(warp->base[0] + special[values[k].special]))[l] = values[k].value;
	}
	for (int d = 0; d < 3; d++) {
		fill(warp, BW_SPECIAL_NTID_X + d, launch->threads[d]);
		fill(warp, BW_SPECIAL_NCTAID_X + d, launch->grid[d]);
	}
	fill(warp, BW_SPECIAL_WARPID, (uint32_t)warp->index);
	fill(warp, BW_SPECIAL_NWARPID, (uint32_t)warps_of(launch));
	fill(warp, BW_SPECIAL_NSMID, 1);
	fill(warp, BW_SPECIAL_DYNAMIC_SHARED, launch->dynamic_shared);
	fill(warp, BW_SPECIAL_TOTAL_SHARED, launch->kernel->shared_bytes + launch->dynamic_shared);
}

static void *aligned(size_t bytes)
{
	void *memory = NULL;
	if (posix_memalign(&memory, 64, bytes ? bytes : 1))
		return NULL;
	return memset(memory, 0, bytes ? bytes : 1);
}

static void end_block(struct bw_block *block)
{
	for (int w = 0; block->warps && w < block->n_warps; w++) {
		free(block->warps[w].base[0]);
		free(block->warps[w].local);
		free(block->warps[w].doubts);
		free(block->warps[w].pace.ready);
		free(block->warps[w].local_known);
		free(block->warps[w].paths);
		free(block->warps[w].copies);
	}
	free(block->warps);
	free(block->shared);
	free(block->shared_cells);
	free(block->shared_known);
	free(block->seen);
	free(block->counts);
	bw_l1_free(&block->l1);
}

/* Allocates the memory of one block. A thread of the host reuses it for all blocks that the thread runs. */
static bool make_block(const struct bw_ptx_launch *launch, struct bw_block *block)
{
	const struct bw_ptx_kernel *kernel = launch->kernel;
	*block = (struct bw_block){.launch = launch,
				   .kernel = kernel,
				   .n_warps = warps_of(launch),
				   .shared_bytes = kernel->shared_bytes + launch->dynamic_shared};
	block->warps = calloc((size_t)block->n_warps, sizeof *block->warps);
	block->shared = aligned(block->shared_bytes);
	block->seen = calloc((size_t)kernel->n_code, sizeof *block->seen);
	block->counts = launch->counts ? calloc((size_t)kernel->n_parts, sizeof *block->counts) : NULL;
	block->shared_cells = launch->checks ? calloc(block->shared_bytes + 1u, sizeof *block->shared_cells) : NULL;
	block->shared_known = launch->follows ? malloc(block->shared_bytes + 1u) : NULL;
	bool good = block->warps && block->shared && block->seen &&
		    (block->shared_cells || !launch->checks) && (block->shared_known || !launch->follows) &&
		    (!launch->counts || (block->counts && bw_l1_make(&block->l1, bw_l1_bytes(launch))));
	for (int w = 0; good && w < block->n_warps; w++) {
		struct bw_warp *warp = &block->warps[w];
		*warp = (struct bw_warp){.base = {aligned(kernel->register_bytes), kernel->constants},
					 .block = block,
					 .index = w,
					 .most_paths = FIRST_PATHS};
		warp->local = aligned((size_t)kernel->local_stride * BW_LANES);
		warp->paths = calloc(FIRST_PATHS, sizeof *warp->paths);
		warp->pace.ready = launch->counts ? aligned(2 * (size_t)kernel->register_bytes) : NULL;
		bool doubts = launch->checks || launch->follows;
		warp->doubts = doubts ? aligned(kernel->register_bytes) : NULL;
		warp->local_known = launch->follows ? malloc((size_t)kernel->local_stride * BW_LANES + 1) : NULL;
		good = warp->base[0] && warp->local && warp->paths &&
		       (warp->pace.ready || !launch->counts) && (warp->doubts || !doubts) &&
		       (warp->local_known || !launch->follows);
		if (good)
			set_threads(launch, warp);
	}
	return good;
}

/* Resets the block to its start. Fills its memory with bytes that are unlikely to be correct values. */
static void begin_block(struct bw_block *block, uint64_t number)
{
	const struct bw_ptx_launch *launch = block->launch;
	unsigned threads = launch->threads[0] * launch->threads[1] * launch->threads[2];
	block->index[0] = (unsigned)(number % launch->grid[0]);
	block->index[1] = (unsigned)(number / launch->grid[0] % launch->grid[1]);
	block->index[2] = (unsigned)(number / launch->grid[0] / launch->grid[1]);
	memset(block->shared, 0xa5, block->shared_bytes);
	memset(block->barriers, 0, sizeof block->barriers);
	if (launch->counts)
		bw_l1_clear(&block->l1);
	if (launch->checks) {
		bw_check_block(launch->checks);
		memset(block->shared_cells, 0, block->shared_bytes * sizeof *block->shared_cells);
	}
	if (launch->follows)
		memset(block->shared_known, BW_BYTE_KNOWN, block->shared_bytes);
	for (int w = 0; w < block->n_warps; w++) {
		struct bw_warp *warp = &block->warps[w];
		unsigned left = threads - (unsigned)w * BW_LANES;
		warp->live = left >= BW_LANES ? BW_ALL_LANES : (1u << left) - 1;
		warp->state = BW_WARP_READY;
		warp->n_paths = 1;
		warp->n_copies = 0;
		memset(warp->n_groups, 0, sizeof warp->n_groups);
		warp->paths[0] = (struct bw_path){.at = 0, .join = -1, .lanes = warp->live};
		warp->steps = launch->most_steps;
		bw_latency_begin(warp);
		if (warp->doubtful)
			memset(warp->doubts, 0, launch->kernel->register_bytes);
		warp->doubtful = false;
		if (warp->local_known)
			memset(warp->local_known, BW_BYTE_KNOWN, (size_t)launch->kernel->local_stride * BW_LANES);
		for (int d = 0; d < 3; d++)
			fill(warp, BW_SPECIAL_CTAID_X + d, block->index[d]);
	}
}

static void fail_early(struct bw_ptx_launch *launch, const char *text)
{
	pthread_mutex_lock(&launch->lock);
	launch->stopped = true;
	if (!launch->fault.code) {
		launch->fault.code = BW_CODE_OUT_OF_MEMORY;
		strcpy(launch->fault.text, text);
	}
	pthread_mutex_unlock(&launch->lock);
}

/* Adds a block's counters to its kind in the sample, and resets them. */
static void count_kind(struct bw_ptx_launch *launch, struct bw_block *block, uint64_t number)
{
	pthread_mutex_lock(&launch->lock);
	bw_counts_add(launch->sample->kinds[bw_sample_kind(launch->grid, number)].counts, block->counts,
		      launch->kernel->n_parts);
	pthread_mutex_unlock(&launch->lock);
	memset(block->counts, 0, (size_t)launch->kernel->n_parts * sizeof *block->counts);
}

/* Runs blocks until none is left. Blocks before a failed one still run, so that the failure reported is
 * that of the first failing block. */
static void *run_blocks(void *context)
{
	struct bw_ptx_launch *launch = context;
	struct bw_block block;
	uint64_t number;
	if (!make_block(launch, &block))
		fail_early(launch, "no memory is left to run the kernel");
	else
		while (!launch->stopped && (number = launch->next++) < launch->n) {
			number = launch->numbers ? launch->numbers[number] : number;
			begin_block(&block, number);
			bw_block_run(&block);
			if (block.counts && launch->sample)
				count_kind(launch, &block, number);
		}
	launch->instructions += block.instructions;
	if (block.counts) {
		pthread_mutex_lock(&launch->lock);
		bw_counts_add(launch->counts, block.counts, launch->kernel->n_parts);
		pthread_mutex_unlock(&launch->lock);
	}
	end_block(&block);
	return NULL;
}

/* Runs the blocks that launch->numbers lists on threads of the host. Returns 0 or an error code. */
static int run(struct bw_ptx_launch *launch)
{
	enum { MOST_THREADS = 256 };
	pthread_t threads[MOST_THREADS];
	int wanted = launch->checks || launch->host_threads < 1 ? 1
		     : launch->host_threads > MOST_THREADS      ? MOST_THREADS
								: launch->host_threads,
	    started = 0;
	launch->next = 0;
	while (started + 1 < wanted && (uint64_t)started + 1 < launch->n &&
	       pthread_create(&threads[started], NULL, run_blocks, launch) == 0)
		started++;
	run_blocks(launch);
	for (int t = 0; t < started; t++)
		pthread_join(threads[t], NULL);
	return launch->fault.code;
}

/* Returns true if the kernel has atomics on global memory. Blocks may then update the same bytes, and no
 * such byte is known until all blocks have run. */
static bool has_atomics(const struct bw_ptx_kernel *kernel)
{
	for (int k = 0; k < kernel->n_code; k++) {
		const char *name = kernel->code[k].opcode >= 0 ? kernel->module->opcodes[kernel->code[k].opcode] : "";
		if (!strncmp(name, "atom.global", 11) || !strncmp(name, "red.global", 10) ||
		    (!strncmp(name, "atom.", 5) && !strstr(name, ".shared")))
			return true;
	}
	return false;
}

/* Runs the sample, and then the other blocks unless the sample shows that they would take too long. */
static void run_sample(struct bw_ptx_launch *launch, struct bw_block_sample *sample)
{
	struct bw_memory *memory = launch->memory;
	int parts = launch->kernel->n_parts;
	uint64_t all = launch->n;
	launch->numbers = sample->numbers;
	launch->n = sample->n;
	launch->sample = sample;
	launch->follows = true;
	int code = run(launch);
	bool partial = launch->least ||
		       (double)launch->instructions * ((double)all / (double)sample->n) > (double)launch->whole;
	if (!partial && !code) {
		launch->numbers = sample->others;
		launch->n = sample->n_others;
		launch->sample = NULL;
		launch->follows = memory->has_unknown;
		run(launch);
		for (int k = 0; k < BW_SAMPLE_KINDS && launch->counts; k++)
			if (sample->kinds[k].counts)
				bw_counts_add(launch->counts, sample->kinds[k].counts, parts);
	} else if (launch->counts) {
		bw_sample_scale(sample, launch->counts, parts);
	}
	launch->sampled = partial ? sample->n : 0;
	bw_follow_end(memory, partial);
}

int bw_launch_run(struct bw_ptx_launch *launch)
{
	/* Launches of at most this many blocks always run whole. */
	enum { FEW_BLOCKS = 64 };
	struct bw_block_sample sample = {0};
	struct bw_memory *memory = launch->memory;
	int parts = launch->counts ? launch->kernel->n_parts : 0;
	launch->n = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	pthread_mutex_init(&launch->lock, NULL);
	if (launch->checks && !bw_check_launch(launch->checks, launch->kernel, launch->n))
		fail_early(launch, "no memory is left to run the kernel");
	bool may = launch->least || (launch->whole && launch->n > FEW_BLOCKS && !has_atomics(launch->kernel));
	bool samples = may && !launch->checks && bw_sample_make(&sample, launch->grid, launch->least, parts) &&
		       sample.n * 2 < launch->n && bw_follow_begin(memory);
	if (samples) {
		run_sample(launch, &sample);
	} else {
		launch->follows = !launch->checks && memory->has_unknown;
		if (launch->follows && !bw_follow_begin(memory))
			fail_early(launch, "no memory is left to run the kernel");
		run(launch);
		if (launch->follows)
			bw_follow_end(memory, false);
	}
	bw_sample_free(&sample);
	pthread_mutex_destroy(&launch->lock);
	return launch->fault.code;
}

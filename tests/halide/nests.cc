// Loop nests of random small pipelines (random_pipeline.h) under schedules that the search draws at random:
// - the required box of each Func at each level of its site, and at each other site that it could have, is what Halide's boxes_required
//   says of the consumers' loops there; the loops of each stage at each of its levels are what its splits mean (levels.cc);
// - in a run of the same nest no allocation exceeds what the core predicts, the interior iteration stores what it says is computed, and
//   realizations and points are as many as it says (traces.cc).
#include "nests.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using namespace bw_test;

constexpr unsigned n_seeds = 68, draws_a_seed = 1, tries = 8;

// What there is of a nest, to be printed and held against a least number.
void count(const bw_nest *nest, Coverage *coverage)
{
	coverage->schedules++;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const bw_placed *placed = nest->placed[f];
		if (!placed)
			continue;
		const bw_site &site = placed->placement->compute;
		coverage->inlined += site.kind == BW_SITE_INLINE;
		coverage->root += site.kind == BW_SITE_ROOT;
		coverage->block += site.kind == BW_SITE_AT && site.role == BW_ROLE_BLOCK;
		coverage->thread += site.kind == BW_SITE_AT && site.role == BW_ROLE_THREAD;
		coverage->serial += site.kind == BW_SITE_AT && site.role == BW_ROLE_SERIAL;
		for (int s = 0; s < placed->placement->n_stages; s++) {
			bool has[BW_N_TAILS] = {};
			for (int i = 0; i < placed->stages[s].n_loops; i++)
				has[placed->stages[s].tails[i]] = true;
			coverage->round_up += has[BW_TAIL_ROUND_UP];
			coverage->shift_inwards += has[BW_TAIL_SHIFT_INWARDS];
			coverage->guard_with_if += has[BW_TAIL_GUARD_WITH_IF];
		}
	}
}

void print_schedule(const bw_pipeline *pipeline, const bw_schedule *schedule)
{
	bw_text text = {};
	bw_schedule_print(pipeline, schedule, &text);
	std::istringstream lines(bw_text_get(&text));
	for (std::string line; std::getline(lines, line);)
		printf("# %s\n", line.c_str());
	bw_text_free(&text);
}

// A schedule drawn at random with its nest.
struct Drawn {
	bw_batch batch;
	bw_nest *nest = nullptr;

	Drawn(const bw_pipeline *pipeline, const bw_device *device, uint64_t seed)
	{
		bw_settings options = bw_settings_default(device);
		bw_error error;
		options.random = options.beam = 1;
		options.seed = seed;
		options.unrolled_limit = 64; // serial loops, and more in a thread than is unrolled
		if (!bw_batch_run(pipeline, &options, nullptr, &batch, &error))
			throw bw::Failure(error);
		nest = bw_nest_build(pipeline, batch.schedule->placements, pipeline->n_funcs, &error);
		if (!nest) {
			bw_batch_free(&batch);
			throw bw::Failure(error);
		}
	}
	~Drawn()
	{
		bw_nest_drop(nest);
		bw_batch_free(&batch);
	}
	Drawn(const Drawn &) = delete;
	Drawn &operator=(const Drawn &) = delete;

	// Funcs computed inside of others' loops; those inside of threads, which are seldom, half as much again.
	int fused() const
	{
		int n = 0;
		for (int f = 0; f < nest->pipeline->n_funcs; f++) {
			const bw_site *site = nest->placed[f] ? &nest->placed[f]->placement->compute : nullptr;
			if (site && site->kind == BW_SITE_AT)
				n += site->role == BW_ROLE_BLOCK ? 2 : 3;
		}
		return n;
	}
};

// Of some schedules that are drawn the one that fuses the most.
std::unique_ptr<Drawn> draw(const bw_pipeline *pipeline, const bw_device *device, uint64_t seed)
{
	std::unique_ptr<Drawn> best;
	for (unsigned i = 0; i < tries; i++) {
		std::unique_ptr<Drawn> one(new Drawn(pipeline, device, seed * tries + i));
		if (!best || one->fused() > best->fused())
			best = std::move(one);
	}
	return best;
}

std::string compare(const bw_device *device, unsigned seed, unsigned number, Coverage *coverage)
{
	Described described(seed);
	std::unique_ptr<Drawn> drawn = draw(described.core, device, seed * draws_a_seed + number);
	count(drawn->nest, coverage);
	std::string problem = compare_levels(described, drawn->nest, coverage);
	if (problem.empty())
		problem = compare_trace(described, drawn->nest, drawn->batch.directives, coverage);
	if (!problem.empty())
		print_schedule(described.core, drawn->batch.schedule);
	return problem;
}

// At least what was seen when this was written, roughly.
bool enough(const Coverage &c)
{
	printf("# %d schedules; Funcs: %d inlined, %d at root, %d at a block, %d at a thread, %d at a serial loop; stages with a tail: %d round up, %d shift inwards, %d guard\n",
			c.schedules, c.inlined, c.root, c.block, c.thread, c.serial, c.round_up, c.shift_inwards, c.guard_with_if);
	printf("# required boxes: %d at root, %d at blocks, %d at threads, %d at serial loops, %d at other sites; loops: %d at blocks, %d at threads, %d at serial loops\n",
			c.required[0], c.required[1], c.required[2], c.required[3], c.sites, c.loops[1], c.loops[2], c.loops[3]);
	printf("# %ld realizations with %ld stores; allocations of %d Funcs, reached by %d; computed boxes of %d; totals of %d\n", c.realizations, c.stores, c.allocations, c.allocations_reached, c.computed, c.totals);
	return c.inlined > 120 && c.root > 150 && c.block > 18 && c.thread > 6 && c.serial > 10 && c.round_up > 10 && c.shift_inwards > 130 && c.guard_with_if > 75 &&
			c.required[0] > 300 && c.required[1] > 200 && c.required[2] > 200 && c.required[3] > 220 && c.sites > 450 && c.loops[1] > 160 && c.loops[2] > 190 && c.loops[3] > 300 &&
			c.realizations > 50000 && c.stores > 2500000 && c.allocations > 190 && c.allocations_reached > 180 && c.computed > 190 && c.totals > 180;
}

}

int main()
{
	const char *source = getenv("BW_SRC");
	const std::string path = std::string(source ? source : ".") + "/data/devices.json";
	int n_devices, failures = 0;
	bw_error error;
	bw_device *devices = bw_devices_read(path.c_str(), &n_devices, &error);
	if (!devices) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	Coverage coverage;
	for (unsigned seed = 0; seed < n_seeds; seed++) {
		std::string problem;
		for (unsigned draw = 0; draw < draws_a_seed && problem.empty(); draw++) {
			try {
				problem = compare(&devices[0], seed, draw, &coverage);
			} catch (const std::exception &exception) {
				problem = exception.what();
			}
			if (!problem.empty())
				problem = "draw " + std::to_string(draw) + ": " + problem;
		}
		printf("%sok %u - seed %u%s%s\n", problem.empty() ? "" : "not ", seed + 1, seed, problem.empty() ? "" : "\n# ", problem.c_str());
		failures += !problem.empty();
	}
	bool covered = enough(coverage);
	printf("%sok %u - enough was compared\n1..%u\n", covered ? "" : "not ", n_seeds + 1, n_seeds + 1);
	free(devices);
	return failures || !covered;
}

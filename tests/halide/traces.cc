// A run of a nest on the CPU, its loops of blocks and threads made serial: what is realized and stored at each site. The order and the
// number of iterations, and so all boxes, are those of the GPU; where the memory lies is not.
#include "halide/apply.h"
#include "nests.h"

namespace bw_test {

namespace {

// One realization: what was allocated, and the box of what was stored with the number of stores.
struct Realization {
	Region allocated, stored;
	long stores = 0;
};

// By Func. A trace is called without any context of ours, so that it is gathered here.
std::map<std::string, std::vector<Realization>> run;

// The Func that the last event was of, by the address of its name, which is the same wherever that Func is traced from.
const char *last_name;
std::vector<Realization> *last;

std::vector<Realization> &realizations_of(const char *name)
{
	if (name != last_name) {
		last_name = name;
		last = &run[name];
	}
	return *last;
}

int gather(Halide::JITUserContext *, const halide_trace_event_t *event)
{
	const int32_t *at = event->coordinates;
	if (event->event == halide_trace_begin_realization) {
		Realization one;
		for (int d = 0; d + 1 < event->dimensions; d += 2)
			one.allocated.emplace_back(at[d], at[d] + at[d + 1] - 1);
		realizations_of(event->func).push_back(one);
	} else if (event->event == halide_trace_store) {
		Realization &one = realizations_of(event->func).back();
		if (!one.stores++)
			for (int d = 0; d < event->dimensions; d++)
				one.stored.emplace_back(at[d], at[d]);
		for (int d = 0; d < event->dimensions; d++) {
			one.stored[d].first = std::min(one.stored[d].first, (int64_t)at[d]);
			one.stored[d].second = std::max(one.stored[d].second, (int64_t)at[d]);
		}
	}
	return 0;
}

// The directives that mean the same without a GPU.
std::vector<bw_directive> serial(const bw_directives *directives)
{
	std::vector<bw_directive> list;
	for (int i = 0; i < directives->n; i++) {
		const bw_directive_op op = directives->list[i].op;
		if (op != BW_DIRECTIVE_GPU_BLOCKS && op != BW_DIRECTIVE_GPU_THREADS && op != BW_DIRECTIVE_GPU_SINGLE_THREAD && op != BW_DIRECTIVE_STORE_IN)
			list.push_back(directives->list[i]);
	}
	return list;
}

void realize(Described &described, const bw_directives *directives)
{
	std::vector<bw_directive> list = serial(directives);
	bw_directives applied = {(int)list.size(), list.data(), nullptr};
	bw::apply(described.pipeline, &applied);
	for (Halide::Func &func : bw::all_funcs(described.pipeline))
		func.trace_realizations().trace_stores();
	described.pipeline.jit_handlers().custom_trace = gather;
	Halide::Buffer<uint16_t> image(input_estimate[1], input_estimate[1]);
	image.set_min(input_estimate[0], input_estimate[0]);
	image.fill(1);
	described.input.set(image);
	std::vector<Halide::Buffer<uint16_t>> results;
	for (const auto &estimate : output_estimates) {
		results.emplace_back(estimate[0][1], estimate[1][1]);
		results.back().set_min(estimate[0][0], estimate[1][0]);
	}
	run.clear();
	last_name = nullptr;
	described.pipeline.realize({results[0], results[1]}, Halide::Target("x86-64-linux"));
}

int64_t extent(const std::pair<int64_t, int64_t> &interval)
{
	return interval.second - interval.first + 1;
}

bool same_extents(const Region &a, const Region &b)
{
	for (size_t d = 0; d < a.size(); d++)
		if (extent(a[d]) != extent(b[d]))
			return false;
	return true;
}

class Compared {
	const bw_nest *nest;
	const bw_func &func;
	const bw_placed &placed;
	const std::vector<Realization> &realizations;
	const Region computed;
	Coverage *coverage;

public:
	Compared(const bw_nest *n, int f, Coverage *c)
	    : nest(n), func(n->pipeline->funcs[f]), placed(*n->placed[f]), realizations(run[func.name]), computed(region(placed.regions[0].computed, func.n_dims)), coverage(c)
	{
	}

	std::string problem()
	{
		std::string text = allocations();
		if (text.empty())
			text = interior();
		if (text.empty())
			text = totals();
		return text.empty() ? text : std::string(func.name) + ": " + text;
	}

private:
	// No realization is larger than the core's allocation, and nothing is stored outside of it.
	std::string allocations()
	{
		bool reached = false;
		for (const Realization &one : realizations) {
			bool all = true;
			for (int d = 0; d < func.n_dims; d++) {
				if (extent(one.allocated[d]) > placed.allocated[d])
					return "realized over " + shown(one.allocated) + ", allocated are " + std::to_string(placed.allocated[d]) + " in dimension " + std::to_string(d);
				all &= extent(one.allocated[d]) == placed.allocated[d];
			}
			reached |= all;
			coverage->stores += one.stores;
		}
		coverage->realizations += (long)realizations.size();
		coverage->allocations++;
		coverage->allocations_reached += reached;
		return "";
	}

	// The interior iteration that the core speaks of is one of the run, and stores just what is computed.
	std::string interior()
	{
		bool found = false;
		for (const Realization &one : realizations)
			found |= one.stored == computed;
		if (!found)
			return "no realization stores " + shown(computed) + "; the first of " + std::to_string(realizations.size()) + " stores " +
					(realizations.empty() ? "" : shown(realizations[0].stored));
		coverage->computed++;
		return "";
	}

	// Iterations of one loop of a stage: a guard leaves out what lies beyond the end, and shifting does some twice.
	int64_t iterations(int stage, int loop, const bw_interval &interval) const
	{
		const bw_stage_plan &plan = placed.placement->stages[stage];
		int64_t all = 1;
		for (int i = 0; i < plan.n_loops; i++)
			if (plan.loops[i].loop == loop && placed.stages[stage].tails[i] == BW_TAIL_GUARD_WITH_IF)
				return interval.max - interval.min + 1;
			else if (plan.loops[i].loop == loop)
				all *= placed.stages[stage].extents[i];
		return all;
	}

	// Stores of all stages in one realization of the computed box; -1 where a predicate says which.
	long stores() const
	{
		long all = 0;
		for (int s = 0; s < func.n_stages; s++) {
			std::vector<bw_interval> loops(func.stages[s].n_loops);
			bw_stage_loops_of(&func.stages[s], placed.regions[0].computed, loops.data());
			long points = 1;
			for (int l = 0; l < func.stages[s].n_loops; l++)
				points *= iterations(s, l, loops[l]);
			if (func.stages[s].predicated)
				return -1;
			all += points;
		}
		return all;
	}

	std::string totals()
	{
		if ((double)realizations.size() > placed.realizations)
			return "realized " + std::to_string(realizations.size()) + " times, not " + std::to_string(placed.realizations);
		const long each = stores();
		bool alike = (double)realizations.size() == placed.realizations;
		for (const Realization &one : realizations) {
			bool same = one.stores && same_extents(one.stored, computed); // idle iterations of a tail store nothing
			alike &= same;
			if (same && each >= 0 && one.stores != each)
				return "a realization has " + std::to_string(one.stores) + " stores, not " + std::to_string(each);
		}
		if (!alike)
			return "";
		double points = (double)realizations.size() * bw_box_points(placed.regions[0].computed, func.n_dims);
		if (points != placed.points)
			return std::to_string(points) + " points are computed, not " + std::to_string(placed.points);
		coverage->totals++;
		return "";
	}
};

}

std::string compare_trace(Described &described, const bw_nest *nest, const bw_directives *directives, Coverage *coverage)
{
	realize(described, directives);
	for (int f = 0; f < described.core->n_funcs; f++) {
		if (!nest->placed[f] || nest->placed[f]->placement->compute.kind == BW_SITE_INLINE)
			continue;
		const std::string problem = Compared(nest, f, coverage).problem();
		if (!problem.empty())
			return problem;
	}
	return "";
}

}

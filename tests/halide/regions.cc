// Regions of random small pipelines (random_pipeline.h). The description of each is read by the core; then
// - over random boxes what each stage requires of its producers equals Halide's boxes_required of these boxes;
// - from the estimates of the outputs the regions that follow are those that a run at root realizes and stores, by a trace.
#include <cstdio>
#include <map>

#include "described.h"

namespace {

using namespace Halide;

using bw_test::Described;
using bw_test::include;
using bw_test::intervals;
using bw_test::region;
using bw_test::Region;
using bw_test::required_by_halide;
using bw_test::shown;

constexpr int n_seeds = 60, boxes_a_stage = 5;

// Compares over a random box of each stage. Returns a problem, or nothing.
std::string compare_boxes(Described &described, int *compared)
{
	const bw::Graph graph(described.pipeline);
	for (int f = 0; f < described.core->n_funcs; f++) {
		const bw_func &func = described.core->funcs[f];
		for (int s = 0; !func.input && s < func.n_stages; s++)
			for (int k = 0; k < boxes_a_stage; k++) {
				Region box;
				for (int d = 0; d < func.n_dims; d++) {
					int min = described.random.below(200) - 100;
					box.emplace_back(min, min + described.random.below(40));
				}
				const bw_stage &stage = func.stages[s];
				std::vector<bw_interval> loops(stage.n_loops);
				if (!bw_stage_loops_of(&stage, intervals(box).data(), loops.data()))
					return std::string("no loops of ") + func.name;
				const auto expected = required_by_halide(stage, bw::guarded_expressions_of(bw::definition_of(described.halide(func), s)), loops, graph.value_bounds);
				if ((int)expected.size() != stage.n_reads)
					return std::string(func.name) + " reads other Funcs";
				for (int r = 0; r < stage.n_reads; r++) {
					const bw_func &producer = described.core->funcs[stage.reads[r].producer];
					std::vector<bw_interval> found(producer.n_dims);
					if (!bw_read_box(&stage.reads[r], producer.n_dims, loops.data(), found.data()))
						return std::string(func.name) + " of " + producer.name + " is unbounded";
					const Region core = region(found.data(), producer.n_dims);
					if (core != expected.at(producer.name))
						return std::string(func.name) + " at " + shown(box) + " requires of " + producer.name + " " + shown(core) + ", and in Halide " +
								shown(expected.at(producer.name));
					++*compared;
				}
			}
	}
	return "";
}

// The regions that follow in the core from the estimates, all Funcs at root: computed ones of Funcs, required ones of inputs.
std::map<std::string, Region> regions_at_root(const bw_pipeline *core)
{
	std::map<int, Region> required;
	std::map<std::string, Region> all;
	for (int f = core->n_funcs - 1; f >= 0; f--) {
		const bw_func &func = core->funcs[f];
		if (func.input) {
			all[func.name] = required[f];
			continue;
		}
		if (func.output)
			include(&required[f], region(func.estimate, func.n_dims));
		const std::vector<bw_interval> at = intervals(required[f]);
		std::vector<bw_interval> computed(func.n_dims);
		for (int d = 0; d < func.n_dims; d++)
			if (!bw_expr_eval(func.computed[d].min, at.data(), &computed[d].min) || !bw_expr_eval(func.computed[d].max, at.data(), &computed[d].max))
				throw std::runtime_error(std::string(func.name) + " is unbounded");
		all[func.name] = region(computed.data(), func.n_dims);
		for (int s = 0; s < func.n_stages; s++) {
			const bw_stage &stage = func.stages[s];
			std::vector<bw_interval> loops(stage.n_loops);
			bw_stage_loops_of(&stage, computed.data(), loops.data());
			for (int r = 0; r < stage.n_reads; r++) {
				int producer = stage.reads[r].producer, dims = core->funcs[producer].n_dims;
				std::vector<bw_interval> box(dims);
				if (!bw_read_box(&stage.reads[r], dims, loops.data(), box.data()))
					throw std::runtime_error(std::string(func.name) + " reads without bounds");
				if (producer != f)
					include(&required[producer], region(box.data(), dims));
			}
		}
	}
	return all;
}

// What a run does. A trace is called without any context of ours, so that it is gathered here.
struct Trace {
	std::map<std::string, Region> realized, stored;
};
Trace trace;

int gather(JITUserContext *, const halide_trace_event_t *event)
{
	Region touched;
	if (event->event == halide_trace_begin_realization) {
		for (int d = 0; d + 1 < event->dimensions; d += 2)
			touched.emplace_back(event->coordinates[d], event->coordinates[d] + event->coordinates[d + 1] - 1);
		include(&trace.realized[event->func], touched);
	} else if (event->event == halide_trace_store) {
		for (int d = 0; d < event->dimensions; d++)
			touched.emplace_back(event->coordinates[d], event->coordinates[d]);
		include(&trace.stored[event->func], touched);
	}
	return 0;
}

// Runs with every Func at root and compares what it realizes and stores with what the core says.
std::string compare_run(Described &described, int *compared)
{
	const std::map<std::string, Region> expected = regions_at_root(described.core);
	for (Func &func : bw::all_funcs(described.pipeline))
		func.compute_root().trace_realizations().trace_stores();
	described.pipeline.jit_handlers().custom_trace = gather;
	const Region in = expected.at("input");
	Buffer<uint16_t> image((int)(in[0].second - in[0].first + 1), (int)(in[1].second - in[1].first + 1));
	image.set_min((int)in[0].first, (int)in[1].first);
	image.fill(1);
	described.input.set(image);
	std::vector<Buffer<uint16_t>> results;
	for (int o = 0; o < 2; o++) {
		results.emplace_back(bw_test::output_estimates[o][0][1], bw_test::output_estimates[o][1][1]);
		results.back().set_min(bw_test::output_estimates[o][0][0], bw_test::output_estimates[o][1][0]);
	}
	trace = Trace();
	described.pipeline.realize({results[0], results[1]}, Halide::Target("x86-64-linux"));
	for (const auto &it : expected) {
		if (it.first == "input")
			continue;
		for (const auto *seen : {&trace.realized, &trace.stored}) {
			auto found = seen->find(it.first);
			if (found == seen->end() || found->second != it.second)
				return it.first + " should be " + shown(it.second) + ", and the run " + (seen == &trace.stored ? "stored " : "realized ") +
						(found == seen->end() ? "nothing" : shown(found->second));
			++*compared;
		}
	}
	return "";
}

}

int main()
{
	int failures = 0, boxes = 0, regions = 0;
	for (unsigned seed = 0; seed < n_seeds; seed++) {
		std::string problem;
		try {
			Described described(seed);
			problem = compare_boxes(described, &boxes);
			if (problem.empty())
				problem = compare_run(described, &regions);
		} catch (const std::exception &exception) {
			problem = exception.what();
		}
		printf("%sok %u - seed %u%s%s\n", problem.empty() ? "" : "not ", seed + 1, seed, problem.empty() ? "" : "\n# ", problem.c_str());
		failures += !problem.empty();
	}
	printf("%sok %d - %d boxes and %d regions were compared\n1..%d\n", boxes > 2500 && regions > 800 ? "" : "not ", n_seeds + 1, boxes, regions, n_seeds + 1);
	return failures != 0;
}

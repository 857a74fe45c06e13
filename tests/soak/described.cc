#include "described.h"

#include "growing.h"

extern "C" {
#include "nest/plan.h"
}

namespace bw_test {

Subject::~Subject()
{
	bw_pipeline_free(core);
}

namespace {

// All Funcs at root, in loops without a split.
class AtRoot {
	const bw_pipeline *core;
	bw_nest *nest;

	int find(const std::string &name) const
	{
		const int f = bw_pipeline_find(core, name.c_str());
		if (f < 0)
			throw std::runtime_error("no Func " + name);
		return f;
	}

public:
	explicit AtRoot(const bw_pipeline *pipeline)
	    : core(pipeline), nest(bw_nest_new(pipeline))
	{
		const int64_t ones[BW_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
		int n_order, *order = bw_nest_order(core, &n_order);
		bw_error error;
		for (int i = 0; i < n_order && nest; i++) {
			const bw_placement *placement = bw_plan_root(core, order[i], ones, ones);
			bw_nest *next = bw_nest_place(nest, placement, &error);
			bw_placement_drop(placement);
			bw_nest_drop(nest);
			nest = next;
		}
		free(order);
		if (!nest)
			throw bw::Failure(error);
	}
	~AtRoot()
	{
		bw_nest_drop(nest);
	}
	AtRoot(const AtRoot &) = delete;
	AtRoot &operator=(const AtRoot &) = delete;

	// What is read of a Func or an input, and of an output at least what it is estimated to be.
	Halide::Region required(const std::string &name) const
	{
		const int f = find(name);
		std::vector<bw_interval> box(core->funcs[f].n_dims + 1);
		if (!bw_nest_required(nest, f, BW_LEVEL_ROOT, box.data()))
			throw std::runtime_error(name + " is read without bounds");
		Halide::Region region;
		for (int d = 0; d < core->funcs[f].n_dims; d++)
			region.push_back({(int)box[d].min, (int)(box[d].max - box[d].min + 1)});
		return region;
	}

	// Fails where an output is computed beyond what its buffer holds: where its own updates read more of it than anybody asks for.
	void check(const std::string &name, const Halide::Region &buffer) const
	{
		const int f = find(name);
		const bw_interval *computed = bw_placed_region(nest->placed[f], BW_LEVEL_ROOT)->computed;
		for (int d = 0; d < core->funcs[f].n_dims; d++) {
			const int64_t min = *Halide::Internal::as_const_int(buffer[d].min), max = min + *Halide::Internal::as_const_int(buffer[d].extent) - 1;
			if (computed[d].min < min || computed[d].max > max)
				throw std::runtime_error(name + " is computed from " + std::to_string(computed[d].min) + " to " + std::to_string(computed[d].max) + " in dimension " + std::to_string(d) +
							 ", its buffer goes from " + std::to_string(min) + " to " + std::to_string(max));
		}
	}
};

bool same(const Halide::Region &a, const Halide::Region &b)
{
	for (size_t d = 0; d < a.size(); d++)
		if (!Halide::Internal::equal(a[d].min, b[d].min) || !Halide::Internal::equal(a[d].extent, b[d].extent))
			return false;
	return true;
}

}

void Subject::read()
{
	bw_error error;
	bw_pipeline_free(core);
	text = bw::describe(pipeline, name, bw::Estimates(), INT64_MAX);
	core = bw_pipeline_parse(name.c_str(), text.data(), text.size(), &error);
	if (!core)
		throw bw::Failure(error);
}

// Whether an estimate changed.
bool Subject::fit(int tight)
{
	const AtRoot root(core);
	bool changed = tight >= 0;
	if (tight >= 0)
		inputs[tight].set_estimates(root.required(inputs[tight].name()));
	for (size_t o = 0; o < outputs.size(); o++) {
		const Halide::Region box = root.required(outputs[o].name());
		if (same(box, boxes[o]))
			continue;
		changed = true;
		boxes[o] = box;
		for (size_t d = 0; d < box.size(); d++)
			outputs[o].set_estimate(outputs[o].args()[d], box[d].min, box[d].extent);
	}
	return changed;
}

// Gives each output what is computed of it: other outputs may read more of it than its size. Sizes that do not hold that are refused.
void Subject::grow()
{
	const bw::Graph graph(pipeline);
	const bw::Regions regions(graph, bw::infer(graph, bw::Estimates()));
	for (size_t o = 0; o < outputs.size(); o++)
		for (int d = 0; d < outputs[o].dimensions(); d++) {
			bw::Region computed;
			if (!regions.find(outputs[o].name(), d, &computed))
				continue;
			boxes[o][d] = {(int)computed.min, (int)computed.extent};
			outputs[o].set_estimate(outputs[o].args()[d], boxes[o][d].min, boxes[o][d].extent);
		}
}

void Subject::describe(int tight)
{
	for (size_t o = 0; o < outputs.size(); o++) {
		Halide::Region box;
		for (size_t d = 0; d < sizes[o].size(); d++) {
			box.push_back({0, sizes[o][d]});
			outputs[o].set_estimate(outputs[o].args()[d], 0, sizes[o][d]);
		}
		boxes.push_back(box);
	}
	grow();
	read();
	if (fit(tight))
		read();
	const AtRoot root(core);
	for (size_t o = 0; o < outputs.size(); o++)
		root.check(outputs[o].name(), boxes[o]);
}

void make_random(unsigned seed, Subject *subject, bool unknown)
{
	BlockPipeline made(seed, unknown);
	subject->name = "random" + std::to_string(seed);
	subject->pipeline = Halide::Pipeline(made.outputs);
	subject->outputs = made.outputs;
	subject->sizes = made.sizes;
	subject->inputs = {made.input, made.weights, made.shape};
	subject->used = made.used;
	made.shift.set(3);
	subject->describe(made.padded ? -1 : 0);
}

}

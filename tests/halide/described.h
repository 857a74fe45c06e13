// A random small pipeline (random_pipeline.h) with its description as the core reads it, and boxes to compare.
#pragma once
#include <algorithm>
#include <map>
#include <sstream>

#include "halide/bounds.h"
#include "halide/describe.h"
#include "random_pipeline.h"

extern "C" {
#include "nest/nest.h"
#include "pipeline/pipeline.h"
}

namespace bw_test {

using Region = std::vector<std::pair<int64_t, int64_t>>; // minimum, maximum

inline std::string shown(const Region &region)
{
	std::ostringstream text;
	for (const auto &interval : region)
		text << "[" << interval.first << ", " << interval.second << "]";
	return text.str();
}

inline void include(Region *all, const Region &more)
{
	if (all->empty())
		*all = more;
	for (size_t i = 0; i < more.size(); i++) {
		(*all)[i].first = std::min((*all)[i].first, more[i].first);
		(*all)[i].second = std::max((*all)[i].second, more[i].second);
	}
}

inline std::vector<bw_interval> intervals(const Region &region)
{
	std::vector<bw_interval> list;
	for (const auto &interval : region)
		list.push_back(bw_interval{interval.first, interval.second});
	return list;
}

inline Region region(const bw_interval *list, int n)
{
	Region all;
	for (int i = 0; i < n; i++)
		all.emplace_back(list[i].min, list[i].max);
	return all;
}

// Minimum and extent of both outputs, by dimension; of both dimensions of the input.
const int output_estimates[2][2][2] = {{{0, 75}, {0, 42}}, {{1, 64}, {2, 40}}};
const int input_estimate[2] = {-300, 700};

class Described {
public:
	Halide::ImageParam input{Halide::UInt(16), 2, "input"};
	RandomPipeline random;
	Halide::Pipeline pipeline;
	bw_pipeline *core;

	explicit Described(unsigned seed)
	    : random(seed, Halide::Func(input)), pipeline(random.outputs)
	{
		input.set_estimates({{input_estimate[0], input_estimate[1]}, {input_estimate[0], input_estimate[1]}});
		for (int o = 0; o < 2; o++)
			for (int d = 0; d < 2; d++)
				random.outputs[o].set_estimate(Halide::Var(d ? "y" : "x"), output_estimates[o][d][0], output_estimates[o][d][1]);
		std::string text = bw::describe(pipeline, "random", bw::Estimates(), INT32_MAX);
		bw_error error;
		core = bw_pipeline_parse("random", text.data(), text.size(), &error);
		if (!core)
			throw bw::Failure(error);
	}
	~Described()
	{
		bw_pipeline_free(core);
	}
	Described(const Described &) = delete;
	Described &operator=(const Described &) = delete;

	Halide::Internal::Function halide(const bw_func &func)
	{
		return bw::all_funcs(pipeline)[func.handle].function();
	}
};

inline int64_t value(const Halide::Expr &e)
{
	Halide::Expr simple = Halide::Internal::simplify(e);
	auto constant = Halide::Internal::as_const_int(simple);
	if (!constant)
		throw std::runtime_error("Halide has no constant bound");
	return *constant;
}

// Halide's answer: what these expressions of a stage require of all that they read where its loops cover these intervals.
inline std::map<std::string, Region> required_by_halide(const bw_stage &stage, const std::vector<Halide::Expr> &expressions, const std::vector<bw_interval> &loops,
		const Halide::Internal::FuncValueBounds &value_bounds)
{
	Halide::Internal::Scope<Halide::Internal::Interval> scope;
	for (int l = 0; l < stage.n_loops; l++)
		scope.push(stage.loops[l].name, Halide::Internal::Interval((int)loops[l].min, (int)loops[l].max));
	std::map<std::string, Region> all;
	for (const auto &it : bw::boxes_of(expressions, scope, value_bounds))
		for (const auto &interval : it.second.bounds)
			all[it.first].emplace_back(value(interval.min), value(interval.max));
	return all;
}

}

#include "halide/cpu.h"

#include <cmath>
#include <cstdint>
#include <set>

#include "halide/regions.h"

namespace bw {

// Whether Halide can bound all that a stage reads of a Func, whatever a description can say. everywhere: the
// consumer is computed point by point, at any.
static bool bounded(const Graph &graph, const Function &consumer, int stage, const std::string &producer,
		    bool everywhere)
{
	const Definition &definition = definition_of(consumer, stage);
	Internal::Scope<Interval> scope;
	auto push = [&](const std::string &loop) {
		scope.push(loop, Interval(Internal::Variable::make(Halide::Int(32), loop + ".min"),
					  Internal::Variable::make(Halide::Int(32), loop + ".max")));
	};
	for (const std::string &dim : consumer.args())
		if (everywhere)
			scope.push(dim, Interval::everything());
		else
			push(dim);
	for (const auto &rvar : definition.schedule().rvars())
		push(rvar.var);
	const auto boxes = boxes_of(guarded_expressions_of(definition), scope, graph.value_bounds);
	auto it = boxes.find(producer);
	if (it == boxes.end())
		return true;
	for (const Interval &interval : it->second.bounds)
		if (!interval.is_bounded())
			return false;
	return true;
}

static bool bounded_everywhere(const Graph &graph, const std::string &producer,
			       const std::set<std::string> &by_points)
{
	for (const Node &consumer : graph.nodes)
		for (int s = 0; s <= (int)consumer.func.updates().size(); s++)
			if (!bounded(graph, consumer.func, s, producer, by_points.count(consumer.func.name())))
				return false;
	return true;
}

// Whether Halide could allocate a Func of this many points.
static bool fits(const Function &func, double points)
{
	double bytes = 0;
	for (const Type &type : func.output_types())
		bytes = std::max(bytes, points * type.bytes());
	return std::isinf(bytes) || bytes <= INT32_MAX;
}

void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates)
{
	std::vector<Func> funcs = all_funcs(pipeline);
	const Graph graph(pipeline);
	const Regions regions(graph, infer(graph, estimates));
	std::set<std::string> by_points;
	for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
		const Function &func = node->func;
		if (node->output ||
		    (fits(func, regions.points(func)) && bounded_everywhere(graph, func.name(), by_points))) {
			funcs[node->handle].compute_root();
			continue;
		}
		if (func.has_update_definition())
			by_points.insert(func.name());
		for (auto consumer = node; !func.has_update_definition() && consumer != graph.nodes.rbegin();)
			Internal::inline_function((--consumer)->func, func);
	}
}

}

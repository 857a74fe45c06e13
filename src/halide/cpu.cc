#include "halide/cpu.h"

#include "halide/bounds.h"

namespace bw {

// Whether Halide can bound all that a stage reads of a Func, whatever a description can say.
static bool bounded(const Graph &graph, const Function &consumer, int stage, const std::string &producer)
{
	const Definition &definition = definition_of(consumer, stage);
	Internal::Scope<Interval> scope;
	auto push = [&](const std::string &loop) {
		scope.push(loop, Interval(Internal::Variable::make(Halide::Int(32), loop + ".min"),
					  Internal::Variable::make(Halide::Int(32), loop + ".max")));
	};
	for (const std::string &dim : consumer.args())
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

static bool bounded_everywhere(const Graph &graph, const std::string &producer)
{
	for (const Node &consumer : graph.nodes)
		for (int s = 0; s <= (int)consumer.func.updates().size(); s++)
			if (!bounded(graph, consumer.func, s, producer))
				return false;
	return true;
}

void schedule_cpu(const Pipeline &pipeline)
{
	std::vector<Func> funcs = all_funcs(pipeline);
	const Graph graph(pipeline);
	for (const Node &node : graph.nodes)
		if (node.func.has_update_definition() || bounded_everywhere(graph, node.func.name()))
			funcs[node.handle].compute_root();
}

}

#include "halide/cpu.h"

#include "halide/bounds.h"

namespace bw {

static bool bounded_everywhere(const Graph &graph, Bounds *bounds, const Function &func)
{
	for (const Node &consumer : graph.nodes)
		for (int s = 0; s <= (int)consumer.func.updates().size(); s++)
			if (!bounds->bounded(consumer.func, s, func.name()))
				return false;
	return true;
}

void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates)
{
	std::vector<Func> funcs = all_funcs(pipeline);
	const Graph graph(pipeline);
	const Sizes sizes(graph, estimates);
	Bounds bounds(graph, sizes);
	for (const Node &node : graph.nodes)
		if (node.func.has_update_definition() || bounded_everywhere(graph, &bounds, node.func))
			funcs[node.handle].compute_root();
}

}

#include "halide/cpu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "halide/externs.h"
#include "halide/regions.h"

namespace bw {

// Returns true if Halide can bound the region of a producer that a stage reads. everywhere: the consumer is
// inlined, so its coordinates have no bounds.
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

// Returns true if Halide can allocate a Func of this many points.
static bool fits(const Function &func, double points)
{
	double bytes = 0;
	for (const Type &type : func.output_types())
		bytes = std::max(bytes, points * type.bytes());
	return std::isinf(bytes) || bytes <= INT32_MAX;
}

namespace {

// Counts the calls of each Func in the visited expressions.
class Calls : public Internal::IRGraphVisitor {
	using Internal::IRGraphVisitor::visit;

	void visit(const Internal::Call *op) override
	{
		if (op->call_type == Internal::Call::Halide)
			counts[op->name]++;
		Internal::IRGraphVisitor::visit(op);
	}

      public:
	std::map<std::string, int> counts;
};

// Returns the number of calls of each Func in all stages of a consumer.
std::map<std::string, int> calls_of(const Function &consumer)
{
	Calls calls;
	for (int s = 0; s <= (int)consumer.updates().size(); s++)
		for (const Expr &expression : expressions_of(definition_of(consumer, s)))
			expression.accept(&calls);
	return calls.counts;
}

// Returns true if the Func's copies in its consumers, if it is inlined, stay small. sizes: the sizes of the
// Funcs before it that are inlined, including everything that is inlined into them. Adds the size of this
// Func (0: it is not inlined).
bool is_cheap(const Graph &graph, const Node &node, std::map<std::string, int> &sizes)
{
	const int most = 64;
	int reads = 0, &size = sizes[node.func.name()];
	size = 1;
	for (const auto &call : calls_of(node.func))
		size += sizes.count(call.first) ? sizes[call.first] * call.second : 0;
	for (const Node &consumer : graph.nodes) {
		const auto calls = calls_of(consumer.func);
		auto it = calls.find(node.func.name());
		reads += it == calls.end() ? 0 : it->second;
	}
	if (!node.output && !node.func.has_update_definition() && reads > 0 && size * reads <= most)
		return true;
	size = 0;
	return false;
}

std::set<std::string> cheap_ones(const Graph &graph)
{
	std::map<std::string, int> sizes;
	std::set<std::string> found;
	for (const Node &node : graph.nodes)
		if (is_cheap(graph, node, sizes))
			found.insert(node.func.name());
	return found;
}

// Vectorizes the first dimension of the pure definition, and of every update that has this dimension as a
// loop.
void vectorize(Func func)
{
	const int lanes = 8;
	if (!func.dimensions())
		return;
	const Halide::Var first = func.args()[0];
	func.vectorize(first, lanes, Halide::TailStrategy::GuardWithIf);
	for (int u = 0; u < func.num_update_definitions(); u++) {
		const Expr at = func.update_args(u)[0];
		const auto *variable = at.as<Internal::Variable>();
		if (variable && variable->name == first.name())
			func.update(u).vectorize(first, lanes, Halide::TailStrategy::GuardWithIf);
	}
}

}

void schedule_cpu(const Pipeline &pipeline, const Estimates &estimates, bool second)
{
	std::vector<Func> funcs = all_funcs(pipeline);
	const Graph graph(pipeline);
	const Regions regions(graph, infer(graph, estimates));
	const std::set<std::string> cheap = second ? cheap_ones(graph) : std::set<std::string>();
	std::set<std::string> by_points;
	for (const Extern &stage : graph.externs)
		funcs[stage.handle].compute_root();
	for (const Extern &stage : graph.externs)
		for (const Node &node : graph.nodes)
			if (node.func.outputs() > 1 &&
			    std::count(stage.funcs.begin(), stage.funcs.end(), node.func.name()))
				copy_for_extern(funcs[node.handle], funcs[stage.handle]);
	for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
		const Function &func = node->func;
		if (node->output || (!cheap.count(func.name()) && fits(func, regions.points(func)) &&
				     bounded_everywhere(graph, func.name(), by_points))) {
			funcs[node->handle].compute_root();
			if (second)
				vectorize(funcs[node->handle]);
			continue;
		}
		if (func.has_update_definition())
			by_points.insert(func.name());
		for (auto consumer = node; !func.has_update_definition() && consumer != graph.nodes.rbegin();)
			Internal::inline_function((--consumer)->func, func);
	}
}

}

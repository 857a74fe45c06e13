#include "halide/describe.h"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "halide/bounds.h"
#include "halide/estimates.h"
#include "halide/loads.h"
#include "halide/regions.h"
#include "halide/runnable.h"

namespace bw {

// Returns the elements of a list as JSON, each written by `item`, with `separator` between two elements.
template<typename List, typename Item>
static std::string joined(const List &list, const char *separator, Item item)
{
	std::string text;
	for (const auto &element : list)
		text += (text.empty() ? "" : separator) + item(element);
	return text;
}

static std::string names(const std::vector<std::string> &list)
{
	return "[" + joined(list, ",", quoted) + "]";
}

static std::string types(const std::vector<Type> &list)
{
	return "[" + joined(list, ",", [](Type type) { return quoted(type_name(type)); }) + "]";
}

static std::string regions(const std::vector<Region> &list)
{
	return "[" + joined(list, ",", [](const Region &r) {
		return "[" + std::to_string(r.min) + "," + std::to_string(r.extent) + "]";
	}) + "]";
}

static std::string ends(const Bound &bound)
{
	return "\"min\":" + bound.min + ",\"max\":" + bound.max;
}

static std::string box(const std::vector<Bound> &bounds)
{
	return "[" + joined(bounds, ",", [](const Bound &bound) { return "{" + ends(bound) + "}"; }) + "]";
}

static bool same_box(const std::vector<Bound> &a, const std::vector<Bound> &b)
{
	return box(a) == box(b);
}

static std::string loop(const Loop &loop)
{
	const bool pure = loop.dim >= 0;
	return "{\"name\":" + quoted(loop.name) + ",\"kind\":" + (pure ? "\"pure\"" : "\"reduction\"") + "," +
	       ends(loop.bound) + (!pure && loop.parallel ? ",\"parallel\":true}" : "}");
}

static std::string ratio(const Ratio &ratio)
{
	if (ratio.den == 0)
		return "null";
	if (ratio.lost)
		return "[" + std::to_string(ratio.num) + "," + std::to_string(ratio.den) + ",\"lost\"]";
	if (ratio.den == 1)
		return std::to_string(ratio.num);
	return "[" + std::to_string(ratio.num) + "," + std::to_string(ratio.den) + "]";
}

static std::string jacobian(const Jacobian &jacobian)
{
	return "[" +
	       joined(jacobian, ",",
		      [](const std::vector<Ratio> &row) { return "[" + joined(row, ",", ratio) + "]"; }) +
	       "]";
}

static std::string counts(const std::map<std::string, int> &list)
{
	return "{" +
	       joined(
		   list, ",",
		   [](const auto &cell) { return quoted(cell.first) + ":" + std::to_string(cell.second); }) +
	       "}";
}

static std::string loads(const std::vector<Loads> &list, bool with_types)
{
	return "[" +
	       joined(list, ",",
		      [with_types](const Loads &l) {
			      return "{\"count\":" + std::to_string(l.count) +
				     ",\"jacobian\":" + jacobian(l.jacobian) +
				     (l.predicate ? ",\"predicate\":true" : "") +
				     (with_types ? ",\"types\":" + counts(l.types) : "") + "}";
		      }) +
	       "]";
}

static int count(const std::vector<Loads> &list)
{
	int all = 0;
	for (const Loads &l : list)
		all += l.count;
	return all;
}

static std::string operations(const Operations &operations)
{
	return "{" + joined(operations, ",", [](const auto &row) {
		return quoted(row.first) + ":" + counts(row.second);
	}) + "}";
}

static std::string parity_loop(const ParityLoop &loop)
{
	return "{\"loop\":" + quoted(loop.name) + (loop.modulus ? ",\"modulus\":" + std::to_string(loop.modulus) : ",\"values\":[" + joined(loop.values, ",", [](int64_t value) {
			return std::to_string(value);
		}) + "]") + "}";
}

// Returns a class of points as JSON: its operations, and its loads of those sources that it loads less
// often than the whole stage does.
static std::string parity_class(const Work &work, const Work &whole)
{
	std::map<std::string, std::vector<Loads>> less;
	for (const auto &from : work.loads)
		if (count(from.second) != count(whole.loads.at(from.first)))
			less.insert(from);
	return "{\"ops\":" + operations(work.operations) + (less.empty() ? "" : ",\"loads\":{" + joined(less, ",", [](const auto &from) {
			return quoted(from.first) + ":[" + joined(from.second, ",", [](const Loads &l) { return std::to_string(l.count); }) + "]";
		}) + "}") + "}";
}

// Returns the parity classes of a stage as JSON (halide/loads.h).
static std::string parities(const std::vector<Parity> &list, const Work &whole)
{
	return list.empty() ? "" : ",\n    \"parity\":[" + joined(list, ",\n     ", [&](const Parity &f) {
		return "{\"loops\":[" + joined(f.loops, ",", parity_loop) + "],\"classes\":[" + joined(f.classes, ",", [&](const Work &work) { return parity_class(work, whole); }) + "]}";
	}) + "]";
}

namespace {

class Description {
	const Graph graph;
	const Sizes sizes;
	Bounds bounds;
	const std::map<std::string, uint64_t> definitions;
	// positions of the inputs, then of the Funcs, in the order in which they are written
	std::map<std::string, int> places;

public:
	Description(const Pipeline &pipeline, const Estimates &estimates, const std::string &rfactor)
	    : graph(pipeline, rfactor), sizes(infer(graph, estimates)), bounds(graph, sizes),
	      definitions(definitions_of(graph))
	{
		check_runnable(graph);
		for (const Input &input : graph.inputs)
			places.emplace(input.name, (int)places.size());
		for (const Node &node : graph.nodes)
			places.emplace(node.func.name(), (int)places.size());
	}

	std::string text(const std::string &name)
	{
		return "{\"beamwalk-pipeline\":1,\n"
			"\"name\":" + quoted(name) + ",\"halide\":\"" BW_HALIDE_VERSION "\",\n"
			"\"parameters\":" + lines(graph.scalars, " ", [this](const Scalar &scalar) { return parameter(scalar); }) + ",\n"
			"\"inputs\":" + lines(graph.inputs, " ", [this](const Input &in) { return input(in); }) + ",\n"
			"\"funcs\":" + lines(graph.nodes, " ", [this](const Node &node) { return func(node); }) + folded() + externs() + rfactor() + "}\n";
	}

	// Throws a Failure if the user gave estimates for names that do not exist, or if sizes are
	// unbounded, missing or wrong. Call it after text(), which requests all sizes.
	void check_estimates(const Pipeline &pipeline, const Estimates &estimates, int64_t most_points) const
	{
		const Regions regions(graph, sizes);
		sizes.check_given();
		check_bounded(pipeline, estimates, graph, regions);
		check_missing();
		check_sizes(graph, sizes, regions, most_points);
	}

	// Throws a Failure if estimates are missing. It comes before any other error, because missing
	// estimates may be its cause.
	void check_missing() const
	{
		sizes.check_missing();
	}

private:
	// Returns a list as a JSON array with one element per line.
	template<typename List, typename Item>
	static std::string lines(const List &list, const std::string &indent, Item item)
	{
		if (list.empty())
			return "[]";
		return "[\n" + indent + joined(list, (",\n" + indent).c_str(), item) + "]";
	}

	std::string folded() const
	{
		return graph.folded.empty() ? "" : ",\n\"folded\":[" + joined(graph.folded, ",", [](const auto &f) {
			return "{\"name\":" + quoted(f.first) + ",\"handle\":" + std::to_string(f.second) + "}";
		}) + "]";
	}

	// Returns the extern stages as JSON: the Funcs and inputs that each one reads, and the inputs that
	// stand for its results, as far as they are in the description.
	std::string externs() const
	{
		auto has = [this](const std::string &name) { return places.count(name) != 0; };
		return graph.externs.empty() ? "" : ",\n\"externs\":" + lines(graph.externs, " ", [&](const Extern &stage) {
			std::vector<std::string> reads, results;
			for (const std::string &func : stage.funcs)
				if (has(func))
					reads.push_back(func);
			for (const Parameter &input : stage.inputs)
				reads.push_back(input.name());
			for (const Parameter &result : stage.components)
				if (has(result.name()))
					results.push_back(result.name());
			return "{\"name\":" + quoted(stage.name) + ",\"handle\":" + std::to_string(stage.handle) +
			       ",\"function\":" + quoted(stage.function) + (graph.is_argument(stage.name) ? ",\"output\":true" : "") + ",\"reads\":" + names(reads) +
			       ",\"results\":" + names(results) + "}";
		});
	}

	std::string rfactor() const
	{
		return graph.factored.empty() ? "" : ",\n\"rfactor\":" + lines(graph.factored, " ", [](const Factored &f) {
			return "{\"func\":" + quoted(f.func) + ",\"update\":" + std::to_string(f.stage - 1) + ",\"loop\":" + std::to_string(f.loop) +
			       ",\"rvar\":" + quoted(f.rvar) + ",\"outer\":" + quoted(f.outer) + ",\"inner\":" + quoted(f.inner) + ",\"var\":" + quoted(f.var) +
			       ",\"factor\":" + std::to_string(f.factor) + (f.named ? ",\"named\":true" : "") +
			       (f.apart ? ",\"apart\":true" : "") + ",\"made\":" + quoted(f.made) + "}";
		});
	}

	std::string parameter(const Scalar &scalar) const
	{
		Expr value;
		std::ostringstream estimate;
		estimate.precision(17);
		const Type type = scalar.param.type();
		if (sizes.scalar(scalar.param, &value)) {
			if (auto f = Internal::as_const_float(value); f && type.bits() <= 32)
				estimate << shortest((float)*f);
			else if (f)
				estimate << *f;
			else if (auto i = Internal::as_const_int(value))
				estimate << *i;
			else if (auto u = Internal::as_const_uint(value))
				estimate << *u;
		}
		return "{\"name\":" + quoted(scalar.name) + ",\"type\":" + quoted(type_name(type)) +
				(estimate.str().empty() ? "" : ",\"estimate\":" + estimate.str()) + "}";
	}

	// Returns the shortest text that reads back as the same float: 0.04, not 0.039999999105930328.
	static std::string shortest(float value)
	{
		char text[32];
		for (int digits = 1; digits <= 9; digits++) {
			snprintf(text, sizeof text, "%.*g", digits, (double)value);
			if (strtof(text, nullptr) == value)
				break;
		}
		return text;
	}

	std::string input(const Input &in) const
	{
		std::vector<std::string> dims;
		const std::vector<std::string> inferred = sizes.taken(in);
		for (int i = 0; i < in.dimensions; i++)
			dims.push_back(input_dim(i));
		return "{\"name\":" + quoted(in.name) + ",\"types\":" + types({in.type}) + ",\"dims\":" + names(dims) +
				",\"estimate\":" + regions(sizes.input(in)) +
				(inferred.empty() ? "" : ",\"inferred\":" + names(inferred)) + "}";
	}

	static bool boundary(const Function &func)
	{
		for (const char *prefix :
		     {"repeat_edge", "repeat_image", "mirror_image", "mirror_interior", "constant_exterior"})
			if (func.is_pure() && func.name().rfind(prefix, 0) == 0)
				return true;
		return false;
	}

	// Returns the position of an output, as a JSON member, if there are several outputs.
	std::string place_of(const Node &node) const
	{
		const std::vector<std::string> &all = graph.arguments;
		const auto place = std::find(all.begin(), all.end(), node.func.name());
		return all.size() == 1 || place == all.end() ? "" : ",\"place\":" + std::to_string(place - all.begin());
	}

	static std::string fixed(const Function &func)
	{
		const std::vector<std::string> dims = Sizes::fixed(func, true);
		return dims.empty() ? "" : ",\"fixed\":" + names(dims);
	}

	// Returns, as a JSON member, the dimensions of an output along which selects fold (halide/loads.h)
	// and whose minimum is fixed.
	static std::string begins(const Function &func, const std::set<std::string> &folding)
	{
		std::vector<std::string> dims;
		for (const std::string &dim : Sizes::fixed(func, false))
			if (folding.count(dim))
				dims.push_back(dim);
		return dims.empty() ? "" : ",\"begins\":" + names(dims);
	}

	std::string func(const Node &node)
	{
		const Function &func = node.func;
		char hash[24];
		snprintf(hash, sizeof hash, "\"%016llx\"", (unsigned long long)definitions.at(func.name()));
		std::vector<int> stages;
		for (int s = 0; s <= (int)func.updates().size(); s++)
			stages.push_back(s);
		std::set<std::string> folding;
		const std::string all_stages = lines(stages, "   ", [&](int s) { return stage(func, s, &folding); });
		const std::vector<Bound> computed = bounds.computed(func, true), stored = bounds.computed(func, false);
		return "{\"name\":" + quoted(func.name()) + ",\"handle\":" + std::to_string(node.handle) +
		       ",\"definition\":" + hash + ",\"types\":" + types(func.output_types()) +
		       ",\"dims\":" + names(func.args()) +
		       (node.output ? ",\"output\":true" + place_of(node) +
					  ",\"estimate\":" + regions(sizes.output(func))
				    : "") +
		       (node.output ? fixed(func) + begins(func, folding) : "") +
		       (node.output && !graph.is_argument(func.name()) ? ",\"for_extern\":true" : "") +
		       (func.is_pure() && func.is_wrapper() ? ",\"wrapper\":true" : "") +
		       (boundary(func) ? ",\"boundary\":true" : "") +
		       (computed.empty() ? "" : ",\"computed\":" + box(computed)) +
		       (same_box(stored, computed)
			    ? ""
			    : ",\"stored\":" + (stored.empty() ? "null" : box(stored))) +
		       ",\"branching\":" + branching_of(func) +
		       ",\n  \"stages\":" + all_stages + "}";
	}

	// Returns true if the components of a Func have different types.
	bool is_mixed(const std::string &name) const
	{
		const auto of = graph.env.find(name);
		if (of == graph.env.end())
			return false;
		const std::vector<Type> &list = of->second.output_types();
		return std::any_of(list.begin(), list.end(), [&](const Type &type) { return type != list[0]; });
	}

	// Returns true if Halide removes all stores of a stage, because their values are undefined.
	static bool undefined(const Function &func, int index)
	{
		const Definition &of = definition_of(func, index);
		const Internal::Stmt store =
		    Internal::Provide::make(func.name(), of.values(), of.args(), Internal::const_true());
		const Internal::Stmt left = Internal::remove_undef(store);
		return !left.defined() || left.as<Internal::Evaluate>();
	}

	// Returns true if a term stays a single term when the Funcs in it are inlined. If it becomes a sum,
	// Halide reorders its terms with the other operands of the addition.
	bool is_single(const Expr &e) const
	{
		const auto *call = e.as<Internal::Call>();
		if (!call || call->call_type != Internal::Call::Halide)
			return Internal::is_const(e) || e.as<Internal::Cast>() || e.as<Internal::Mul>() ||
			       (call && (call->call_type == Internal::Call::Image || call->is_pure()));
		for (const Node &node : graph.nodes)
			if (node.func.name() == call->name)
				return !node.func.updates().empty() || is_single(node.func.values()[call->value_index]);
		return false;
	}

	// Returns true if an update adds a single term to the Func's own value.
	bool is_addition(const Function &func, const Expr &value) const
	{
		const auto *sum = value.as<Internal::Add>();
		for (int k = 0; sum && k < 2; k++) {
			const auto *own = (k ? sum->b : sum->a).as<Internal::Call>();
			if (own && own->name == func.name())
				return is_single(k ? sum->a : sum->b);
		}
		return false;
	}

	// Returns JSON members about the order of an update's iterations. associative: Halide proves that
	// they may run in any order. atomic: each iteration can be one atomic addition, on every GPU. (For
	// other operations, Halide generates compare-and-swap loops that begin with a plain load.)
	std::string order(const Function &func, int index) const
	{
		if (index == 0)
			return "";
		const Definition &of = definition_of(func, index);
		Internal::AssociativeOp op;
		if (!is_associative(func, index, &op))
			return "";
		const bool atomic = of.values().size() == 1 && of.values()[0].type().bits() == 32 &&
				    is_addition(func, of.values()[0]);
		return std::string(",\"associative\":true") + (atomic ? ",\"atomic\":true" : "");
	}

	// Returns a stage as JSON. Adds the loops along which selects of the stage fold to *folding.
	std::string stage(const Function &func, int index, std::set<std::string> *folding)
	{
		const std::vector<Loop> loops = bounds.loops(func, index);
		std::vector<std::string> loop_names;
		for (const Loop &l : loops)
			loop_names.push_back(l.name);
		const Work work = work_of(func, index, loop_names);
		const std::vector<Parity> list = parities_of(func, index, loop_names, work);
		for (const Parity &f : list)
			for (const ParityLoop &l : f.loops)
				folding->insert(l.name);
		const auto required = bounds.required(func, index);
		const auto touched = bounds.touched(func, index);
		std::map<int, std::string> read; // by position
		auto add = [&](const std::string &name) {
			const auto place = places.find(name);
			if (place != places.end())
				read.emplace(place->second, name);
		};
		for (const auto &it : required)
			add(it.first);
		for (const auto &it : work.loads)
			add(it.first);
		const bool predicated = !Internal::is_const_one(definition_of(func, index).predicate());
		return "{\"loops\":[" + joined(loops, ",", loop) + "]" + (predicated ? ",\"predicated\":true" : "") +
				(undefined(func, index) ? ",\"undefined\":true" : "") + order(func, index) +
				",\n    \"store\":" + jacobian(work.store) + ",\"ops\":" + operations(work.operations) +
				(work.predicates.empty() ? "" : ",\"predicate_ops\":" + operations(work.predicates)) +
				parities(list, work) +
				",\n    \"reads\":" + lines(read, "     ", [&](const auto &it) {
					const std::string &from = it.second;
					auto found = work.loads.find(from);
					const std::string narrow = box(required.at(from)),
							  wide = touched.count(from) ? box(touched.at(from))
										     : narrow;
					auto written = work.calls.find(from);
					const int calls = written == work.calls.end() ? 0 : written->second;
					const bool loaded = found != work.loads.end();
					return "{\"from\":" + quoted(from) + ",\"box\":" + narrow +
					       (wide != narrow ? ",\"touched\":" + wide : "") +
					       (calls != (loaded ? count(found->second) : 0)
						    ? ",\"calls\":" + std::to_string(calls)
						    : "") +
					       ",\"loads\":" +
					       (loaded ? loads(found->second, is_mixed(from)) : "[]") + "}";
				}) + "}";
	}
};

}

std::string describe(const Pipeline &pipeline, const std::string &name, const Estimates &estimates,
		     int64_t most_points, const std::string &rfactor)
{
	Description description(pipeline, estimates, rfactor);
	std::string text;
	try {
		text = description.text(name);
	} catch (...) {
		description.check_missing();
		throw;
	}
	description.check_estimates(pipeline, estimates, most_points);
	return text;
}

}

#include "halide/hand.h"

#include <sstream>

#include "halide/convert.h"
#include "halide/graph.h"

namespace bw {

namespace {

using Internal::Dim;
using Internal::ForType;
using Internal::Split;

template<typename List, typename Item>
std::string joined(const List &list, Item item)
{
	std::string text;
	for (const auto &element : list)
		text += (text.empty() ? "" : ",") + item(element);
	return "[" + text + "]";
}

std::string text_of(const Expr &e)
{
	std::ostringstream text;
	text << e;
	return text.str();
}

// Returns an expression as JSON: a number if it is constant, else its text; null if it is undefined.
std::string value_of(const Expr &e)
{
	if (!e.defined())
		return "null";
	const Expr simple = Internal::simplify(e);
	if (const auto constant = Internal::as_const_int(simple))
		return std::to_string(*constant);
	return quoted(text_of(e));
}

std::string kind_of(ForType type)
{
	switch (type) {
	case ForType::Serial:
		return "serial";
	case ForType::Parallel:
		return "parallel";
	case ForType::Vectorized:
		return "vector";
	case ForType::Unrolled:
		return "unrolled";
	case ForType::GPUBlock:
		return "block";
	case ForType::GPUThread:
		return "thread";
	case ForType::GPULane:
		return "lane";
	default:
		return "other";
	}
}

// Returns the name of a memory type in beamwalk's schedules; Halide's name if they have none.
std::string memory_of(Halide::MemoryType memory)
{
	switch (memory) {
	case Halide::MemoryType::Auto:
		return "auto";
	case Halide::MemoryType::Heap:
		return "global";
	case Halide::MemoryType::GPUShared:
		return "shared";
	case Halide::MemoryType::Register:
		return "registers";
	case Halide::MemoryType::Stack:
		return "stack";
	default: {
		std::ostringstream text;
		text << memory;
		return text.str();
	}
	}
}

std::string tail_of(Halide::TailStrategy tail)
{
	switch (tail) {
	case Halide::TailStrategy::Auto:
		return "auto";
	case Halide::TailStrategy::RoundUp:
		return "round_up";
	case Halide::TailStrategy::ShiftInwards:
		return "shift_inwards";
	case Halide::TailStrategy::GuardWithIf:
		return "guard_with_if";
	default: {
		std::ostringstream text;
		text << tail;
		return text.str();
	}
	}
}

// Returns a loop level as JSON, with all loops that it can mean. If the generator named no stage, these are
// the loops of this name in all stages.
std::string level_of(Halide::LoopLevel level, const std::vector<Func> &funcs)
{
	level.lock();
	if (level.is_inlined())
		return "\"inline\"";
	if (level.is_root())
		return "\"root\"";
	std::vector<std::string> loops;
	for (const Func &host : funcs) {
		if (host.name() != level.func())
			continue;
		const Internal::Function function = host.function();
		for (int s = 0; s <= host.num_update_definitions(); s++) {
			const Definition &definition = definition_of(function, s);
			for (const Dim &dim : definition.schedule().dims())
				if (level.match(host.name() + ".s" + std::to_string(s) + "." + dim.var))
					loops.push_back("[" + std::to_string(s) + "," + quoted(dim.var) + "]");
		}
	}
	return "{\"func\":" + quoted(level.func()) + ",\"loops\":" +
	       joined(loops, [](const std::string &loop) { return loop; }) + "}";
}

std::string split_of(const Split &split)
{
	const auto type = split.split_type;
	return "{\"op\":" + quoted(type == Split::FuseVars    ? "fuse"
				    : type == Split::SplitVar  ? "split"
				    : type == Split::RenameVar ? "rename"
							       : "purify") +
	       ",\"old\":" + quoted(split.old_var) + ",\"outer\":" + quoted(split.outer) +
	       ",\"inner\":" + quoted(split.inner) + ",\"factor\":" + value_of(split.factor) +
	       ",\"tail\":" + quoted(tail_of(split.tail)) + "}";
}

std::string loop_of(const Dim &dim)
{
	return "{\"name\":" + quoted(dim.var) + ",\"kind\":" + quoted(kind_of(dim.for_type)) + "}";
}

// Returns the other scheduling directives of a stage, besides those for its loops, as calls of Halide.
std::vector<std::string> extras_of(const Definition &definition)
{
	std::vector<std::string> extras;
	const Internal::StageSchedule &schedule = definition.schedule();
	for (const auto &prefetch : schedule.prefetches())
		extras.push_back("prefetch(" + prefetch.name + ")");
	for (const auto &specialization : definition.specializations())
		extras.push_back("specialize(" + text_of(specialization.condition) + ")");
	Halide::LoopLevel fused = schedule.fuse_level().level;
	fused.lock();
	if (!fused.is_inlined() && !fused.is_root())
		extras.push_back("compute_with(" + fused.func() + ", " + fused.var().name() + ")");
	return extras;
}

std::string stage_of(const Definition &definition)
{
	std::vector<Dim> loops = definition.schedule().dims();
	return "{\"splits\":" + joined(definition.schedule().splits(), split_of) + ",\"loops\":" + joined(loops, loop_of) +
	       (definition.schedule().atomic() ? ",\"atomic\":true" : "") + ",\"extras\":" +
	       joined(extras_of(definition), quoted) + "}";
}

std::string bound_of(const Internal::Bound &bound)
{
	return "{\"dim\":" + quoted(bound.var) + ",\"min\":" + value_of(bound.min) + ",\"extent\":" + value_of(bound.extent) +
	       ",\"modulus\":" + value_of(bound.modulus) + ",\"remainder\":" + value_of(bound.remainder) + "}";
}

// Returns the other scheduling directives of a Func, besides its levels and stages, as calls of Halide.
std::vector<std::string> extras_of(const Function &func)
{
	std::vector<std::string> extras;
	const Internal::FuncSchedule &schedule = func.schedule();
	if (schedule.memoized())
		extras.push_back("memoize()");
	if (schedule.async())
		extras.push_back("async()");
	for (const auto &dim : schedule.storage_dims()) {
		if (dim.alignment.defined())
			extras.push_back("align_storage(" + dim.var + ", " + text_of(dim.alignment) + ")");
		if (dim.fold_factor.defined())
			extras.push_back("fold_storage(" + dim.var + ", " + text_of(dim.fold_factor) + ")");
	}
	return extras;
}

// Returns a wrapper or clone as JSON: its name, and the reader that reads it in place of the Func; ""
// stands for all readers.
std::string wrapper_of(const std::pair<const std::string, Internal::FunctionPtr> &wrapper)
{
	return "{\"reader\":" + quoted(wrapper.first) + ",\"name\":" + quoted(Function(wrapper.second).name()) + "}";
}

std::string record_of(const Func &wrapped, const std::vector<Func> &funcs)
{
	const Function func = wrapped.function();
	const Internal::FuncSchedule &schedule = func.schedule();
	std::vector<const Definition *> stages;
	if (func.has_pure_definition())
		for (int s = 0; s <= (int)func.updates().size(); s++)
			stages.push_back(&definition_of(func, s));
	return "{\"name\":" + quoted(func.name()) + ",\"compute\":" + level_of(schedule.compute_level(), funcs) +
	       ",\"store\":" + level_of(schedule.store_level(), funcs) + ",\"memory\":" + quoted(memory_of(schedule.memory_type())) +
	       ",\"storage\":" +
	       joined(schedule.storage_dims(), [](const Internal::StorageDim &dim) { return quoted(dim.var); }) +
	       ",\"bounds\":" + joined(schedule.bounds(), bound_of) + ",\"wrappers\":" + joined(schedule.wrappers(), wrapper_of) +
	       ",\"extras\":" + joined(extras_of(func), quoted) +
	       ",\"stages\":" + joined(stages, [](const Definition *definition) { return stage_of(*definition); }) + "}";
}

}

std::string record_schedule(const Pipeline &pipeline)
{
	const std::vector<Func> funcs = all_funcs(pipeline);
	return "{\"beamwalk-hand\":1,\"funcs\":" +
	       joined(funcs, [&](const Func &func) { return record_of(func, funcs); }) + "}\n";
}

}

#include "halide/apply.h"

#include <memory>

#include "halide/externs.h"
#include "halide/runnable.h"

extern "C" {
#include "schedule/directive.h"
}

namespace bw {

using Halide::LoopLevel;
using Halide::MemoryType;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;
using Halide::VarOrRVar;

namespace {

MemoryType memory_of(bw_memory memory)
{
	switch (memory) {
	case BW_MEMORY_GLOBAL:
		return MemoryType::Heap;
	case BW_MEMORY_SHARED:
		return MemoryType::GPUShared;
	case BW_MEMORY_REGISTERS:
		return MemoryType::Register;
	case BW_MEMORY_STACK:
		return MemoryType::Stack;
	case BW_MEMORY_AUTO:
	case BW_N_MEMORIES:
		break;
	}
	return MemoryType::Auto;
}

TailStrategy tail_of(bw_tail tail)
{
	switch (tail) {
	case BW_TAIL_ROUND_UP:
		return TailStrategy::RoundUp;
	case BW_TAIL_SHIFT_INWARDS:
		return TailStrategy::ShiftInwards;
	case BW_TAIL_GUARD_WITH_IF:
		return TailStrategy::GuardWithIf;
	case BW_TAIL_AUTO:
	case BW_N_TAILS:
		break;
	}
	return TailStrategy::Auto;
}

class Interpreter {
	std::map<int, Func> funcs;
	std::string
	    // name of a Func that has loops of its own and whose name begins with a digit; empty: there is
	    // none
	    numeral;
	std::string lanes; // name of a Func with lanes of a warp (gpu_lanes); empty: there is none

      public:
	explicit Interpreter(const Pipeline &pipeline)
	{
		int handle = 0;
		for (const Func &func : all_funcs(pipeline))
			// emplace, not operator[]: it would make a Func(), which takes a unique name
			funcs.emplace(handle++, func);
	}

	// Applies one directive. Throws a Failure that names the Func or stage that the directive does not
	// fit. Halide's own errors pass through.
	void apply(const bw_directive &d)
	{
		if (d.op < BW_DIRECTIVE_RFACTOR)
			apply_to_func(func(d.func), d);
		else
			apply_to_stage(stage(d.func, d.stage), d);
	}

	// Throws a Failure if Halide would generate code for the target that no compiler accepts.
	void check(const Halide::Target &target) const
	{
		if (!target.has_feature(Halide::Target::OpenCL))
			return;
		if (!lanes.empty())
			throw Failure(BW_ERROR_INPUT, "Func " + lanes +
							  ": it has lanes of a warp (gpu_lanes), which only CUDA has: choose a CUDA device, or run it with --gpu emulated");
		for (const auto &func : funcs)
			check_opencl(func.second, target);
		if (!numeral.empty())
			throw Failure(
			    BW_ERROR_INPUT,
			    "Func " + numeral +
				": in OpenCL code Halide would give its loops a name that begins with a digit, as none may: call it otherwise, or choose a CUDA device");
	}

private:
  static_assert(BW_DIRECTIVE_CLONE_IN < BW_DIRECTIVE_RFACTOR && BW_DIRECTIVE_RFACTOR < BW_DIRECTIVE_SPLIT,
		"directives of Funcs come first");

  Func func(int index) const
  {
	  auto it = funcs.find(index);
	  if (it == funcs.end())
		  throw Failure(BW_ERROR_INPUT, "the pipeline has no Func " + std::to_string(index));
	  return it->second;
	}

	Stage stage(int index, int stage) const
	{
		Func f = func(index);
		if (stage > f.num_update_definitions())
			throw Failure(BW_ERROR_INPUT, "Func " + f.name() + " has no stage " + std::to_string(stage));
		return stage == 0 ? Stage(f) : f.update(stage - 1);
	}

	void add(int index, const Func &func)
	{
		if (!funcs.emplace(index, func).second)
			throw Failure(BW_ERROR_INPUT, "index " + std::to_string(index) + " for " +
							  func.name() + " is that of another Func");
	}

	// Returns a loop that the stage has now. Halide names the loops of a split of x `x.NAME`.
	static VarOrRVar loop(const Stage &stage, const std::string &name)
	{
		const std::string tail = "." + name;
		for (const auto &dim : stage.get_schedule().dims()) {
			const std::string &var = dim.var;
			const bool ends = var.size() > tail.size() &&
					  var.compare(var.size() - tail.size(), tail.size(), tail) == 0;
			if (var == name || ends)
				return VarOrRVar(name, dim.is_rvar());
		}
		throw Failure(BW_ERROR_INPUT, stage.name() + " has no loop " + name + "; it has " +
						  stage.dump_argument_list());
	}

	static std::vector<VarOrRVar> loops(const Stage &stage, const bw_directive &d)
	{
		std::vector<VarOrRVar> list;
		for (int i = 0; i < d.n_vars; i++)
			list.push_back(loop(stage, d.vars[i]));
		return list;
	}

	std::vector<Func> consumers(const bw_directive &d) const
	{
		std::vector<Func> list(1, func(d.at_func));
		for (int i = 0; i < d.n_also; i++)
			list.push_back(func(d.also[i]));
		return list;
	}

	LoopLevel level(const bw_directive &d) const
	{
		return LoopLevel(func(d.at_func), loop(stage(d.at_func, d.at_stage), d.vars[0]));
	}

	void apply_to_func(Func f, const bw_directive &d)
	{
		const bool loops = d.op == BW_DIRECTIVE_COMPUTE_ROOT || d.op == BW_DIRECTIVE_COMPUTE_AT;
		if (loops && f.name()[0] >= '0' && f.name()[0] <= '9')
			numeral = f.name();
		switch (d.op) {
		case BW_DIRECTIVE_COMPUTE_ROOT:
			f.compute_root();
			break;
		case BW_DIRECTIVE_STORE_ROOT:
			f.store_root();
			break;
		case BW_DIRECTIVE_COMPUTE_AT:
			f.compute_at(level(d));
			break;
		case BW_DIRECTIVE_STORE_AT:
			f.store_at(level(d));
			break;
		case BW_DIRECTIVE_STORE_IN:
			f.store_in(memory_of(d.memory));
			break;
		case BW_DIRECTIVE_REORDER_STORAGE:
			f.reorder_storage(std::vector<Var>(d.vars, d.vars + d.n_vars));
			break;
		case BW_DIRECTIVE_ALIGN_STORAGE:
			f.align_storage(Var(d.vars[0]), (int32_t)d.factor);
			break;
		case BW_DIRECTIVE_ALIGN_BOUNDS:
			f.align_bounds(Var(d.vars[0]), (int32_t)d.factor);
			break;
		case BW_DIRECTIVE_IN:
			if (func(d.at_func).function().has_extern_definition())
				add(d.result, copy_for_extern(f, func(d.at_func)));
			else
				add(d.result, d.n_also ? f.in(consumers(d)) : f.in(func(d.at_func)));
			break;
		default:
			add(d.result, f.clone_in(func(d.at_func)));
			break;
		}
	}

	void apply_to_stage(Stage s, const bw_directive &d)
	{
		switch (d.op) {
		case BW_DIRECTIVE_RFACTOR:
			rfactor(s, d);
			break;
		case BW_DIRECTIVE_SPLIT:
			split(s, d);
			break;
		case BW_DIRECTIVE_FUSE: {
			VarOrRVar inner = loop(s, d.vars[0]), outer = loop(s, d.vars[1]);
			s.fuse(inner, outer, VarOrRVar(d.vars[2], inner.is_rvar || outer.is_rvar));
			break;
		}
		case BW_DIRECTIVE_REORDER:
			s.reorder(loops(s, d));
			break;
		case BW_DIRECTIVE_GPU_BLOCKS:
		case BW_DIRECTIVE_GPU_THREADS:
			map_to_gpu(s, d, loops(s, d));
			break;
		case BW_DIRECTIVE_GPU_LANES:
			lanes = func(d.func).name();
			s.gpu_lanes(loop(s, d.vars[0]));
			break;
		case BW_DIRECTIVE_GPU_SINGLE_THREAD:
			s.gpu_single_thread();
			break;
		case BW_DIRECTIVE_ATOMIC:
			s.atomic();
			break;
		case BW_DIRECTIVE_UNROLL:
			s.unroll(loop(s, d.vars[0]));
			break;
		case BW_DIRECTIVE_VECTORIZE:
			s.vectorize(loop(s, d.vars[0]));
			break;
		default:
			s.serial(loop(s, d.vars[0]));
			break;
		}
	}

	void rfactor(Stage s, const bw_directive &d)
	{
		std::vector<std::pair<RVar, Var>> kept;
		for (int i = 0; i + 1 < d.n_vars; i += 2)
			kept.emplace_back(RVar(d.vars[i]), Var(d.vars[i + 1]));
		add(d.result, s.rfactor(kept));
	}

	static void split(Stage s, const bw_directive &d)
	{
		VarOrRVar old = loop(s, d.vars[0]);
		s.split(old, VarOrRVar(d.vars[1], old.is_rvar), VarOrRVar(d.vars[2], old.is_rvar),
			(int32_t)d.factor, tail_of(d.tail));
	}

	static void map_to_gpu(Stage s, const bw_directive &d, const std::vector<VarOrRVar> &on)
	{
		const bool blocks = d.op == BW_DIRECTIVE_GPU_BLOCKS;
		if (on.size() == 1)
			blocks ? s.gpu_blocks(on[0]) : s.gpu_threads(on[0]);
		else if (on.size() == 2)
			blocks ? s.gpu_blocks(on[0], on[1]) : s.gpu_threads(on[0], on[1]);
		else
			blocks ? s.gpu_blocks(on[0], on[1], on[2]) : s.gpu_threads(on[0], on[1], on[2]);
	}
};

struct FreeDirectives {
	void operator()(bw_directives *directives) const
	{
		bw_directives_free(directives);
	}
};

}

void apply(const Pipeline &pipeline, const bw_directives *directives, const Halide::Target &target)
{
	Interpreter interpreter(pipeline);
	for (int i = 0; i < directives->n; i++) {
		try {
			interpreter.apply(directives->list[i]);
		} catch (const Failure &failure) {
			bw_error error = failure.error;
			bw_fail_in(&error, "directive %d (%s)", i, bw_directive_name(directives->list[i].op));
			throw Failure(error);
		}
	}
	interpreter.check(target);
}

void apply(const Pipeline &pipeline, const Request &request, const Halide::Target &target)
{
	bw_error error;
	bw_json_at root = bw_json_root(request.document()), at;
	if (!bw_json_get(&root, "directives", &at, &error))
		throw Failure(error);
	std::unique_ptr<bw_directives, FreeDirectives> directives(bw_directives_read(&at, &error));
	if (!directives)
		throw Failure(error);
	apply(pipeline, directives.get(), target);
}

}

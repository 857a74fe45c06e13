// A chain of 5x5 stencils on 16-bit pixels, each stage a weighted sum of the one before: long-range fusion against recomputation.
// Sums wrap at 16 bits, so that every schedule gives the same bits. Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"

#include <string>
#include <vector>

namespace {

using namespace Halide;

class StencilChain : public Generator<StencilChain> {
public:
	GeneratorParam<int> stencils{"stencils", 32, 1, 256};
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint16_t>> output{"output", 2};

	void generate()
	{
		Func last = BoundaryConditions::repeat_edge(input);
		for (int s = 1; s <= stencils; s++) {
			Func stage("stage" + std::to_string(s));
			stage(x, y) = stencil(last);
			stages.push_back(stage);
			last = stage;
		}
		output(x, y) = last(x, y);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.set_estimates({{0, width}, {0, height}});
		output.set_estimates({{0, width}, {0, height}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		// A stage has 25 multiplications a pixel for 4 bytes moved, which is near the balance of a GPU: a kernel each, without recomputation. The
		// last stage is inlined into the output.
		stages.pop_back();
		stages.push_back(output);
		for (Func f : stages) {
			if (get_target().has_gpu_feature()) {
				// Each thread makes four pixels of a column: 40 loads instead of 100.
				f.compute_root()
					.split(y, y, row, 4, tail(f))
					.reorder(row, x, y)
					.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, tail(f))
					.unroll(row);
			} else {
				f.compute_root().split(y, y, row, 32, tail(f)).parallel(y).vectorize(x, 16, tail(f));
			}
		}
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int radius = 2; // pixels of a stencil beside its middle

	Var x{"x"}, y{"y"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	std::vector<Func> stages;

	// The weights are 1 to 25 in the order of memory: all different, so that a pixel taken for another is seen.
	Expr stencil(const Func &of)
	{
		Expr sum;
		uint16_t weight = 0;
		for (int dy = -radius; dy <= radius; dy++)
			for (int dx = -radius; dx <= radius; dx++) {
				Expr term = cast<uint16_t>(++weight) * of(x + dx, y + dy);
				sum = sum.defined() ? sum + term : term;
			}
		return sum;
	}

	// What is not the output can be computed beyond what is needed of it.
	TailStrategy tail(const Func &f)
	{
		return f.name() == Func(output).name() ? TailStrategy::ShiftInwards : TailStrategy::RoundUp;
	}
};

}

HALIDE_REGISTER_GENERATOR(StencilChain, stencil_chain)

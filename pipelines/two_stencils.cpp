// The stencil chain that Anderson et al., Efficient automatic scheduling of imaging and vision pipelines for the GPU, 2021, section 2, explain their search
// with: two stages of 3x3 points each, of which the second reads the first. Sums of 32 bits, so that every schedule gives the same bits.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class TwoStencils : public Generator<TwoStencils> {
public:
	Input<Buffer<uint32_t>> input{"input", 2};
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		intermed(x, y) = around(input);
		output(x, y) = around(intermed);
		input.set_estimates({{0, width + 4}, {0, height + 4}});
		output.set_estimates({{2, width}, {2, height}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// One kernel: a block makes 64 x 32 points, a thread four of a column, from the first stage in shared memory.
			output.tile(x, y, block_x, block_y, x, y, 64, 32, TailStrategy::ShiftInwards).split(y, y, row, 4).reorder(row, x, y, block_x, block_y).gpu_blocks(block_x, block_y).gpu_threads(x, y).unroll(row);
			intermed.compute_at(output, block_x).store_in(MemoryType::GPUShared).split(y, y, row, 4, TailStrategy::GuardWithIf).split(x, x, column, 2, TailStrategy::GuardWithIf).reorder(row, column, x, y).gpu_threads(x, y).unroll(row).unroll(column);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 8);
			intermed.store_at(output, y).compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;

	Var x{"x"}, y{"y"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"};
	Func intermed{"intermed"};

	// The weights are 1 to 9 in the order of memory: all different, so that a point taken for another is seen.
	Expr around(const Func &of)
	{
		Expr sum = cast<uint32_t>(0);
		for (int k = 0; k < 9; k++)
			sum += cast<uint32_t>(k + 1) * of(x + k % 3 - 1, y + k / 3 - 1);
		return sum;
	}
};

}

HALIDE_REGISTER_GENERATOR(TwoStencils, two_stencils)

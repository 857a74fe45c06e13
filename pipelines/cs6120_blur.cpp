// The second benchmark of Calinao Correa, Doenges and Recto, An autoscheduler for Halide (report of the course CS 6120), as it is printed there: both sums run
// along x, and of each only the last term is divided. Sums of 32 bits, so that every schedule gives the same bits.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Cs6120Blur : public Generator<Cs6120Blur> {
public:
	Input<Buffer<uint32_t>> input{"input", 2};
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		blur_x(x, y) = input(x - 1, y) + input(x, y) + input(x + 1, y) / 3;
		output(x, y) = blur_x(x - 1, y) + blur_x(x, y) + blur_x(x + 1, y) / 3;
		input.set_estimates({{0, size + 4}, {0, size}});
		output.set_estimates({{2, size}, {0, size}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// A thread makes four points of a row from six of the first sum in registers.
			output.split(x, x, column, 4, TailStrategy::ShiftInwards).reorder(column, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::GuardWithIf).unroll(column);
			blur_x.compute_at(output, thread_x).store_in(MemoryType::Register).unroll(x);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 8);
			blur_x.compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int size = 2048;

	Var x{"x"}, y{"y"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func blur_x{"blur_x"};
};

}

HALIDE_REGISTER_GENERATOR(Cs6120Blur, cs6120_blur)

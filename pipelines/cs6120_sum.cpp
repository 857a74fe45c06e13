// The third benchmark of Calinao Correa, Doenges and Recto, An autoscheduler for Halide (report of the course CS 6120): each point is the sum of its coordinates. Nothing
// is read. Integers, so that every schedule gives the same bits.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Cs6120Sum : public Generator<Cs6120Sum> {
public:
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		output(x, y) = x + y;
		output.set_estimates({{0, size}, {0, size}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// A thread stores four neighbours of a row at once.
			output.split(x, x, column, 4, TailStrategy::ShiftInwards).reorder(column, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).vectorize(column);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 8);
		}
	}

private:
	static constexpr int size = 2048;

	Var x{"x"}, y{"y"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
};

}

HALIDE_REGISTER_GENERATOR(Cs6120Sum, cs6120_sum)

// The first benchmark of Calinao Correa, Doenges and Recto, An autoscheduler for Halide (report of the course CS 6120): four neighbours of a Func that is dear
// to compute. Sine and cosine are of whole numbers of radians within one turn, whose sums are either clearly positive or clearly negative:
// beyond it, and between them, rounding would decide where there is a root. Where there is none the output is not a number.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Cs6120Roots : public Generator<Cs6120Roots> {
public:
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		g(x, y) = sqrt(cos(cast<float>(x % turn)) + sin(cast<float>(y % turn)));
		output(x, y) = g(x + 1, y) + g(x, y) + g(x + 1, y + 1) + g(x, y + 1);
		output.set_estimates({{0, size}, {0, size}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// One kernel: a block makes 64 x 32 points from 65 x 33 roots in shared memory, a thread eight of them.
			output.tile(x, y, block_x, block_y, x, y, 64, 32, TailStrategy::ShiftInwards)
				.split(x, column, x, 32)
				.split(y, row, y, 8)
				.reorder(column, row, x, y, block_x, block_y)
				.gpu_blocks(block_x, block_y)
				.gpu_threads(x, y)
				.unroll(column)
				.unroll(row);
			g.compute_at(output, block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 8);
			g.store_at(output, y).compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int size = 2048;
	static constexpr int turn = 7; // whole numbers of radians in a turn, from 0

	Var x{"x"}, y{"y"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func g{"g"};
};

}

HALIDE_REGISTER_GENERATOR(Cs6120Roots, cs6120_roots)

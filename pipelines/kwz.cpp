// The stages of figure 2 of Sioutas, Stuijk, Basten, Corporaal and Somers, Schedule synthesis for Halide pipelines on GPUs, 2020, with which they
// explain what a group of stages is: K has three channels, H is trivial, W reads both at its own place, and Z reads five rows of W. Figures 3 and 4 compute K and W in
// the blocks of Z, then K in the threads of W. Here in integers, so that every schedule gives the same bits.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Kwz : public Generator<Kwz> {
public:
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		k(x, y, c) = (c + 1) * input(x, y) + input(x + 1, y) + input(x + 2, y);
		h(x, y) = input(x, y) * 4;
		w(x, y) = k(x, y, 0) + k(x, y, 1) + k(x, y, 2) + 2 * h(x, y);
		output(x, y) = w(x, y - 2) + w(x, y - 1) + w(x, y) + w(x, y + 1) + w(x, y + 2);
		input.set_estimates({{0, width + 2}, {0, height + 4}});
		output.set_estimates({{0, width}, {2, height}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// The nested fusion of figure 4, with a warp along a row; a thread makes eight points of a column, with W in registers: twelve rows for eight.
			output.split(y, y, row, 8, TailStrategy::ShiftInwards).reorder(row, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::ShiftInwards).unroll(row);
			w.compute_at(output, thread_x).store_in(MemoryType::Register).unroll(y);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 8);
			w.store_at(output, y).compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;

	Var x{"x"}, y{"y"}, c{"c"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func k{"K"}, h{"H"}, w{"W"};
};

}

HALIDE_REGISTER_GENERATOR(Kwz, kwz)

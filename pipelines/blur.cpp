// A 3x3 box blur of 16-bit pixels in two stages: three pixels of a row, then three rows of these.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Blur : public Generator<Blur> {
public:
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint16_t>> output{"output", 2};

	void generate()
	{
		blur_x(x, y) = mean(input(x, y), input(x + 1, y), input(x + 2, y));
		output(x, y) = mean(blur_x(x, y), blur_x(x, y + 1), blur_x(x, y + 2));

		input.set_estimates({{0, width + 2}, {0, height + 2}});
		output.set_estimates({{0, width}, {0, height}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// Each thread makes four pixels of a column, and the six rows of sums that they need in its registers.
			output.split(y, y, row, 4, TailStrategy::ShiftInwards)
				.reorder(row, x, y)
				.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards)
				.unroll(row);
			blur_x.compute_at(output, thread_x).store_in(MemoryType::Register).unroll(y);
		} else {
			output.split(y, y, row, 32).parallel(y).vectorize(x, 16);
			blur_x.store_at(output, y).compute_at(output, row).vectorize(x, 16);
		}
	}

private:
	static constexpr int width = 6400, height = 4800;

	Var x{"x"}, y{"y"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func blur_x{"blur_x"};

	// In 32 bits, where the sum has room.
	static Expr mean(const Expr &a, const Expr &b, const Expr &c)
	{
		return cast<uint16_t>((cast<uint32_t>(a) + b + c) / 3);
	}
};

}

HALIDE_REGISTER_GENERATOR(Blur, blur)

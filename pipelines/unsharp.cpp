// An unsharp mask on a colour image: the brightness is blurred by a Gaussian, rows and columns apart, what the blur took away is
// added once more, and each channel is scaled as the brightness was. Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"

#include <array>
#include <cmath>

namespace {

using namespace Halide;

class Unsharp : public Generator<Unsharp> {
public:
	Input<Buffer<float>> input{"input", 3};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
		gray(x, y) = 0.299f * bounded(x, y, 0) + 0.587f * bounded(x, y, 1) + 0.114f * bounded(x, y, 2);
		blur_y(x, y) = gaussian([&](int offset) { return gray(x, y + offset); });
		blur_x(x, y) = gaussian([&](int offset) { return blur_y(x + offset, y); });
		sharpen(x, y) = 2.0f * gray(x, y) - blur_x(x, y);
		// What is nearly black is not scaled up without limit.
		ratio(x, y) = sharpen(x, y) / max(gray(x, y), darkest);
		output(x, y, c) = ratio(x, y) * input(x, y, c);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		if (get_target().has_gpu_feature()) {
			// A block makes 64 x 32 pixels, a thread 2 x 4 of them, 32 and 8 apart, so that a warp's loads and stores are of adjacent ones. The
			// brightness and its blurred columns are shared by the block; the ratio is a thread's own, for all three channels.
			output.tile(x, y, block_x, block_y, x, y, 64, 32, TailStrategy::ShiftInwards)
				.tile(x, y, column, row, thread_x, thread_y, 32, 8)
				.reorder(c, column, row, thread_x, thread_y, block_x, block_y)
				.gpu_blocks(block_x, block_y)
				.gpu_threads(thread_x, thread_y)
				.unroll(column)
				.unroll(row);
			ratio.compute_at(output, column).store_in(MemoryType::Register);
			for (Func f : {blur_y, gray})
				f.compute_at(output, block_x)
					.store_in(MemoryType::GPUShared)
					.tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf)
					.reorder(x, y, thread_x, thread_y)
					.gpu_threads(thread_x, thread_y);
		} else {
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).reorder(c, x, row, y).parallel(y).vectorize(x, 8);
			ratio.compute_at(output, x).vectorize(x, 8);
			gray.store_at(output, y).compute_at(output, row).vectorize(x, 8);
			blur_y.compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int radius = 3;     // pixels of the Gaussian beside its middle
	static constexpr double sigma = 1.5; // pixels: its standard deviation
	static constexpr float darkest = 1.0f / 1024;

	Var x{"x"}, y{"y"}, c{"c"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func gray{"gray"}, blur_y{"blur_y"}, blur_x{"blur_x"}, sharpen{"sharpen"}, ratio{"ratio"};

	// Weights by distance from the middle; those of all pixels add up to 1.
	static std::array<float, radius + 1> weights()
	{
		std::array<float, radius + 1> scaled;
		double sum = 0;
		for (int k = -radius; k <= radius; k++)
			sum += std::exp(-k * k / (2 * sigma * sigma));
		for (int k = 0; k <= radius; k++)
			scaled[k] = (float)(std::exp(-k * k / (2 * sigma * sigma)) / sum);
		return scaled;
	}

	// The weighted sum along one dimension of what `at` gives for each offset.
	template<typename At>
	static Expr gaussian(const At &at)
	{
		const auto weight = weights();
		Expr sum = weight[0] * at(0);
		for (int k = 1; k <= radius; k++)
			sum += weight[k] * (at(-k) + at(k));
		return sum;
	}
};

}

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)

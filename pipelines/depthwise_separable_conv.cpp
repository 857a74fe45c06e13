// A depthwise separable convolution (Vanhoucke, Learning visual representations at scale, 2014), as MobileNets use it: each channel is convolved by a
// 3x3 filter of its own, then the channels of each pixel are mixed by a matrix; a bias and a rectifier follow. Beyond the image there are zeros.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class DepthwiseSeparableConv : public Generator<DepthwiseSeparableConv> {
public:
	GeneratorParam<int> channels{"channels", 32, 4, 1 << 10}; // read; half as many are made
	Input<Buffer<float>> input{"input", 4};			  // channel, x, y, image
	Input<Buffer<float>> filters{"filters", 3};		  // channel, x, y
	Input<Buffer<float>> mixture{"mixture", 2};		  // channel made, channel read
	Input<Buffer<float>> bias{"bias", 1};
	Output<Buffer<float>> output{"output", 4};

	void generate()
	{
		const int made = channels / 2;
		filter = RDom(0, side, 0, side, "filter");
		read = RDom(0, (int)channels, "read");
		const Expr inside = x >= 0 && x < input.dim(1).extent() && y >= 0 && y < input.dim(2).extent();
		padded(c, x, y, n) = select(inside, input(c, clamp(x, 0, input.dim(1).extent() - 1), clamp(y, 0, input.dim(2).extent() - 1), n), 0.0f);
		deep(c, x, y, n) = 0.0f;
		deep(c, x, y, n) += filters(c, filter.x, filter.y) * padded(c, x + filter.x - side / 2, y + filter.y - side / 2, n);
		mixed(c, x, y, n) = bias(c);
		mixed(c, x, y, n) += mixture(c, read) * deep(read, x, y, n);
		output(c, x, y, n) = max(mixed(c, x, y, n), 0.0f);

		for (OutputImageParam tensor : {(OutputImageParam)input, (OutputImageParam)filters, (OutputImageParam)mixture, (OutputImageParam)bias, (OutputImageParam)output}) {
			const bool reads = tensor.name() == "input" || tensor.name() == "filters";
			tensor.set_host_alignment(16);
			tensor.dim(0).set_bounds(0, reads ? (int)channels : made);
			for (int d = 1; d < tensor.dimensions() && (reads ? (int)channels : made) % 4 == 0; d++)
				tensor.dim(d).set_stride(tensor.dim(d).stride() / 4 * 4);
		}
		input.dim(1).set_stride(channels);
		filters.dim(1).set_stride(channels);
		mixture.dim(1).set_stride(made);
		input.dim(1).set_min(0);
		input.dim(2).set_min(0);
		filters.dim(1).set_bounds(0, side);
		filters.dim(2).set_bounds(0, side).set_stride(channels * side);
		mixture.dim(1).set_bounds(0, channels);
		input.set_estimates({{0, channels}, {0, width}, {0, height}, {0, images}});
		filters.set_estimates({{0, channels}, {0, side}, {0, side}});
		mixture.set_estimates({{0, made}, {0, channels}});
		bias.set_estimates({{0, made}});
		output.set_estimates({{0, made}, {0, width}, {0, height}, {0, images}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		const int lanes = 4, columns = 4, across = 32, down = 2;
		output.bound(c, 0, channels / 2);
		if (get_target().has_gpu_feature()) {
			// A block makes all channels of 32 x 2 pixels. It convolves them into shared memory, in threads that make a vector of four channels, then each
			// thread mixes four channels of four pixels from there: of each channel read it loads a vector of the mixture and four values.
			output.split(c, c, lane, lanes, TailStrategy::ShiftInwards)
				.split(x, block_x, x, across, TailStrategy::ShiftInwards)
				.split(y, block_y, y, down, TailStrategy::ShiftInwards)
				.split(x, x, column, columns)
				.reorder(lane, column, c, x, y, block_x, block_y, n)
				.gpu_blocks(block_x, block_y, n)
				.gpu_threads(c, x, y)
				.vectorize(lane)
				.unroll(column);
			mixed.compute_at(output, c).store_in(MemoryType::Register).vectorize(c, lanes).unroll(x);
			mixed.update().reorder(c, x, read).vectorize(c, lanes).unroll(x).unroll(read, 2, TailStrategy::GuardWithIf);
			deep.in().compute_at(output, block_x).store_in(MemoryType::GPUShared).bound(c, 0, channels).split(c, c, lane, lanes, TailStrategy::GuardWithIf).split(x, x, column, columns, TailStrategy::GuardWithIf).reorder(lane, column, c, x, y).vectorize(lane).unroll(column).gpu_threads(c, x, y);
			deep.compute_at(deep.in(), c).store_in(MemoryType::Register).vectorize(c, lanes).unroll(x);
			deep.update().reorder(c, x, filter.x, filter.y).vectorize(c, lanes).unroll(x);
		} else {
			output.split(x, x, column, columns, TailStrategy::GuardWithIf).reorder(c, column, x, y, n).parallel(n).parallel(y).vectorize(c, lanes);
			deep.compute_at(output, x).vectorize(c, lanes);
			deep.update().reorder(c, x, filter.x, filter.y).vectorize(c, lanes);
			mixed.compute_at(output, x).vectorize(c, lanes);
			mixed.update().reorder(c, x, read).vectorize(c, lanes);
		}
	}

private:
	static constexpr int width = 112, height = 112, images = 4;
	static constexpr int side = 3; // pixels of a channel's filter along both dimensions

	Var c{"c"}, x{"x"}, y{"y"}, n{"n"}, lane{"lane"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"};
	RDom filter, read;
	Func padded{"padded"}, deep{"deep"}, mixed{"mixed"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(DepthwiseSeparableConv, depthwise_separable_conv)

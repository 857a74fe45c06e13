// A layer of a convolutional network: a 3x3 convolution from channels to channels, a bias, and the rectifier (Nair and Hinton, Rectified linear units
// improve restricted Boltzmann machines, 2010). Channels are the innermost dimension; a batch of images is the outermost. Nothing is padded: the
// output is two pixels smaller.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class ConvLayer : public Generator<ConvLayer> {
public:
	GeneratorParam<int> channels{"channels", 128, 4, 1 << 12};
	Input<Buffer<float>> input{"input", 4};	    // channel, x, y, image
	Input<Buffer<float>> weights{"weights", 4}; // channel made, x, y, channel read
	Input<Buffer<float>> bias{"bias", 1};
	Output<Buffer<float>> output{"output", 4};

	void generate()
	{
		over = RDom({{0, side}, {0, side}, {0, (int)channels}}, "over");
		sum(c, x, y, n) = bias(c);
		sum(c, x, y, n) += weights(c, over.x, over.y, over.z) * input(over.z, x + over.x, y + over.y, n);
		output(c, x, y, n) = max(sum(c, x, y, n), 0.0f);

		for (OutputImageParam tensor : {(OutputImageParam)input, (OutputImageParam)weights, (OutputImageParam)bias, (OutputImageParam)output}) {
			tensor.set_host_alignment(16);
			tensor.dim(0).set_bounds(0, channels);
			for (int d = 1; d < tensor.dimensions() && (int)channels % 4 == 0; d++)
				tensor.dim(d).set_stride(tensor.dim(d).stride() / 4 * 4);
		}
		weights.dim(1).set_stride(channels);
		input.dim(1).set_stride(channels);
		input.dim(1).set_min(0);
		input.dim(2).set_min(0);
		weights.dim(1).set_bounds(0, side);
		weights.dim(2).set_bounds(0, side).set_stride(channels * side);
		weights.dim(3).set_bounds(0, channels).set_stride(channels * side * side);
		input.set_estimates({{0, channels}, {0, width + side - 1}, {0, height + side - 1}, {0, images}});
		weights.set_estimates({{0, channels}, {0, side}, {0, side}, {0, channels}});
		bias.set_estimates({{0, channels}});
		output.set_estimates({{0, channels}, {0, width}, {0, height}, {0, images}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		const int lanes = 4, columns = 8;
		output.bound(c, 0, channels);
		if (get_target().has_gpu_feature()) {
			// A thread makes 4 channels of 8 pixels of a row in registers. For a channel read and a row of weights it loads ten pixels, which are the
			// same for a whole warp, and three vectors of weights, for 96 multiplications. A block makes up to 128 channels of 8 x 4 pixels.
			output.split(c, c, lane, lanes, TailStrategy::ShiftInwards)
				.split(x, x, column, columns, TailStrategy::ShiftInwards)
				.reorder(lane, column, c, y, x, n)
				.split(c, block_c, thread_c, 32, TailStrategy::GuardWithIf)
				.split(y, block_y, thread_y, 4, TailStrategy::GuardWithIf)
				.reorder(lane, column, thread_c, thread_y, block_c, x, block_y, n)
				.fuse(block_c, x, block_x)
				.gpu_blocks(block_x, block_y, n)
				.gpu_threads(thread_c, thread_y)
				.vectorize(lane)
				.unroll(column);
			sum.compute_at(output, thread_c).store_in(MemoryType::Register).vectorize(c, lanes).unroll(x);
			sum.update().reorder(c, x, over.x, over.y, over.z).vectorize(c, lanes).unroll(x).unroll(over.x);
			input.in().compute_at(sum, over.y).store_in(MemoryType::Register).unroll(_1);
		} else {
			output.split(x, x, column, columns, TailStrategy::GuardWithIf).reorder(c, column, x, y, n).parallel(n).parallel(y).vectorize(c, lanes);
			sum.compute_at(output, x).vectorize(c, lanes);
			sum.update().reorder(c, x, over.x, over.y, over.z).vectorize(c, lanes);
		}
	}

private:
	static constexpr int width = 100, height = 80, images = 5;
	static constexpr int side = 3; // pixels of the convolution along both dimensions

	Var c{"c"}, x{"x"}, y{"y"}, n{"n"}, lane{"lane"}, column{"column"}, block_c{"block_c"}, block_x{"block_x"}, block_y{"block_y"}, thread_c{"thread_c"}, thread_y{"thread_y"};
	RDom over;
	Func sum{"sum"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)

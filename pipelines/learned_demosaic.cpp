// Demosaicking with learned filters: a Bayer mosaic becomes a colour image. Several 5x5 filters guess the green that is missing; as many others say, by
// the magnitude of what they give, how far each guess counts at a place; green is the mean of the guesses by these weights. Of red and blue the difference to
// green is interpolated, by a filter for each arrangement of neighbours. The model of Li, Gharbi, Adams, Durand and Ragan-Kelley, Differentiable programming
// for image processing and deep learning in Halide, 2018, section 5. The filters are inputs. Beyond the mosaic its edge is repeated, two pixels at a
// time, so that colours stay in their places.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class LearnedDemosaic : public Generator<LearnedDemosaic> {
public:
	GeneratorParam<int> guesses{"guesses", 8, 1, 64};
	// At even places of even rows green, beside it red, below it blue.
	Input<Buffer<float>> mosaic{"mosaic", 2};
	Input<Buffer<float>> trusts{"trusts", 3}; // x, y, which guess
	Input<Buffer<float>> greens{"greens", 3}; // the same
	Input<Buffer<float>> chromas{"chromas", 3}; // x, y; for neighbours along rows, along columns, and across corners
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		window = RDom(0, side, 0, side, "window");
		guess = RDom(0, (int)guesses, "guess");
		raw(x, y) = mosaic(same_colour(x, mosaic.width()), same_colour(y, mosaic.height()));

		trust(x, y, k) = 0.0f;
		trust(x, y, k) += trusts(window.x, window.y, k) * raw(x + window.x - radius, y + window.y - radius);
		interpolated(x, y, k) = 0.0f;
		interpolated(x, y, k) += greens(window.x, window.y, k) * raw(x + window.x - radius, y + window.y - radius);
		weights(x, y) = least;
		weights(x, y) += abs(trust(x, y, guess));
		weighted(x, y) = 0.0f;
		weighted(x, y) += abs(trust(x, y, guess)) * interpolated(x, y, guess);
		const Expr is_green = x % 2 == y % 2, even = y % 2 == 0;
		green(x, y) = select(is_green, raw(x, y), weighted(x, y) / weights(x, y));
		chroma(x, y) = raw(x, y) - green(x, y);

		for (int d = 0; d < directions; d++) {
			Func &of = around[d];
			of(x, y) = green(x, y);
			of(x, y) += chromas(window.x, window.y, d) * chroma(x + window.x - radius, y + window.y - radius);
		}
		const Expr beside = select(even, around[0](x, y), around[1](x, y)), below = select(even, around[1](x, y), around[0](x, y));
		red(x, y) = select(is_green, beside, even, raw(x, y), around[2](x, y));
		blue(x, y) = select(is_green, below, even, around[2](x, y), raw(x, y));
		output(x, y, c) = select(c == 0, red(x, y), c == 1, green(x, y), blue(x, y));

		for (OutputImageParam image : {(OutputImageParam)mosaic, (OutputImageParam)output}) {
			image.dim(0).set_min(0);
			image.dim(1).set_min(0);
		}
		for (OutputImageParam filters : {(OutputImageParam)trusts, (OutputImageParam)greens, (OutputImageParam)chromas}) {
			filters.dim(0).set_bounds(0, side);
			filters.dim(1).set_bounds(0, side).set_stride(side);
			filters.dim(2).set_bounds(0, filters.name() == "chromas" ? directions : (int)guesses).set_stride(side * side);
		}
		output.dim(2).set_bounds(0, 3);
		mosaic.set_estimates({{0, width}, {0, height}});
		trusts.set_estimates({{0, side}, {0, side}, {0, guesses}});
		greens.set_estimates({{0, side}, {0, side}, {0, guesses}});
		chromas.set_estimates({{0, side}, {0, side}, {0, directions}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		if (get_target().has_gpu_feature())
			for_gpu();
		else
			for_cpu();
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int radius = 2, side = 2 * radius + 1; // pixels of a filter beside its middle, and along both dimensions
	static constexpr int directions = 3;
	static constexpr float least = 1.0f / 1024; // sum of weights

	Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, column{"column"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	RDom window, guess;
	Func raw{"raw"}, trust{"trust"}, interpolated{"interpolated"}, weights{"weights"}, weighted{"weighted"}, green{"green"}, chroma{"chroma"}, red{"red"}, blue{"blue"};
	Func around[directions] = {Func("along_rows"), Func("along_columns"), Func("across")};

	// The nearest place inside, of an extent of two or more, at which the colour is the same.
	static Expr same_colour(const Expr &at, const Expr &extent)
	{
		return clamp(at, at % 2, extent - 1 - (extent - 1 - at) % 2);
	}

	// A tile of 64 x 16 in a block of 32 x 8 threads, each of which has 2 x 2 pixels, one of each kind, so that it is known which of its sums are needed.
	void by_fours(Func f, TailStrategy tail)
	{
		f.tile(x, y, block_x, block_y, x, y, 64, 16, tail).tile(x, y, column, row, 2, 2).reorder(column, row, x, y, block_x, block_y).gpu_blocks(block_x, block_y).gpu_threads(x, y).unroll(column).unroll(row);
	}

	// What a block needs in its shared memory, made by as many threads.
	void shared(Func f, Func block)
	{
		f.compute_at(block, block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
	}

	// Two kernels, of green, and of the colours; the sums of all guesses grow side by side, so that a pixel is loaded once for all of them.
	void for_gpu()
	{
		green.compute_root().align_bounds(x, 2).align_bounds(y, 2);
		by_fours(green, TailStrategy::RoundUp);
		shared(raw.in({green, trust, interpolated}), green);
		for (Func f : {trust, interpolated}) {
			f.compute_at(green, column).store_in(MemoryType::Register).unroll(k);
			f.update().reorder(k, x, y, window.x, window.y).unroll(k);
		}
		for (Func f : {weights, weighted}) {
			f.compute_at(green, column).store_in(MemoryType::Register);
			f.update().unroll(guess);
		}
		by_fours(output, TailStrategy::GuardWithIf);
		shared(chroma, output);
		for (Func &f : around)
			f.compute_at(output, column).store_in(MemoryType::Register).update().unroll(window.x);
	}

	void for_cpu()
	{
		const int lanes = 8;
		for (Func f : {raw, green, chroma})
			f.compute_root().parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		for (Func f : {trust, interpolated}) {
			f.compute_at(green, x).vectorize(x);
			f.update().reorder(x, k, y, window.x, window.y).vectorize(x);
		}
		for (Func f : {weights, weighted}) {
			f.compute_at(green, x).vectorize(x);
			f.update().reorder(x, y, guess).vectorize(x);
		}
		output.split(y, y, row, 16, TailStrategy::ShiftInwards).parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards);
		for (Func &f : around) {
			f.compute_at(output, x).vectorize(x);
			f.update().reorder(x, y, window.x, window.y).vectorize(x);
		}
	}
};

}

HALIDE_REGISTER_GENERATOR(LearnedDemosaic, learned_demosaic)

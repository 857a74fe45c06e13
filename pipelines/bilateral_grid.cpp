// The bilateral grid of Chen, Paris and Durand (Real-time edge-aware image processing with the bilateral grid, 2007): a gray image is smoothed but not
// across its edges. Pixels are collected in cells of a coarse grid over place and brightness, the grid is blurred along its three dimensions, and
// each pixel is looked up in it again, between the eight cells around it. Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"

#include <functional>

namespace {

using namespace Halide;

class BilateralGrid : public Generator<BilateralGrid> {
public:
	GeneratorParam<int> spacing{"spacing", 8, 2, 64}; // pixels from a cell to the next
	GeneratorParam<int> bins{"bins", 10, 1, 64};      // cells from black to white
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input);
		const int side = spacing;
		r = RDom(0, side, 0, side, "r");
		Expr value = clamp(bounded(x * side + r.x - side / 2, y * side + r.y - side / 2), 0.0f, 1.0f);
		Expr cell = clamp((place(value) + one / 2) / one, 0, (int)bins);
		grid(x, y, z, c) = 0.0f;
		grid(x, y, cell, c) += select(c == 0, value, 1.0f);
		blur_z(x, y, z, c) = blurred([&](int offset) { return grid(x, y, z + offset, c); });
		blur_x(x, y, z, c) = blurred([&](int offset) { return blur_z(x + offset, y, z, c); });
		blur_y(x, y, z, c) = blurred([&](int offset) { return blur_x(x, y + offset, z, c); });

		Expr at = place(clamp(input(x, y), 0.0f, 1.0f));
		Expr layer = clamp(at / one, 0, (int)bins);
		Expr share_x = cast<float>(x % side) / (float)side, share_y = cast<float>(y % side) / (float)side;
		Expr share_z = cast<float>(at - layer * one) * (1.0f / one);
		const auto along_x = [&](const Expr &line, const Expr &deep) { return mixed(blur_y(x / side, line, deep, c), blur_y(x / side + 1, line, deep, c), share_x); };
		const auto along_y = [&](const Expr &deep) { return mixed(along_x(y / side, deep), along_x(y / side + 1, deep), share_y); };
		sampled(x, y, c) = mixed(along_y(layer), along_y(layer + 1), share_z);
		output(x, y) = sampled(x, y, 0) / sampled(x, y, 1);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		output.dim(0).set_min(0);
		output.dim(1).set_min(0);
		input.set_estimates({{0, width}, {0, height}});
		output.set_estimates({{0, width}, {0, height}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		// A value and its weight lie side by side wherever both are read.
		for (Func f : {grid, blur_z, blur_x, blur_y})
			f.bound(c, 0, 2).reorder_storage(c, x, y, z);
		sampled.bound(c, 0, 2);
		if (get_target().has_gpu_feature()) {
			// A thread collects one cell's pixels, in the shared memory of a block of 8 x 8 cells, which blurs them along z before they leave it; what is
			// blurred along x is shared by the block that blurs it along y; the look-up has both channels in a register.
			blur_z.compute_root().reorder(c, z, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 8, 8, TailStrategy::RoundUp).vectorize(c);
			grid.compute_at(blur_z, block_x).store_in(MemoryType::GPUShared).reorder(c, z, x, y).gpu_threads(x, y).vectorize(c);
			grid.update().reorder(c, r.x, r.y, x, y).gpu_threads(x, y).unroll(c);
			blur_y.compute_root()
				.reorder(c, x, y, z)
				.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp)
				.gpu_blocks(z)
				.vectorize(c);
			blur_x.compute_at(blur_y, block_x).store_in(MemoryType::GPUShared).reorder(c, x, y, z).gpu_threads(x, y).vectorize(c);
			output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards);
			sampled.compute_at(output, thread_x).store_in(MemoryType::Register).vectorize(c);
		} else {
			const int lanes = 8;
			grid.compute_at(blur_z, y);
			grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
			blur_z.compute_root().reorder(c, x, z, y).parallel(y).unroll(c);
			blur_x.compute_at(blur_y, z).reorder(c, x, y, z).vectorize(x, lanes).unroll(c);
			blur_y.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, lanes).unroll(c);
			output.split(y, y, row, 16, TailStrategy::ShiftInwards).parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards);
			sampled.compute_at(output, x).vectorize(x).unroll(c);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int one = 65536; // of a place along z, from a cell to the next

	Var x{"x"}, y{"y"}, z{"z"}, c{"c"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	RDom r;
	Func grid{"grid"}, blur_z{"blur_z"}, blur_x{"blur_x"}, blur_y{"blur_y"}, sampled{"sampled"};

	// Where a value in [0, 1] lies along z: an integer, made without rounding, so that every schedule finds the same cell.
	Expr place(const Expr &value) const
	{
		return cast<int32_t>(value * (float)one) * (int)bins;
	}

	// Five cells with the weights of a binomial, which need not add up to 1: values and their weights are blurred alike.
	static Expr blurred(const std::function<Expr(int)> &at)
	{
		return at(-2) + at(2) + 4.0f * (at(-1) + at(1)) + 6.0f * at(0);
	}

	static Expr mixed(const Expr &first, const Expr &second, const Expr &share)
	{
		return (1.0f - share) * first + share * second;
	}
};

}

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)

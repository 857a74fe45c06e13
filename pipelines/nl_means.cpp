// Non-local means of Buades, Coll and Morel (A non-local algorithm for image denoising, 2005): each pixel becomes the mean of those of an area around it,
// weighted by how alike the patches around both are. The distances of patches at one displacement are a box filter of that of pixels, rows and columns
// apart, as Darbon, Cunha, Chan, Osher and Jensen have it (Fast nonlocal filtering, 2008). Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"

#include <functional>

namespace {

using namespace Halide;

class NlMeans : public Generator<NlMeans> {
public:
	GeneratorParam<int> patch{"patch", 7, 1, 17};   // pixels along each side of a patch
	GeneratorParam<int> search{"search", 7, 1, 63}; // and of the area
	Input<Buffer<float>> input{"input", 3};
	Input<float> sigma{"sigma", 0.12f, 1e-3f, 10.0f}; // how different patches are that still count
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
		Expr squares;
		for (int channel = 0; channel < 3; channel++) {
			Expr difference = bounded(x, y, channel) - bounded(x + dx, y + dy, channel);
			squares = squares.defined() ? squares + difference * difference : difference * difference;
		}
		apart(x, y, dx, dy) = squares;
		apart_y(x, y, dx, dy) = sum_of([&](int offset) { return apart(x, y + offset, dx, dy); });
		apart_patch(x, y, dx, dy) = sum_of([&](int offset) { return apart_y(x + offset, y, dx, dy); });
		const int pixels = (int)patch * (int)patch;
		weight(x, y, dx, dy) = exp(apart_patch(x, y, dx, dy) * (-1.0f / (sigma * sigma * (float)pixels)));

		const int area = search;
		around = RDom(-(area / 2), area, -(area / 2), area, "around");
		counted(x, y, c) = select(c < 3, bounded(x, y, min(c, 2)), 1.0f);
		total(x, y, c) = 0.0f;
		total(x, y, c) += weight(x, y, around.x, around.y) * counted(x + around.x, y + around.y, c);
		output(x, y, c) = clamp(total(x, y, c) / total(x, y, 3), 0.0f, 1.0f);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		sigma.set_estimate(0.12f);
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		total.bound(c, 0, 4);
		if (get_target().has_gpu_feature()) {
			// One kernel: a block of 32 x 16 threads goes through the displacements one by one. What is read more than once is in shared memory: distances of
			// pixels, of columns of patches, and the totals. The block's pixels are as many as have a distance for each thread twice, no loop with a tail.
			const int rim = patch - 1;
			output.tile(x, y, block_x, block_y, x, y, 32 - rim, 32 - rim, TailStrategy::ShiftInwards).reorder(c, x, y, block_x, block_y).gpu_blocks(block_x, block_y);
			total.compute_at(output, block_x).store_in(MemoryType::GPUShared).reorder(c, x, y).unroll(c);
			total.update().reorder(c, x, y, around.x, around.y).unroll(c);
			weight.compute_at(total, x).store_in(MemoryType::Register);
			for (Func f : {apart, apart_y})
				f.compute_at(total, around.x).store_in(MemoryType::GPUShared);
			for (Stage stage : {Stage(output), Stage(total), Stage(total.update()), Stage(apart), Stage(apart_y)})
				stage.split(y, row, thread_y, 16, TailStrategy::GuardWithIf).reorder(row, x, thread_y).gpu_threads(x, thread_y);
		} else {
			const int lanes = 8;
			output.tile(x, y, block_x, block_y, x, y, 32, 8, TailStrategy::ShiftInwards).parallel(block_y).vectorize(x, lanes);
			total.compute_at(output, block_x).reorder(c, x, y).unroll(c).vectorize(x, lanes);
			total.update().reorder(c, x, y, around.x, around.y).unroll(c).vectorize(x, lanes);
			weight.compute_at(total, x).vectorize(x, lanes);
			for (Func f : {apart, apart_y})
				f.compute_at(total, around.x).vectorize(x, lanes);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;

	Var x{"x"}, y{"y"}, c{"c"}, dx{"dx"}, dy{"dy"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_y{"thread_y"};
	RDom around;
	Func apart{"apart"}, apart_y{"apart_y"}, apart_patch{"apart_patch"}, weight{"weight"}, counted{"counted"}, total{"total"};

	// The sum of what `at` gives for each offset of a patch.
	Expr sum_of(const std::function<Expr(int)> &at) const
	{
		const int side = patch;
		Expr sum;
		for (int offset = -(side / 2); offset < side - side / 2; offset++)
			sum = sum.defined() ? sum + at(offset) : at(offset);
		return sum;
	}
};

}

HALIDE_REGISTER_GENERATOR(NlMeans, nl_means)

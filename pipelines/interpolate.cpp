// Pixels that are known in part are filled in from those around: the pull-push of Gortler, Grzeszczuk, Szeliski and Cohen (The Lumigraph, 1996,
// section 3.4). Colours times their alpha make a pyramid, each level of half the size; from its top down, what a level lacks of alpha comes from
// the level above it; at last colours are divided by their alpha. Beyond the image, and beyond each level, the edge is repeated.
#include <Halide.h>

#include "guard.h"
#include "pyramid.h"

namespace {

using namespace Halide;

class Interpolate : public Generator<Interpolate> {
public:
	GeneratorParam<int> levels{"levels", 10, 1, 12};
	Input<Buffer<float>> input{"input", 3};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
		Expr alpha = bounded(x, y, 3);
		weighted[0](x, y, c) = select(c < 3, bounded(x, y, c) * alpha, alpha);
		for (int l = 1; l < levels; l++) {
			Func edged("edged" + std::to_string(l - 1));
			edged(x, y, c) = weighted[l - 1](clamp(x, 0, last(input.width(), l - 1)), clamp(y, 0, last(input.height(), l - 1)), c);
			half_rows[l](x, y, c) = (edged(2 * x - 1, y, c) + 2.0f * edged(2 * x, y, c) + edged(2 * x + 1, y, c)) * 0.25f;
			weighted[l](x, y, c) = (half_rows[l](x, 2 * y - 1, c) + 2.0f * half_rows[l](x, 2 * y, c) + half_rows[l](x, 2 * y + 1, c)) * 0.25f;
		}
		filled[levels - 1](x, y, c) = weighted[levels - 1](x, y, c);
		for (int l = levels - 2; l >= 0; l--) {
			wide[l](x, y, c) = (filled[l + 1](x / 2, y, c) + filled[l + 1]((x + 1) / 2, y, c)) * 0.5f;
			above[l](x, y, c) = (wide[l](x, y / 2, c) + wide[l](x, (y + 1) / 2, c)) * 0.5f;
			filled[l](x, y, c) = weighted[l](x, y, c) + (1.0f - weighted[l](x, y, 3)) * above[l](x, y, c);
		}
		output(x, y, c) = filled[0](x, y, c) / filled[0](x, y, 3);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 4);
		output.dim(0).set_min(0);
		output.dim(1).set_min(0);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width}, {0, height}, {0, 4}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature())
			for_gpu();
		else
			for_cpu();
	}

private:
	static constexpr int width = 1536, height = 2560, most_levels = 12;

	Var x{"x"}, y{"y"}, c{"c"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	std::vector<Func> weighted = pyramid("weighted"), half_rows = pyramid("half_rows"), wide = pyramid("wide"), above = pyramid("above"), filled = pyramid("filled");

	static std::vector<Func> pyramid(const char *name)
	{
		return pyramid_of(name, most_levels);
	}

	// The last column or row of a level, which the level below reads where its own last one lies half-way.
	static Expr last(const Expr &extent, int level)
	{
		return (extent + (1 << level) - 1) >> level;
	}

	void for_gpu()
	{
		// Each level down is a kernel, nine loads a point; on the way up a kernel fills two levels, the upper one where it is read: the small levels do not
		// fill the GPU, and each kernel more costs its launch. The last kernel has level 1 in shared memory; a thread makes 2 x 2 pixels of all channels.
		for (int l = 1; l < levels; l++)
			weighted[l].compute_root().bound(c, 0, 4).reorder(c, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::RoundUp).unroll(c);
		for (int l = 2; l < levels - 1; l += 2)
			filled[l].compute_root().bound(c, 0, 4).reorder(c, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::RoundUp).unroll(c);
		output.bound(c, 0, 3)
			.tile(x, y, block_x, block_y, x, y, 64, 16, TailStrategy::ShiftInwards)
			.tile(x, y, column, row, 2, 2)
			.reorder(c, column, row, x, y, block_x, block_y)
			.gpu_blocks(block_x, block_y)
			.gpu_threads(x, y)
			.unroll(c)
			.unroll(column)
			.unroll(row);
		if (levels > 2)
			filled[1].compute_at(output, block_x).store_in(MemoryType::GPUShared).bound(c, 0, 4).reorder(c, x, y).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(c, x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y).unroll(c);
	}

	void for_cpu()
	{
		const int lanes = 8;
		for (int l = 1; l < levels; l++) {
			weighted[l].compute_root().reorder(x, c, y).split(y, y, row, 8, TailStrategy::RoundUp).reorder(x, c, row, y).parallel(y).vectorize(x, lanes);
			half_rows[l].compute_at(weighted[l], row).vectorize(x, lanes);
			filled[l].compute_root().reorder(x, c, y).split(y, y, row, 8, TailStrategy::RoundUp).reorder(x, c, row, y).parallel(y).vectorize(x, lanes);
		}
		output.bound(c, 0, 3).split(y, y, row, 32, TailStrategy::ShiftInwards).reorder(c, x, row, y).parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards).unroll(c);
		filled[0].compute_at(output, x).vectorize(x);
	}
};

}

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)

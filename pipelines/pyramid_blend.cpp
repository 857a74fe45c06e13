// Two colour images become one by the multiresolution spline of Burt and Adelson (A multiresolution spline with application to image mosaics, 1983):
// each level of their Laplacian pyramids is mixed by that level of a mask's Gaussian pyramid, so that coarse features blend over a wide band and
// fine ones over a narrow one, and the mixed pyramid is collapsed. The benchmark of this name of Jangda and Guha, Model-based warp overlapped tiling for
// image processing programs on GPUs, 2020. Beyond the images their edge is repeated.
#include <Halide.h>

#include "guard.h"
#include "pyramid.h"

namespace {

using namespace Halide;

class PyramidBlend : public Generator<PyramidBlend> {
public:
	GeneratorParam<int> pyramid_levels{"pyramid_levels", 4, 1, 12};
	Input<Buffer<float>> first{"first", 3};
	Input<Buffer<float>> second{"second", 3};
	Input<Buffer<float>> mask{"mask", 2}; // 1: the first image, 0: the second
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		one[0](x, y, c) = BoundaryConditions::repeat_edge(first, {{0, first.width()}, {0, first.height()}, {Expr(), Expr()}})(x, y, c);
		other[0](x, y, c) = BoundaryConditions::repeat_edge(second, {{0, second.width()}, {0, second.height()}, {Expr(), Expr()}})(x, y, c);
		share[0](x, y) = BoundaryConditions::repeat_edge(mask)(x, y);
		for (int j = 1; j < levels(); j++) {
			halve(one[j], one_rows[j], one[j - 1]);
			halve(other[j], other_rows[j], other[j - 1]);
			share_rows[j](x, y) = fifth([&](int d) { return share[j - 1](2 * x + d, y); });
			share[j](x, y) = fifth([&](int d) { return share_rows[j](x, 2 * y + d); });
		}
		for (int j = levels() - 1; j >= 0; j--) {
			const bool top = j == levels() - 1;
			one_detail[j](x, y, c) = one[j](x, y, c) - (top ? Expr(0.0f) : doubled(one[j + 1], one_wide[j]));
			other_detail[j](x, y, c) = other[j](x, y, c) - (top ? Expr(0.0f) : doubled(other[j + 1], other_wide[j]));
			blended[j](x, y, c) = share[j](x, y) * one_detail[j](x, y, c) + (1.0f - share[j](x, y)) * other_detail[j](x, y, c);
			collapsed[j](x, y, c) = blended[j](x, y, c) + (top ? Expr(0.0f) : doubled(collapsed[j + 1], wide[j]));
		}
		output(x, y, c) = collapsed[0](x, y, c);

		for (OutputImageParam image : {(OutputImageParam)first, (OutputImageParam)second, (OutputImageParam)mask, (OutputImageParam)output}) {
			image.dim(0).set_min(0);
			image.dim(1).set_min(0);
			if (image.dimensions() > 2)
				image.dim(2).set_bounds(0, 3);
		}
		first.set_estimates({{0, width}, {0, height}, {0, 3}});
		second.set_estimates({{0, width}, {0, height}, {0, 3}});
		mask.set_estimates({{0, width}, {0, height}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3);
		if (get_target().has_gpu_feature())
			for_gpu();
		else
			for_cpu();
	}

private:
	static constexpr int width = 3840, height = 2160, most_levels = 12;

	Var x{"x"}, y{"y"}, c{"c"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	std::vector<Func> one = pyramid("one"), one_rows = pyramid("one_rows"), one_wide = pyramid("one_wide"), one_detail = pyramid("one_detail"),
			  other = pyramid("other"), other_rows = pyramid("other_rows"), other_wide = pyramid("other_wide"), other_detail = pyramid("other_detail"),
			  share = pyramid("share"), share_rows = pyramid("share_rows"), blended = pyramid("blended"), collapsed = pyramid("collapsed"), wide = pyramid("wide");

	int levels() const
	{
		return pyramid_levels;
	}

	static std::vector<Func> pyramid(const char *name)
	{
		return pyramid_of(name, most_levels);
	}

	// The mean of five by the weights of a binomial.
	template<typename At>
	static Expr fifth(const At &at)
	{
		return (at(-2) + at(2) + 4.0f * (at(-1) + at(1)) + 6.0f * at(0)) * (1.0f / 16);
	}

	// Between half as many: those five of which every other is there.
	template<typename At>
	static Expr between(const Var &place, const At &at)
	{
		return select(place % 2 == 0, (at(-1) + at(1) + 6.0f * at(0)) * (1.0f / 8), (at(0) + at(1)) * 0.5f);
	}

	// Half as many pixels along both dimensions. The rows have half the columns only.
	void halve(Func half, Func rows, const Func &of)
	{
		rows(x, y, c) = fifth([&](int d) { return of(2 * x + d, y, c); });
		half(x, y, c) = fifth([&](int d) { return rows(x, 2 * y + d, c); });
	}

	// Twice as many; the wide ones along x only.
	Expr doubled(const Func &of, Func wide_rows)
	{
		wide_rows(x, y, c) = between(x, [&](int d) { return of(x / 2 + d, y, c); });
		return between(y, [&](int d) { return wide_rows(x, y / 2 + d, c); });
	}

	// A level of a pyramid by blocks of 32 x 8; the rows that they need are shared in the block.
	void level_on_gpu(Func f, Func rows)
	{
		f.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp);
		rows.compute_at(f, block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
	}

	// A level on the way down: a thread makes 2 x 2 pixels, one of each kind, so that each loads only what its place needs. What is mixed and collapsed is
	// never stored.
	void collapse_on_gpu(Func f, TailStrategy tail)
	{
		f.tile(x, y, block_x, block_y, x, y, 64, 16, tail)
			.tile(x, y, column, row, 2, 2)
			.reorder(column, row, x, y, block_x, block_y, c)
			.gpu_blocks(block_x, block_y, c)
			.gpu_threads(x, y)
			.unroll(column)
			.unroll(row);
	}

	void for_gpu()
	{
		for (int j = 1; j < levels(); j++) {
			level_on_gpu(one[j], one_rows[j]);
			level_on_gpu(other[j], other_rows[j]);
			level_on_gpu(share[j], share_rows[j]);
			one[j].gpu_blocks(c);
			other[j].gpu_blocks(c);
			collapse_on_gpu(collapsed[j].compute_root().align_bounds(x, 2).align_bounds(y, 2), TailStrategy::RoundUp);
		}
		collapse_on_gpu(output, TailStrategy::GuardWithIf);
	}

	void for_cpu()
	{
		const int lanes = 8;
		for (int j = 1; j < levels(); j++) {
			for (Func f : {one[j], other[j], share[j], collapsed[j]})
				f.compute_root().split(y, y, row, 8, TailStrategy::RoundUp).parallel(y).vectorize(x, lanes);
			for (Func f : {one[j], other[j], collapsed[j]})
				f.parallel(c);
			one_rows[j].store_at(one[j], y).compute_at(one[j], row).vectorize(x, lanes);
			other_rows[j].store_at(other[j], y).compute_at(other[j], row).vectorize(x, lanes);
			share_rows[j].store_at(share[j], y).compute_at(share[j], row).vectorize(x, lanes);
		}
		output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(c).parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards);
	}
};

}

HALIDE_REGISTER_GENERATOR(PyramidBlend, pyramid_blend)

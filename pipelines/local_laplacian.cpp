// The fast local Laplacian filter of Aubry, Paris, Hasinoff, Kautz and Durand (2014), which approximates that of Paris, Hasinoff and Kautz (2011):
// details of a colour image are enhanced and its contrast changed without halos. The brightness is remapped around each of a few intensities,
// each remapped image becomes a Laplacian pyramid (Burt and Adelson 1983), and the result's pyramid is interpolated, coefficient by coefficient,
// between those of the two intensities nearest to the brightness there. Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"
#include "pyramid.h"

namespace {

using namespace Halide;

class LocalLaplacian : public Generator<LocalLaplacian> {
public:
	GeneratorParam<int> pyramid_levels{"pyramid_levels", 8, 1, 12};
	Input<Buffer<uint16_t>> input{"input", 3};
	Input<int32_t> intensities{"intensities", 8, 2, 64};
	Input<float> detail{"detail", 1.0f / 7};  // how much details are enhanced; 0: not at all
	Input<float> contrast{"contrast", 1.0f};  // what larger differences are multiplied by
	Output<Buffer<uint16_t>> output{"output", 3};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
		// Integers, so that an index made of it is the same in every schedule.
		luma(x, y) = cast<uint16_t>((77 * cast<int32_t>(bounded(x, y, 0)) + 150 * cast<int32_t>(bounded(x, y, 1)) + 29 * cast<int32_t>(bounded(x, y, 2))) / 256);
		Expr distance = cast<float>(i) / steps;
		curve(i) = detail * distance * exp(-distance * distance / 2.0f);

		gray[0](x, y) = cast<float>(luma(x, y)) * (1.0f / white);
		Expr most = (intensities - 1) * steps;
		Expr index = clamp(cast<int32_t>(luma(x, y)) * most / white, 0, most);
		Expr intensity = cast<float>(k) / cast<float>(intensities - 1);
		remapped[0](x, y, k) = contrast * (gray[0](x, y) - intensity) + intensity + curve(index - k * steps);
		for (int j = 1; j < levels(); j++) {
			gray[j](x, y) = downsampled(gray[j - 1], gray_rows[j], {});
			remapped[j](x, y, k) = downsampled(remapped[j - 1], remapped_rows[j], {k});
		}
		for (int j = levels() - 1; j >= 0; j--) {
			laplacian[j](x, y, k) = remapped[j](x, y, k) - (j + 1 < levels() ? upsampled(remapped[j + 1], {k}) : Expr(0.0f));
			Expr place = gray[j](x, y) * cast<float>(intensities - 1);
			Expr below = clamp(cast<int32_t>(place), 0, intensities - 2);
			Expr share = place - cast<float>(below);
			blended[j](x, y) = (1.0f - share) * laplacian[j](x, y, below) + share * laplacian[j](x, y, below + 1);
			collapsed[j](x, y) = blended[j](x, y) + (j + 1 < levels() ? upsampled(collapsed[j + 1], {}) : Expr(0.0f));
		}
		// Each channel is scaled as the brightness was.
		Expr channel = cast<float>(bounded(x, y, c)) * (1.0f / white);
		scaled(x, y, c) = channel * (collapsed[0](x, y) + dark) / (gray[0](x, y) + dark);
		output(x, y, c) = cast<uint16_t>(clamp(scaled(x, y, c), 0.0f, 1.0f) * (float)white + 0.5f);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		intensities.set_estimate(8);
		detail.set_estimate(1.0f / 7);
		contrast.set_estimate(1.0f);
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
	static constexpr int white = 65535;
	static constexpr int steps = 256;    // of the table of the curve from one intensity to the next
	static constexpr float dark = 0.01f; // added to brightness that is divided and divides

	Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, i{"i"};
	Var block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"}, row{"row"}, block_i{"block_i"}, thread_i{"thread_i"};
	Func luma{"luma"}, curve{"curve"}, scaled{"scaled"};
	std::vector<Func> gray = pyramid("gray"), gray_rows = pyramid("gray_rows"), remapped = pyramid("remapped"), remapped_rows = pyramid("remapped_rows"),
			  laplacian = pyramid("laplacian"), blended = pyramid("blended"), collapsed = pyramid("collapsed");

	int levels() const
	{
		return pyramid_levels;
	}

	static std::vector<Func> pyramid(const char *name)
	{
		return pyramid_of(name, most_levels);
	}

	// What `of` is at a place of the first two dimensions, and at (x, y) in those that follow.
	static Expr at(const Func &of, const Expr &column, const Expr &line, const std::vector<Expr> &rest)
	{
		std::vector<Expr> args = {column, line};
		args.insert(args.end(), rest.begin(), rest.end());
		return of(args);
	}

	// The dimensions of a Func.
	static std::vector<Var> arguments(const Var &first, const Var &second, const std::vector<Var> &rest)
	{
		std::vector<Var> args = {first, second};
		args.insert(args.end(), rest.begin(), rest.end());
		return args;
	}

	// Half as many pixels along both dimensions, each a mean of 4 x 4 with weights 1, 3, 3, 1. Its rows have half the columns only.
	Expr downsampled(const Func &of, Func rows, const std::vector<Var> &rest)
	{
		const std::vector<Expr> others(rest.begin(), rest.end());
		Func half(of.name() + "_half");
		rows(arguments(x, y, rest)) = (at(of, 2 * x - 1, y, others) + 3.0f * (at(of, 2 * x, y, others) + at(of, 2 * x + 1, y, others)) + at(of, 2 * x + 2, y, others)) * 0.125f;
		half(arguments(x, y, rest)) = (at(rows, x, 2 * y - 1, others) + 3.0f * (at(rows, x, 2 * y, others) + at(rows, x, 2 * y + 1, others)) + at(rows, x, 2 * y + 2, others)) * 0.125f;
		return at(half, x, y, others);
	}

	// Twice as many pixels: of two neighbours along each dimension the near one has a weight of three quarters; rows first.
	Expr upsampled(const Func &of, const std::vector<Var> &rest)
	{
		const std::vector<Expr> others(rest.begin(), rest.end());
		const auto lower = [](const Var &v) { return select(v % 2 == 0, 0.25f, 0.75f); };
		Func rows(of.name() + "_wide"), twice(of.name() + "_twice");
		rows(arguments(x, y, rest)) = lower(x) * at(of, (x - 1) / 2, y, others) + (1.0f - lower(x)) * at(of, (x + 1) / 2, y, others);
		twice(arguments(x, y, rest)) = lower(y) * at(rows, x, (y - 1) / 2, others) + (1.0f - lower(y)) * at(rows, x, (y + 1) / 2, others);
		return at(twice, x, y, others);
	}

	// A level of a pyramid by blocks of 32 x 8; the rows that they need are shared in the block.
	void level_on_gpu(Func f, Func rows)
	{
		f.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp);
		rows.compute_at(f, block_x)
			.store_in(MemoryType::GPUShared)
			.split(y, y, row, 2, TailStrategy::RoundUp)
			.tile(x, y, thread_x, thread_y, 32, 9, TailStrategy::GuardWithIf)
			.reorder(row, x, y, thread_x, thread_y)
			.gpu_threads(thread_x, thread_y);
	}

	void for_gpu()
	{
		// The intensities are the blocks' third dimension. Laplacians are never stored: of each only two of all intensities are needed at a pixel.
		curve.compute_root().gpu_tile(i, block_i, thread_i, 128, TailStrategy::RoundUp);
		luma.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 64, 4, TailStrategy::RoundUp);
		for (int j = 1; j < levels(); j++) {
			level_on_gpu(gray[j], gray_rows[j]);
			level_on_gpu(remapped[j], remapped_rows[j]);
			remapped[j].gpu_blocks(k);
			collapsed[j].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp);
		}
		output.bound(c, 0, 3).reorder(c, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards).unroll(c);
		collapsed[0].compute_at(output, thread_x).store_in(MemoryType::Register);
	}

	void for_cpu()
	{
		const int lanes = 8, strip = 32;
		curve.compute_root().vectorize(i, lanes);
		luma.compute_root().split(y, y, row, strip, TailStrategy::RoundUp).parallel(y).vectorize(x, lanes);
		for (int j = 1; j < levels(); j++) {
			for (Func f : {gray[j], remapped[j], collapsed[j]})
				f.compute_root().split(y, y, row, 8, TailStrategy::RoundUp).parallel(y).vectorize(x, lanes);
			gray_rows[j].store_at(gray[j], y).compute_at(gray[j], row).vectorize(x, lanes);
			remapped_rows[j].store_at(remapped[j], y).compute_at(remapped[j], row).vectorize(x, lanes);
			remapped[j].parallel(k);
		}
		output.bound(c, 0, 3).split(y, y, row, strip, TailStrategy::ShiftInwards).reorder(c, x, row, y).parallel(y).vectorize(x, lanes).unroll(c);
		collapsed[0].compute_at(output, x).vectorize(x, lanes);
	}
};

}

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)

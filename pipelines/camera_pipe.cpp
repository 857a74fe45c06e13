// From the raw values of a camera's sensor to an image, after the pipeline of Adams et al. (The Frankencamera, 2010): hot pixels are suppressed, the missing
// colours are filled in along whichever direction differs less, corrected by the second derivative of green (after Hamilton and Adams, US patent 5,629,734,
// 1997), colours go through a matrix for the light's temperature, a curve of contrast and gamma, and are sharpened. In integers but for the curve's table.
#include <Halide.h>

#include "guard.h"

#include <string>
#include <vector>

namespace {

using namespace Halide;

class CameraPipe : public Generator<CameraPipe> {
public:
	Input<Buffer<uint16_t>> input{"input", 2};         // 10 bits each; green and red in even rows, blue and green in odd ones
	Input<Buffer<int16_t>> matrix_3200{"matrix_3200", 2}; // columns red, green, blue, offset; rows of the result; 256ths
	Input<Buffer<int16_t>> matrix_7000{"matrix_7000", 2};
	Input<int32_t> warmth{"warmth", 128, 0, 256};      // share of the matrix for 3200 K, 256ths
	Input<float> gamma{"gamma", 2.0f, 0.5f, 8.0f};
	Input<float> contrast{"contrast", 50.0f, 0.0f, 100.0f};
	Input<int32_t> sharpening{"sharpening", 32, 0, 128}; // 32nds
	Input<int32_t> black{"black", 25, 0, 511};
	Input<int32_t> full{"full", 1023, 512, 1023};
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		// As far inside as the stages look beyond a pixel; what a schedule makes beyond the image besides, by whole blocks, is of the edge.
		const Func bounded = BoundaryConditions::repeat_edge(input);
		const auto raw = [&](const Expr &across, const Expr &down) { return cast<int32_t>(bounded(across + border, down + border)); };
		Expr around = max(max(raw(x - 2, y), raw(x + 2, y)), max(raw(x, y - 2), raw(x, y + 2)));
		calm(x, y) = cast<int16_t>(min(raw(x, y), around));
		demosaic();

		// Sixteen bits each, so that Halide, too, sees that the sums have room in 32.
		matrix(i, j) = cast<int16_t>((matrix_3200(i, j) * warmth + matrix_7000(i, j) * (256 - warmth)) / 256);
		Expr sum = cast<int32_t>(matrix(3, c));
		for (int from = 0; from < 3; from++)
			sum += cast<int32_t>(matrix(from, c)) * cast<int32_t>(full_colour(x, y, from));
		corrected(x, y, c) = sum / 256;

		Expr light = clamp(cast<float>(i - black) / cast<float>(full - black), 0.0f, 1.0f);
		Expr bent = pow(light, 1.0f / gamma);
		// Two parabolas, steep in the middle, which meet in one half.
		Expr slope = 2.0f - pow(2.0f, contrast / 100.0f), dark = min(bent, 1.0f - bent);
		Expr half = (2.0f - 2.0f * slope) * dark * dark + slope * dark;
		curve(i) = cast<uint8_t>(clamp(select(bent > 0.5f, 1.0f - half, half) * 255.0f + 0.5f, 0.0f, 255.0f));
		curved(x, y, c) = cast<int16_t>(curve(clamp(corrected(x, y, c), 0, most)));

		blurred_y(x, y, c) = weighted(curved(x, y - 1, c), curved(x, y, c), curved(x, y + 1, c));
		blurred(x, y, c) = weighted(blurred_y(x - 1, y, c), blurred_y(x, y, c), blurred_y(x + 1, y, c));
		Expr value = cast<int32_t>(curved(x, y, c));
		output(x, y, c) = cast<uint8_t>(clamp(value + (value - cast<int32_t>(blurred(x, y, c))) * sharpening / 32, 0, 255));

		for (auto *m : {&matrix_3200, &matrix_7000}) {
			m->dim(0).set_bounds(0, 4);
			m->dim(1).set_bounds(0, 3);
			m->set_estimates({{0, 4}, {0, 3}});
		}
		output.dim(0).set_min(0);
		output.dim(1).set_min(0);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width + 2 * border}, {0, height + 2 * border}});
		warmth.set_estimate(128);
		gamma.set_estimate(2.0f);
		contrast.set_estimate(50.0f);
		sharpening.set_estimate(32);
		black.set_estimate(25);
		full.set_estimate(1023);
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3).reorder(c, x, y);
		matrix.compute_root();
		curve.bound(i, 0, most + 1).compute_root();
		if (get_target().has_gpu_feature()) {
			// One kernel: a block makes 64 x 16 pixels, and keeps in shared memory what its threads read of each other. A thread makes squares of 2 x 2, so
			// that which of the four kinds a pixel is of is known when it is compiled.
			matrix.gpu_tile(i, j, block_x, block_y, thread_x, thread_y, 4, 3);
			curve.gpu_tile(i, block_x, thread_x, 64);
			output.tile(x, y, block_x, block_y, x, y, 64, 16, TailStrategy::GuardWithIf).gpu_blocks(block_x, block_y);
			squares(Stage(output));
			for (Func f : {curved, full_colour, calm})
				f.compute_at(output, block_x).store_in(MemoryType::GPUShared).align_bounds(x, 2).align_bounds(y, 2);
			for (Func f : greens)
				f.compute_at(output, block_x).store_in(MemoryType::GPUShared).gpu_threads(x, y);
			curved.bound(c, 0, 3).reorder(c, x, y);
			full_colour.bound(c, 0, 3).reorder(c, x, y);
			squares(Stage(curved));
			squares(Stage(full_colour));
			calm.tile(x, y, column, row, 2, 2).reorder(column, row, x, y).unroll(column).unroll(row).gpu_threads(x, y);
		} else {
			const int lanes = 16;
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).reorder(x, c, row, y).parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards);
			curved.compute_at(output, y).vectorize(x, lanes);
			full_colour.compute_at(output, y).vectorize(x, lanes);
			calm.compute_at(output, y).vectorize(x, lanes);
			for (Func f : greens)
				f.compute_at(output, y).vectorize(x, lanes);
		}
	}

private:
	static constexpr int width = 2592, height = 1968;
	static constexpr int border = 16, most = 1023;

	Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, j{"j"}, row{"row"}, column{"column"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func calm{"calm"}, full_colour{"full_colour"}, matrix{"matrix"}, corrected{"corrected"}, curve{"curve"}, curved{"curved"}, blurred_y{"blurred_y"}, blurred{"blurred"};
	std::vector<Func> greens;

	// Squares of 2 x 2 pixels, of all channels, for each thread.
	void squares(Stage stage)
	{
		stage.split(x, x, column, 2, TailStrategy::GuardWithIf)
			.split(y, y, row, 2, TailStrategy::GuardWithIf)
			.reorder(c, column, row, x, y)
			.unroll(c)
			.unroll(column)
			.unroll(row)
			.gpu_threads(x, y);
	}

	// Means of neighbours with the weights 1, 2, 1, rounded.
	static Expr weighted(const Expr &before, const Expr &at, const Expr &after)
	{
		return cast<int16_t>((cast<int32_t>(before) + 2 * cast<int32_t>(at) + cast<int32_t>(after) + 2) / 4);
	}

	// Two neighbours in one direction, of a kind that is known, and green in the same two places.
	struct Pair {
		Expr first, second, green_first, green_second;

		Expr mean() const
		{
			return (first + second) / 2;
		}

		Expr apart() const
		{
			return abs(first - second);
		}

		// The mean, corrected by as much as that of green would be wrong.
		Expr mean_at(const Expr &green) const
		{
			return mean() + green - (green_first + green_second) / 2;
		}
	};

	// By squares of 2 x 2 pixels: green (of red rows) and red, blue and green (of blue rows).
	void demosaic()
	{
		const auto at = [&](const Func &f, int dx, int dy) { return cast<int32_t>(f(x + dx, y + dy)); };
		Func green_red_row("green_red_row"), red("red"), blue("blue"), green_blue_row("green_blue_row"), green_at_red("green_at_red"), green_at_blue("green_at_blue");
		green_red_row(x, y) = calm(2 * x, 2 * y);
		red(x, y) = calm(2 * x + 1, 2 * y);
		blue(x, y) = calm(2 * x, 2 * y + 1);
		green_blue_row(x, y) = calm(2 * x + 1, 2 * y + 1);
		const auto greener = [](const Pair &across, const Pair &down) { return cast<int16_t>(select(across.apart() < down.apart(), across.mean(), down.mean())); };
		green_at_red(x, y) = greener({at(green_red_row, 0, 0), at(green_red_row, 1, 0), {}, {}}, {at(green_blue_row, 0, -1), at(green_blue_row, 0, 0), {}, {}});
		green_at_blue(x, y) = greener({at(green_blue_row, -1, 0), at(green_blue_row, 0, 0), {}, {}}, {at(green_red_row, 0, 0), at(green_red_row, 0, 1), {}, {}});
		greens = {green_at_red, green_at_blue};

		const auto reds = [&](int dx, int dy, int other_dx, int other_dy) { return Pair{at(red, dx, dy), at(red, other_dx, other_dy), at(green_at_red, dx, dy), at(green_at_red, other_dx, other_dy)}; };
		const auto blues = [&](int dx, int dy, int other_dx, int other_dy) { return Pair{at(blue, dx, dy), at(blue, other_dx, other_dy), at(green_at_blue, dx, dy), at(green_at_blue, other_dx, other_dy)}; };
		const auto diagonal = [](const Pair &one, const Pair &other, const Expr &green) { return select(one.apart() < other.apart(), one.mean_at(green), other.mean_at(green)); };
		Expr of_red_row = at(green_red_row, 0, 0), of_blue_row = at(green_blue_row, 0, 0), of_red = at(green_at_red, 0, 0), of_blue = at(green_at_blue, 0, 0);
		const Func all_red = squared("all_red", reds(-1, 0, 0, 0).mean_at(of_red_row), at(red, 0, 0), diagonal(reds(0, 0, -1, 1), reds(-1, 0, 0, 1), of_blue), reds(0, 0, 0, 1).mean_at(of_blue_row));
		const Func all_green = squared("all_green", of_red_row, of_red, of_blue, of_blue_row);
		const Func all_blue = squared("all_blue", blues(0, -1, 0, 0).mean_at(of_red_row), diagonal(blues(0, -1, 1, 0), blues(1, -1, 0, 0), of_red), at(blue, 0, 0), blues(0, 0, 1, 0).mean_at(of_blue_row));
		full_colour(x, y, c) = clamp(select(c == 0, all_red(x, y), select(c == 1, all_green(x, y), all_blue(x, y))), cast<int16_t>(0), cast<int16_t>(most));
	}

	// Pixels of the four kinds put together again.
	Func squared(const std::string &name, const Expr &green_red_row, const Expr &red, const Expr &blue, const Expr &green_blue_row)
	{
		const Expr kinds[4] = {green_red_row, red, blue, green_blue_row};
		// None is called like another Func and a number: in OpenCL C Halide calls the registers of a Func so, which would hide the other's buffer.
		const char *const names[4] = {"_by_red", "_at_red", "_at_blue", "_by_blue"};
		Func of[4], whole(name);
		for (int k = 0; k < 4; k++) {
			of[k] = Func(name + names[k]);
			of[k](x, y) = cast<int16_t>(kinds[k]);
		}
		whole(x, y) = select(y % 2 == 0, select(x % 2 == 0, of[0](x / 2, y / 2), of[1](x / 2, y / 2)), select(x % 2 == 0, of[2](x / 2, y / 2), of[3](x / 2, y / 2)));
		return whole;
	}
};

}

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)

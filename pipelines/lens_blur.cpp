// A picture blurred as by a large lens that is focused at one depth. Depth is found from two pictures taken side by side, by the steps of Scharstein and
// Szeliski (A taxonomy and evaluation of dense two-frame stereo correspondence algorithms, 2002): in a volume with a slice for each shift, how much both
// pictures differ, by absolute differences to the nearer of two neighbours, much as Birchfield and Tomasi have it (A pixel dissimilarity measure that is
// insensitive to image sampling, 1998); each slice filled in from pixels that are sure of their depth, by pull and push (Gortler, Grzeszczuk, Szeliski and
// Cohen, The Lumigraph, 1996, section 3.4); the slice with the least of it. The blur is the mean of random points in a pixel's circle of confusion (Potmesil
// and Chakravarty, A lens and aperture camera model for synthetic image generation, 1981; Cook, Porter and Carpenter, Distributed ray tracing, 1984).
// Beyond the pictures, and beyond each level, the edge is repeated. All in integers, so that no schedule finds another depth than the others.
#include <Halide.h>

#include "guard.h"
#include "pyramid.h"

namespace {

using namespace Halide;

class LensBlur : public Generator<LensBlur> {
public:
	GeneratorParam<int> slices{"slices", 32, 2, 64};   // of two pixels each; 0: the nearest, the farther the more to the right in the right picture
	GeneratorParam<int> levels{"levels", 8, 1, 12};
	GeneratorParam<int> samples{"samples", 32, 1, 256}; // of a circle of confusion
	GeneratorParam<int> reach{"reach", 9, 1, 63};	    // the largest radius of one, in pixels
	Input<Buffer<uint8_t>> left{"left", 3};
	Input<Buffer<uint8_t>> right{"right", 3};
	Input<int32_t> focus{"focus", 13, 0, 63};	 // the slice that is sharp
	Input<int32_t> aperture{"aperture", 8, 0, 1024}; // sixteenths of a pixel that the radius grows by with each slice
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		find_depth();
		blur();
		for (OutputImageParam image : {(OutputImageParam)left, (OutputImageParam)right, (OutputImageParam)output}) {
			image.dim(2).set_bounds(0, 3);
			image.set_estimates({{0, width}, {0, height}, {0, 3}});
		}
		for (OutputImageParam image : {(OutputImageParam)left, (OutputImageParam)right}) {
			image.dim(0).set_min(0);
			image.dim(1).set_min(0);
		}
		focus.set_estimate(13);
		aperture.set_estimate(8);
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		sums.bound(c, 0, 4).reorder(c, x, y).unroll(c);
		sums.update().reorder(c, x, y, sample).unroll(c);
		volume[0].bound(z, 0, slices);
		if (get_target().has_gpu_feature())
			for_gpu();
		else
			for_cpu();
	}

private:
	static constexpr int width = 192, height = 320, most_levels = 12;
	static constexpr int sure = 85;	   // the largest confidence: its product with three channels' difference is one of 16 bits
	static constexpr int doubtful = 64; // a variance of differences, for each step of confidence

	Var x{"x"}, y{"y"}, z{"z"}, c{"c"}, s{"s"};
	Var block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"}, row{"row"}, column{"column"};
	RDom slice, sample, along;
	Func left_edge{"left_edge"}, right_edge{"right_edge"}, difference{"difference"}, cost{"cost"}, total{"total"}, squares{"squares"}, confidence{"confidence"};
	std::vector<Func> volume = pyramid("volume"), rows = pyramid("rows"), filled = pyramid("filled"), wide = pyramid("wide"), twice = pyramid("twice");
	Func least{"least"}, depth{"depth"}, radius{"radius"}, widest_y{"widest_y"}, widest{"widest"};
	Func random{"random"}, offset_x{"offset_x"}, offset_y{"offset_y"}, weight{"weight"}, counted{"counted"}, sums{"sums"};

	static std::vector<Func> pyramid(const char *name)
	{
		return pyramid_of(name, most_levels);
	}

	static Func repeated(const Input<Buffer<uint8_t>> &image)
	{
		return BoundaryConditions::repeat_edge(image, {{0, image.width()}, {0, image.height()}, {Expr(), Expr()}});
	}

	// The last column or row of a level.
	static Expr last(const Expr &extent, int level)
	{
		return (extent - 1) >> level;
	}

	// A level's value at a place, or the nearest one that it has.
	Expr edged(int level, const Expr &column_of, const Expr &line) const
	{
		return cast<int32_t>(volume[level](clamp(column_of, 0, last(left.width(), level)), clamp(line, 0, last(left.height(), level)), z));
	}

	void find_depth()
	{
		left_edge(x, y, c) = repeated(left)(x, y, c);
		right_edge(x, y, c) = repeated(right)(x, y, c);
		match();
		for (int l = 1; l < levels; l++)
			halve(l);
		for (int l = levels - 1; l >= 0; l--)
			filled[l](x, y, z) = cast<uint16_t>(l == levels - 1 ? edged(l, x, y) : (edged(l, x, y) + doubled(l + 1) + 1) / 2);
		// A slice's number below its value: of equal ones the first is least.
		least(x, y) = UInt(32).max();
		least(x, y) = min(least(x, y), cast<uint32_t>(filled[0](x, y, slice)) * 256 + cast<uint32_t>(slice));
		depth(x, y) = cast<uint8_t>(least(x, y) % 256);
	}

	// How much the pictures differ in each slice, times how sure a pixel is of its slices: their variance. What is filled in would have to be divided by
	// such a pyramid of confidences; that is the same for all slices, of which only the least is wanted.
	void match()
	{
		const int count = slices;
		slice = RDom(0, count, "slice");
		difference(x, y, z, c) = min(absd(left_edge(x, y, c), right_edge(x + 2 * z, y, c)), absd(left_edge(x, y, c), right_edge(x + 2 * z + 1, y, c)));
		cost(x, y, z) = cast<uint16_t>(difference(x, y, z, 0)) + cast<uint16_t>(difference(x, y, z, 1)) + cast<uint16_t>(difference(x, y, z, 2));
		const Expr one = cast<uint32_t>(cost(x, y, slice));
		total(x, y) = cast<uint32_t>(0);
		total(x, y) += one;
		squares(x, y) = cast<uint32_t>(0);
		squares(x, y) += one * one;
		const Expr variance = (count * squares(x, y) - total(x, y) * total(x, y)) / (doubtful * count * count);
		confidence(x, y) = cast<uint8_t>(min(variance, sure));
		volume[0](x, y, z) = cost(x, y, z) * cast<uint16_t>(confidence(x, y));
	}

	// Half as many pixels along both dimensions, each a mean of 4 x 4 with weights 1, 3, 3, 1. Its rows have half the columns only.
	void halve(int l)
	{
		const auto mean = [](const Expr &first, const Expr &second, const Expr &third, const Expr &fourth) {
			return cast<uint16_t>((first + 3 * (second + third) + fourth + 4) / 8);
		};
		const auto of_row = [&](int d) { return edged(l - 1, 2 * x + d, y); };
		const auto of_column = [&](int d) { return cast<int32_t>(rows[l](x, 2 * y + d, z)); };
		rows[l](x, y, z) = mean(of_row(-1), of_row(0), of_row(1), of_row(2));
		volume[l](x, y, z) = mean(of_column(-1), of_column(0), of_column(1), of_column(2));
	}

	// Twice as many pixels: of two neighbours along each dimension the near one has a weight of three quarters; the wide ones along x only.
	Expr doubled(int l)
	{
		const auto mean = [](const Var &place, const Expr &lower, const Expr &upper) {
			return cast<uint16_t>((select(place % 2 == 0, cast<int32_t>(lower) + 3 * cast<int32_t>(upper), 3 * cast<int32_t>(lower) + cast<int32_t>(upper)) + 2) / 4);
		};
		wide[l](x, y, z) = mean(x, filled[l]((x - 1) / 2, y, z), filled[l]((x + 1) / 2, y, z));
		twice[l](x, y, z) = mean(y, wide[l](x, (y - 1) / 2, z), wide[l](x, (y + 1) / 2, z));
		return cast<int32_t>(twice[l](x, y, z));
	}

	Expr depth_at(const Expr &column_of, const Expr &line) const
	{
		return depth(clamp(column_of, 0, last(left.width(), 0)), clamp(line, 0, last(left.height(), 0)));
	}

	// A pixel becomes the mean of itself and of those sampled that blur over it: their circle reaches it, and its own reaches them or they are in front.
	void blur()
	{
		const int most = reach;
		along = RDom(-most, 2 * most + 1, "along");
		sample = RDom(0, samples, "sample");
		radius(x, y) = cast<uint16_t>(min(abs(cast<int32_t>(depth_at(x, y)) - focus) * cast<uint32_t>(aperture), 16 * most));
		widest_y(x, y) = cast<uint16_t>(0);
		widest_y(x, y) = max(widest_y(x, y), radius(x, y + along));
		widest(x, y) = cast<uint16_t>(0);
		widest(x, y) = max(widest(x, y), widest_y(x + along, y));
		draw();

		const Expr dx = clamp(cast<int32_t>(offset_x(x, y, s)), -most, most), dy = clamp(cast<int32_t>(offset_y(x, y, s)), -most, most);
		const Expr apart = cast<uint32_t>(256 * (dx * dx + dy * dy));
		const auto within = [&](const Expr &of) { return apart < cast<uint32_t>(of) * cast<uint32_t>(of); };
		weight(x, y, s) = cast<uint16_t>(within(radius(x + dx, y + dy)) && (within(radius(x, y)) || depth_at(x + dx, y + dy) < depth_at(x, y)));
		counted(x, y, c) = cast<uint16_t>(select(c < 3, left_edge(x, y, min(c, 2)), cast<uint8_t>(1)));
		const Expr column_of = x + clamp(cast<int32_t>(offset_x(x, y, sample)), -most, most), line = y + clamp(cast<int32_t>(offset_y(x, y, sample)), -most, most);
		sums(x, y, c) = counted(x, y, c);
		sums(x, y, c) += weight(x, y, sample) * counted(column_of, line, c);
		const Expr count = cast<uint32_t>(sums(x, y, 3));
		output(x, y, c) = cast<uint8_t>((cast<uint32_t>(sums(x, y, c)) + count / 2) / count);
	}

	// The samples' places: random ones in a square around the largest circle nearby, by the three-dimensional hash function of Jarzynski and Olano (Hash
	// functions for GPU rendering, 2020) of the pixel and the sample's number, so that they are the same in every schedule. Outside a circle none counts.
	void draw()
	{
		Expr words[] = {cast<uint32_t>(x), cast<uint32_t>(y), cast<uint32_t>(s)};
		const auto multiply = [&](int n) { words[n] += words[(n + 1) % 3] * words[(n + 2) % 3]; };
		for (Expr &word : words)
			word = word * 1664525 + 1013904223;
		for (int n = 0; n < 3; n++)
			multiply(n);
		for (Expr &word : words)
			word = word ^ (word >> 16);
		multiply(0);
		multiply(1);
		random(x, y, s) = ((words[0] >> 16) << 16) | (words[1] >> 16);
		const Expr side = cast<uint32_t>(widest(x, y)) / 16, number = random(x, y, s);
		const auto place = [&](const Expr &bits) { return cast<int8_t>(cast<int32_t>((bits * (2 * side + 1)) >> 16) - cast<int32_t>(side)); };
		offset_x(x, y, s) = place(number >> 16);
		offset_y(x, y, s) = place(number & 0xffff);
	}

	// A level of the volume by blocks of 32 x 8; the rows that they need are shared in the block.
	void level_on_gpu(int l)
	{
		volume[l].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp).gpu_blocks(z);
		rows[l].compute_at(volume[l], block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 9, TailStrategy::GuardWithIf).reorder(x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
	}

	void for_gpu()
	{
		// A thread compares a pixel in all slices, and keeps them until it knows how sure it is; what its block reads of the right picture is shared.
		volume[0].compute_root().reorder(z, x, y).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp).unroll(z);
		right_edge.compute_at(volume[0], block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(c, x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
		cost.compute_at(volume[0], thread_x).store_in(MemoryType::Register).bound(z, 0, slices).unroll(z);
		for (Func f : {total, squares}) {
			f.compute_at(volume[0], thread_x).store_in(MemoryType::Register);
			f.update().unroll(slice);
		}
		for (int l = 1; l < levels; l++)
			level_on_gpu(l);
		// The small levels do not fill the GPU, and each kernel more costs its launch: there a kernel fills two.
		for (int l = 1; l < levels - 1; l += l < 3 ? 1 : 2)
			filled[l].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp).gpu_blocks(z);
		// A thread finds the depth of 2 x 2 pixels, one of each kind.
		depth.compute_root().tile(x, y, column, row, 2, 2, TailStrategy::RoundUp).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::RoundUp).unroll(column).unroll(row);
		least.compute_at(depth, thread_x).store_in(MemoryType::Register).unroll(x).unroll(y);
		least.update().reorder(x, y, slice).unroll(x).unroll(y);
		// The largest radius nearby along columns is shared in the block, that along rows a thread's own.
		output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards);
		widest_y.compute_at(output, block_x).store_in(MemoryType::GPUShared).tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
		widest_y.update().tile(x, y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf).reorder(along, x, y, thread_x, thread_y).gpu_threads(thread_x, thread_y);
		widest.compute_at(output, thread_x).store_in(MemoryType::Register);
		sums.compute_at(output, thread_x).store_in(MemoryType::Register);
		for (Func f : {offset_x, offset_y, weight})
			f.compute_at(sums, sample).store_in(MemoryType::Register);
	}

	void for_cpu()
	{
		const int lanes = 8;
		volume[0].compute_root().reorder(x, z, y).parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		cost.compute_at(volume[0], y).vectorize(x, lanes);
		confidence.compute_at(volume[0], y).vectorize(x, lanes);
		for (Func f : {total, squares}) {
			f.compute_at(confidence, x).vectorize(x);
			f.update().reorder(x, slice).vectorize(x);
		}
		for (int l = 1; l < levels; l++) {
			for (Func f : {volume[l], filled[l]})
				f.compute_root().parallel(z).vectorize(x, lanes, TailStrategy::RoundUp);
			rows[l].compute_at(volume[l], y).vectorize(x, lanes);
		}
		depth.compute_root().parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		least.compute_at(depth, x).vectorize(x);
		least.update().reorder(x, slice).vectorize(x);
		radius.compute_root().parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		widest_y.compute_root().parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		widest_y.update().reorder(x, along, y).parallel(y).vectorize(x, lanes, TailStrategy::RoundUp);
		output.parallel(y).vectorize(x, lanes, TailStrategy::ShiftInwards);
		for (Func f : {widest, sums})
			f.compute_at(output, x).vectorize(x);
		widest.update().reorder(x, along).vectorize(x);
		sums.update().vectorize(x);
		for (Func f : {offset_x, offset_y, weight})
			f.compute_at(sums, sample).vectorize(x);
	}
};

}

HALIDE_REGISTER_GENERATOR(LensBlur, lens_blur)

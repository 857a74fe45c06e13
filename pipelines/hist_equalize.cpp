// Histogram equalization of a colour image (Gonzalez and Woods, Digital Image Processing, section 3.3): how often each brightness occurs is counted,
// the share of pixels that are no brighter becomes the new brightness, and each channel moves by as much. All in integers.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class HistEqualize : public Generator<HistEqualize> {
public:
	Input<Buffer<uint8_t>> input{"input", 3};
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		column = RDom(0, input.width(), "column");
		line = RDom(0, input.height(), "line");
		above = RDom(1, values - 1, "above");
		luma(x, y) = cast<uint8_t>((77 * cast<int32_t>(input(x, y, 0)) + 150 * cast<int32_t>(input(x, y, 1)) + 29 * cast<int32_t>(input(x, y, 2))) / 256);
		// Each row is counted by itself.
		rows(i, y) = 0;
		rows(cast<int32_t>(luma(column, y)), y) += 1;
		histogram(i) = 0;
		histogram(i) += rows(i, line);
		cumulated(i) = histogram(i);
		cumulated(above) += cumulated(above - 1);
		brightness(i) = cast<uint8_t>(cast<int64_t>(cumulated(i)) * 255 / (cast<int64_t>(input.width()) * input.height()));
		Expr before = luma(x, y);
		output(x, y, c) = cast<uint8_t>(clamp(cast<int32_t>(input(x, y, c)) + brightness(cast<int32_t>(before)) - before, 0, 255));

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		// The rows' counters are added up in strips of 64 rows, then the strips.
		RVar strips("strips"), of_strip("of_strip");
		histogram.update().split(line, strips, of_strip, 64, TailStrategy::GuardWithIf);
		Func part = histogram.update().rfactor(strips, strip);
		histogram.compute_root();
		cumulated.compute_root();
		brightness.compute_root();
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		if (get_target().has_gpu_feature()) {
			// Each row is a block, which counts by atomic additions in shared memory.
			Func counted = rows.in();
			RVar lane("lane"), outer("outer");
			counted.compute_root().reorder(i, y).gpu_blocks(y).gpu_threads(i);
			rows.compute_at(counted, y).store_in(MemoryType::GPUShared).gpu_threads(i);
			rows.update().split(column, outer, lane, 256, TailStrategy::GuardWithIf).reorder(outer, lane).atomic().gpu_threads(lane);
			part.compute_root().gpu_tile(i, strip, block_x, block_y, thread_x, thread_y, 64, 1);
			part.update().gpu_tile(i, strip, block_x, block_y, thread_x, thread_y, 64, 1);
			histogram.gpu_tile(i, block_i, i, 32);
			histogram.update().gpu_tile(i, block_i, i, 32);
			cumulated.gpu_tile(i, block_i, i, 256);
			cumulated.update().gpu_single_thread();
			brightness.gpu_tile(i, block_i, i, 256);
			output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 64, 4, TailStrategy::ShiftInwards);
		} else {
			rows.compute_root().parallel(y).vectorize(i, 8);
			rows.update().parallel(y);
			part.compute_root().parallel(strip).vectorize(i, 8);
			part.update().parallel(strip).reorder(i, of_strip).vectorize(i, 8);
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).parallel(y).vectorize(x, 16);
		}
	}

private:
	static constexpr int width = 1536, height = 2560, values = 256;

	Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, strip{"strip"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"}, block_i{"block_i"};
	RDom column, line, above;
	Func luma{"luma"}, rows{"rows"}, histogram{"histogram"}, cumulated{"cumulated"}, brightness{"brightness"};
};

}

HALIDE_REGISTER_GENERATOR(HistEqualize, hist_equalize)

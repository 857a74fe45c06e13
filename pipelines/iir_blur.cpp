// A blur of an image by a recursive filter of the first order (infinite impulse response), down and up each column, then along each row and back: the
// low-pass filter of which Nehab, Maximo, Lima and Hoppe, GPU-efficient recursive filtering and summed-area tables, 2011, tell how GPUs run it.
// At its edge the filter begins with the value that is there.
#include <Halide.h>

#include "guard.h"

#include <utility>

namespace {

using namespace Halide;

class IirBlur : public Generator<IirBlur> {
public:
	Input<Buffer<float>> input{"input", 3};
	Input<float> share{"share", 0.1f, 0.0f, 1.0f}; // of a value in its mean
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		const RDom down(1, input.height() - 1, "down"), across(1, input.width() - 1, "across");
		columns(x, y, c) = input(x, y, c);
		filter(columns, down, input.height());
		turned(x, y, c) = columns(y, x, c);
		rows(x, y, c) = turned(x, y, c);
		filter(rows, across, input.width());
		output(x, y, c) = rows(y, x, c);

		input.dim(0).set_min(0);
		input.dim(1).set_min(0);
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		share.set_estimate(0.1f);
		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		output.set_estimates({{0, width}, {0, height}, {0, 3}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		output.bound(c, 0, 3);
		for (const auto &pass : {std::make_pair(turned, columns), std::make_pair(Func(output), rows)}) {
			Func last = pass.first, filtered = pass.second;
			last.compute_root();
			for (int k = 0; k < 2; k++) {
				const RVar along(filtered.update(k).get_schedule().rvars()[0].var);
				filtered.update(k).reorder(x, along);
				// The loads of several steps do not wait for each other.
				if (get_target().has_gpu_feature())
					filtered.update(k).unroll(along, 8, TailStrategy::GuardWithIf).gpu_threads(x);
				else
					filtered.update(k).vectorize(x, 8, TailStrategy::GuardWithIf);
			}
			if (get_target().has_gpu_feature()) {
				// A block filters 32 columns, a thread each, in global memory; then it turns them over, 32 x 32 values at a time by way of shared memory,
				// with rows of 33 there, so that a warp's accesses are to different banks.
				last.tile(x, y, block_x, block_y, x, y, 32, 32, TailStrategy::GuardWithIf).split(y, row, y, 4).reorder(row, x, y, block_x, block_y, c).gpu_blocks(block_y, c).gpu_threads(x, y);
				filtered.compute_at(last, block_y).store_in(MemoryType::Heap).gpu_threads(x);
				filtered.in().compute_at(last, block_x).store_in(MemoryType::GPUShared).align_storage(x, 33).split(y, row, y, 4).reorder(row, x, y).gpu_threads(x, y);
			} else {
				last.split(y, block_y, y, 8, TailStrategy::GuardWithIf).reorder(y, x, block_y, c).parallel(c).parallel(block_y);
				filtered.compute_at(last, block_y).vectorize(x, 8, TailStrategy::GuardWithIf);
			}
		}
	}

private:
	static constexpr int width = 1536, height = 2560;

	Var x{"x"}, y{"y"}, c{"c"}, block_x{"block_x"}, block_y{"block_y"}, row{"row"};
	Func columns{"columns"}, turned{"turned"}, rows{"rows"};

	// Down each column and up again: a value becomes a mean of itself and of what became of the one before.
	void filter(Func of, const RDom &along, const Expr &extent)
	{
		const Expr back = extent - 1 - along;
		of(x, along, c) = (1.0f - share) * of(x, along - 1, c) + share * of(x, along, c);
		of(x, back, c) = (1.0f - share) * of(x, back + 1, c) + share * of(x, back, c);
	}
};

} // namespace

HALIDE_REGISTER_GENERATOR(IirBlur, iir_blur)

// The brightest value within a disc around each pixel: a dilation by a disc (Serra, Image Analysis and Mathematical Morphology, 1982). The disc is cut
// into columns; the maximum of a column is that of two runs of a power of two of pixels that together cover it, as in the sparse table of Bender and
// Farach-Colton (The LCA problem revisited, 2000); a run of twice the length is made of two. Beyond the image its edge is repeated.
#include <Halide.h>

#include "guard.h"

#include <string>
#include <vector>

namespace {

using namespace Halide;

class MaxFilter : public Generator<MaxFilter> {
public:
	GeneratorParam<int> radius{"radius", 26, 1, 100};
	Input<Buffer<float>> input{"input", 3};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		const Func bounded = BoundaryConditions::repeat_edge(input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
		runs = {bounded};
		for (int length = 2; length <= 2 * reach_of(0) + 1; length *= 2) {
			const Func half = runs.back();
			Func run("run" + std::to_string(length));
			run(x, y, c) = max(half(x, y, c), half(x, y + length / 2, c));
			runs.push_back(run);
		}

		RDom dy(1, radius, "dy");
		reach(i) = 0;
		reach(i) += select(16 * (i * i + dy * dy) < limit(), 1, 0);
		disc(x, y, c) = bounded(x, y, c);
		for (int level = (int)runs.size() - 1; level >= 0; level--)
			add_columns(level);
		output(x, y, c) = disc(x, y, c);

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
		if (get_target().has_gpu_feature()) {
			// Which runs are read is known for each column of the disc only: each length that is read is stored once for the image, made from one a quarter
			// as long; a thread's maximum stays in its register. All threads of a warp read a row at a time.
			reach.in().compute_root().gpu_tile(i, block_i, thread_i, 32, TailStrategy::RoundUp);
			reach.compute_at(reach.in(), thread_i).store_in(MemoryType::Register);
			for (Func f : read)
				f.compute_root()
					.split(y, y, row, 4, TailStrategy::RoundUp)
					.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::RoundUp)
					.unroll(row)
					.gpu_blocks(c);
			output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards).gpu_blocks(c);
			disc.compute_at(output, thread_x).store_in(MemoryType::Register);
		} else {
			reach.compute_root();
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).reorder(x, row, y, c).parallel(y).parallel(c).vectorize(x, 8, TailStrategy::ShiftInwards);
			for (size_t level = 1; level < runs.size(); level++)
				runs[level].compute_at(output, y).vectorize(x, 8);
			disc.compute_at(output, x).vectorize(x, 8);
			for (int stage = 0; stage < disc.num_update_definitions(); stage++)
				disc.update(stage).reorder(x, columns[stage]).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;

	Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"}, block_i{"block_i"}, thread_i{"thread_i"};
	Func reach{"reach"}, disc{"disc"};
	std::vector<Func> runs; // of 1, 2, 4, ... pixels of a column, from each one on
	std::vector<Func> read; // those that the disc is made of, and the columns of each
	std::vector<RVar> columns;

	// How many pixels of a column are inside above its middle: those nearer to the disc's middle than its radius and a quarter, in integers.
	int reach_of(int dx) const
	{
		int above = 0;
		while (16 * (dx * dx + (above + 1) * (above + 1)) < limit())
			above++;
		return above;
	}

	int limit() const
	{
		return (4 * radius + 1) * (4 * radius + 1);
	}

	// The columns of the disc that two runs of a length cover, `from` to `to` away from the middle; none: from > to.
	void columns_of(int level, int &from, int &to) const
	{
		for (from = 0; from <= radius && 2 * reach_of(from) + 1 >= 2 << level;)
			from++;
		for (to = from; to <= radius && 2 * reach_of(to) + 1 >= 1 << level;)
			to++;
		to--;
	}

	void add_columns(int level)
	{
		int from, to;
		columns_of(level, from, to);
		if (from > to)
			return;
		const int side = to - from + 1;
		RDom column(0, from == 0 ? 2 * to + 1 : 2 * side, "column" + std::to_string(1 << level));
		Expr dx = from == 0 ? column - to : select(column < side, column - to, column - side + from);
		Expr above = clamp(reach(dx), reach_of(to), reach_of(from));
		disc(x, y, c) = max(disc(x, y, c), max(runs[level](x + dx, y - above, c), runs[level](x + dx, y + above + 1 - (1 << level), c)));
		columns.push_back(column.x);
		read.push_back(runs[level]);
	}
};

}

HALIDE_REGISTER_GENERATOR(MaxFilter, max_filter)

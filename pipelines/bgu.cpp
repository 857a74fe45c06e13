// Bilateral guided upsampling (Chen, Adams, Wadhwa and Hasinoff, 2016): what an operator made of a small image is done to the large one. A grid over the
// small image and its brightness gathers, in each cell, what a least-squares fit of an affine map of colours needs; the grid is blurred; each cell's map comes of a
// system of four equations; a pixel of the large image is mapped by what is interpolated of the cells around its place and brightness.
#include <Halide.h>

#include "guard.h"

#include <vector>

namespace {

using namespace Halide;

class Bgu : public Generator<Bgu> {
public:
	GeneratorParam<int> cell{"cell", 16, 2, 256};  // pixels of the small image along a side of a cell
	GeneratorParam<int> factor{"factor", 8, 1, 64}; // pixels of the large image along a side of one of the small image
	Input<Buffer<float>> before{"before", 3};      // the small image
	Input<Buffer<float>> after{"after", 3};	       // and what the operator made of it
	Input<Buffer<float>> large{"large", 3};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		// One after the other: compilers differ in which of two arguments they make first.
		const Func source = BoundaryConditions::repeat_edge(before), made = BoundaryConditions::repeat_edge(after);
		gather(source, made);
		blurred_z(x, y, z, i, j) = blur([&](int d) { return moments(x, y, z + d, i, j); });
		blurred_y(x, y, z, i, j) = blur([&](int d) { return blurred_z(x, y + d, z, i, j); });
		blurred(x, y, z, i, j) = blur([&](int d) { return blurred_y(x + d, y, z, i, j); });
		solve();
		slice();

		for (OutputImageParam image : {(OutputImageParam)before, (OutputImageParam)after, (OutputImageParam)large, (OutputImageParam)output}) {
			const int shrunk = image.name() == "before" || image.name() == "after" ? (int)factor : 1;
			image.dim(2).set_bounds(0, 3);
			image.set_estimates({{0, (width - 1) / shrunk + 1}, {0, (height - 1) / shrunk + 1}, {0, 3}});
		}
		for (OutputImageParam image : {(OutputImageParam)before, (OutputImageParam)after, (OutputImageParam)large}) {
			image.dim(0).set_min(0);
			image.dim(1).set_min(0);
		}
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		const std::vector<Func> blurs = {blurred_z, blurred_y, blurred};
		output.bound(c, 0, 3).reorder(c, x, y).unroll(c);
		map.bound(k, 0, 3 * unknowns).reorder(k, x, y, z).unroll(k);
		moments.bound(i, 0, unknowns).bound(j, 0, terms).compute_root();
		if (get_target().has_gpu_feature()) {
			// A thread adds up one moment of a cell, so that no two add to the same place, and a warp reads the same pixel.
			moments.reorder_storage(i, j, x, y, z).fuse(i, j, i).split(x, block_x, thread_x, 4, TailStrategy::GuardWithIf).reorder(i, thread_x, block_x, y, z).gpu_threads(i, thread_x).gpu_blocks(block_x, y, z);
			moments.update().fuse(i, j, i).split(x, block_x, thread_x, 4, TailStrategy::GuardWithIf).reorder(within.x, within.y, i, thread_x, block_x, y).gpu_threads(i, thread_x).gpu_blocks(block_x, y);
			for (Func f : blurs)
				f.compute_root().fuse(i, j, i).fuse(z, i, z).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 16, 8, TailStrategy::RoundUp).gpu_blocks(z);
			// A thread solves a cell's system in registers.
			map.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 16, 4, TailStrategy::RoundUp).gpu_blocks(z);
			in_thread(system.compute_at(map, thread_x).store_in(MemoryType::Register));
			rows.compute_root().fuse(z, k, z).gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 16, 16, TailStrategy::RoundUp).gpu_blocks(z);
			output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards);
		} else {
			moments.parallel(z);
			moments.update().reorder(i, j, within.x, within.y, x, y).unroll(i).unroll(j).parallel(y);
			for (Func f : blurs)
				f.compute_root().parallel(z).vectorize(x, 8, TailStrategy::RoundUp);
			map.compute_root().parallel(z).vectorize(x, 8, TailStrategy::RoundUp);
			in_thread(system.compute_at(map, x).vectorize(x));
			rows.compute_root().parallel(k).vectorize(x, 8, TailStrategy::RoundUp);
			output.split(y, y, row, 32, TailStrategy::ShiftInwards).reorder(c, x, row, y).parallel(y).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int levels = 8;		   // of brightness
	static constexpr int unknowns = 4, terms = 7;	   // of a system, and columns with the right sides
	static constexpr float pull = 1e-4f;		   // pixels that map each colour to itself, so that there is always a solution

	Var x{"x"}, y{"y"}, z{"z"}, c{"c"}, i{"i"}, j{"j"}, k{"k"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	RDom within;
	Func moments{"moments"}, blurred_z{"blurred_z"}, blurred_y{"blurred_y"}, blurred{"blurred"}, system{"system"}, map{"map"}, rows{"rows"}, mapping{"mapping"};

	// All of its sums are exact or rounded the same way in every schedule: a pixel is always in the same level.
	static Expr brightness(const Func &of, const Expr &column, const Expr &line)
	{
		return clamp(0.25f * of(column, line, 0) + 0.5f * of(column, line, 1) + 0.25f * of(column, line, 2), 0.0f, 1.0f) * (float)levels;
	}

	static Expr one_of(const Expr &which, const std::vector<Expr> &values)
	{
		Expr chosen = values.back();
		for (int n = (int)values.size() - 2; n >= 0; n--)
			chosen = select(which == n, values[n], chosen);
		return chosen;
	}

	// Of all pixels in a cell the products of (red, green, blue, 1) with themselves and with what the operator made.
	void gather(const Func &source, const Func &made)
	{
		const int extent = cell;
		within = RDom(0, extent, 0, extent, "within");
		const Expr column = x * extent + within.x - extent / 2, line = y * extent + within.y - extent / 2;
		std::vector<Expr> columns;
		for (int n = 0; n < 3; n++)
			columns.push_back(source(column, line, n));
		columns.push_back(1.0f);
		const Expr left = one_of(i, columns);
		for (int n = 0; n < 3; n++)
			columns.push_back(made(column, line, n));
		moments(x, y, z, i, j) = 0.0f;
		moments(x, y, cast<int>(brightness(source, column, line) + 0.5f), i, j) += left * one_of(j, columns);
	}

	// Seven taps that fall off with the cube of the distance.
	template<typename At>
	static Expr blur(const At &at)
	{
		Expr sum = at(0);
		for (int d = 1; d <= 3; d++)
			sum += (at(-d) + at(d)) * (1.0f / (float)((d + 1) * (d + 1) * (d + 1)));
		return sum;
	}

	// Elimination of all unknowns but one in each equation (Gauss and Jordan). The matrix is positive definite, so that no equations are exchanged.
	void solve()
	{
		system(x, y, z, i, j) = blurred(x, y, z, i, j) + select(j == i || (j == i + unknowns && i < 3), pull, 0.0f);
		for (int n = 0; n < unknowns; n++) {
			const RDom right(n + 1, terms - n - 1), rest(0, unknowns - 1, n + 1, terms - n - 1);
			const Expr equation = (rest.x + n + 1) % unknowns;
			system(x, y, z, n, right) /= system(x, y, z, n, n);
			system(x, y, z, equation, rest.y) -= system(x, y, z, equation, n) * system(x, y, z, n, rest.y);
		}
		map(x, y, z, k) = system(x, y, z, k % unknowns, unknowns + k / unknowns);
	}

	// The map of a pixel: along y, x and brightness between those of two cells each.
	void slice()
	{
		const int side = (int)cell * (int)factor;
		const Func image = large;
		const Expr level = brightness(image, x, y), below = cast<int>(level), up = level - cast<float>(below);
		const auto share = [&](const Expr &at) { return cast<float>(at % side) * (1.0f / (float)side); };
		rows(x, y, z, k) = lerp(map(x, y / side, z, k), map(x, y / side + 1, z, k), share(y));
		const auto at = [&](const Expr &height_of) { return lerp(rows(x / side, y, height_of, k), rows(x / side + 1, y, height_of, k), share(x)); };
		mapping(x, y, k) = lerp(at(below), at(below + 1), up);
		Expr mapped = mapping(x, y, unknowns * c + 3);
		for (int n = 0; n < 3; n++)
			mapped += mapping(x, y, unknowns * c + n) * image(x, y, n);
		output(x, y, c) = mapped;
	}

	void in_thread(Func f)
	{
		f.bound(i, 0, unknowns).bound(j, 0, terms).unroll(i).unroll(j);
		for (int n = 0; n < f.num_update_definitions(); n++) {
			Stage update = f.update(n);
			for (const auto &reduced : update.get_schedule().rvars())
				update.unroll(RVar(reduced.var));
		}
	}
};

}

HALIDE_REGISTER_GENERATOR(Bgu, bgu)

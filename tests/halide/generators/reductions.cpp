// Updates over reduction loops that Halide runs in parallel: alone, beside Vars, beside serial loops, under a predicate, in several
// updates, and in a Func that is fused.
#include <Halide.h>

namespace {

using namespace Halide;

// Every second value of an output that is undefined elsewhere.
class Scatter : public Generator<Scatter> {
public:
	Input<Buffer<float>> input{"input", 1};
	Output<Buffer<float>> output{"output", 1};

	void generate()
	{
		Var x("x");
		RDom r(0, 20011, "r");
		output(x) = undef<float>();
		output(2 * r) = input(r) * 3.f;
		output(2 * r + 1) = input(r) * 5.f;
		input.set_estimates({{0, 20011}});
		output.set_estimates({{0, 40022}});
	}
};

// A plane, transposed; then rows of it in place, a scan down its columns, and a triangle.
class Reductions : public Generator<Reductions> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		RDom plane(0, 75, 0, 101, "plane"), scan(1, 202, "scan"), rows(0, 50, "rows"), triangle(0, 99, 0, 99, "triangle");
		triangle.where(triangle.x < triangle.y);
		output(x, y) = 0.f;
		output(2 * plane.x, plane.y) += input(plane.y, plane.x) + 1.f;
		output(x, scan) = output(x, scan - 1) * .5f + input(x, scan);
		output(x, 2 * rows) *= 2.f;
		output(triangle.x, triangle.y) += input(triangle.y, triangle.x);
		input.set_estimates({{0, 203}, {0, 203}});
		output.set_estimates({{0, 203}, {0, 203}});
	}
};

// Sums of rows, one loop of two in parallel, and their total, no loop in parallel.
class Sums : public Generator<Sums> {
public:
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 1};

	void generate()
	{
		Var i("i");
		Func sums("sums");
		RDom r(0, 999, 0, 17, "r"), all(0, 999, "all");
		sums(i) = 0;
		sums(r.x) += input(r.x, r.y);
		output(i) = sums(i);
		output(0) += sums(all);
		input.set_estimates({{0, 999}, {0, 17}});
		output.set_estimates({{0, 999}});
	}
};

// Blocks of 8 x 8, of which an update makes each, read backwards, beside three values a point.
class Blocked : public Generator<Blocked> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		Var x("x"), y("y"), u("u"), v("v"), c("c");
		Func block("block"), colour("colour");
		RDom r(0, 8, 0, 8, "r"), all(0, 64, "all");
		block(x, y, u, v) = cast<uint8_t>(0);
		block(x, y, r.x, r.y) += input(8 * x + r.x, 8 * y + r.y);
		colour(c, x, y) = cast<uint8_t>(0);
		colour(c, all, y) = cast<uint8_t>(block(all / 8, y / 8, 7 - all % 8, 7 - y % 8) + c);
		output(c, x, y) = colour(c, x, y);
		input.set_estimates({{0, 64}, {0, 40}});
		output.set_estimates({{0, 3}, {0, 64}, {0, 40}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Scatter, scatter)
HALIDE_REGISTER_GENERATOR(Reductions, reductions)
HALIDE_REGISTER_GENERATOR(Sums, sums)
HALIDE_REGISTER_GENERATOR(Blocked, blocked)

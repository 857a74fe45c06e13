// Calls with constant arguments: Funcs that are then constants everywhere, one through another; one that is also called at
// points, and so keeps its loads, whose name is another's but for a number; one that reads an input at a constant point, and what
// reads that one.
#include <Halide.h>
namespace {

using namespace Halide;

class Folded : public Generator<Folded> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y"), i("i");
		Func squared("squared"), kernel("kernel"), zero("table"), table("table"), below("below"), corner("corner"), twice("twice"),
			sum("sum");
		squared(i) = cast<float>(i * i);
		kernel(i) = {exp(-squared(i) / 4.5f), i - 1};
		zero() = 0.25f;
		below(i) = sqrt(cast<float>(abs(i)));
		table(i) = below(i) + 1.0f;
		corner(i) = input(i, 0);
		twice(i) = corner(i) * 2.0f;
		sum(x, y) = Expr(kernel(0)[0]) * input(x, y) + Expr(kernel(2)[0]) * input(x + cast<int>(Expr(kernel(1)[1])), y + 1);
		output(x, y) = sum(x, y) + zero() + table(x) + table(3) + below(4) + twice(5);
		input.set_estimates({{0, 64}, {0, 33}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Folded, folded)

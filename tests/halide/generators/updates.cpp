// Update stages: a scatter (histogram), a scan that depends on itself, one over a domain with a predicate, and one that fixes a
// coordinate.
#include <Halide.h>

namespace {

using namespace Halide;

class Updates : public Generator<Updates> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y"), i("i");
		Func histogram("histogram"), sums("sums"), triangle("triangle");
		RDom all(0, 64, 0, 32, "all");
		histogram(i) = 0;
		histogram(input(all.x, all.y)) += 1;
		RDom up(1, 255, "up");
		sums(i) = histogram(i);
		sums(i) = select(i == 0, 1, sums(i));
		sums(up) += sums(up - 1);
		RDom pairs(0, 16, 0, 16, "pairs");
		pairs.where(pairs.x <= pairs.y);
		triangle(x, y) = 0;
		triangle(pairs.x, y) += cast<int32_t>(input(x_of(pairs.x), y) + pairs.y);
		triangle(x, 3) = x;
		output(x, y) = sums(input(x, y)) + triangle(x % 16, y);
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}

private:
	static Expr x_of(const Expr &column)
	{
		return 2 * column + 1;
	}
};

}

HALIDE_REGISTER_GENERATOR(Updates, updates)

// Long reductions to few points: the greatest of all values of a plane of floats, which no atomic operation finds, the sum of each channel
// in 64 bits, and the least of each column.
#include <Halide.h>

namespace {

using namespace Halide;

class Parts : public Generator<Parts> {
public:
	Input<Buffer<float>> input{"input", 3};
	Output<Buffer<float>> output{"output", 3};
	Output<Buffer<float>> least{"least", 1};

	void generate()
	{
		Var x("x"), y("y"), c("c");
		RDom all(0, input.width(), 0, input.height(), "all"), rows(0, input.height(), "rows");
		Func most("most"), sums("sums");
		most() = 0.f;
		most() = max(most(), input(all.x, all.y, 1));
		sums(c) = cast<int64_t>(0);
		sums(c) += cast<int64_t>(input(all.x, all.y, c) * 16777216.f);
		output(x, y, c) = input(x, y, c) / max(most(), 1e-6f) - cast<float>(sums(c) / (input.width() * input.height())) / 16777216.f;
		least(x) = 2.f;
		least(x) = min(least(x), input(x, rows, 0));
		input.dim(2).set_bounds(0, 3);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, 192}, {0, 320}, {0, 3}});
		output.set_estimates({{0, 192}, {0, 320}, {0, 3}});
		least.set_estimates({{0, 192}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Parts, parts)

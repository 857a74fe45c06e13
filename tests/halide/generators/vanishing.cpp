// Funcs of which nothing is computed at small sizes: a level of a pyramid that is too small for any point, a sum and a scatter over no terms.
#include <Halide.h>

namespace {

using namespace Halide;

class Vanishing : public Generator<Vanishing> {
public:
	GeneratorParam<int> size{"size", 64};
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func coarse("coarse"), squares("squares"), sums("sums"), marks("marks");
		RDom r(0, input.width() / 100, 0, 4, "r"), q(0, input.width() / 100 + 1, "q");
		coarse(x, y) = input(x, y) / 4 + input(x + 1, y);
		squares(x, y) = 0;
		squares(x, y) += coarse(x, y) * coarse(x + q, y);
		sums(y) += squares(r.x, y + r.y);
		marks(x) = 0;
		marks(r.x) += coarse(r.x, r.y);
		output(x, y) = sums(y) + marks(x) + input(x, y);
		input.set_estimates({{0, size + 8}, {0, size + 8}});
		output.set_estimates({{0, size}, {0, size}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Vanishing, vanishing)

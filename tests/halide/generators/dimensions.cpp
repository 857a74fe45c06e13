// A Func without dimensions, and one of six.
#include <Halide.h>

namespace {

using namespace Halide;

class Dimensions : public Generator<Dimensions> {
public:
	Input<Buffer<int32_t>> input{"input", 1};
	Output<Buffer<int32_t>> total{"total", 0};
	Output<Buffer<int32_t>> many{"many", 6};

	void generate()
	{
		Var a("a"), b("b"), c("c"), d("d"), e("e"), f("f");
		RDom r(0, 100, "r");
		total() = 0;
		total() += input(r);
		many(a, b, c, d, e, f) = input(a + 2 * b + 4 * c) * (d + 1) + e - f + total();
		input.set_estimates({{0, 100}});
		many.set_estimates({{0, 4}, {0, 4}, {0, 3}, {0, 2}, {1, 3}, {0, 2}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Dimensions, dimensions)

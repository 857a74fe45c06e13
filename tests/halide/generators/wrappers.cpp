// Wrappers that the algorithm makes itself: for one consumer, and for all that read.
#include <Halide.h>

namespace {

using namespace Halide;

class Wrappers : public Generator<Wrappers> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func f("f"), g("g"), h("h");
		f(x, y) = cast<int32_t>(input(x, y)) * 3;
		g(x, y) = f(x, y) + f(x + 1, y);
		h(x, y) = f(x, y) - f(x, y + 2);
		output(x, y) = g(x, y) * h(x, y);
		f.in(g);
		h.in();
		input.set_estimates({{0, 65}, {0, 34}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Wrappers, wrappers)

// Clones that the algorithm makes itself: of a Func that others read too, and of one that nobody else reads.
#include <Halide.h>

namespace {

using namespace Halide;

class Clones : public Generator<Clones> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func f("f"), g("g"), h("h"), alone("alone");
		f(x, y) = cast<int32_t>(input(x, y)) * 3;
		alone(x, y) = f(x, y) + x;
		g(x, y) = f(x, y) + f(x + 1, y);
		h(x, y) = f(x, y) - alone(x, y + 2);
		output(x, y) = g(x, y) * h(x, y);
		f.clone_in(g);
		alone.clone_in(h);
		input.set_estimates({{0, 65}, {0, 34}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Clones, clones)

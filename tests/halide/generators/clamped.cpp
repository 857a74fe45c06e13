// A boundary condition on a Func: what a block needs of it is clamped, and Halide finds no tight bound on that; computed at the
// block it would ask for the whole image's threads.
#include <Halide.h>
namespace {

using namespace Halide;

class Clamped : public Generator<Clamped> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func Y("Y");
		Y(x, y) = cast<int32_t>(input(x, y)) * 3 + cast<int32_t>(input(x, y)) * input(x, y) / 7;
		Func B = BoundaryConditions::repeat_edge(Y, {{0, 192}, {0, 96}});
		output(x, y) = B(x - 1, y) + B(x + 1, y) + B(x, y - 1) + B(x, y + 1);
		input.set_estimates({{0, 192}, {0, 96}});
		output.set_estimates({{0, 192}, {0, 96}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Clamped, clamped)

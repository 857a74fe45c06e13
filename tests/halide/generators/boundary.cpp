// Boundary conditions on an input, each of its own kind.
#include <Halide.h>

namespace {

using namespace Halide;

class Boundary : public Generator<Boundary> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func edge = BoundaryConditions::repeat_edge(input), outside = BoundaryConditions::constant_exterior(input, 9);
		Func image = BoundaryConditions::repeat_image(input), mirror = BoundaryConditions::mirror_image(input);
		output(x, y) = cast<int32_t>(edge(x - 2, y)) + outside(x, y + 5) + 2 * cast<int32_t>(image(x + 70, y)) + 3 * cast<int32_t>(mirror(x, y - 40));
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Boundary, boundary)

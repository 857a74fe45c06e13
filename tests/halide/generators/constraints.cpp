// Constraints on an input and on the output: interleaved colours, three of them, whose sizes need no estimate.
#include <Halide.h>

namespace {

using namespace Halide;

class Constraints : public Generator<Constraints> {
public:
	Input<Buffer<uint8_t>> input{"input", 3};
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		Var x("x"), y("y"), c("c");
		output(x, y, c) = cast<uint8_t>(255 - (input(x, y, c) / 2 + input(x, y, 2 - c) / 2));
		for (int i = 0; i < 2; i++) {
			input.dim(i).set_estimate(0, 60);
			output.dim(i).set_estimate(0, 60);
		}
		input.dim(0).set_stride(3);
		input.dim(2).set_stride(1).set_bounds(0, 3);
		output.dim(0).set_stride(3);
		output.dim(2).set_stride(1).set_bounds(0, 3);
	}
};

}

HALIDE_REGISTER_GENERATOR(Constraints, constraints)

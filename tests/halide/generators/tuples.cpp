// Tuples: a pair of different types is computed, read by component, and the output is a pair itself.
#include <Halide.h>

namespace {

using namespace Halide;

class Tuples : public Generator<Tuples> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Func> output{"output", {Int(32), UInt(8)}, 2};

	void generate()
	{
		Var x("x"), y("y");
		Func pair("pair");
		pair(x, y) = Tuple(cast<uint16_t>(input(x, y)) + 1, cast<uint8_t>(255 - input(x, y)));
		output(x, y) = Tuple(cast<int32_t>(pair(x, y)[0]) - pair(x + 1, y)[0], max(pair(x, y)[1], pair(x, y + 1)[1]));
		input.set_estimates({{0, 65}, {0, 33}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Tuples, tuples)

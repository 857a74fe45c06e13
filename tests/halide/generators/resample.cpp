// Half the size and back: regions that divide and multiply.
#include <Halide.h>

namespace {

using namespace Halide;

class Resample : public Generator<Resample> {
public:
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint16_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func down("down"), up("up");
		down(x, y) = (input(2 * x, y) + input(2 * x + 1, y)) / 2;
		up(x, y) = (down((x + 1) / 2, y) + down(x / 2, y)) / 2;
		output(x, y) = up(x, y / 3) + input(x, y);
		input.set_estimates({{0, 130}, {0, 48}});
		output.set_estimates({{0, 128}, {0, 48}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Resample, resample)

// Two outputs of different types and numbers of dimensions; one of them is also read by the other.
#include <Halide.h>

namespace {

using namespace Halide;

class Outputs : public Generator<Outputs> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<uint16_t>> doubled{"doubled", 2};
	Output<Buffer<int32_t>> rows{"rows", 1};

	void generate()
	{
		Var x("x"), y("y");
		RDom r(0, 40, "r");
		doubled(x, y) = cast<uint16_t>(input(x, y)) * 2;
		rows(y) = 7;
		rows(y) += cast<int32_t>(doubled(r, y));
		input.set_estimates({{0, 50}, {0, 30}});
		doubled.set_estimates({{0, 50}, {0, 30}});
		rows.set_estimates({{3, 20}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Outputs, outputs)

// Scalar parameters: a gain in floating point, and a radius on which regions depend.
#include <Halide.h>

namespace {

using namespace Halide;

class Scalars : public Generator<Scalars> {
public:
	Input<Buffer<float>> input{"input", 1};
	Input<float> gain{"gain", 0.5f};
	Input<int32_t> radius{"radius"};
	Output<Buffer<float>> output{"output", 1};

	void generate()
	{
		Var x("x");
		Func scaled("scaled"), window("window");
		scaled(x) = input(x) * gain;
		RDom r(-radius, 2 * radius + 1, "r");
		window(x) = 0.0f;
		window(x) += scaled(x + r);
		output(x) = window(x) + scaled(x / radius);
		input.set_estimates({{-10, 220}});
		radius.set_estimate(3);
		output.set_estimates({{0, 200}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Scalars, scalars)

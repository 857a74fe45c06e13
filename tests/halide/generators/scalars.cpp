// Scalar parameters: a gain in floating point, a radius on which regions depend, and a share of it in floating point on which another does.
#include <Halide.h>

namespace {

using namespace Halide;

class Scalars : public Generator<Scalars> {
public:
	Input<Buffer<float>> input{"input", 1};
	Input<float> gain{"gain", 0.5f};
	Input<int32_t> radius{"radius"};
	Input<float> share{"share"};
	Output<Buffer<float>> output{"output", 1};

	void generate()
	{
		Var x("x");
		Func scaled("scaled"), window("window");
		scaled(x) = input(x) * gain;
		RDom r(-radius, 2 * radius + 1, "r");
		window(x) = 0.0f;
		window(x) += scaled(x + r);
		Func near("near");
		Expr reach = cast<int32_t>(max(radius, 2) * share);
		near(x) = scaled(x) * 2.0f;
		output(x) = window(x) + scaled(x / radius) + near(x - reach) + near(x + reach);
		input.set_estimates({{-10, 220}});
		radius.set_estimate(3);
		share.set_estimate(0.5f);
		output.set_estimates({{0, 200}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Scalars, scalars)

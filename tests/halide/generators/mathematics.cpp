// Functions of mathematics that CUDA has in libdevice, NVIDIA's library of them, with 32 and with 64 bits.
#include <Halide.h>
namespace {

using namespace Halide;

class Mathematics : public Generator<Mathematics> {
public:
	Input<Buffer<float>> input{"input", 1};
	Output<Buffer<float>> output{"output", 1};
	Output<Buffer<double>> wide{"wide", 1};

	static Expr all(Expr v)
	{
		return sin(v) + cos(v) + tan(v) + asin(v) + acos(v) + atan(v) + atan2(v, v + 1) + sinh(v) + cosh(v) + tanh(v) + asinh(v) +
			acosh(v) + atanh(v) + exp(v) + log(v) + pow(v, v + 2) + sqrt(v) + floor(v) + ceil(v) + round(v) + trunc(v);
	}

	void generate()
	{
		Var x("x");
		output(x) = all(input(x)) + fast_inverse(input(x)) + fast_inverse_sqrt(input(x)) + erf(input(x));
		wide(x) = all(cast<double>(input(x)));
		input.set_estimates({{0, 1024}});
		output.set_estimates({{0, 1024}});
		wide.set_estimates({{0, 1024}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Mathematics, mathematics)

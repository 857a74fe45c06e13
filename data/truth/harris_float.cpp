// The corner detector of Harris and Stephens (1988) as it was measured on a GPU in 2020, of which harris_2080ti.json has the description: the image has floats,
// and the output begins at 0.
#include <Halide.h>

#include "../../pipelines/guard.h"

namespace {

using namespace Halide;

class HarrisFloat : public Generator<HarrisFloat> {
public:
	Input<Buffer<float>> input{"input", 3};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		gray(x, y) = 0.299f * input(x, y, 0) + 0.587f * input(x, y, 1) + 0.114f * input(x, y, 2);
		// Each product of a coefficient and a value by itself.
		const float near = 1.0f / 12, far = 2.0f / 12;
		Iy(x, y) = gray(x - 1, y - 1) * -near + gray(x - 1, y + 1) * near + gray(x, y - 1) * -far + gray(x, y + 1) * far + gray(x + 1, y - 1) * -near + gray(x + 1, y + 1) * near;
		Ix(x, y) = gray(x - 1, y - 1) * -near + gray(x + 1, y - 1) * near + gray(x - 1, y) * -far + gray(x + 1, y) * far + gray(x - 1, y + 1) * -near + gray(x + 1, y + 1) * near;
		Ixx(x, y) = Ix(x, y) * Ix(x, y);
		Iyy(x, y) = Iy(x, y) * Iy(x, y);
		Ixy(x, y) = Ix(x, y) * Iy(x, y);
		Sxx(x, y) = sum3x3(Ixx);
		Syy(x, y) = sum3x3(Iyy);
		Sxy(x, y) = sum3x3(Ixy);
		det(x, y) = Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y);
		trace(x, y) = Sxx(x, y) + Syy(x, y);
		harris(x, y) = det(x, y) - 0.04f * trace(x, y) * trace(x, y);
		output(x, y) = harris(x + 2, y + 2);

		input.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
		output.set_estimates({{0, 1530}, {0, 2554}});
	}

	void schedule()
	{
	}

private:
	Var x{"x"}, y{"y"};
	Func gray{"gray"}, Ix{"Ix"}, Iy{"Iy"}, Ixx{"Ixx"}, Iyy{"Iyy"}, Ixy{"Ixy"}, Sxx{"Sxx"}, Syy{"Syy"}, Sxy{"Sxy"}, det{"det"}, trace{"trace"}, harris{"harris"};

	Expr sum3x3(const Func &f)
	{
		Expr sum;
		for (int dx = -1; dx <= 1; dx++)
			for (int dy = -1; dy <= 1; dy++)
				sum = sum.defined() ? sum + f(x + dx, y + dy) : f(x + dx, y + dy);
		return sum;
	}
};

}

HALIDE_REGISTER_GENERATOR(HarrisFloat, harris_float)

// A graph with many edges: each Func reads the `reads` ones before it.
#include <Halide.h>

namespace {

using namespace Halide;

class Dense : public Generator<Dense> {
public:
	GeneratorParam<int> funcs{"funcs", 8};
	GeneratorParam<int> reads{"reads", 4};
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		std::vector<Func> all;
		for (int f = 0; f < funcs; f++) {
			Expr sum = input(x, y + f);
			for (int p = std::max(0, f - reads); p < f; p++)
				sum += all[p](x + p % 3 - 1, y) * (float)(p + 1);
			all.emplace_back("f" + std::to_string(f));
			all.back()(x, y) = sum;
		}
		output(x, y) = all.back()(x, y);
		input.set_estimates({{-200, 800}, {0, 600}});
		output.set_estimates({{0, 64}, {0, 48}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Dense, dense)

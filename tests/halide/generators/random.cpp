// Random small pipelines as a generator: GeneratorParam `seed`.
#include "../random_pipeline.h"

namespace {

using namespace Halide;

class Random : public Generator<Random> {
public:
	GeneratorParam<int> seed{"seed", 0};
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint16_t>> first{"first", 2};
	Output<Buffer<uint16_t>> second{"second", 2};

	void generate()
	{
		bw_test::RandomPipeline made((unsigned)(int)seed, input);
		Var x("x"), y("y");
		first(x, y) = made.outputs[0](x, y);
		second(x, y) = made.outputs[1](x, y);
		input.set_estimates({{-300, 700}, {-300, 700}});
		first.set_estimates({{0, 75}, {0, 42}});
		second.set_estimates({{1, 64}, {2, 40}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Random, random)

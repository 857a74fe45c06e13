// Accesses that depend on data: by a byte (bounded by its type), by a clamped number, and without any bound.
#include <Halide.h>

namespace {

using namespace Halide;

class Indirect : public Generator<Indirect> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Input<Buffer<int32_t>> where{"where", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y"), i("i");
		Func table("table"), free("free"), near("near");
		table(i) = i * i;
		free(i) = i * 3 + 1;
		near(x, y) = cast<int32_t>(input(x, y)) + 5;
		output(x, y) = table(input(x, y)) + free(where(x, y)) + near(clamp(where(x, y), x - 2, x + 2), y);
		input.set_estimates({{-2, 68}, {0, 32}});
		where.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Indirect, indirect)

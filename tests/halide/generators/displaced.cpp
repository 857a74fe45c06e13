// Boundary conditions read at places that depend on data: without any bound, and where the bound is that of a type and absurd.
#include <Halide.h>

namespace {

using namespace Halide;

class Displaced : public Generator<Displaced> {
public:
	Input<Buffer<float>> input{"input", 2};
	Input<Buffer<float>> at{"at", 1};
	Input<Buffer<int16_t>> offset{"offset", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func outside = BoundaryConditions::constant_exterior(input, 0.5f), edge = BoundaryConditions::repeat_edge(input);
		Func mirror = BoundaryConditions::mirror_interior(input), sums("sums"), read("read"), moved("moved");
		RDom r(-1, 3);
		Expr place = cast<int32_t>(at(x) * 100.0f);
		read(x) = outside(place, 0) + edge(place + 1, place);
		sums(x, y) += edge(x + r, y);
		moved(x, y) = mirror(x + offset(x, y), y - offset(y, x)) * 2.0f;
		output(x, y) = read(x) + sums(x, y) + moved(x, y) + moved(x + 1, y);
		input.set_estimates({{0, 64}, {0, 32}});
		at.set_estimates({{0, 64}});
		offset.set_estimates({{0, 65}, {0, 65}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Displaced, displaced)

// Sizes of inputs that follow from the outputs, that do not, and that are not enough; buffers of more points than Halide can count.
#include <Halide.h>

namespace {

using namespace Halide;

class Sizes : public Generator<Sizes> {
public:
	enum class Kind { Filtered, Histogram, Flat, Narrow, Large, Overlapping, Lookup, Counted, Typed };
	GeneratorParam<Kind> kind{"kind", Kind::Filtered, {{"filtered", Kind::Filtered}, {"histogram", Kind::Histogram}, {"flat", Kind::Flat}, {"narrow", Kind::Narrow}, {"large", Kind::Large}, {"overlapping", Kind::Overlapping}, {"lookup", Kind::Lookup}, {"counted", Kind::Counted}, {"typed", Kind::Typed}}};
	Input<Buffer<uint8_t>> input{"input", 2};
	Input<Buffer<uint8_t>> weights{"weights", 1};
	Input<Buffer<uint8_t>> edges{"edges", 2};
	Input<Buffer<uint8_t>> flat{"flat", 1};
	Output<Buffer<int32_t>> output{"output", 2};
	Output<Buffer<int32_t>> bins{"bins", 1};

	void generate()
	{
		Var x("x"), y("y"), i("i");
		Func smooth("smooth"), halved("halved"), inside = BoundaryConditions::repeat_edge(edges);
		const Kind k = kind;
		RDom r(0, weights.width(), "r"), image(0, 64, 0, 32, "image");
		smooth(x, y) += cast<int32_t>(input(x + r, y)) * weights(r);
		halved(x, y) = smooth(2 * x, y - 1) + inside(x + 1, y);
		output(x, y) = halved(x, y) + (k == Kind::Flat ? cast<int32_t>(flat(x + y * flat.width())) : flat(x));
		if (k == Kind::Lookup)
			output(x, y) += cast<int32_t>(flat(cast<int32_t>(tan(cast<float>(input(x, y)) + cast<float>(x)))));
		if (k == Kind::Typed)
			output(x, y) += cast<int32_t>(flat(cast<int32_t>(cast<float>(input(x, y)) * 0.5f)));
		if (k == Kind::Counted) {
			Func counts("counts");
			counts(i) = 0;
			counts(clamp(input(image.x, image.y), 0, 99)) += 1;
			output(x, y) += counts(cast<int32_t>(tan(cast<float>(input(x, y)) + cast<float>(x))));
		}
		bins(i) = 0;
		if (k == Kind::Histogram)
			bins(cast<int32_t>(input(image.x, image.y))) += 1;
		if (k == Kind::Narrow)
			input.dim(0).set_bounds(0, 64);
		if (k == Kind::Overlapping)
			output.dim(1).set_stride(output.dim(1).stride() / 4 * 4);
		if (k == Kind::Large)
			output.set_estimates({{0, 70000}, {0, 70000}});
	}
};

// Its third dimension is named _0, which is the place of the first.
class Implicit : public Generator<Implicit> {
public:
	Input<Buffer<uint8_t>> input{"input", 3};
	Output<Buffer<uint8_t>> output{"output", 3};

	void generate()
	{
		Var x("x"), y("y");
		output(x, y, _) = input(x + 1, y, _) + cast<uint8_t>(1);
	}
};

}

HALIDE_REGISTER_GENERATOR(Implicit, implicit)
HALIDE_REGISTER_GENERATOR(Sizes, sizes)

// Updates whose iterations may come in any order: a total, sums, bins and maxima of integers of several sizes, a sum of floats, and the
// place of a maximum, which no atomic operation finds.
#include <Halide.h>

namespace {

using namespace Halide;

class Atomics : public Generator<Atomics> {
public:
	Input<Buffer<uint8_t>> input{"input", 3};
	Output<Buffer<uint32_t>> total{"total", 0};
	Output<Buffer<int32_t>> sums{"sums", 1};
	Output<Buffer<int64_t>> wide{"wide", 1};
	Output<Buffer<int32_t>> most{"most", 1};
	Output<Buffer<int32_t>> bins{"bins", 2};
	Output<Buffer<float>> real{"real", 1};
	Output<Buffer<int16_t>> narrow{"narrow", 1};
	Output<Buffer<int32_t>> place{"place", 1};

	void generate()
	{
		Var y("y"), i("i"), c("c");
		RDom all(0, input.width(), 0, input.height(), "all"), row(0, input.width(), "row"), channels(0, 3, 0, input.width(), "channels");
		Func counts("counts"), first("first");
		total() = cast<uint32_t>(0);
		total() += cast<uint32_t>(input(all.x, all.y, 0));
		sums(y) = y;
		sums(y) += cast<int32_t>(input(channels.y, y, channels.x));
		wide(y) = cast<int64_t>(0);
		wide(y) += cast<int64_t>(input(row, y, 1)) << 33;
		most(y) = 0;
		most(y) = max(most(y), cast<int32_t>(input(row, y, 2)));
		counts(i, c) = 0;
		counts(cast<int32_t>(input(all.x, all.y, c)), c) += 1;
		bins(i, c) = counts(i, c) + counts(255 - i, c);
		real(y) = 0.f;
		real(y) += sqrt(cast<float>(input(row, y, 0)));
		narrow(y) = cast<int16_t>(0);
		narrow(y) += cast<int16_t>(input(row, y, 1));
		Expr pixel = cast<int32_t>(input(row, y, 0));
		first(y) = Tuple(-1, 0);
		first(y) = Tuple(max(first(y)[0], pixel), select(first(y)[0] < pixel, row, first(y)[1]));
		place(y) = first(y)[1];
		input.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, 301}, {0, 67}, {0, 3}});
		for (auto *output : {&sums, &most, &place})
			output->set_estimates({{0, 67}});
		wide.set_estimates({{0, 67}});
		real.set_estimates({{0, 67}});
		narrow.set_estimates({{0, 67}});
		bins.set_estimates({{0, 256}, {0, 3}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Atomics, atomics)

// What cannot be described: sizes that nobody tells, a schedule that is already there.
#include <Halide.h>

#include <chrono>
#include <thread>

namespace {

using namespace Halide;

class Errors : public Generator<Errors> {
public:
	enum class Kind { NoInput, NoOutput, NoScalar, Scheduled, Slow, Fine };
	GeneratorParam<Kind> kind{"kind", Kind::Fine, {{"no_input", Kind::NoInput}, {"no_output", Kind::NoOutput}, {"no_scalar", Kind::NoScalar}, {"scheduled", Kind::Scheduled}, {"slow", Kind::Slow}, {"fine", Kind::Fine}}};
	Input<Buffer<int32_t>> input{"input", 2};
	Input<int32_t> offset{"offset"};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func middle("middle");
		middle(x, y) = input(x, y) + 1;
		Kind k = kind;
		if (k == Kind::Slow)
			std::this_thread::sleep_for(std::chrono::milliseconds(2500));
		output(x, y) = middle(x + offset, y);
		if (k == Kind::Scheduled)
			middle.compute_root().vectorize(x, 4);
		input.dim(0).set_estimate(0, 80);
		if (k != Kind::NoInput)
			input.dim(1).set_estimate(0, 32);
		if (k != Kind::NoScalar)
			offset.set_estimate(4);
		output.set_estimate(x, 0, 64);
		if (k != Kind::NoOutput)
			output.set_estimate(y, 0, 32);
	}
};

}

HALIDE_REGISTER_GENERATOR(Errors, errors)

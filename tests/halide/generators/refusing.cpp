// A generator that refuses to be run with an autoscheduler, and schedules itself: by an assertion, by an exception.
#include <Halide.h>

#undef NDEBUG
#include <cassert>
#include <stdexcept>

namespace {

using namespace Halide;

class Refusing : public Generator<Refusing> {
public:
	enum class Kind { Assertion, Exception, Always };
	GeneratorParam<Kind> kind{"kind", Kind::Assertion, {{"assertion", Kind::Assertion}, {"exception", Kind::Exception}, {"always", Kind::Always}}};
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
#ifdef HALIDE_VERSION_MAJOR
		const bool asked = using_autoscheduler();
#else
		const bool asked = auto_schedule;
#endif
		if (kind == Kind::Always)
			throw std::runtime_error("never at all");
		if (kind == Kind::Exception && asked)
			throw std::runtime_error("no autoscheduler, please");
		assert(!asked);
		Var x("x"), y("y"), inner("inner");
		Func middle("middle");
		middle(x, y) = input(x, y) * 3 + 1;
		output(x, y) = middle(x, y) + middle(x + 1, y) + middle(x, y + 1);
		input.set_estimates({{0, 65}, {0, 33}});
		output.set_estimates({{0, 64}, {0, 32}});
		middle.compute_at(output, y).vectorize(x, 8);
		output.parallel(y).split(x, x, inner, 16);
	}
};

}

HALIDE_REGISTER_GENERATOR(Refusing, refusing)

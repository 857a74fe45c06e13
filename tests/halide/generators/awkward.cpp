// Names that are none in C++, that others have too, or that Halide made up.
#include <Halide.h>

namespace {

using namespace Halide;

class Awkward : public Generator<Awkward> {
public:
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y"), u, v;
		Func keyword("new"), digits("3 x 3"), like_a_var("x"), like_a_type("Func"), quoted("a\"b\\c?"), accented("\303\251t\303\251"), below("_Big__name"), below_too("_Big_name");
		Func same("blur"), same_again("blur"), numbered("blur1"), one, two, three, many;
		keyword(x, y) = input(x, y) + 1;
		digits(u, v) = keyword(u, v) * 3;
		like_a_var(x, y) = digits(x, y) - digits(x + 1, y);
		like_a_type(u, y) = like_a_var(u, y) * 2;
		quoted(x, y) = like_a_type(x, y) + keyword(x, y);
		accented(x, y) = quoted(x, y) / 3;
		below(x, y) = accented(x, y) + accented(x, y + 1);
		below_too(x, y) = below(x, y) + 1;
		same(x, y) = below_too(x, y) + below(x, y);
		same_again(x, y) = same(x, y) * 5;
		numbered(x, y) = same_again(x, y) - same(x, y);
		one(u, v) = numbered(u, v) + numbered(u + 1, v);
		two(u, v) = one(u, v) + one(u, v + 1);
		three(v, u) = two(v, u) * one(v, u);
		RDom r(0, 7);
		many(x, y) = 0;
		many(x, y) += three(x + r, y);
		many(x, y) = many(x, y) + x;
		output(x, y) = many(x, y) + one(x, y);
		input.set_estimates({{0, 80}, {0, 40}});
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Awkward, awkward)

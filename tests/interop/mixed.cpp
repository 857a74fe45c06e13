// A tuple of two types, of which an update with a predicate reads both: for what Halide 19 says of its features. Not bundled.
#include <Halide.h>

using namespace Halide;

class Mixed : public Generator<Mixed> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};
	void generate()
	{
		pair(x, y) = Tuple(input(x, y) * 2.0f, cast<int16_t>(x + y));
		RDom r(0, 3, 0, 3, "r");
		r.where(r.x + r.y < 4);
		sum(x, y) = 0.0f;
		sum(x, y) += pair(x + r.x, y + r.y)[0] * cast<float>(pair(x + r.x, y)[1]);
		output(x, y) = sum(x, y);
		input.set_estimates({{0, 1538}, {0, 1026}});
		output.set_estimates({{0, 1536}, {0, 1024}});
	}
	void schedule() {}
	Var x{"x"}, y{"y"};
	Func pair{"pair"}, sum{"sum"};
};
HALIDE_REGISTER_GENERATOR(Mixed, mixed)

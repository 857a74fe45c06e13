// Extern stages, which functions of C compute (tests/halide/externs.c): between two Funcs, with other Funcs that read
// the same; one after the other, at first of an input alone; of two dimensions from one; as the output; of tuples; of an input alone; on a device.
#include <Halide.h>

namespace {

using namespace Halide;

class Externs : public Generator<Externs> {
public:
	enum class Kind { Between, Chain, Spread, Last, Pair, Image, Device };
	// In `spread` nobody but the function knows how much it reads: the user says it.
	GeneratorParam<Kind> kind{"kind", Kind::Between, {{"between", Kind::Between}, {"chain", Kind::Chain}, {"spread", Kind::Spread}, {"last", Kind::Last}, {"pair", Kind::Pair}, {"image", Kind::Image}, {"device", Kind::Device}}};
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func before("before"), stage("stage"), twice("twice"), line("line"), both("both");
		before(x, y) = input(x, y) * 3 + input(x + 1, y);
		line(x) = before(x, 0) + before(x, 1);
		const DeviceAPI where = kind == Kind::Device ? DeviceAPI::CUDA : DeviceAPI::Host;
		stage.define_extern("bw_stage", {before}, Int(32), {x, y}, NameMangling::C, where);
		switch ((Kind)kind) {
		case Kind::Between:
		case Kind::Device:
			output(x, y) = stage(x, y) + stage(x, y + 1) + before(x + 2, y);
			break;
		case Kind::Chain:
			twice.define_extern("bw_stage", {stage}, Int(32), {x, y});
			output(x, y) = twice(x, y) - before(x, y);
			break;
		case Kind::Spread:
			twice.define_extern("bw_spread", {line}, Int(32), {x, y});
			output(x, y) = twice(x, y) + before(x, y);
			break;
		case Kind::Pair:
			both(x, y) = Tuple(before(x, y), before(x + 1, y));
			twice.define_extern("bw_pair", {both}, {Int(32), Int(32)}, {x, y});
			output(x, y) = twice(x, y)[0] * twice(x, y)[1];
			break;
		case Kind::Image:
			twice.define_extern("bw_stage", {input}, Int(32), {x, y});
			output(x, y) = twice(x, y + 1);
			break;
		case Kind::Last:
			output = stage;
			output.set_estimates({{0, 64}, {0, 32}});
			return;
		}
		output.set_estimates({{0, 64}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Externs, externs)

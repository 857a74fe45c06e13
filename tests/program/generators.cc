// Generators as users write them, for tests of the program: what they state, leave out, and contradict.
#include "guard.h"
#include <Halide.h>
#include <cassert>

using namespace Halide;

// Two outputs that are Funcs of other names, in another order than they are computed in. It states no estimate.
class Renamed : public Generator<Renamed> {
public:
	Input<Buffer<uint8_t>> input{"input", 2};
	Input<int> lift{"lift"};
	Output<Buffer<uint16_t>> sums{"sums", 1};
	Output<Buffer<uint16_t>> brighter{"brighter", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func lifted("lifted"), rows("rows");
		RDom r(0, 8, "r");
		lifted(x, y) = cast<uint16_t>(input(x, y)) + cast<uint16_t>(lift);
		rows(y) = cast<uint16_t>(0);
		rows(y) += lifted(r, y + lift);
		brighter = lifted;
		sums = rows;
	}
};
HALIDE_REGISTER_GENERATOR(Renamed, renamed)

// A parameter that only fixes a region; estimates in the wrong order beside bounds; an output whose strides are fixed.
class Fixed : public Generator<Fixed> {
public:
	Input<Buffer<float>> input{"input", 2};
	Input<int> channels{"channels"};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		output(c, x, y) = input(x, y) * (c + 1);
		Func(output).bound(c, 0, channels);
		output.dim(1).set_bounds(0, 40).set_stride(24);
		output.dim(2).set_stride(24 * 40);
		input.set_estimates({{0, 40}, {0, 30}});
		output.set_estimates({{0, 40}, {0, 24}, {0, 30}});
	}

private:
	Var c{"c"}, x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Fixed, fixed)

// Whole numbers rounded from floats: a GPU's sine and a CPU's differ in the last bit.
class Rounded : public Generator<Rounded> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		output(x, y) = cast<int32_t>(sin(input(x, y)) * 16777216.0f);
		input.set_estimates({{0, 128}, {0, 64}});
		output.set_estimates({{0, 128}, {0, 64}});
		if (!using_autoscheduler() && get_target().has_gpu_feature())
			Func(output).gpu_tile(x, y, xi, yi, 16, 8);
	}

private:
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
};
HALIDE_REGISTER_GENERATOR(Rounded, rounded)

// Functions of 64-bit floats, which CUDA's library computes: some call others of their own.
class Doubles : public Generator<Doubles> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<double>> output{"output", 2};

	void generate()
	{
		Expr d = cast<double>(input(x, y)) * 1000000;
		waves(x, y) = cos(d) + sin(d) + tan(d / 1000000) + exp(-abs(d) / 1000000);
		output(x, y) = waves(x, y) + log(abs(d) + 1) + sqrt(abs(d)) + pow(abs(d) + 1, 0.3f) + atan2(d, cast<double>(x) + 1) + floor(d) + tanh(d / 1000000);
		input.set_estimates({{0, 48}, {0, 32}});
		output.set_estimates({{0, 48}, {0, 32}});
		if (!using_autoscheduler())
			output.gpu_tile(x, y, xi, yi, 8, 4);
	}

private:
	Func waves{"waves"};
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
};
HALIDE_REGISTER_GENERATOR(Doubles, doubles)

// Whole numbers cut from floats that have fewer digits where a Func is stored than where it is inlined: there 128 - 128 cancels.
class Cancelled : public Generator<Cancelled> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		shifted(x, y) = input(x, y) * 0.564f + 128.0f;
		output(x, y) = cast<int32_t>((shifted(x, y) - 128.0f) * 4096.0f);
		input.set_estimates({{0, 128}, {0, 64}});
		output.set_estimates({{0, 128}, {0, 64}});
		if (!using_autoscheduler())
			shifted.compute_root();
		if (!using_autoscheduler() && get_target().has_gpu_feature()) {
			shifted.gpu_tile(x, y, xi, yi, 16, 8);
			Func(output).gpu_tile(x, y, xi, yi, 16, 8);
		}
	}

private:
	Func shifted{"shifted"};
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
};
HALIDE_REGISTER_GENERATOR(Cancelled, cancelled)

// What no GPU can do, or not in every type: printing, functions of C, counting bits.
class Awkward : public Generator<Awkward> {
public:
	GeneratorParam<std::string> what{"what", "print"};
	Input<Buffer<uint32_t>> input{"input", 2};
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		const std::string chosen = what;
		Func worked("worked");
		Expr e = input(x, y);
		worked(x, y) = chosen == "print" ? print_when(e == 7, e, "seven") : chosen == "leading" ? count_leading_zeros(e) : chosen == "trailing" ? count_trailing_zeros(e) : chosen == "count" ? popcount(e) :
			chosen == "bfloat" ? cast<uint32_t>(cast<bfloat16_t>(e) * cast<bfloat16_t>(3)) : chosen == "half" ? cast<uint32_t>(cast<float16_t>(e & 7) * cast<float16_t>(3)) :
			chosen == "own" ? Internal::Call::make(UInt(32), "own_function", {e}, Internal::Call::Extern) : e;
		if (chosen == "trace")
			worked.trace_stores();
		output(x, y) = worked(x, y) + 1;
		if (chosen == "texture" && get_target().has_feature(Target::OpenCL)) {
			input.store_in(MemoryType::GPUTexture);
			output.store_in(MemoryType::GPUTexture);
		}
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Awkward, awkward)

// Floating-point numbers of 64 bits; and an algorithm that is another on a GPU, or with a feature of the target.
class Asking : public Generator<Asking> {
public:
	Input<Buffer<double>> input{"input", 2};
	Output<Buffer<double>> output{"output", 2};

	void generate()
	{
		Func doubled("doubled"), fast("fast");
		doubled(x, y) = input(x, y) * 2;
		fast(x, y) = doubled(x, y) + 1;
		output(x, y) = get_target().has_gpu_feature() ? fast(x, y) * fast(x, y) : doubled(x, y);
		if (get_target().has_feature(Target::StrictFloat))
			output(x, y) += fast(x, y);
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Asking, asking)

// An algorithm with a schedule that nobody guarded: all that beamwalk has to set aside.
class Tuned : public Generator<Tuned> {
public:
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		Func copied("copied"), wide("wide"), sums("sums"), most("most"), staged("staged"), whole("whole");
		RDom r(0, 5, 0, 3, "r");
		RVar outer("outer"), inner("inner"), both("both");
		Var xo("xo"), xi("xi"), yo("yo"), yi("yi"), fused("fused");
		copied(x, y) = input(x, y);
		wide(x, y) = cast<uint32_t>(copied(x, y)) * 3;
		sums(x, y) = cast<uint32_t>(0);
		sums(x, y) += wide(x + r.x, y + r.y) << cast<uint32_t>(r.x);
		sums(x, 0) += cast<uint32_t>(7);
		most(x, y) = max(sums(x, y), sums(x + 1, y));
		staged(x, y) = most(x, y) + wide(x, y);
		whole(x, y) = staged(x, y) + most(x, y + 1);
		output(x, y) = whole(x, y);
		input.set_estimates({{0, 70}, {0, 40}});
		output.set_estimates({{0, 64}, {0, 32}});

		Func(output).copy_to_host();
		whole.compute_root().tile(x, y, xo, yo, xi, yi, 16, 8).fuse(xo, yo, fused).parallel(fused).vectorize(xi, 4).unroll(yi, 2);
		whole.specialize(input.width() == 70);
		wide.compute_root().split(x, xo, xi, 8).reorder(y, xi, xo).memoize().store_in(MemoryType::Heap);
		sums.compute_at(whole, fused).store_root().fold_storage(y, 8);
		sums.update(0).split(r.x, outer, inner, 2).fuse(outer, inner, both).reorder(x, both, r.y, y).vectorize(x, 4, TailStrategy::GuardWithIf);
		sums.update(1).rename(x, xi);
		most.compute_at(whole, xi).vectorize(x, 4);
		staged.compute_root().async().prefetch(input, y, y, 2);
		copied.compute_root().copy_to_host();
		staged.in(whole).compute_root().copy_to_device();
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Tuned, tuned)

// An rfactor that nobody guarded, and one of what it made: new Funcs of the algorithm, of which the schedule is set aside.
class Factored : public Generator<Factored> {
public:
	GeneratorParam<bool> twice{"twice", false};
	Input<Buffer<uint8_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 1};

	void generate()
	{
		Func counts("counts");
		RDom r(0, 64, 0, 30, "r");
		RVar outer("outer"), inner("inner"), parts("parts");
		Var x("x"), u("u"), v("v");
		if (twice) { // split twice, by a size that 32 need not divide: what is left is guarded
			RDom whole(0, (input.width() + 15) / 16 * 16, "whole");
			counts(x) = 0;
			counts(x) += cast<int>(input(whole, x));
			counts.update().split(whole, outer, inner, 4).split(outer, parts, outer, 8).rfactor(outer, u);
			output(x) = counts(x);
			input.set_estimates({{0, 80}, {0, 30}});
			output.set_estimates({{0, 30}});
			return;
		}
		r.where(r.x + r.y != 40);
		counts(x) = 0;
		counts(cast<int>(input(r.x, r.y)) % 16) += r.y;
		Func strips = counts.update().split(r.y, outer, inner, 8).rfactor(outer, u);
		Func lanes = strips.compute_root().update().rfactor(r.x, v);
		lanes.compute_root().update().parallel(u).vectorize(v, 4);
		output(x) = counts(x % 16);
		counts.compute_root();
		input.set_estimates({{0, 64}, {0, 30}});
		output.set_estimates({{0, 32}});
	}
};
HALIDE_REGISTER_GENERATOR(Factored, factored)

// Asserts a feature of its target: what is compiled so cannot be asked which region of its input it reads.
class Wanting : public Generator<Wanting> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		assert(get_target().has_feature(Target::NoBoundsQuery));
		output(x, y) = input(x, y) + input(x + 1, y) * 2;
		input.set_estimates({{0, 65}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Wanting, wanting)

// Estimates in the wrong order beside bounds, with nothing left to say for the user.
class Crossed : public Generator<Crossed> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<float>> output{"output", 3};

	void generate()
	{
		output(c, x, y) = input(x, y) * (c + 1);
		Func(output).bound(c, 0, 24).bound(x, 0, 40);
		input.set_estimates({{0, 40}, {0, 30}});
		output.set_estimates({{0, 40}, {0, 24}, {0, 30}});
	}

private:
	Var c{"c"}, x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Crossed, crossed)

// An image resized by a factor of floating point: the rows that are read of it are rounded from numbers.
class Resized : public Generator<Resized> {
public:
	Input<Buffer<float>> input{"input", 2};
	Input<float> factor{"factor", 1.5f};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Func smooth("smooth"), rows("rows");
		Expr inverse = strict_float(1.0f / factor), at = (y + 0.5f) * inverse - 0.5f;
		Expr begin = cast<int32_t>(strict_float(ceil(at - inverse)));
		RDom r(0, cast<int32_t>(ceil(2 * inverse)), "r");
		smooth(x, y) += BoundaryConditions::repeat_edge(input)(x, y) * 3;
		rows(x, y) += smooth(x, begin + r) * cast<float>(r + 1);
		output(x, y) = rows(x, y) + smooth(cast<int32_t>(floor(cast<float>(x) / factor)), y);
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 96}, {0, 48}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Resized, resized)

// More inputs of sizes that do not follow than a message has room for, and an output of a fixed extent that begins anywhere.
class Many : public Generator<Many> {
public:
	Input<Buffer<float>[60]> inputs{"inputs", 1};
	Output<Buffer<float>> output{"output", 1};

	void generate()
	{
		Expr sum = 0.0f;
		for (size_t i = 0; i < inputs.size(); i++)
			sum += inputs[i](clamp(x, 0, inputs[i].width() - 1));
		output(x) = sum;
		output.dim(0).set_extent(16);
	}

private:
	Var x{"x"};
};
HALIDE_REGISTER_GENERATOR(Many, many)

// Random numbers: their seeds are of the generator's own.
class Drawn : public Generator<Drawn> {
public:
	Input<Buffer<uint32_t>> input{"input", 2};
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		Func noise("noise");
		noise(x, y) = random_uint(Expr(3)) + input(x, y);
		output(x, y) = noise(x, y) + noise(x + 1, y) + cast<uint32_t>(random_float() * 8.0f);
		input.set_estimates({{0, 65}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Drawn, drawn)

// An output that is changed in place, and bounds that hold inside of a tile alone; the size of an input is fixed to be what it is.
class InPlace : public Generator<InPlace> {
public:
	GeneratorParam<bool> unread{"unread", false};
	Input<Buffer<float>> input{"input", 1};
	Input<Buffer<float>> other{"other", 1};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Func twice("twice");
		Var xo("xo"), xi("xi");
		twice(x) = input(x) * 2;
		output(x, y) = undef<float>();
		output(x, y) += unread ? twice(x) : twice(x) * other(y);
		input.dim(0).set_bounds(0, input.width());
		other.dim(0).set_bounds(0, input.width());
		output.dim(0).set_bounds(0, input.width());
		output.dim(1).set_bounds(0, input.width());
		Func(output).update().split(x, xo, xi, 8);
		twice.compute_at(Func(output), xo).bound_extent(x, 8).bound(x, 0, 8);
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(InPlace, in_place)

// An image of a test, made of coordinates alone: no input is read.
class Unread : public Generator<Unread> {
public:
	Input<Buffer<float>> input{"input", 1};
	Input<Buffer<uint8_t>> other{"other", 3};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		output(x, y) = cast<float>(x) * 2.0f + cast<float>(y);
		input.set_estimates({{0, 64}});
		other.set_estimates({{0, 8}, {0, 8}, {0, 3}});
		output.set_estimates({{0, 256}, {0, 192}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Unread, unread)

// Types, dimensions and sizes of arrays that are parameters.
class Untyped : public Generator<Untyped> {
public:
	Input<Buffer<>> input{"input", 2};
	Input<Func> func{"func"};
	Input<Buffer<float>[]> levels{"levels", 2};
	Output<Buffer<>> output{"output", 2};

	void generate()
	{
		Expr sum = cast(output.type(), input(x, y)) + cast(output.type(), func(x, y));
		for (size_t i = 0; i < levels.size(); i++)
			sum += cast(output.type(), levels[i](x, y));
		output(x, y) = sum;
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Untyped, untyped)

// Steps until a pair of doubles grows out of bounds and becomes NaN: whether NaN < 4 holds then depends on the schedule.
class Diverging : public Generator<Diverging> {
public:
	Output<Buffer<uint32_t>> output{"output", 2};

	void generate()
	{
		Var step("step");
		RDom r(1, 24, "r"), q(0, 24, "q");
		value(x, y, step) = Tuple(cast<double>(x) / 48 - 2, cast<double>(y) / 32 - 1);
		Expr u = value(x, y, r - 1)[0], v = value(x, y, r - 1)[1];
		value(x, y, r) = Tuple(u * u - v * v + u, 2 * u * v + v);
		Expr a = value(x, y, q)[0], b = value(x, y, q)[1];
		q.where(a * a + b * b < 4);
		steps(x, y) = cast<int64_t>(0);
		steps(x, y) += cast<int64_t>(1 + q);
		output(x, y) = cast<uint32_t>(steps(x, y));
		output.set_estimates({{0, 192}, {0, 64}});
	}

private:
	Func value{"value"}, steps{"steps"};
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Diverging, diverging)

// Products and sums of 16 bits, which a GPU rounds once and a CPU twice.
class Halves : public Generator<Halves> {
public:
	Input<Buffer<Halide::float16_t>> input{"input", 2};
	Output<Buffer<Halide::float16_t>> output{"output", 2};

	void generate()
	{
		output(x, y) = input(x, y) * input(x + 1, y) + input(x, y + 1);
		input.set_estimates({{0, 129}, {0, 65}});
		output.set_estimates({{0, 128}, {0, 64}});
	}

private:
	Var x{"x"}, y{"y"};
};
HALIDE_REGISTER_GENERATOR(Halves, halves)

// Whole numbers of floats that are NaN half of the time, which a GPU and a CPU convert to whole numbers that lie far apart.
class Undefined : public Generator<Undefined> {
public:
	Input<Buffer<float>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		output(x, y) = cast<int32_t>(log(input(x, y) - 0.5f) * 100.0f);
		input.set_estimates({{0, 128}, {0, 64}});
		output.set_estimates({{0, 128}, {0, 64}});
		if (!using_autoscheduler() && get_target().has_gpu_feature())
			Func(output).gpu_tile(x, y, xi, yi, 16, 8);
	}

private:
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
};
HALIDE_REGISTER_GENERATOR(Undefined, undefined)

// A schedule by hand with a condition in a vectorized loop, for which Halide has no OpenCL.
class Masked : public Generator<Masked> {
public:
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		RDom r(0, 5, "r");
		r.where(input(x, r) > 3);
		output(x, y) = 0;
		output(x, y) += input(x, y + r) * 2;
		output.set_estimates({{0, 64}, {0, 64}});
		if (!using_autoscheduler() && get_target().has_gpu_feature()) {
			Func(output).gpu_tile(x, y, xi, yi, 16, 8);
			Func(output).update().split(x, x, v, 4).gpu_tile(x, y, xi, yi, 4, 8).vectorize(v);
		}
	}

private:
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"}, v{"v"};
};
HALIDE_REGISTER_GENERATOR(Masked, masked)

// What an update makes decides which points another one takes: Halide compiles that only if it is not inlined, as it is without a schedule.
class Deciding : public Generator<Deciding> {
public:
	Output<Buffer<int32_t>> output{"output", 1};

	void generate()
	{
		Var x("x");
		Func made("made");
		RDom r(0, 8, "r");
		made(x) = x % 7;
		made(x) += x;
		r.where(made(x + r) < 40);
		output(x) = 0;
		output(x) += r;
		output.set_estimates({{0, 64}});
	}
};
HALIDE_REGISTER_GENERATOR(Deciding, deciding)

// A Func whose bound is less than what is read of it: by itself, or by the output, of which it may be inlined.
class Held : public Generator<Held> {
public:
	GeneratorParam<int> extent{"extent", 64};
	GeneratorParam<bool> pure{"pure", false};
	Output<Buffer<int32_t>> output{"output", 1};

	void generate()
	{
		Var x("x");
		Func held("held");
		RDom r(0, 64, "r");
		held(x) = x * 3;
		if (!pure)
			held(r) = held(r + 1) + 1;
		held.bound(x, 0, extent);
		output(x) = held(pure ? x + 1 : x);
		output.set_estimates({{0, 64}});
	}
};
HALIDE_REGISTER_GENERATOR(Held, held)

// The value of an input decides where another Func is needed or stored, so that whoever is asked for bounds reads that input.
class Placed : public Generator<Placed> {
public:
	GeneratorParam<bool> shifted{"shifted", false};
	Input<Buffer<int32_t>> at{"at", 1};
	Input<Buffer<float>> input{"input", 1};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func doubled("doubled");
		RDom r(0, 50, "r");
		const Expr row = clamp(at(0), 0, 7);
		doubled(x) = input(x) * 2.f;
		if (shifted) {
			output(x, y) = doubled(x + row) + y;
		} else {
			output(x, y) = 0.f;
			output(r, row) = doubled(r);
		}
		at.set_estimates({{0, 1}});
		output.set_estimates({{0, 50}, {0, 8}});
	}
};
HALIDE_REGISTER_GENERATOR(Placed, placed)

// Generators for the tests of the bench. Their own schedules (how=...) let compiled schedules be made without the plugin.
#include <Halide.h>

#include <iostream>
#include <unistd.h>

using namespace Halide;

// Two outputs, one of them a tuple, one without dimensions; an input that is read beyond its estimate; a scalar.
class Sharpen : public Generator<Sharpen> {
public:
	GeneratorParam<std::string> how{"how", "plugin"};
	Input<Buffer<uint8_t>> input{"input", 2};
	Input<float> gain{"gain", 0.5f};
	Output<Func> pair{"pair", {Float(32), Int(32)}, 2};
	Output<Buffer<int32_t>> total{"total", 0};

	void generate()
	{
		blur(x, y) = cast<float>(input(x, y)) + input(x + 1, y) + input(x, y + 2);
		Expr weight = std::string(how) == "sloppy" ? 1.0f / (1.0f / gain) * 1.0000001f : Expr(gain);
		Expr twist = std::string(how) == "twisted" ? select(x == 100 && y == 7, 1, 0) : Expr(0);
		pair(x, y) = Tuple(blur(x, y) * weight + sin(blur(x + 1, y)), cast<int32_t>(input(x, y)) * 3 + twist);
		total() = 0;
		total() += cast<int32_t>(input(r.x, r.y));
	}

	void schedule()
	{
		input.set_estimates({{0, 201}, {0, 100}});
		gain.set_estimate(0.3f);
		pair.set_estimates({{0, 201}, {0, 99}});
		if (std::string(how) == "gpu" || std::string(how) == "twisted" || std::string(how) == "sloppy") {
			blur.compute_root().gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf);
			Func(pair).gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::ShiftInwards);
			Func(total).gpu_single_thread();
			Func(total).update().gpu_single_thread();
		} else if (std::string(how) == "rounded") {
			blur.compute_root().gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf);
			Func(pair).gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::RoundUp);
		} else if (std::string(how) == "greedy") {
			blur.compute_root().gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::RoundUp);
			Func(pair).gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf);
		} else if (std::string(how) == "cpu") {
			blur.compute_root();
		}
	}

private:
	Func blur{"blur"};
	Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
	RDom r{0, 50, 0, 40, "r"};
};
HALIDE_REGISTER_GENERATOR(Sharpen, sharpen)

// An output whose strides are fixed: three channels innermost.
class Interleaved : public Generator<Interleaved> {
public:
	GeneratorParam<std::string> how{"how", "plugin"};
	Input<Buffer<uint16_t>> input{"input", 2};
	Output<Buffer<uint16_t>> output{"output", 3};

	void generate()
	{
		output(x, y, c) = input(x, y) + cast<uint16_t>(c);
	}

	void schedule()
	{
		output.dim(0).set_stride(3);
		output.dim(2).set_stride(1);
		output.dim(2).set_bounds(0, 3);
		input.set_estimates({{0, 64}, {0, 32}});
		output.set_estimates({{0, 64}, {0, 32}, {0, 3}});
		if (std::string(how) == "gpu")
			Func(output).gpu_tile(x, y, xi, yi, 16, 8);
	}

private:
	Var x{"x"}, y{"y"}, c{"c"}, xi{"xi"}, yi{"yi"};
};
HALIDE_REGISTER_GENERATOR(Interleaved, interleaved)

// An output without an estimate.
class Unstated : public Generator<Unstated> {
public:
	Input<Buffer<uint8_t>> input{"input", 1};
	Output<Buffer<uint8_t>> output{"output", 1};

	void generate()
	{
		output(x) = input(x);
	}

private:
	Var x{"x"};
};
HALIDE_REGISTER_GENERATOR(Unstated, unstated)

// What generators do that go wrong.
class Broken : public Generator<Broken> {
public:
	GeneratorParam<std::string> way{"way", "crash"};
	Output<Buffer<uint8_t>> output{"output", 1};

	void generate()
	{
		const std::string chosen = way;
		if (chosen == "crash")
			*(volatile int *)nullptr = 0;
		while (chosen == "hang" || (chosen == "hang by hand" && getenv("LD_PRELOAD")))
			sleep(1);
		if (chosen == "noise") {
			for (int k = 0; k < 100000; k++)
				std::cout << "nonsense " << k << "\n";
			exit(0);
		}
		if (chosen == "complain") {
			std::cerr << "first this\nError: the moon is in the wrong quarter\n";
			exit(2);
		}
		output(x) = cast<uint8_t>(x);
	}

private:
	Var x{"x"};
};
HALIDE_REGISTER_GENERATOR(Broken, broken)

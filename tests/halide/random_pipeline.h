// Random small pipelines from a seed: stencils, up- and downsampling, reductions, accesses clamped to a range, several
// consumers and two outputs. All arithmetic is in 16 bits, where wrapping is defined, so that every schedule gives the same.
#pragma once
#include <Halide.h>

#include <random>
#include <vector>

namespace bw_test {

class RandomPipeline {
public:
	std::vector<Halide::Func> funcs;   // producers first; their names are in another order
	std::vector<Halide::Func> outputs; // two, in two dimensions, 16 bits

	// Over an input of two dimensions and 16 bits.
	RandomPipeline(unsigned seed, const Halide::Func &in)
	    : random(seed * 2654435761u + 1), input(in)
	{
		// One in three is clamped far outside of what is needed, so that nothing overruns the input and splits may round up.
		if (below(3) == 0) {
			input = Halide::Func("clamped");
			input(x, y) = in(Halide::clamp(x, -250, 350), Halide::clamp(y, -250, 350));
		}
		int n = 3 + below(5);
		for (int i = 0; i < n; i++)
			add(std::string("f") + "3051624"[i]);
		outputs = {finish("first", n - 1), finish("second", below(n))};
	}

	int below(int n)
	{
		return (int)(random() % (unsigned)n);
	}

private:
	std::mt19937 random;
	Halide::Func input;
	std::vector<int> scales; // of each Func: how much a step of it is in steps of the input; kept small
	Halide::Var x{"x"}, y{"y"};

	// A Func made before, or the input; its scale.
	const Halide::Func &any(int *scale)
	{
		int i = below((int)funcs.size() + 1);
		// The last one more often than others, so that pipelines are deep.
		if (!funcs.empty() && below(2))
			i = (int)funcs.size() - 1;
		*scale = i < (int)funcs.size() ? scales[i] : 1;
		return i < (int)funcs.size() ? funcs[i] : input;
	}

	Halide::Expr stencil(const Halide::Func &f, const Halide::Expr &at_x, const Halide::Expr &at_y)
	{
		Halide::Expr sum = f(at_x + (below(5) - 2), at_y + (below(5) - 2));
		for (int taps = below(3); taps > 0; taps--)
			sum += f(at_x + (below(5) - 2), at_y + (below(5) - 2));
		return sum;
	}

	void add(const std::string &name)
	{
		int scale, other_scale;
		const Halide::Func a = any(&scale), b = any(&other_scale);
		Halide::Func f(name);
		switch (below(7)) {
		case 0:
		case 1:
			f(x, y) = stencil(a, x, y) + 3 * stencil(b, x, y);
			scale = std::max(scale, other_scale);
			break;
		case 2:
			if (scale >= 4) {
				f(x, y) = a(x, y) * 5;
			} else if (below(2)) {
				f(x, y) = stencil(a, 2 * x + below(3), y);
				scale *= 2;
			} else {
				f(x, y) = stencil(a, x, 2 * y - below(3));
				scale *= 2;
			}
			break;
		case 3:
			f(x, y) = below(2) ? stencil(a, x / 2, y) + a((x + 1) / 2, y) : stencil(a, x, (y - 1) / 2);
			break;
		case 4:
			reduce(f, a);
			break;
		case 5:
			f(x, y) = a(Halide::clamp(x, below(5), 20 + below(20)), y) ^ b(x, Halide::clamp(y + 1, -3, 17));
			scale = std::max(scale, other_scale);
			break;
		default:
			f(x, y) = 7 * a(x, y) - b(x, y); // never nothing, which Halide would not compute
			scale = std::max(scale, other_scale);
			break;
		}
		funcs.push_back(f);
		scales.push_back(scale);
	}

	// Sums over a window, along one dimension or both.
	void reduce(Halide::Func &f, const Halide::Func &a)
	{
		int width = 2 + below(4), height = 1 + below(3), from = below(5) - 2;
		Halide::RDom r(from, width, 0, height, f.name() + "_r");
		f(x, y) = Halide::cast<uint16_t>(below(9));
		if (below(3) == 0)
			r.where(r.x >= r.y);
		f(x, y) += a(x + r.x, y + r.y);
		if (below(3) == 0)
			f(x, y) = f(x, y) * 3 + a(x, y);
	}

	Halide::Func finish(const std::string &name, int of)
	{
		Halide::Func output(name);
		output(x, y) = funcs[of](x, y) + Halide::cast<uint16_t>(x);
		return output;
	}
};

}

// The corner detector of Harris and Stephens (1988) on a colour image: brightness, its derivatives, their products summed over
// 3x3 pixels, and of the resulting 2x2 matrix the determinant less a share of the squared trace.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class Harris : public Generator<Harris> {
public:
	Input<Buffer<uint8_t>> input{"input", 3};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		Y(x, y) = (0.299f * input(x, y, 0) + 0.587f * input(x, y, 1) + 0.114f * input(x, y, 2)) / 255.0f;
		// Sobel's operators.
		Iy(x, y) = (Y(x - 1, y + 1) - Y(x - 1, y - 1) + 2.0f * (Y(x, y + 1) - Y(x, y - 1)) + Y(x + 1, y + 1) - Y(x + 1, y - 1)) / 12.0f;
		Ix(x, y) = (Y(x + 1, y - 1) - Y(x - 1, y - 1) + 2.0f * (Y(x + 1, y) - Y(x - 1, y)) + Y(x + 1, y + 1) - Y(x - 1, y + 1)) / 12.0f;
		Ixx(x, y) = Ix(x, y) * Ix(x, y);
		Iyy(x, y) = Iy(x, y) * Iy(x, y);
		Ixy(x, y) = Ix(x, y) * Iy(x, y);
		Sxx(x, y) = sum3x3(Ixx);
		Syy(x, y) = sum3x3(Iyy);
		Sxy(x, y) = sum3x3(Ixy);
		det(x, y) = Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y);
		trace(x, y) = Sxx(x, y) + Syy(x, y);
		output(x, y) = det(x, y) - 0.04f * trace(x, y) * trace(x, y);

		input.set_estimates({{0, width}, {0, height}, {0, 3}});
		output.set_estimates({{border, width - 2 * border}, {border, height - 2 * border}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		if (get_target().has_gpu_feature()) {
			// A block makes 32 x 16 pixels; it keeps the brightness and both derivatives that they need in shared memory.
			output.split(y, y, row, 2, TailStrategy::ShiftInwards)
				.reorder(row, x, y)
				.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::ShiftInwards)
				.unroll(row);
			for (Func f : {Ix, Iy, Y})
				f.compute_at(output, block_x).store_in(MemoryType::GPUShared).gpu_threads(x, y);
		} else {
			output.split(y, y, row, 32).parallel(y).vectorize(x, 8);
			for (Func f : {Ix, Iy, Y})
				f.store_at(output, y).compute_at(output, row).vectorize(x, 8);
		}
	}

private:
	static constexpr int width = 1536, height = 2560;
	static constexpr int border = 2; // pixels beside each one that it depends on

	Var x{"x"}, y{"y"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	Func Y{"Y"}, Ix{"Ix"}, Iy{"Iy"}, Ixx{"Ixx"}, Iyy{"Iyy"}, Ixy{"Ixy"}, Sxx{"Sxx"}, Syy{"Syy"}, Sxy{"Sxy"}, det{"det"}, trace{"trace"};

	Expr sum3x3(const Func &f)
	{
		Expr sum;
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++)
				sum = sum.defined() ? sum + f(x + dx, y + dy) : f(x + dx, y + dy);
		return sum;
	}
};

}

HALIDE_REGISTER_GENERATOR(Harris, harris)

// The product of two square matrices of floats (SGEMM of the BLAS, Dongarra, Du Croz, Hammarling and Duff 1990), first dimension innermost.
#include <Halide.h>

#include "guard.h"

namespace {

using namespace Halide;

class MatMul : public Generator<MatMul> {
public:
	GeneratorParam<int> size{"size", 1536, 4, 1 << 14};
	Input<Buffer<float>> a{"a", 2};
	Input<Buffer<float>> b{"b", 2};
	Output<Buffer<float>> output{"output", 2};

	void generate()
	{
		k = RDom(0, (int)size, "k");
		product(x, y) = 0.0f;
		product(x, y) += a(x, k) * b(k, y);
		output(x, y) = product(x, y);

		// So that vectors of four are aligned, and addresses in the inputs take few registers.
		for (OutputImageParam matrix : {(OutputImageParam)a, (OutputImageParam)b, (OutputImageParam)output}) {
			matrix.set_host_alignment(16);
			matrix.dim(0).set_bounds(0, size);
			matrix.dim(1).set_bounds(0, size);
		}
		a.dim(1).set_stride(size);
		b.dim(1).set_stride(size);
		if ((int)size % 4 == 0)
			output.dim(1).set_stride(output.dim(1).stride() / 4 * 4);
		a.set_estimates({{0, size}, {0, size}});
		b.set_estimates({{0, size}, {0, size}});
		output.set_estimates({{0, size}, {0, size}});
	}

	void schedule()
	{
		if (using_autoscheduler())
			return;
		const int columns = 4, rows = 8, steps = 2;
		RVar step("step"), outer("outer");
		if (get_target().has_gpu_feature()) {
			// A thread makes 4 x 8 elements in registers, within the 64 that Halide's runtime leaves it: of each two steps of the sum it loads two
			// vectors of a and eight of b, for 64 multiplications. A block makes 128 x 32.
			output.split(x, x, column, columns, TailStrategy::ShiftInwards)
				.split(y, y, row, rows, TailStrategy::ShiftInwards)
				.reorder(column, row, x, y)
				.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 4, TailStrategy::ShiftInwards)
				.vectorize(column)
				.unroll(row);
			product.compute_at(output, thread_x).store_in(MemoryType::Register).vectorize(x, columns).unroll(y);
			product.update().split(k, outer, step, steps, TailStrategy::GuardWithIf).reorder(x, y, step, outer).vectorize(x, columns).unroll(y).unroll(step);
			a.in().compute_at(product, step).store_in(MemoryType::Register).vectorize(_0, columns);
			b.in().compute_at(product, outer).store_in(MemoryType::Register).vectorize(_0, steps).unroll(_1);
		} else {
			output.tile(x, y, block_x, block_y, column, row, 32, 8, TailStrategy::ShiftInwards).parallel(block_y).vectorize(column, 8).unroll(row);
			product.compute_at(output, block_x).vectorize(x, 8).unroll(y);
			product.update().reorder(x, y, k).vectorize(x, 8).unroll(y);
		}
	}

private:
	Var x{"x"}, y{"y"}, column{"column"}, row{"row"}, block_x{"block_x"}, block_y{"block_y"}, thread_x{"thread_x"}, thread_y{"thread_y"};
	RDom k;
	Func product{"product"};
};

}

HALIDE_REGISTER_GENERATOR(MatMul, mat_mul)

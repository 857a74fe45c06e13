// Random pipelines made of the building blocks of image processing and machine learning that Anderson et al. 2021 (section 5.3, after
// Adams et al. 2019) train their cost model on: convolutions, pooling, activations, resampling, padding, products over channels, scans,
// slices, histograms, and what brings two Funcs to equal shapes. The same seed gives the same pipeline with every Halide: numbers come
// from one generator whose sequence C++ fixes, and each is drawn in a statement of its own.
//
// Dimensions are x, y, channels, images: two to four of them. Integers wrap, and nothing but integers and coordinates decides a
// comparison or an index: a schedule may then change the last bits of a floating-point number, and nothing more.
#pragma once
#include <Halide.h>

#include <random>
#include <string>
#include <vector>

namespace bw_test {

using Args = std::vector<Halide::Expr>;

// A Func of a pipeline that grows. Its extents are nominal: it may be asked for a little more in x and y, never in channels and images.
struct Made {
	Halide::Func func;
	Halide::Type type;
	std::vector<int> size; // by dimension
	std::vector<int> from; // indices of those that it reads
	const char *block;     // the building block
};

class Growing {
public:
	std::vector<Made> made; // producers first; the first one hands on the input
	Halide::ImageParam input, weights;
	Halide::Param<int> shift{"shift"};
	Halide::ImageParam shape{Halide::UInt(8), 2, "shape"}; // of which nothing but its extents is read
	bool padded; // the input may be read anywhere

	// unknown: what said() gives are no numbers.
	Growing(unsigned seed, bool unknown);

	// A number as an algorithm says it; unknown to Halide when it compiles, by chance one that follows from parameters, from floating-point ones by way of a
	// cast, or from the extent of a buffer; or one of which Halide knows a bound alone.
	Halide::Expr said(int number);
	// The same of a floating-point number.
	Halide::Expr said(float number);

	int below(int n)
	{
		return (int)(random() % (unsigned)n);
	}
	int between(int low, int high) // both included
	{
		return low + below(high - low + 1);
	}

	// Index of one made before; the last ones more often than others, so that pipelines are deep.
	int any();
	// The same among integers; -1 where there is none.
	int any_integer();
	int any_of_dims(int least);

	Halide::Func fresh(const std::string &what);
	// A Func yet to be defined that reads the one of that index and has its shape and type.
	Made like(int index, const char *what);
	static Args here(int dims);                 // x, y, c, n
	static std::vector<Halide::Var> vars(int dims);
	// What one reads at coordinates of another shape: dimensions that it lacks are left out, those that only it has are read at 0, and
	// coordinates are scaled to its extents.
	Halide::Expr resampled(const Made &read, const std::vector<int> &size, const Args &at) const;
	Halide::Expr read(const Made &of, const Args &at) const
	{
		return of.func(at);
	}

private:
	std::mt19937 random, ways;
	const bool unknown;
	int n_names = 0;
	std::vector<int> input_size; // where the estimate of the input does not change any more; else empty

	Halide::Expr param(int number);
};

// A small number of a type.
Halide::Expr number(Halide::Type type, int value);
// As a type that arithmetic of both fits in; integers become floating-point numbers below 256.
Halide::Expr converted(const Halide::Expr &e, Halide::Type to);
Halide::Type common(Halide::Type a, Halide::Type b);
inline Args moved(Args at, int dim, const Halide::Expr &by)
{
	at[dim] = at[dim] + by;
	return at;
}
inline Args put(Args at, int dim, const Halide::Expr &there)
{
	at[dim] = there;
	return at;
}

// A building block: makes a Func from some of those before, or says that nothing there suits it (an empty Made).
struct Block {
	const char *name;
	Made (*make)(Growing &growing);
};
extern const std::vector<Block> shape_blocks;  // that change extents or dimensions
extern const std::vector<Block> filter_blocks; // windows, channels, scans, histograms
extern const std::vector<Block> point_blocks;  // point by point, tuples, updates, indirect loads
extern const std::vector<Block> symbolic_blocks; // of which all is where no number is said: for pipelines with unknown extents

// A whole pipeline.
class BlockPipeline : public Growing {
public:
	std::vector<Halide::Func> outputs; // one or two; the second may be what the first one reads
	std::vector<std::vector<int>> sizes; // of outputs
	std::vector<std::string> used;     // names of the blocks that an output depends on

	BlockPipeline(unsigned seed, bool unknown);

private:
	void finish();
	void count(int index, std::vector<bool> *reached);
};

// All that a block may be called, for a table of what was seen.
std::vector<std::string> block_names();

}

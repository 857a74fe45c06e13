// Estimates: the sizes for which a pipeline is scheduled. The user's (request) go before the generator's own.
#ifndef BW_HALIDE_ESTIMATES_H
#define BW_HALIDE_ESTIMATES_H
#include "halide/graph.h"
#include "halide/request.h"

#include <set>

namespace bw {

struct Region {
	int64_t min, extent;
};

// Name of dimension i of an input, which has none in Halide: `_0`, `_1` ...
std::string input_dim(int i);

class Sizes {
public:
	Sizes(const Graph &graph, const Estimates &given);

	// The region of an input or of an output. Throws a Failure that names the dimension and the mend.
	std::vector<Region> input(const Input &input) const;
	std::vector<Region> output(const Function &func) const;
	// The value of a scalar parameter. False where there is none.
	bool scalar(const Parameter &param, Expr *value) const;
	// Throws the Failure for a scalar parameter without a value on which a bound depends.
	[[noreturn]] static void fail_scalar(const std::string &name);

	// The expression with the estimates of sizes of buffers in it.
	Expr in(const Expr &e) const;
	// The same with those of floating-point parameters too; integer parameters remain, because a description can name them, but for those of
	// which a number in floating point is made that is cast to an integer again: that integer is a variable whose name is `estimated` and its value.
	Expr in_full(const Expr &e) const;
	static const char *const estimated;

	// Throws a Failure for what the user said of something that there is not, naming what there is. Only once everything was asked for.
	void check_given() const;

private:
	const Graph &graph;
	const Estimates &given;
	mutable std::set<std::string> asked, used; // names that could have been given; names given that were one of these

	bool user_region(const std::string &name, const std::vector<std::string> &dims, int dim, Region *region) const;
	bool constraint(const Parameter &param, int dim, Region *region) const;
	Region input_dimension(const Parameter &param, int dim) const;
	Expr buffer_variable(const Internal::Variable *op) const;
	friend class Substitution;
};

}
#endif

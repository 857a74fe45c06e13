// Estimates: the sizes for which a pipeline is scheduled. The user's (request) go before the generator's own.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

#include <set>

namespace bw {

struct Region {
	int64_t min, extent;
};

// Name of dimension i of an input, which has none in Halide: `_0`, `_1` ...
std::string input_dim(int i);

// Name without the suffix that Halide adds to make it unique.
std::string plain(const std::string &name);

class Sizes {
public:
	Sizes(const Graph &graph, const Estimates &given);

	// The region of an input or of an output. What has no estimate is missing, and some size is returned.
	std::vector<Region> input(const Input &input) const;
	std::vector<Region> output(const Function &func) const;
	// The region of a dimension of an input. Returns false if nobody states it.
	bool states(const Input &input, int dim, Region *region) const;
	// Takes a region for that of a dimension of an input from now on, whoever states another.
	void take(const Input &input, int dim, const Region &region);
	// Takes some region for one that nobody states, and notes that it is missing.
	void take_typical(const Input &input, int dim);
	// Takes for each Func and input that extern stages alone read, and whose size nobody states, that of the
	// stage, if it has as many dimensions and its size is known by now; typical: else some size, which is then
	// missing. Returns false if there was nothing to take.
	bool take_fed(bool typical);
	// Takes a region for that of a dimension of an output from now on.
	void take(const Function &func, int dim, const Region &region);
	// Returns false for a Func that an extern stage reads, of which no region is known yet.
	bool knows(const Function &func) const;
	// Returns the names of the dimensions of an input whose region was taken.
	std::vector<std::string> taken(const Input &input) const;
	// Returns the dimensions of an output whose minimum and extent, or minimum alone, the generator fixes
	// for its buffer, so that Halide knows them.
	static std::vector<std::string> fixed(const Function &func, bool ends);
	// Whether the generator fixes minimum and extent of a dimension of an input.
	static bool fixed(const Input &input, int dim);
	// The value of a scalar parameter. False where there is none.
	bool scalar(const Parameter &param, Expr *value) const;
	// Notes that a scalar parameter on which a bound depends has no value.
	void lack(const std::string &parameter) const;

	// Returns the expression with the sizes of buffers in it that Halide knows, too: constants of the
	// generator. All others stay variables.
	Expr in(const Expr &e) const;
	// Returns the same with an `estimated` variable in the place of each other size, so that no two sizes
	// cancel because their estimates are equal; with the estimates of floating-point parameters; and with
	// such a variable for an integer that is a floating-point number of estimates cast to an integer
	// again. Integer parameters remain, because a description can name them.
	Expr in_full(const Expr &e) const;
	// Returns the expression with the estimates of all sizes and parameters in it that have one, as numbers.
	Expr in_numbers(const Expr &e) const;
	// Returns the same, but sizes of inputs that nobody states stay variables.
	Expr in_known_numbers(const Expr &e) const;
	// The name of a variable that stands for an estimate: this, the value, and for a size a dot and its name.
	static const char *const estimated;

	// Throws a Failure that names all that was asked for without an estimate, with the options that give
	// it. Only once everything was asked for.
	void check_missing() const;
	// Throws a Failure for what the user said of something that there is not, naming what there is. Only
	// once everything was asked for.
	void check_given() const;

private:
	// A dimension of an input or output; n_dims 0: a parameter.
	struct Place {
		std::string owner, dim_name;
		int dim, n_dims;

		bool operator<(const Place &other) const;
		std::string name() const;
		int64_t typical() const;
	};
	struct Ends;

	const Graph &graph;
	const Estimates &given;
	mutable std::set<std::string> asked,
	    used; // names that could have been given; names given that were one of these
	mutable std::vector<Place> missing;        // in the order in which they were asked for, also more than once
	std::map<std::pair<std::string, int>, Region> taken_regions; // by input and dimension
	mutable std::set<std::string> open; // dimensions of inputs that are being worked out: a constraint
					    // may name the size that it fixes

	bool user_region(const std::string &name, const std::vector<std::string> &dims, int dim,
			 Region *region) const;
	bool number(const Expr &e, int64_t *value) const;
	void fix(const Expr &min, const Expr &extent, Ends *ends) const;
	static bool settle(const Place &place, const Ends &fixed, const Ends &stated, bool by_user, Region *region);
	Region some(const Place &place) const;
	static Place place_of(const std::string &input, int dim, int n_dims);
	bool states(const Parameter &param, int dim, Region *region) const;
	bool states(const Function &func, int dim, Region *region) const;
	bool take_from(const Extern &stage, const Place &place, const std::string &name, bool typical);
	bool extern_dimension(const Extern &stage, int dim, Region *region) const;
	Region output_dimension(const Function &func, int dim) const;
	static Place place_of(const Function &func, int dim);
	std::string option(const Place &place) const;
	bool buffer_size(const Internal::Variable *op, bool or_some, int64_t *value, bool *constant) const;
	friend class Substitution;
};

}

// Estimates: the sizes for which a pipeline is scheduled. The user's estimates (from the request) take
// precedence over the generator's own.
#pragma once
#include "halide/graph.h"
#include "halide/request.h"

#include <set>

namespace bw {

struct Region {
	int64_t min, extent;
};

// Returns the name of dimension i of an input: `_0`, `_1` ... Halide does not name the dimensions of
// inputs.
std::string input_dim(int i);

// Returns a name without the suffix that Halide adds to make it unique.
std::string plain(const std::string &name);

class Sizes {
public:
	Sizes(const Graph &graph, const Estimates &given);

	// Return the regions of an input's or an output's dimensions. A dimension without an estimate is
	// recorded as missing, and gets a typical size.
	std::vector<Region> input(const Input &input) const;
	std::vector<Region> output(const Function &func) const;
	// Finds the region of a dimension of an input. Returns false if neither the user nor the generator
	// gives it.
	bool states(const Input &input, int dim, Region *region) const;
	// Sets the region of a dimension of an input from now on, in place of any estimate.
	void take(const Input &input, int dim, const Region &region);
	// Sets a typical region for a dimension of an input that has no estimate, and records the estimate
	// as missing.
	void take_typical(const Input &input, int dim);
	// Sets the unknown sizes of the Funcs that extern stages read, and of the inputs that only extern
	// stages read, to the size of the extern stage, if it has the same number of dimensions and a known
	// size. typical: sets a typical size otherwise, and records the estimate as missing. Returns false
	// if no size was set.
	bool take_fed(bool typical);
	// Sets the region of a dimension of an output from now on.
	void take(const Function &func, int dim, const Region &region);
	// Returns false for a Func that an extern stage reads and whose region is not known yet.
	bool knows(const Function &func) const;
	// Returns the names of an input's dimensions whose region was set by one of the take functions.
	std::vector<std::string> taken(const Input &input) const;
	// Returns the dimensions of an output whose minimum the generator fixes to a constant for the
	// buffer, so that Halide knows it. ends: the extent must be fixed, too.
	static std::vector<std::string> fixed(const Function &func, bool ends);
	// Returns true if the generator fixes minimum and extent of a dimension of an input.
	static bool fixed(const Input &input, int dim);
	// Finds the value of a scalar parameter. Returns false if it has neither an estimate nor a default
	// value.
	bool scalar(const Parameter &param, Expr *value) const;
	// Records as missing the value of a scalar parameter that a bound depends on.
	void lack(const std::string &parameter) const;

	// Returns the expression with numbers for those sizes of buffers that Halide also knows, because
	// they are constants in the generator. All other sizes stay variables.
	Expr in(const Expr &e) const;
	// Returns the same, with more replaced. Each other size becomes an `estimated` variable, not a
	// number, so that two sizes do not cancel because their estimates are equal. Floating-point
	// parameters become their estimates. An integer that is cast from a floating-point expression of
	// estimates becomes an `estimated` variable. Integer parameters stay, because a description can
	// name them.
	Expr in_full(const Expr &e) const;
	// Returns the expression with the estimates of all its sizes and parameters, as numbers.
	Expr in_numbers(const Expr &e) const;
	// Returns the same, but sizes without an estimate stay variables.
	Expr in_known_numbers(const Expr &e) const;
	// The name of a variable that stands for an estimate begins with this text. The value follows, and
	// for a size a dot and the size's name.
	static const char *const estimated;

	// Throws a Failure if estimates are missing. It names all of them, with the options that give them.
	// Call it after all sizes and values were requested.
	void check_missing() const;
	// Throws a Failure if the user gave an estimate for a name that does not exist. It lists the names
	// that exist. Call it after all sizes and values were requested.
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
	    used; // asked: names that the user can give estimates for; used: those of them that the user gave
	mutable std::vector<Place> missing;        // in the order of the requests, with repetitions
	std::map<std::pair<std::string, int>, Region> taken_regions; // by input and dimension
	// dimensions of inputs whose region is being computed now: stops a recursion, because a constraint
	// may name the size that it fixes
	mutable std::set<std::string> open;

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

// What the plugin includes of Halide and of the core, and how its own code fails: by throwing a Failure,
// which only plugin.cc catches.
#pragma once
#include "halide/version.h"

#include <exception>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
}

// The nodes of two operands that are alike, and what the features call them.
#define BW_BINARY_NODES(X) \
	X(Add, "add") \
	X(Sub, "sub") \
	X(Mul, "mul") \
	X(Div, "div") \
	X(Mod, "mod") \
	X(Min, "min") \
	X(Max, "max") \
	X(EQ, "eq") \
	X(NE, "ne") \
	X(LT, "lt") \
	X(LE, "le") \
	X(GT, "lt") \
	X(GE, "le") \
	X(And, "and") \
	X(Or, "or")

namespace bw {

using Halide::Expr;
using Halide::Func;
using Halide::Pipeline;
using Halide::Type;
namespace Internal = Halide::Internal;
using Internal::Box;
using Internal::Definition;
using Internal::Function;
using Internal::Interval;

// An error on its way to plugin.cc.
class Failure : public std::exception {
public:
	bw_error error;

	explicit Failure(const bw_error &e)
	    : error(e)
	{
	}
	Failure(bw_error_kind kind, const std::string &text)
	{
		bw_fail(&error, kind, "%s", text.c_str());
	}
	const char *what() const noexcept override
	{
		return error.text;
	}
};

}

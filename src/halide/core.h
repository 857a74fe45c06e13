// What the plugin includes of Halide and of the core, and how its own code fails: by throwing a Failure,
// which only plugin.cc catches.
#pragma once
#include <Halide.h>

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

// What differs between Halides from 14 on, as far as this folder cares: built and run with 14, 19 and 21.
// BW_HALIDE_MAJOR comes from the build, because headers name no version before 17; the rest is written so
// that all of them take it:
//   - as_const_int and its sisters return a pointer, or in later ones an optional: `if (auto i =
//   as_const_int(e))` and `*i` fit both;
//   - a parameter is of Halide::Internal, or from 17 on of Halide.
#define BW_HALIDE_TEXT_OF(number) #number
#define BW_HALIDE_TEXT(number) BW_HALIDE_TEXT_OF(number)
// The version as text, such as 19.0.0.
#ifdef HALIDE_VERSION_MAJOR
static_assert(HALIDE_VERSION_MAJOR == BW_HALIDE_MAJOR,
	      "built with the headers of another Halide than configure found");
#define BW_HALIDE_VERSION \
	BW_HALIDE_TEXT(HALIDE_VERSION_MAJOR) \
	"." BW_HALIDE_TEXT(HALIDE_VERSION_MINOR) "." BW_HALIDE_TEXT(HALIDE_VERSION_PATCH)
#else
#define BW_HALIDE_VERSION BW_HALIDE_TEXT(BW_HALIDE_MAJOR) ".0.0"
#endif

namespace bw {

using Parameter = decltype(Halide::Internal::Variable::param);

// What a generator's command line says to its autoscheduler: `autoscheduler.KEY=VALUE` from 15 on; in 14
// there is only `machine_params=PARALLELISM,CACHE,BALANCE`, of which the first is the number of SMs to keep
// busy, where it is not Halide's own default: that is a CPU's.
#if BW_HALIDE_MAJOR == 14
using AutoschedulerParams = Halide::MachineParams;
inline std::map<std::string, std::string> settings_of(const AutoschedulerParams &params)
{
	if (params.to_string() == AutoschedulerParams::generic().to_string())
		return {};
	return {{"parallelism", std::to_string(params.parallelism)}};
}
inline void say_settings(const AutoschedulerParams &, Halide::AutoSchedulerResults *results)
{
	results->scheduler_name = "Beamwalk";
}
#else
using AutoschedulerParams = Halide::AutoschedulerParams;
inline std::map<std::string, std::string> settings_of(const AutoschedulerParams &params)
{
	return params.extra;
}
inline void say_settings(const AutoschedulerParams &params, Halide::AutoSchedulerResults *results)
{
	results->autoscheduler_params = params;
}
#endif

// The operation that strict_float asks to be done as it is written; undefined for other calls. Up to 20 the
// call holds the whole expression, from 21 on each operation is a call of its own.
inline Halide::Expr without_strictness(const Halide::Internal::Call *op)
{
#if BW_HALIDE_MAJOR < 21
	return op->is_intrinsic(Halide::Internal::Call::strict_float) ? op->args[0] : Halide::Expr();
#else
	return op->is_strict_float_intrinsic() ? Halide::Internal::unstrictify_float(op) : Halide::Expr();
#endif
}

// How the user is told to guard a generator's own schedule. Class templates need the `this`.
#if BW_HALIDE_MAJOR == 14
constexpr const char *guard = "if (!this->auto_schedule)";
#else
constexpr const char *guard = "if (!this->using_autoscheduler())";
#endif

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

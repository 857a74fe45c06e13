// What the plugin includes of Halide and of the core. The plugin's code reports an error by throwing a
// Failure, which plugin.cc catches.
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

// The differences between the versions of Halide, from 14 on, that matter in this folder. It is built and
// run with 14, 19 and 21. BW_HALIDE_MAJOR comes from the build, because Halide's headers before 17 do not
// tell the version. All other code is written so that every version accepts it:
//   - as_const_int and the functions like it return a pointer, in later versions an optional: `if (auto i =
//   as_const_int(e))` and `*i` work with both.
//   - The class Parameter is in Halide::Internal, from 17 on in Halide.
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

// The settings of the autoscheduler on a generator's command line. From Halide 15 on, these are
// `autoscheduler.KEY=VALUE`. Halide 14 has only `machine_params=PARALLELISM,CACHE,BALANCE`; PARALLELISM is
// then the number of SMs to keep busy. Halide's default machine_params describe a CPU and are ignored.
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

// Returns the operation that a strict_float call wraps; undefined for other calls. Up to Halide 20, one
// call wraps a whole expression; from 21 on, each operation is a call of its own.
inline Halide::Expr without_strictness(const Halide::Internal::Call *op)
{
#if BW_HALIDE_MAJOR < 21
	return op->is_intrinsic(Halide::Internal::Call::strict_float) ? op->args[0] : Halide::Expr();
#else
	return op->is_strict_float_intrinsic() ? Halide::Internal::unstrictify_float(op) : Halide::Expr();
#endif
}

// The condition that error messages recommend as a guard around a generator's own schedule. Class templates
// need the `this`.
#if BW_HALIDE_MAJOR == 14
constexpr const char *guard = "if (!this->auto_schedule)";
#else
constexpr const char *guard = "if (!this->using_autoscheduler())";
#endif

}

// The binary nodes that are all handled alike, with their names in the features.
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

// An error that is thrown for plugin.cc to report.
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

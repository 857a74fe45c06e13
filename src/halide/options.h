// Options of the search in process.
#ifndef BW_HALIDE_OPTIONS_H
#define BW_HALIDE_OPTIONS_H
#include "halide/request.h"

namespace bw {

struct Options {
	std::string gpu = "A100"; // name of a device
	int64_t beam = 32, seed = 0, threads = 1;
};

// The request's "options", and before them what the generator's command line says (`autoscheduler.beam=8`). Halide checks neither:
// throws a Failure that names the option and what was expected.
Options read_options(const Request &request, const std::map<std::string, std::string> &settings);

}
#endif

// Options of the search in process.
#pragma once
#include "halide/request.h"

namespace bw {

// All that is said of the search, as NAME=VALUE, the stronger ones last: the blank-separated list of the
// environment (NULL: none), the request's "options", then the generator's command line. Their names and
// values are the core's to check.
std::vector<std::string> read_options(const char *environment, const Request &request,
				      const std::map<std::string, std::string> &settings);
}

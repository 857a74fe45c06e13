// The search in process: the plugin as a drop-in autoscheduler.
#pragma once
#include "halide/request.h"

namespace bw {

// What Halide writes of a search where it is asked to.
struct Outcome {
	std::string source;   // the statements that stand in a generator's .schedule.h (-e schedule)
	std::string features; // the bytes of its .featurization (-e featurization)
};

// Describes the pipeline, searches with the core, applies what it finds, and writes the schedule's text to
// the request's output where it has one. The request's "devices" is the file of devices, the installed one by
// default. Throws a Failure.
Outcome schedule(const Pipeline &pipeline, const std::string &name, const Halide::Target &target,
		 const Request &request, const std::vector<std::string> &options);

// Writes a file whole. Throws a Failure that names it.
void write_file(const std::string &path, const std::string &text);

// All that is said of the search, as NAME=VALUE, the stronger ones last: the blank-separated list of the
// environment (NULL: none), the request's "options", then the generator's command line. Their names and
// values are the core's to check.
std::vector<std::string> read_options(const char *environment, const Request &request,
				      const std::map<std::string, std::string> &settings);

}

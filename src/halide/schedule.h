// The search inside of the generator's process: the plugin as a drop-in autoscheduler.
#pragma once
#include "halide/request.h"

namespace bw {

// The results of a search that Halide writes to files on request.
struct Outcome {
	std::string source;   // the statements that stand in a generator's .schedule.h (-e schedule)
	std::string features; // the bytes of its .featurization (-e featurization)
};

// Describes the pipeline, searches with the core, and applies the schedule that the search finds. Writes
// the schedule's text to the request's output if it has one. The request's "devices" names the file of
// devices; the default is the installed file. Throws a Failure on errors.
Outcome schedule(const Pipeline &pipeline, const std::string &name, const Halide::Target &target,
		 const Request &request, const std::vector<std::string> &options);

// Writes a file. Throws a Failure that names the file.
void write_file(const std::string &path, const std::string &text);

// Returns all options of the search as NAME=VALUE. Later options override earlier ones: first the
// blank-separated list of the environment (NULL: none), then the request's "options", then the generator's
// command line. The core checks names and values.
std::vector<std::string> read_options(const char *environment, const Request &request,
				      const std::map<std::string, std::string> &settings);

}

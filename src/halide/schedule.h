// The search in process: the plugin as a drop-in autoscheduler.
#ifndef BW_HALIDE_SCHEDULE_H
#define BW_HALIDE_SCHEDULE_H
#include "halide/options.h"

namespace bw {

// Describes the pipeline, searches with the core, applies what it finds, and writes the schedule's text to the request's output
// where it has one. The request's "devices" is the file of devices, the installed one by default. Returns the schedule as C++, the statements that
// stand in a generator's .schedule.h. Throws a Failure.
std::string schedule(const Pipeline &pipeline, const std::string &name, const Halide::Target &target, const Request &request, const std::vector<std::string> &options);

// Writes a file whole. Throws a Failure that names it.
void write_file(const std::string &path, const std::string &text);

}
#endif

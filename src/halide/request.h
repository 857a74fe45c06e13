// The request: what the plugin is asked to do, a JSON file named by the environment variable
// BEAMWALK_REQUEST.
#pragma once
#include "halide/core.h"

namespace bw {

enum class Task { Describe, Hand, Apply, Lower, Cpu, SecondCpu, Schedule };

// What the user said of the size of things, by name: `input.x` or `output.y` (minimum, extent), `k` (a
// value).
struct Estimates {
	std::map<std::string, std::pair<int64_t, int64_t>> regions;
	std::map<std::string, double> values;
};

class Request {
public:
	Task task = Task::Schedule;
	std::string output; // where to write; empty: nowhere
	Estimates estimates;
	std::string rfactor; // updates to factor (halide/graph.h); empty: none

	// Reads a request; path NULL: the default one. Throws a Failure that names file, line and key.
	explicit Request(const char *path);
	~Request();
	Request(const Request &) = delete;
	Request &operator=(const Request &) = delete;

	// The document, for what this class does not read itself (directives, options); NULL for the default
	// request.
	const bw_json *document() const
	{
		return json;
	}

private:
	bw_json *json = nullptr;

	void read();
	void read_estimates(const bw_json_at &at);
};

}

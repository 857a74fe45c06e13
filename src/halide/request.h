// The request: a JSON file that tells the plugin what to do. The environment variable BEAMWALK_REQUEST
// names the file.
#pragma once
#include "halide/core.h"

namespace bw {

enum class Task { Describe, Hand, Apply, Lower, Cpu, SecondCpu, Schedule };

// The user's estimates, by name: regions (minimum, extent) of dimensions such as `input.x` or `output.y`,
// and single values such as `k`.
struct Estimates {
	std::map<std::string, std::pair<int64_t, int64_t>> regions;
	std::map<std::string, double> values;
};

class Request {
public:
	Task task = Task::Schedule;
	std::string output; // path of the file to write; empty: none
	Estimates estimates;
	std::string rfactor; // updates to factor (halide/graph.h); empty: none

	// Reads a request; path NULL: the default one. Throws a Failure that names file, line and key.
	explicit Request(const char *path);
	~Request();
	Request(const Request &) = delete;
	Request &operator=(const Request &) = delete;

	// Returns the JSON document, for the members that this class does not read itself (directives,
	// options). Returns NULL for the default request.
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

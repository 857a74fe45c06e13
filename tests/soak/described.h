// A pipeline made for a test, with its description as the core reads it.
#pragma once
#include "halide/describe.h"
#include "halide/regions.h"

extern "C" {
#include "nest/nest.h"
#include "pipeline/pipeline.h"
}

namespace bw_test {

// What a test runs: a pipeline with its inputs.
class Subject {
public:
	std::string name;
	Halide::Pipeline pipeline;
	std::vector<Halide::Func> outputs;
	std::vector<std::vector<int>> sizes;    // of each output, from 0 on: what is asked for
	std::vector<Halide::Region> boxes;      // of each output: what its buffer holds, with what others read of it
	std::vector<Halide::ImageParam> inputs; // with estimates, as large as the pipeline may read
	std::vector<std::string> used;          // building blocks in it
	std::string text;                       // its description
	bw_pipeline *core = nullptr;

	Subject() = default;
	~Subject();
	Subject(const Subject &) = delete;
	Subject &operator=(const Subject &) = delete;

	// Sets estimates and describes it; throws a bw::Failure. An output that others read is as large as they need it. Where tight is not
	// negative the estimate of that input becomes what is read of it with all Funcs at root, to the point. Throws where an output is computed beyond its buffer: Halide would
	// refuse it under every schedule.
	void describe(int tight);

private:
	bool fit(int tight);
	void grow();
	void read();
};

// The random pipeline of a seed; unknown: its extents are none that Halide knows.
void make_random(unsigned seed, Subject *subject, bool unknown = false);

}

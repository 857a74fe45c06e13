// search finds: Halide lowers each for CUDA and for OpenCL, and on PoCL the output is that of a plain schedule for the CPU, to the bit where
// it is of integers.
//
//   run [SEEDS [DRAWS [FIRST [unknown]]]]
//
// SEEDS random pipelines from seed FIRST on, each under DRAWS schedules; and all cases of edge shapes. unknown: pipelines whose extents are parameters, casts of
// floating-point ones and extents of buffers; of every tenth alone the output is compared, the others are lowered. No edge shapes.
#include "cases.h"
#include "halide/apply.h"
#include "halide/cpu.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in C a struct and a function may share a name
extern "C" {
#include "schedule/directive.h"
#include "searched.h"
}
#pragma GCC diagnostic pop

#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <sstream>
#include <unistd.h>

namespace {

using namespace bw_test;
using Halide::Buffer;

struct Seen {
	struct searched counts;
	int runs, lowered;
	bool only_lowered;
};

using Maker = std::function<void(Subject *)>;

int64_t constant(const Halide::Expr &e)
{
	const auto value = Halide::Internal::as_const_int(Halide::Internal::simplify(e));
	if (!value)
		throw std::runtime_error("an estimate is no number");
	return *value;
}

// The same numbers for a place of a buffer in every process; integers use all of their bits.
template<typename T>
void fill(Buffer<> &any, uint32_t salt)
{
	Buffer<T> buffer = any;
	uint32_t state = salt;
	buffer.for_each_value([&](T &value) {
		state = state * 1664525u + 1013904223u;
		value = std::is_floating_point<T>::value ? (T)((state >> 20) / 256.0) : (T)(state >> 11);
	});
	any.set_host_dirty();
}

Buffer<> input_of(const Halide::ImageParam &param, uint32_t salt)
{
	std::vector<int> sizes, mins;
	for (int d = 0; d < param.dimensions(); d++) {
		mins.push_back((int)constant(param.parameter().min_constraint_estimate(d)));
		sizes.push_back((int)constant(param.parameter().extent_constraint_estimate(d)));
	}
	Buffer<> buffer(param.type(), sizes);
	buffer.set_min(mins);
	if (param.type() == Halide::UInt(8))
		fill<uint8_t>(buffer, salt);
	else if (param.type() == Halide::UInt(16))
		fill<uint16_t>(buffer, salt);
	else if (param.type() == Halide::Int(16))
		fill<int16_t>(buffer, salt);
	else if (param.type() == Halide::UInt(32))
		fill<uint32_t>(buffer, salt);
	else if (param.type() == Halide::Float(32))
		fill<float>(buffer, salt);
	else if (param.type() == Halide::Float(64))
		fill<double>(buffer, salt);
	else
		throw std::runtime_error("an input of another type");
	return buffer;
}

std::vector<Buffer<>> realize(Subject &subject, const Halide::Target &target)
{
	uint32_t salt = 7;
	for (Halide::ImageParam &input : subject.inputs)
		input.set(input_of(input, salt++));
	std::vector<Buffer<>> results;
	for (size_t o = 0; o < subject.outputs.size(); o++) {
		std::vector<int> mins, extents;
		for (const Halide::Range &range : subject.boxes[o]) {
			mins.push_back((int)constant(range.min));
			extents.push_back((int)constant(range.extent));
		}
		const std::vector<Halide::Type> types = subject.outputs[o].function().output_types();
		for (const Halide::Type &type : types) {
			results.emplace_back(type, extents);
			results.back().set_min(mins);
		}
	}
	Halide::Realization all(results);
	subject.pipeline.realize(all, target);
	for (Buffer<> &result : results)
		result.copy_to_host();
	return results;
}

template<typename T>
std::string compare(const Buffer<> &expected, const Buffer<> &found)
{
	const Buffer<T> a = expected, b = found;
	double largest = 0, bound = 0;
	if (std::is_floating_point<T>::value) {
		a.for_each_value([&](T value) { largest = std::fmax(largest, std::fabs((double)value)); });
		bound = 1e-4 * (1 + largest);
	}
	std::string problem;
	a.for_each_element([&](const int *at) {
		const T x = a(at), y = b(at);
		const double difference = std::fabs((double)x - (double)y);
		if (x == y || difference <= bound || !problem.empty())
			return;
		problem = "at";
		for (int d = 0; d < a.dimensions(); d++)
			problem += " " + std::to_string(at[d]);
		problem += ": " + std::to_string(y) + ", expected " + std::to_string(x);
	});
	return problem;
}

std::string compare_any(const Buffer<> &expected, const Buffer<> &found)
{
	const Halide::Type type = expected.type();
	if (type.is_float())
		return type.bits() == 64 ? compare<double>(expected, found) : compare<float>(expected, found);
	if (type.is_int())
		return type.bits() == 16 ? compare<int16_t>(expected, found) : compare<int32_t>(expected, found);
	return type.bits() == 8 ? compare<uint8_t>(expected, found) : type.bits() == 16 ? compare<uint16_t>(expected, found) : compare<uint32_t>(expected, found);
}

void print_schedule(const bw_pipeline *pipeline, const bw_schedule *schedule)
{
	bw_text text = {};
	bw_schedule_print(pipeline, schedule, &text);
	std::string line = "# ";
	for (const char *at = bw_text_get(&text); *at; at++)
		line += *at == '\n' ? std::string("\n# ") : std::string(1, *at);
	printf("%s\n", line.c_str());
	bw_text_free(&text);
}

// Lowers for CUDA, runs on PoCL. Returns a problem, or nothing.
std::string try_directives(Subject &subject, const bw_directives *directives, const std::vector<Buffer<>> &expected, Seen *seen)
{
	std::string problem;
	try {
		bw::apply(subject.pipeline, directives);
		subject.pipeline.compile_to_module(subject.pipeline.infer_arguments(), "tried", Halide::Target("x86-64-linux-cuda-cuda_capability_80"));
		seen->lowered++;
		if (seen->only_lowered)
			return problem;
		const std::vector<Buffer<>> found = realize(subject, Halide::Target("x86-64-linux-opencl-cl_doubles"));
		for (size_t i = 0; i < expected.size() && problem.empty(); i++)
			problem = compare_any(expected[i], found[i]);
		seen->runs++;
	} catch (const std::exception &exception) {
		problem = exception.what();
	}
	return problem;
}

// What the search finds.
std::string try_searched(const Maker &make, const bw_settings &options, const std::vector<Buffer<>> &expected, Seen *seen)
{
	Subject subject;
	make(&subject);
	bw_batch batch;
	bw_error error;
	if (!bw_batch_run(subject.core, &options, nullptr, &batch, &error))
		return error.text;
	bw_nest *nest = bw_nest_build(subject.core, batch.schedule->placements, subject.core->n_funcs, &error);
	searched_count(nest, &seen->counts);
	bw_nest_drop(nest);
	const std::string problem = try_directives(subject, batch.directives, expected, seen);
	if (!problem.empty())
		print_schedule(subject.core, batch.schedule);
	bw_batch_free(&batch);
	return problem;
}

// A schedule written for Funcs by the names that they have where no other Func had them before; those that hand on an input are inlined.
const bw_placement *placement_of(const bw_pipeline *core, int f, const std::string &schedule, bw_error *error)
{
	const std::string name = core->funcs[f].name;
	std::istringstream lines(schedule);
	for (std::string line; std::getline(lines, line);) {
		std::istringstream words(line);
		std::string entry;
		bool mine = false;
		for (std::string word; words >> word;) {
			const size_t dot = word.find('.');
			std::string full = word.substr(0, dot);
			for (int g = 0; g < core->n_funcs; g++)
				if (full == std::string(core->funcs[g].name).substr(0, full.size()) && (core->funcs[g].name[full.size()] == '$' || !core->funcs[g].name[full.size()]))
					word = core->funcs[g].name + (dot == std::string::npos ? "" : word.substr(dot));
			mine |= entry.empty() && word == name;
			entry += (entry.empty() ? "" : " ") + word;
		}
		if (mine)
			return bw_placement_parse(core, entry.c_str(), error);
	}
	return bw_placement_parse(core, (name + " inline").c_str(), error);
}

std::string try_written(const Maker &make, const std::string &schedule, const std::vector<Buffer<>> &expected, Seen *seen)
{
	Subject subject;
	make(&subject);
	bw_error error = {};
	std::vector<const bw_placement *> placements(subject.core->n_funcs);
	for (int f = 0; f < subject.core->n_funcs; f++)
		placements[f] = subject.core->funcs[f].input ? nullptr : placement_of(subject.core, f, schedule, &error);
	bw_nest *nest = error.text[0] ? nullptr : bw_nest_build(subject.core, placements.data(), subject.core->n_funcs, &error);
	bw_directives *directives = nest ? bw_lower(nest, &error) : nullptr;
	const std::string problem = directives ? try_directives(subject, directives, expected, seen) : error.text;
	bw_directives_free(directives);
	bw_nest_drop(nest);
	for (const bw_placement *placement : placements)
		bw_placement_drop(placement);
	return problem;
}

std::vector<Buffer<>> reference(const Maker &make)
{
	Subject subject;
	make(&subject);
	bw::schedule_cpu(subject.pipeline, bw::Estimates());
	return realize(subject, Halide::Target("x86-64-linux"));
}

// Under the written schedule, if there is one, a searched one and some drawn ones.
std::string try_all(const Maker &make, const char *schedule, const bw_device *device, unsigned seed, int draws, Seen *seen)
{
	try {
		const std::vector<Buffer<>> expected = seen->only_lowered ? std::vector<Buffer<>>() : reference(make);
		if (schedule) {
			const std::string problem = try_written(make, schedule, expected, seen);
			if (!problem.empty())
				return "written: " + problem;
		}
		for (int i = 0; i < draws; i++) {
			bw_settings options = searched_random(device, seed * 64 + (unsigned)i);
			if ((i + (int)seed) % 3 == 0) { // what a user gets
				options = bw_settings_default(device);
				options.beam = 2;
				options.seed = seed;
			}
			const std::string problem = try_searched(make, options, expected, seen);
			if (!problem.empty())
				return (options.random ? "draw " + std::to_string(i) : std::string("searched")) + ": " + problem;
		}
	} catch (const std::exception &exception) {
		return exception.what();
	}
	return "";
}

int reported = 0;

bool report(const std::string &name, std::string problem)
{
	for (size_t at = 0; (at = problem.find('\n', at)) != std::string::npos; at += 3)
		problem.replace(at, 1, "\n# ");
	printf("%sok %d - %s%s%s\n", problem.empty() ? "" : "not ", ++reported, name.c_str(), problem.empty() ? "" : "\n# ", problem.c_str());
	fflush(stdout);
	return problem.empty();
}

}

int main(int argc, char **argv)
{
	const int seeds = argc > 1 ? atoi(argv[1]) : 6, draws = argc > 2 ? atoi(argv[2]) : 1, first = argc > 3 ? atoi(argv[3]) : 0;
	const bool unknown = argc > 4;
	const char *source = getenv("BW_SRC"), *only = getenv("BW_SOAK_CASE");
	int n_devices;
	bw_error error;
	bw_device *devices = bw_devices_read((std::string(source ? source : ".") + "/data/devices.json").c_str(), &n_devices, &error);
	if (!devices) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	// Halide looks for OpenCL among what is loaded. PoCL has an LLVM of its own, which must not meet Halide's.
	dlopen("libpocl.so.2", RTLD_NOW | RTLD_DEEPBIND);
	if (!dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL)) {
		printf("1..0 # SKIP no OpenCL\n");
		return 0;
	}
	Seen seen = {};
	bool good = true;
	unsigned index = 0;
	for (const Case &one : edge_cases) {
		alarm(600);
		index++;
		if (!unknown && (!only || one.name == std::string(only)))
			good &= report(one.name, try_all(one.make, one.schedule, &devices[0], index, draws, &seen));
	}
	for (int seed = first; seed < first + seeds; seed++) {
		alarm(600);
		seen.only_lowered = unknown && seed % 10 != 0;
		good &= report("seed " + std::to_string(seed), try_all([seed, unknown](Subject *subject) { make_random((unsigned)seed, subject, unknown); }, nullptr, &devices[seed % n_devices], (unsigned)seed, draws, &seen));
	}
	printf("# %d schedules were lowered for CUDA, %d run\n", seen.lowered, seen.runs);
	searched_print_kinds(&seen.counts);
	printf("1..%d\n", reported);
	free(devices);
	return !good;
}

// What the core says that Halide can prove of storage in registers (nest/proof.c), against Halide. An update
// splits its two loops in many ways, with guards that cut nothing off by the estimates, and computes what it
// reads inside of them. Halide, which does not know the extents of the output, refuses those nests of which
// the core finds no proof, and no others but where it reads by way of floating point. A Func that is read by
// quotients is computed in pieces of a host at root whose splits round up.
#include "../soak/described.h"
#include "halide/apply.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in C a struct and a function may share a name
extern "C" {
#include "schedule/directive.h"
#include "schedule/schedule.h"
}
#pragma GCC diagnostic pop

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

using namespace bw_test;
using namespace Halide;

// What the update reads.
struct Reads {
	const char *name;
	Expr (*of)(Func &stored, Var &x, Var &y);
	bool known; // the generator fixes the bounds of the output
	bool exact; // the core has a proof of all that Halide takes
};

const Reads all_reads[] = {
	{"points", [](Func &stored, Var &x, Var &y) { return Expr(stored(x, y)); }, false, true},
	{"pairs in y", [](Func &stored, Var &x, Var &y) { return stored(x, y) + stored(x, y + 1); }, false, true},
	{"turned", [](Func &stored, Var &x, Var &y) { return Expr(stored(y, x)); }, false, true},
	{"pairs in y, known bounds", [](Func &stored, Var &x, Var &y) { return stored(x, y) + stored(x, y + 1); }, true, true},
	{"doubles", [](Func &stored, Var &x, Var &y) { return Expr(stored(cast<int>(floor(cast<float>(x) * 2.0f)), y)); }, false, false},
};

void make(const Reads &reads, Subject *subject)
{
	Var x("x"), y("y");
	ImageParam in(UInt(16), 2, "in");
	Func stored("stored"), output("output");
	in.set_estimates({{0, 400}, {0, 200}});
	stored(x, y) = in(x, y) + cast<uint16_t>(1);
	output(x, y) = cast<uint16_t>(0);
	output(x, y) += reads.of(stored, x, y);
	for (int d = 0; d < 2 && reads.known; d++)
		output.output_buffer().dim(d).set_bounds(0, 96);
	subject->name = "proofs";
	subject->inputs = {in};
	subject->outputs = {output};
	subject->sizes = {{96, 96}};
	subject->pipeline = Pipeline(output);
	subject->describe(-1);
}

// The pieces of a loop inside of its block loop: t a thread loop of 4, s a serial one of 2, u an unrolled one
// of 3.
const char *const all_pieces[] = {"", "u", "t", "tu", "su", "tsu"};

struct Plan {
	std::string x, y;
	bool serial; // the site; else the threads

	std::string pieces(char kind, const char *words) const
	{
		const std::string in_x = x.find(kind) == std::string::npos ? "" : " x" + extent(kind);
		const std::string in_y = y.find(kind) == std::string::npos ? "" : " y" + extent(kind);
		if (in_x.empty() && in_y.empty())
			return "";
		return std::string("; ") + words + in_y + (in_x.empty() || in_y.empty() ? "" : ",") + in_x;
	}

	// The placement of a Func; `output` is the name of the last one, which the one before it is computed in.
	std::string placement(const std::string &name, const std::string &output) const
	{
		if (name == output)
			return output + " root; block y, x; thread y 8, x 8; update 0: block y, x" + pieces('t', "thread") +
			       pieces('s', "serial") + pieces('u', "unrolled");
		const std::string site = " at " + output + ".update0." + (serial ? "serial0" : "thread");
		return name + (name.compare(0, 6, "stored") ? " inline" : site);
	}

	std::string shown() const
	{
		return "\n# " + placement("output", "output") + ", " + placement("stored", "output") + ": ";
	}

private:
	static std::string extent(char kind)
	{
		return kind == 't' ? " 4" : kind == 's' ? " 2" : " 3";
	}
};

// How a Func at root that reads another by quotients of x is cut along x, from the outside: pieces in threads, in serial loops, unrolled.
struct Cut {
	int divisor, threads, serial, unrolled;

	// The placement of a Func; `host` is the name of the one with the quotients.
	std::string placement(const std::string &name, const std::string &host) const
	{
		if (name.compare(0, 6, "output") == 0)
			return name + " root; block y, x; thread y 8, x 8";
		if (name == host)
			return name + " root; block y, x; thread y 2" + piece(", x ", threads) + piece("; serial x ", serial) + piece("; unrolled x ", unrolled);
		return name + (name.compare(0, 6, "stored") ? " inline" : " at " + host + (serial > 1 ? ".serial0" : ".thread"));
	}

	std::string shown() const
	{
		return "\n# " + placement("quotients", "quotients") + ", read at x / " + std::to_string(divisor) + ": ";
	}

private:
	static std::string piece(const char *words, int extent)
	{
		return extent > 1 ? words + std::to_string(extent) : "";
	}
};

// In the first four the blocks' part of x is a multiple of the divisor, or stands alone.
const Cut all_cuts[] = {
	{8, 1, 1, 2}, {8, 1, 4, 2}, {8, 2, 3, 4}, {8, 4, 2, 2}, {8, 1, 2, 2}, {8, 1, 3, 4}, {8, 3, 1, 2}, {8, 11, 1, 4}, {8, 11, 3, 4},
};

void make_quotients(int divisor, Subject *subject)
{
	Var x("x"), y("y");
	ImageParam in(UInt(16), 2, "in");
	Func stored("stored"), quotients("quotients"), output("output");
	in.set_estimates({{0, 400}, {0, 200}});
	stored(x, y) = BoundaryConditions::repeat_edge(in)(x, y) + cast<uint16_t>(1);
	quotients(x, y) = stored(x / divisor, y) + stored(x / divisor + 1, y);
	output(x, y) = quotients(x, y) + cast<uint16_t>(1);
	subject->name = "quotients";
	subject->inputs = {in};
	subject->outputs = {output};
	subject->sizes = {{240, 96}};
	subject->pipeline = Pipeline(output);
	subject->describe(-1);
}

struct Counts {
	int taken = 0, refused = 0;
};

// The nest of placements by the names of Funcs.
template<typename Placement>
bw_nest *nest_of(const bw_pipeline *core, const Placement &placement_of)
{
	bw_error error;
	std::vector<const bw_placement *> placements(core->n_funcs);
	for (int f = 0; f < core->n_funcs; f++) {
		if (core->funcs[f].input)
			continue;
		placements[f] = bw_placement_parse(core, placement_of(core->funcs[f].name).c_str(), &error);
		if (!placements[f])
			throw bw::Failure(error);
	}
	bw_nest *nest = bw_nest_build(core, placements.data(), core->n_funcs, &error);
	for (const bw_placement *placement : placements)
		bw_placement_drop(placement);
	if (!nest)
		throw bw::Failure(error);
	return nest;
}

// Returns true if Halide takes the directives of a nest. Throws its message if it refuses anything but the
// extents of storage.
bool halide_takes(Subject &subject, const bw_nest *nest)
{
	bw_error error;
	bw_directives *directives = bw_lower(nest, &error);
	if (!directives)
		throw bw::Failure(error);
	const Target target("x86-64-linux-cuda-cuda_capability_80");
	std::string problem;
	try {
		bw::apply(subject.pipeline, directives);
		subject.pipeline.compile_to_module(subject.pipeline.infer_arguments(), "tried", target);
	} catch (const Halide::Error &thrown) { // no std::exception in later Halides
		problem = thrown.what();
	}
	bw_directives_free(directives);
	bool extents = problem.empty();
	for (const char *known : {"unable to infer constant upper bound on extent of realization", "has a dynamic size", "unroll for loops over a constant extent"})
		extents |= problem.find(known) != std::string::npos;
	if (!extents)
		throw std::runtime_error(problem);
	return problem.empty();
}

// Compares the verdicts on where `stored` is computed. Returns 1 if Halide takes what the core refuses, -1 if it refuses what the core takes.
template<typename Placement>
int compare(Subject &subject, const Placement &placement_of, Counts *counts)
{
	bw_nest *nest = nest_of(subject.core, placement_of);
	int stored = 0;
	while (subject.core->funcs[stored].input || strncmp(subject.core->funcs[stored].name, "stored", 6) != 0)
		stored++;
	const bool proven = nest->placed[stored]->proof != BW_PROOF_NONE;
	const bool taken = halide_takes(subject, nest);
	bw_nest_drop(nest);
	++(taken ? counts->taken : counts->refused);
	return taken - proven;
}

std::string told(int difference)
{
	return difference > 0 ? "Halide takes it" : "Halide refuses it";
}

std::string try_plan(const Reads &reads, const Plan &plan, Counts *counts)
{
	Subject subject;
	make(reads, &subject);
	const std::string output = subject.core->funcs[subject.core->n_funcs - 1].name;
	const int difference = compare(subject, [&](const std::string &name) { return plan.placement(name, output); }, counts);
	return difference == 0 || (difference > 0 && !reads.exact) ? "" : plan.shown() + told(difference);
}

std::string try_all(const Reads &reads, Counts *counts)
{
	std::string problems;
	for (const char *x : all_pieces)
		for (const char *y : all_pieces)
			for (bool serial : {false, true}) {
				const Plan plan = {x, y, serial};
				const std::string both = plan.x + plan.y;
				const bool threads = both.find('t') != std::string::npos, loop = both.find('s') != std::string::npos;
				if (!threads || (serial && !loop) || plan.y == "tsu")
					continue;
				try {
					problems += try_plan(reads, plan, counts);
				} catch (const std::exception &exception) {
					problems += plan.shown() + exception.what();
				}
			}
	return problems;
}

std::string try_cuts(Counts *counts)
{
	std::string problems;
	for (const Cut &cut : all_cuts)
		try {
			Subject subject;
			make_quotients(cut.divisor, &subject);
			const std::string host = subject.core->funcs[subject.core->n_funcs - 2].name;
			const int difference = compare(subject, [&](const std::string &name) { return cut.placement(name, host); }, counts);
			problems += difference == 0 ? "" : cut.shown() + told(difference);
		} catch (const std::exception &exception) {
			problems += cut.shown() + exception.what();
		}
	return problems;
}

int report(int number, const char *name, const Counts &counts, const std::string &problems)
{
	printf("%sok %d - %s: Halide takes %d, refuses %d%s\n", problems.empty() ? "" : "not ", number, name, counts.taken, counts.refused,
	       problems.c_str());
	return !problems.empty();
}

}

int main()
{
	int failures = 0, number = 0;
	for (const Reads &reads : all_reads) {
		Counts counts;
		const std::string problems = try_all(reads, &counts);
		failures += report(++number, reads.name, counts, problems);
	}
	Counts counts;
	const std::string problems = try_cuts(&counts);
	failures += report(++number, "quotients", counts, problems);
	printf("1..%d\n", number);
	return failures != 0;
}

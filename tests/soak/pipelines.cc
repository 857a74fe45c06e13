// Random pipelines (growing.h) and those of edge shapes (cases.h), many in one process: each is described, and searched under several sets
// of options (searched.h): none crashes, each ends in schedules that lower to directives or says by figures why not, whatever the threads.
//
//   pipelines [COUNT [SETS [FIRST [FOLDER]]]]
//
// COUNT random pipelines from seed FIRST on, each under SETS of the sets of options, in turn. FOLDER: where descriptions are written to.
#include "cases.h"
#include "growing.h"
#include "halide/schedule.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in C a struct and a function may share a name
extern "C" {
#include "searched.h"
}
#pragma GCC diagnostic pop

#include <cstdio>
#include <functional>
#include <unistd.h>

namespace {

using namespace bw_test;

// What a soak is about.
class Soak {
public:
	bw_device *devices;
	int n_devices, n_sets, reported = 0, failures = 0;
	const char *folder;
	struct searched counts = {};
	std::map<std::string, int> used;

	// Searches one pipeline under some sets of options. Returns problems, a line each.
	std::string search(const std::function<void(Subject *)> &make, const std::string &file, unsigned seed, int sets)
	{
		std::string problems;
		alarm(600);
		try {
			Subject subject;
			bw_error error;
			make(&subject);
			counts.pipelines++;
			for (const std::string &block : subject.used)
				used[block]++;
			if (folder)
				bw::write_file(std::string(folder) + "/" + file + ".json", subject.text);
			for (int i = 0; i < sets; i++) {
				const int set = (int)(seed * (unsigned)sets + (unsigned)i) % searched_sets();
				if (!searched(subject.core, &devices[seed % (unsigned)n_devices], set, seed, &counts, &error))
					problems += "\n# " + file + ", " + searched_set_name(set) + ": " + error.text;
			}
		} catch (const std::exception &exception) {
			problems = "\n# " + file + ": " + exception.what();
		}
		return problems;
	}

	void report(const std::string &name, const std::string &problems)
	{
		printf("%sok %d - %s%s\n", problems.empty() ? "" : "not ", ++reported, name.c_str(), problems.c_str());
		fflush(stdout);
		failures += !problems.empty();
	}

	// Whether every building block was met, and every kind of site and tail.
	bool enough() const
	{
		bool all = counts.inlined && counts.root && counts.block && counts.thread && counts.serial && counts.round_up && counts.shift_inwards && counts.guard && counts.dead;
		printf("# building blocks:");
		for (const std::string &name : block_names()) {
			auto it = used.find(name);
			printf(" %s %d;", name.c_str(), it == used.end() ? 0 : it->second);
			all &= it != used.end();
		}
		printf("\n");
		return all;
	}
};

}

int main(int argc, char **argv)
{
	const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 200, first = argc > 3 ? (unsigned)atoi(argv[3]) : 0, group = 50;
	const char *source = getenv("BW_SRC");
	bw_error error;
	Soak soak;
	soak.n_sets = argc > 2 ? atoi(argv[2]) : 1;
	soak.folder = argc > 4 ? argv[4] : nullptr;
	soak.devices = bw_devices_read((std::string(source ? source : ".") + "/data/devices.json").c_str(), &soak.n_devices, &error);
	if (!soak.devices) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (const auto *cases : {&edge_cases, &large_cases})
		for (const Case &one : *cases)
			soak.report(one.name, soak.search(one.make, one.file_name(), 0, searched_sets()));
	for (unsigned seed : {290u, 5037u}) // an output of one row, whose update read a second one
		soak.report("seed " + std::to_string(seed), soak.search([seed](Subject *subject) { make_random(seed, subject); }, "random" + std::to_string(seed), seed, 1));
	for (unsigned seed = first; seed < first + count; seed += group) {
		std::string problems;
		for (unsigned s = seed; s < seed + group && s < first + count; s++)
			problems += soak.search([s](Subject *subject) { make_random(s, subject); }, "random" + std::to_string(s), s, soak.n_sets);
		soak.report("from seed " + std::to_string(seed) + " on", problems);
	}
	searched_print(&soak.counts);
	soak.report("all building blocks, sites, tails and a dead end were met", soak.enough() ? "" : "\n# not all");
	printf("1..%d\n", soak.reported);
	free(soak.devices);
	return soak.failures != 0;
}

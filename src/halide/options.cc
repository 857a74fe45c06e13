#include "halide/options.h"

#include <cerrno>
#include <climits>
#include <cstdlib>

namespace bw {

namespace {

const struct Number {
	const char *key;
	int64_t Options::*value;
	int64_t least, most;
} numbers[] = {
	{"beam", &Options::beam, 1, 10000},
	{"seed", &Options::seed, 0, INT64_MAX},
	{"threads", &Options::threads, 1, 64},
};

void check(bool done, const bw_error &error)
{
	if (!done)
		throw Failure(error);
}

void read_request(const Request &request, Options *options)
{
	static const char *const keys[] = {"gpu", "beam", "seed", "threads", nullptr};
	bw_error error;
	bw_json_at root, at, member;
	const char *text;
	if (!request.document() || (root = bw_json_root(request.document()), !bw_json_has(&root, "options", &at)))
		return;
	check(bw_json_only(&at, keys, &error), error);
	if (bw_json_has(&at, "gpu", &member)) {
		check(bw_json_string(&member, &text, &error), error);
		options->gpu = text;
	}
	for (const Number &number : numbers)
		if (bw_json_has(&at, number.key, &member))
			check(bw_json_int(&member, number.least, number.most, &(options->*number.value), &error), error);
}

void read_setting(const std::string &key, const std::string &value, Options *options)
{
	if (key == "gpu") {
		options->gpu = value;
		return;
	}
	for (const Number &number : numbers) {
		if (key != number.key)
			continue;
		char *end;
		errno = 0;
		const long long given = strtoll(value.c_str(), &end, 10);
		if (value.empty() || *end || errno || given < number.least || given > number.most)
			throw Failure(BW_ERROR_USAGE, "autoscheduler." + key + "=" + value + ": expected a number from " + std::to_string(number.least) + " to " + std::to_string(number.most));
		options->*number.value = given;
		return;
	}
	throw Failure(BW_ERROR_USAGE, "autoscheduler." + key + ": there is no such option; there are gpu, beam, seed, threads");
}

}

Options read_options(const Request &request, const std::map<std::string, std::string> &settings)
{
	Options options;
	read_request(request, &options);
	for (const auto &setting : settings)
		read_setting(setting.first, setting.second, &options);
	return options;
}

}

#include "halide/request.h"

#include <climits>

namespace bw {

static const struct {
	const char *name;
	Task task;
} tasks[] = {
	{"describe", Task::Describe},
	{"hand", Task::Hand},
	{"apply", Task::Apply},
	{"lower", Task::Lower},
	{"cpu", Task::Cpu},
	{"second-cpu", Task::SecondCpu},
	{"schedule", Task::Schedule},
};

static void check(bool done, const bw_error &error)
{
	if (!done)
		throw Failure(error);
}

Request::Request(const char *path)
{
	if (!path)
		return;
	bw_error error;
	json = bw_json_read(path, &error);
	check(json != nullptr, error);
	try {
		read();
	} catch (...) {
		bw_json_free(json);
		throw;
	}
}

Request::~Request()
{
	if (json)
		bw_json_free(json);
}

void Request::read()
{
	static const char *const keys[] = {"beamwalk-request", "do",      "output",  "estimates",
					   "directives",       "options", "devices", "rfactor", nullptr};
	bw_error error;
	bw_json_at root = bw_json_root(json), at;
	int64_t version;
	const char *text;
	check(bw_json_only(&root, keys, &error), error);
	check(bw_json_get(&root, "beamwalk-request", &at, &error), error);
	check(bw_json_int(&at, 1, 1, &version, &error), error);
	if (bw_json_has(&root, "output", &at)) {
		check(bw_json_string(&at, &text, &error), error);
		output = text;
	}
	if (bw_json_has(&root, "rfactor", &at)) {
		check(bw_json_string(&at, &text, &error), error);
		rfactor = text;
	}
	if (bw_json_has(&root, "estimates", &at))
		read_estimates(at);
	check(bw_json_get(&root, "do", &at, &error), error);
	check(bw_json_string(&at, &text, &error), error);
	for (const auto &known : tasks)
		if (known.name == std::string(text)) {
			task = known.task;
			if ((task == Task::Describe || task == Task::Hand || task == Task::Lower) && output.empty())
				check(bw_json_fail(&root, &error, "\"%s\" needs an \"output\"", text), error);
			return;
		}
	check(bw_json_fail(&at, &error, "expected describe, hand, apply, lower, cpu, second-cpu or schedule, not \"%s\"", text), error);
}

void Request::read_estimates(const bw_json_at &at)
{
	bw_error error;
	if (!json_is_object(at.value))
		check(bw_json_fail(&at, &error, "expected an object"), error);
	const char *name;
	json_t *value;
	json_object_foreach(const_cast<json_t *>(at.value), name, value)
	{
		bw_json_at member;
		check(bw_json_get(&at, name, &member, &error), error);
		if (!json_is_array(value)) {
			check(bw_json_number(&member, &estimates.values[name], &error), error);
			continue;
		}
		size_t length;
		check(bw_json_length(&member, &length, &error), error);
		if (length != 2)
			check(bw_json_fail(&member, &error, "expected [minimum, extent]"), error);
		bw_json_at min = bw_json_element(&member, 0), extent = bw_json_element(&member, 1);
		auto &region = estimates.regions[name];
		check(bw_json_int(&min, INT32_MIN, INT32_MAX, &region.first, &error), error);
		check(bw_json_int(&extent, 1, INT32_MAX, &region.second, &error), error);
	}
}

}

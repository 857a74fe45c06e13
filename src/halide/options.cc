#include "halide/schedule.h"

#include <sstream>

namespace bw {

static void check(bool done, const bw_error &error)
{
	if (!done)
		throw Failure(error);
}

// Returns a value as text, as on a command line: a string, a number, or 1 and 0 for true and false.
static std::string text_of(const bw_json_at &at)
{
	bw_error error;
	if (json_is_string(at.value))
		return json_string_value(at.value);
	if (json_is_boolean(at.value))
		return json_is_true(at.value) ? "1" : "0";
	if (!json_is_number(at.value))
		check(bw_json_fail(&at, &error, "expected a string, a number, true or false"), error);
	char *text = json_dumps(at.value, JSON_ENCODE_ANY);
	const std::string copy = text;
	free(text);
	return copy;
}

static void read_request(const Request &request, std::vector<std::string> *options)
{
	bw_error error;
	bw_json_at root, at, member;
	const char *name;
	json_t *value;
	if (!request.document() || (root = bw_json_root(request.document()), !bw_json_has(&root, "options", &at)))
		return;
	if (!json_is_object(at.value))
		check(bw_json_fail(&at, &error, "expected an object"), error);
	json_object_foreach(const_cast<json_t *>(at.value), name, value)
	{
		check(bw_json_get(&at, name, &member, &error), error);
		options->push_back(std::string(name) + "=" + text_of(member));
	}
}

std::vector<std::string> read_options(const char *environment, const Request &request,
				      const std::map<std::string, std::string> &settings)
{
	std::vector<std::string> options;
	std::istringstream words(environment ? environment : "");
	for (std::string word; words >> word;)
		options.push_back(word);
	read_request(request, &options);
	for (const auto &setting : settings)
		options.push_back(setting.first + "=" + setting.second);
	return options;
}

}

#include <config.h>

#include "halide/schedule.h"

#include <dlfcn.h>
#include <memory>

#include "halide/apply.h"
#include "halide/describe.h"

// These C headers have structs and functions of the same name, which is valid in C.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#include "base/file.h"
#include "schedulers/scheduler.h"
}
#pragma GCC diagnostic pop

namespace bw {

namespace {

struct Free {
	void operator()(void *memory) const
	{
		free(memory);
	}
	void operator()(bw_scheduler_outcome *outcome) const
	{
		bw_scheduler_outcome_free(outcome);
	}
};

void check(bool done, const bw_error &error)
{
	if (!done)
		throw Failure(error);
}

// Returns the path of the file of devices: the one in the request, or else the one beside the plugin in a
// build folder, or else the installed one.
std::string devices_file(const Request &request)
{
	bw_json_at root, at;
	bw_error error;
	const char *text;
	if (request.document() && (root = bw_json_root(request.document()), bw_json_has(&root, "devices", &at))) {
		check(bw_json_string(&at, &text, &error), error);
		return text;
	}
	Dl_info info;
	std::string folder;
	if (dladdr(reinterpret_cast<void *>(&schedule), &info) && info.dli_fname)
		folder = info.dli_fname;
	folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
	const std::unique_ptr<char, Free> data(bw_find_installed(folder.c_str(), BW_PKGLIBDIR, BW_PKGDATADIR, "source"));
	return std::string(data.get()) + "/data/devices.json";
}

}

void write_file(const std::string &path, const std::string &text)
{
	bw_error error;
	check(bw_file_write(path.c_str(), text.data(), text.size(), &error), error);
}

Outcome schedule(const Pipeline &pipeline, const std::string &name, const Halide::Target &target,
		 const Request &request, const std::vector<std::string> &options)
{
	bw_error error;
	int n_devices;
	std::unique_ptr<bw_device, Free> devices(bw_devices_read(devices_file(request).c_str(), &n_devices, &error));
	check(devices != nullptr, error);
	const std::string description = describe(pipeline, name, request.estimates, target.maximum_buffer_size());
	std::vector<const char *> texts;
	for (const std::string &option : options)
		texts.push_back(option.c_str());
	bw_scheduler_request asked = {name.c_str(), description.data(), description.size(),
				      texts.data(), (int)texts.size(),  devices.get(),
				      n_devices,    PACKAGE_VERSION};
	bw_scheduler_outcome found;
	check(bw_scheduler_run(&asked, &found, &error), error);
	std::unique_ptr<bw_scheduler_outcome, Free> owner(&found);
	if (*found.warning)
		fprintf(stderr, "beamwalk: warning: %s\n", found.warning);
	if (!request.output.empty())
		write_file(request.output, found.schedule);
	apply(pipeline, found.directives, target);
	return {found.source, std::string(bw_text_get(&found.features), found.features.length)};
}

}

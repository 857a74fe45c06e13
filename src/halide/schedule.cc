#include "halide/schedule.h"

#include <atomic>
#include <dlfcn.h>
#include <memory>

#include "halide/apply.h"
#include "halide/describe.h"

// In C a struct and a function may share a name.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#include "schedulers/batch.h"
}
#pragma GCC diagnostic pop

namespace bw {

namespace {

struct Free {
	void operator()(bw_device *devices) const
	{
		free(devices);
	}
	void operator()(bw_pipeline *pipeline) const
	{
		bw_pipeline_free(pipeline);
	}
	void operator()(bw_batch *batch) const
	{
		bw_batch_free(batch);
	}
};

void check(bool done, const bw_error &error)
{
	if (!done)
		throw Failure(error);
}

// Beside the plugin's own file in a build folder, else where it is installed.
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
	return std::string(folder == BW_BUILD_FOLDER ? BW_SOURCE_FOLDER : BW_PKGDATADIR) + "/data/devices.json";
}

std::string text_of(const bw_pipeline *pipeline, const bw_schedule *schedule)
{
	bw_text text = {};
	bw_schedule_print(pipeline, schedule, &text);
	std::string copy = bw_text_get(&text);
	bw_text_free(&text);
	return copy;
}

}

void write_file(const std::string &path, const std::string &text)
{
	bw_error error;
	check(bw_file_write(path.c_str(), text.data(), text.size(), &error), error);
}

void schedule(const Pipeline &pipeline, const std::string &name, const Request &request, const Options &said)
{
	bw_error error;
	int n_devices;
	std::unique_ptr<bw_device, Free> devices(bw_devices_read(devices_file(request).c_str(), &n_devices, &error));
	check(devices != nullptr, error);
	const bw_device *device = bw_device_find(devices.get(), n_devices, said.gpu.c_str());
	if (!device)
		throw Failure(BW_ERROR_USAGE, "no device \"" + said.gpu + "\"");
	const std::string description = describe(pipeline, name, request.estimates);
	std::unique_ptr<bw_pipeline, Free> read(bw_pipeline_parse(name.c_str(), description.data(), description.size(), &error));
	check(read != nullptr, error);
	bw_search_options options = bw_search_options_default(device);
	options.beam = (int)said.beam;
	options.seed = (uint64_t)said.seed;
	options.threads = (int)said.threads;
	bw_batch found;
	check(bw_batch_run(read.get(), &options, nullptr, &found, &error), error);
	std::unique_ptr<bw_batch, Free> batch(&found);
	if (!request.output.empty())
		write_file(request.output, text_of(read.get(), batch->schedule));
	apply(pipeline, batch->directives);
}

}

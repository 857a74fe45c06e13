// The autoscheduler "Beamwalk", or "beamwalk". A generator loads this library with -p and selects it by
// name: `-s Beamwalk auto_schedule=true` (Halide 14), `autoscheduler=Beamwalk` (from 15 on). The request
// tells what to do (halide/request.h). No exception leaves the plugin: on an error it prints one line to
// standard error and ends the process.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

#include "halide/apply.h"
#include "halide/aside.h"
#include "halide/core.h"
#include "halide/cpu.h"
#include "halide/describe.h"
#include "halide/hand.h"
#include "halide/request.h"
#include "halide/schedule.h"

#include <link.h> // after Halide.h, because the macros of link.h would replace names in it

extern "C" {
#include "base/file.h"
}

namespace bw {

// Ends the process at once, without the destructors of a half-built generator.
[[noreturn]] static void end(int status)
{
	std::cout.flush();
	std::cerr.flush();
	fflush(nullptr);
	_Exit(status);
}

// Prints an error, without the newlines and spaces at the end of its text, and ends the process.
[[noreturn]] static void fail(bw_error_kind kind, const char *text)
{
	bw_error error;
	size_t length = strlen(text);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	bw_fail(&error, kind, "%.*s", (int)length, text);
	fprintf(stderr, "beamwalk: error: %s: %s\n", bw_error_name(error.kind), error.text);
	end(1);
}

// Reports errors in the same form that occur after a schedule was applied, while Halide lowers the
// pipeline.
class Reporter : public Halide::CompileTimeErrorReporter {
public:
	void warning(const char *message) override
	{
		fputs(message, stderr);
	}
	[[noreturn]] void error(const char *message) override
	{
		fail(BW_ERROR_HALIDE, message);
	}
};

// Returns the name of the generator that runs: the only registered one, or the one that -g names. Without
// -g, returns the first output's name.
static std::string generator_name(const Pipeline &pipeline)
{
	const std::vector<std::string> known = Internal::GeneratorRegistry::enumerate();
	if (known.size() == 1)
		return known[0];
	std::ifstream arguments("/proc/self/cmdline");
	for (std::string argument; std::getline(arguments, argument, '\0');)
		if (argument == "-g" && std::getline(arguments, argument, '\0'))
			return argument;
	return Pipeline(pipeline).outputs()[0].name();
}

// Searches inside of the process. Sets *results to the texts that Halide writes on request (-e schedule, -e
// featurization).
static void search(const Pipeline &pipeline, const Request &request, const Halide::Target &target,
		   const AutoschedulerParams &params, Halide::AutoSchedulerResults *results)
{
	if (!target.has_gpu_feature())
		throw Failure(
		    BW_ERROR_USAGE,
		    "target=" + target.to_string() +
			" has no GPU to schedule for: put opencl, or cuda and its capability, into it");
	const Outcome found =
	    schedule(pipeline, generator_name(pipeline), target, request,
		     read_options(getenv("BEAMWALK_OPTIONS"), request, settings_of(params)));
	if (results) {
		results->schedule_source = found.source + "\t(void)target;\n";
		results->featurization.assign(found.features.begin(), found.features.end());
		say_settings(params, results);
	}
}

// For CUDA, Halide links libdevice, NVIDIA's 400 mathematical functions, with the kernels. LLVM optimizes
// all of libdevice before it drops the functions that no kernel calls. This takes a fifth to a third of the
// time of a small schedule. The plugin therefore makes libHalide call link_needed instead of LLVM's linker.
// The PTX stays the same.

// The type of LLVM's linker, with pointers in place of references.
using Linker = bool(void *into, void *from, unsigned flags, void *callback);
static const char linker_symbol[] =
    "_ZN4llvm6Linker11linkModulesERNS_6ModuleESt10unique_ptrIS1_St14default_deleteIS1_EEjSt8functionIFvS2_RKNS_"
    "9StringSetINS_15MallocAllocatorEEEEE";
static Linker *linker;                                       // LLVM's own
static const char *(*name_of)(void *module, size_t *length); // LLVMGetModuleIdentifier

// Links as LLVM does, but into Halide's module for CUDA, ptx_dev_ll, only the functions that the module
// calls.
static bool link_needed(void *into, void *from, unsigned flags, void *callback)
{
	const unsigned only_needed = 2; // llvm::Linker::LinkOnlyNeeded
	size_t length;
	const char *name = name_of(into, &length);
	const bool cuda = std::string(name, length) == "ptx_dev_ll";
	return linker(into, from, cuda ? flags | only_needed : flags, callback);
}

// Returns the slot (ELF, PLT) through which a library calls a function of another library. Returns nullptr
// if the library does not call the function.
static void **find_slot(const link_map *library, const char *symbol)
{
	std::map<ElfW(Sxword), ElfW(Addr)> entries;
	for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++)
		entries[entry->d_tag] = entry->d_un.d_ptr;
	const auto *symbols = reinterpret_cast<const ElfW(Sym) *>(entries[DT_SYMTAB]);
	const auto *names = reinterpret_cast<const char *>(entries[DT_STRTAB]);
	const auto *calls = reinterpret_cast<const ElfW(Rela) *>(entries[DT_JMPREL]);
	if (!symbols || !names || !calls || entries[DT_PLTREL] != DT_RELA)
		return nullptr;
	for (size_t i = 0; i < entries[DT_PLTRELSZ] / sizeof *calls; i++)
		if (!strcmp(names + symbols[ELF64_R_SYM(calls[i].r_info)].st_name, symbol))
			return reinterpret_cast<void **>(library->l_addr + calls[i].r_offset);
	return nullptr;
}

// Makes libHalide call link_needed. Does nothing if LLVM is linked into libHalide statically.
static void link_only_needed()
{
	Dl_info info;
	link_map *library = nullptr;
	if (!dladdr1(reinterpret_cast<void *>(&Pipeline::add_autoscheduler), &info,
		     reinterpret_cast<void **>(&library), RTLD_DL_LINKMAP))
		return;
	void *halide = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD), **slot = find_slot(library, linker_symbol);
	if (!halide || !slot)
		return;
	linker = reinterpret_cast<Linker *>(dlsym(halide, linker_symbol));
	name_of = reinterpret_cast<decltype(name_of)>(dlsym(halide, "LLVMGetModuleIdentifier"));
	const uintptr_t size = sysconf(_SC_PAGESIZE), page = reinterpret_cast<uintptr_t>(slot) / size * size;
	if (linker && name_of && mprotect(reinterpret_cast<void *>(page), size, PROT_READ | PROT_WRITE) == 0)
		*slot = reinterpret_cast<void *>(link_needed);
}

// Does some work. If it fails, prints an error of one line and ends the process.
template<typename Work> static void report_failure(const Work &work)
{
	static Reporter reporter;
	try {
		work();
	} catch (const Failure &failure) {
		fail(failure.error.kind, failure.error.text);
	} catch (const Halide::Error &error) { // in later versions of Halide this is not a std::exception
		fail(BW_ERROR_HALIDE, error.what());
	} catch (const std::exception &exception) {
		fail(BW_ERROR_HALIDE, exception.what());
	} catch (...) {
		fail(BW_ERROR_HALIDE, "an exception of an unknown kind");
	}
	Halide::set_custom_compile_time_error_reporter(&reporter);
}

// A custom lowering pass that writes the lowered statement, with the kernels still in it, and ends the
// process before code generation.
class StatementWriter : public Halide::Internal::IRMutator {
	const std::string path;

public:
	explicit StatementWriter(const std::string &to)
	    : path(to)
	{
	}
	using IRMutator::mutate;
	Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &statement) override
	{
		report_failure([&] {
			std::ostringstream text;
			text << statement;
			write_file(path, text.str());
		});
		end(0);
	}
};

// Does what the request of beamwalk asks, except Task::Schedule. Removes the generator's own schedule
// first, unless the request is about it. (With Task::Schedule, a generator's own schedule is an error, as
// with other autoschedulers.)
static void run(const Pipeline &pipeline, const Request &request, const Halide::Target &target)
{
	if (request.task == Task::Hand) {
		write_file(request.output, record_schedule(pipeline));
		end(0);
	}
	bw_json_at directives;
	const bw_json_at root = bw_json_root(request.document());
	const bool own = request.task == Task::Lower && !bw_json_has(&root, "directives", &directives);
	if (!own)
		set_aside(pipeline);
	switch (request.task) {
	case Task::Describe:
		write_file(request.output, describe(pipeline, generator_name(pipeline), request.estimates,
						    target.maximum_buffer_size(), request.rfactor));
		end(0);
	case Task::Apply:
		link_only_needed();
		apply(pipeline, request, target);
		break;
	case Task::Lower:
		if (!own)
			apply(pipeline, request, target);
		Pipeline(pipeline).add_custom_lowering_pass(new StatementWriter(request.output));
		break;
	case Task::Cpu:
		schedule_cpu(pipeline, request.estimates);
		break;
	case Task::SecondCpu:
		schedule_cpu(pipeline, request.estimates, true);
		break;
	case Task::Hand:
	case Task::Schedule:
		break;
	}
}

// Returns true at the first call. A process handles a request only once, as an autoscheduler or in serve().
static bool first()
{
	static bool done;
	const bool was = done;
	done = true;
	return !was;
}

static void autoschedule(const Pipeline &pipeline, const Halide::Target &target,
			 const AutoschedulerParams &params, Halide::AutoSchedulerResults *results)
{
	first();
	report_failure([&] {
		const Request request(getenv("BEAMWALK_REQUEST"));
		if (request.task == Task::Schedule)
			search(pipeline, request, target, params, results);
		else
			run(pipeline, request, target);
	});
}

// Handles the request in a generator that runs without an autoscheduler, either because it refuses to run
// with one, or because the request is about its own schedule. beamwalk looks for the line that this
// function prints.
static void serve(const Pipeline &pipeline, const Halide::Target &target)
{
	if (!getenv("BEAMWALK_REQUEST") || !first())
		return;
	fputs("beamwalk: without an autoscheduler\n", stderr);
	report_failure([&] { run(pipeline, Request(getenv("BEAMWALK_REQUEST")), target); });
}

namespace {

// Ends the process with an error if its Halide is not the version that this plugin was compiled for,
// because the classes of the versions differ. The file name of libHalide tells the version.
void check_loaded()
{
	Dl_info info;
	if (!dladdr(reinterpret_cast<void *>(&Pipeline::add_autoscheduler), &info) || !info.dli_fname)
		return;
	const int version = bw_library_version(info.dli_fname, "Halide");
	if (version <= 0 || version == BW_HALIDE_MAJOR)
		return;
	const std::string text = std::string("this plugin is for Halide ") + BW_HALIDE_VERSION +
				 ", the generator uses " + info.dli_fname + ": load libbeamwalk-halide" +
				 std::to_string(version) + ".so instead";
	fail(BW_ERROR_HALIDE, text.c_str());
}

struct Registration {
	Registration()
	{
		check_loaded();
		Pipeline::add_autoscheduler("beamwalk", autoschedule);
		Pipeline::add_autoscheduler("Beamwalk", autoschedule);
	}
} registration;

}

}

// Replaces Halide's own method, which generators call when they are built. This definition is used only if
// the plugin is loaded before libHalide (LD_PRELOAD). If the plugin is loaded with -p, nothing calls it.
__attribute__((visibility("default"))) Halide::Module
Halide::Pipeline::compile_to_module(const std::vector<Argument> &args, const std::string &name,
				    const Target &target, LinkageType linkage)
{
	using Method = Module (*)(Pipeline *, const std::vector<Argument> &, const std::string &,
				  const Target &, LinkageType);
	static const char symbol[] =
	    "_ZN6Halide8Pipeline17compile_to_moduleERKSt6vectorINS_8ArgumentESaIS2_EERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_6TargetENS_11LinkageTypeE";
	const auto next = reinterpret_cast<Method>(dlsym(RTLD_NEXT, symbol));
	if (!next)
		bw::fail(BW_ERROR_HALIDE, "this Halide has no Pipeline::compile_to_module to call");
	bw::serve(*this, target);
	return next(this, args, name, target, linkage);
}

/* The command line: one table of the program's commands, one of its options. */
#ifndef BW_PROGRAM_ARGUMENTS_H
#define BW_PROGRAM_ARGUMENTS_H
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* Commands of the program: name, arguments, whether a pipeline comes first, whether more arguments may follow, what it does. */
#define BW_PROGRAM_TABLE(X) \
	X(explore, "PIPELINE", true, false, "the explorer (also without the word `explore`)") \
	X(schedule, "PIPELINE", true, false, "search, and write the best schedule") \
	X(compile, "PIPELINE [SCHEDULE...]", true, true, "compile schedule files, or the generator's own (hand), for --gpu: what the kernels take of it") \
	X(time, "PIPELINE SCHEDULE...", true, true, "compile, check and time schedule files, and the generator's own (hand)") \
	X(export, "PIPELINE [SCHEDULE]", true, true, "write a schedule as Halide C++, to paste into the generator") \
	X(features, "PIPELINE [SCHEDULE]", true, true, "the features of each stage that the learned cost model reads") \
	X(ablate, "[PIPELINE...]", true, true, "what each idea of the search brings: all of them on and off, in turn") \
	X(describe, "PIPELINE", true, false, "write the pipeline's description") \
	X(script, "PIPELINE FILE", true, true, "run a file of the explorer's commands") \
	X(repl, "PIPELINE", true, false, "the explorer's commands, line by line, without a screen") \
	X(results, "[PIPELINE]", true, false, "list or export what was measured") \
	X(train, "[PIPELINE]", true, false, "train the learned cost model on what was measured") \
	X(pipelines, "[PIPELINE]", true, false, "list the bundled pipelines, or say what is interesting about one") \
	X(devices, "", false, false, "list the devices that schedules can be for") \
	X(tutorial, "", false, false, "a taster in three steps")

/* Options that take a text: field, name, what stands for it in the usage, its meaning. */
#define BW_TEXT_OPTION_TABLE(X) \
	X(devices, "devices", "FILE", "records of devices, over those there are (beamwalk-devices(5))") \
	X(ptxas, "ptxas", "PATH", "the ptxas that `compile` assembles with (default: that of PATH or the toolkit)") \
	X(emit, "emit", "WHAT", "what `compile` writes instead: object, filter (an object without a runtime), reference, code (PTX, OpenCL C), cubin") \
	X(schedule, "schedule", "FILE", "hold every Func that it mentions; results HASH: write it") \
	X(bound, "bound", "ABS,REL,COUNT", "how much outputs may differ from the reference; kept for the generator") \
	X(func, "func", "NAME", "export this Func alone") \
	X(form, "form", "14|15", "Halide whose guard the export shows (15: and later; default both)") \
	X(check, "check", "FILE", "whether the exports in a source file are of the algorithm as it is") \
	X(output, "output", "FILE", "write there instead of to standard output (-o)") \
	X(on, "on", "COMMAND", "measure in another worker, as in --on 'ssh HOST beamwalk-bench'") \
	X(seconds, "seconds", "N", "to spend on the runs of each measurement (default 1; 0: one run), or on the rates of a device (10)") \
	X(seeds, "seeds", "N", "ablate: searches of each kind, with seeds from --seed on (default 5)") \
	X(time_limit, "time-limit", "N", "seconds after which a run is killed (default 60), or a search of ablate (600)") \
	X(epochs, "epochs", "N", "train: times that all samples are gone through (default 300)") \
	X(rate, "rate", "R", "train: how far a step moves a weight at most (default 0.01)") \
	X(hold_out, "hold-out", "NAME|each", "train: not on this pipeline, or on all but each in turn; it is then asked for") \
	X(device, "device", "NAME", "results, train: of devices whose name has this in it") \
	X(since, "since", "WHEN", "results, train: since 2026-11-21, or since 7d or 12h ago") \
	X(verdict, "verdict", "NAME", "results: right, wrong, failed, ...") \
	X(limit, "limit", "N", "results: the newest N (default 20 in a table; 0: all)") \
	X(description, "description", "HASH", "results: write the description of this hash") \
	X(target, "target", "FEATURES", "of Halide's target, beside those of the device: avx2-f16c") \
	X(at, "at", "start|end", "where the explorer and repl open (default end)") \
	X(color, "color", "auto|always|never", "whether the explorer uses colours")

/* Options of the search (search/options.h) that have one of their own, too: the name, with - for _, and what stands for its value. */
#define BW_SEARCH_OPTION_TABLE(X) \
	X(gpu, "gpu", "NAME") \
	X(beam, "beam", "N") \
	X(passes, "passes", "N") \
	X(seed, "seed", "N") \
	X(threads, "threads", "N") \
	X(register_limit, "register-limit", "N") \
	X(cost_model, "cost-model", "NAME") \
	X(weights, "weights", "FILE")

/* Options that are said or not: field, name, meaning. */
#define BW_FLAG_OPTION_TABLE(X) \
	X(random, "random", "draw options at random instead of by cost") \
	X(json, "json", "JSON on standard output") \
	X(rates, "rates", "devices: take the rates of the CUDA devices that are there") \
	X(csv, "csv", "results, ablate: CSV on standard output") \
	X(best, "best", "results: the fastest right schedule of each pipeline and device") \
	X(forget, "forget", "results: list what is asked for, and forget it") \
	X(resume, "resume", "explore, repl: go on where the last session of the pipeline ended; train: where it was interrupted") \
	X(trust, "trust", "let sessions that are loaded run commands (set on=) and write files") \
	X(ascii, "ascii", "draw with ASCII characters only") \
	X(no_mouse, "no-mouse", "leave the mouse to the terminal")

/* An option of the search as it was said: --NAME VALUE, or with name NULL, --set VALUE. */
struct bw_setting {
	const char *name, *value;
};

/* Everything said on the command line. Strings are argv's. */
struct bw_arguments {
	const char *command;
	const char *pipeline; /* NULL: none was named */
	const char *const *rest; /* what follows the pipeline: schedules of `time`, the file of `script` */
	int n_rest;
	const char *generator; /* -g */
	const char **generator_args, **estimates; /* -G, --estimate and --sizes; free() the arrays */
	int n_generator_args, n_estimates, generator_args_capacity, estimates_capacity;
	struct bw_setting *settings; /* options of the search, in the order that they were said in; free() the array */
	int n_settings, settings_capacity;
#define X(field, name, value, text) const char *field;
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, text) bool field;
	BW_FLAG_OPTION_TABLE(X)
#undef X
};

/* Fills *arguments. Returns -1 to go on, or the status to exit with: of wrong usage, which has been told, or 0 with the answer to
 * --help and the like in *out. */
int bw_arguments_parse(int argc, char **argv, struct bw_arguments *arguments, struct bw_text *out);
void bw_arguments_free(struct bw_arguments *arguments);
/* A whole number that was said for an option, or *value as it is where text is NULL. False with an error that names the option. */
bool bw_arguments_number(const char *text, const char *option, long least, long most, long *value, struct bw_error *error);
#endif

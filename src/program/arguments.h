/* The command line: tables of the program's commands and options, from which parsing, usage texts and
 * completion come. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* Commands of the program: name, arguments, whether the first argument is a pipeline, whether more
 * arguments may follow it, the arguments of an example, what the command does. */
#define BW_PROGRAM_TABLE(X) \
	X(explore, "PIPELINE", true, false, "harris", "open the explorer (the default command)") \
	X(schedule, "PIPELINE", true, false, "harris --gpu H100 -o harris.schedule", "search, and write the best schedule") \
	X(compile, "PIPELINE [SCHEDULE...]", true, true, "harris hand harris.schedule --gpu H100", "compile schedules for --gpu, and list what their kernels use") \
	X(time, "PIPELINE SCHEDULE...", true, true, "harris hand harris.schedule", "compile, check and time schedules") \
	X(counters, "PIPELINE SCHEDULE...", true, true, "harris hand --json", "count what schedules do on the emulated device, beside what is predicted") \
	X(code, "PIPELINE [SCHEDULE [SCHEDULE]]", true, true, "harris hand --json", "show the loop nest, Halide's statement, PTX and SASS of a schedule, and how often each line runs on the emulated device; of two schedules (files, hand, best) what differs line by line") \
	X(export, "PIPELINE [SCHEDULE]", true, true, "harris -o harris.schedule.h", "write a schedule as Halide C++, to paste into the generator") \
	X(report, "PIPELINE", true, false, "harris -o harris.html", "write a page with the schedule, its costs, pictures and measurements, for a browser") \
	X(minimal, "PIPELINE [SCHEDULE]", true, true, "harris harris.schedule -o part.schedule", "find the fewest Funcs that have to be held for the search to end in a schedule, and write them as a partial schedule") \
	X(improve, "PIPELINE [SCHEDULE|hand]", true, true, "harris hand -o better.schedule", "better a schedule (default: the one by hand, else the best found) by changes of single Funcs, each of which lowers the predicted cost, and write it with the list of changes") \
	X(features, "PIPELINE [SCHEDULE]", true, true, "harris --json", "write the features that the learned cost model reads") \
	X(tune, "PIPELINE", true, false, "harris --minutes 2 -o harris.schedule", "measure many schedules, each chosen by what was measured so far, and write the fastest") \
	X(ablate, "[PIPELINE...]", true, true, "harris --seeds 3", "measure what each idea of the search contributes") \
	X(sweep, "PIPELINE...", true, true, "harris --gpus A100,V100 --image-sizes 768x1280,1536x2560", "search for several devices, sizes, bandwidths, beams and seeds, and compare the best schedules") \
	X(describe, "PIPELINE", true, false, "./generator -g blur -o blur.json", "write the description of a generator's pipeline") \
	X(script, "PIPELINE FILE", true, true, "harris lesson.bw", "run a file of the explorer's commands") \
	X(repl, "PIPELINE", true, false, "harris", "run the explorer's commands from standard input, without a screen") \
	X(serve, "PIPELINE", true, false, "harris", "run the explorer's commands for another program, by JSON-RPC on standard input and output (beamwalk-serve(5))") \
	X(results, "[PIPELINE]", true, false, "harris --best", "list or export the stored measurements") \
	X(published, "[PIPELINE]", true, false, "harris", "show what the papers measured of a pipeline on which GPU, beside what is predicted here; alone: list the papers") \
	X(train, "[PIPELINE]", true, false, "--device A100 -o a100.weights", "train the learned cost model on the stored measurements") \
	X(trust, "FILE...", false, true, "blur.json --weights baseline.weights", "compare the order in which cost models put schedules with the measured one") \
	X(regress, "[FILE|FOLDER...]", false, true, "src", "check that exported schedules still apply, compile without new spills, and cost no more than when they were written; exit status 1: one is worse, 10: one was not checked, since a tool or a device is missing") \
	X(pipelines, "[PIPELINE]", true, false, "harris", "list the bundled pipelines, or say what is interesting about one") \
	X(devices, "", false, false, "--json", "list the devices to search for, and the devices present") \
	X(tutorial, "", false, false, "", "open the explorer with a tour in three steps") \
	X(learn, "[LESSON]", false, true, "inline", "list the lessons, or take one in the explorer")

enum {
#define X(name, arguments, pipeline, more, example, text) BW_PROGRAM_INDEX_##name,
	BW_PROGRAM_TABLE(X)
#undef X
};

/* Sets of commands, as bits. The tables of options give each option the set of commands that take it. */
enum bw_program_commands {
#define X(name, arguments, pipeline, more, example, text) BW_OF_##name = 1 << BW_PROGRAM_INDEX_##name,
	BW_PROGRAM_TABLE(X)
#undef X
	    BW_OF_SCREEN = BW_OF_explore | BW_OF_tutorial | BW_OF_learn,
	BW_OF_EXPLORING = BW_OF_explore | BW_OF_script | BW_OF_repl | BW_OF_serve,
	BW_OF_TIMING = BW_OF_EXPLORING | BW_OF_time | BW_OF_counters | BW_OF_code | BW_OF_tune,
	BW_OF_HOLDING = BW_OF_EXPLORING | BW_OF_schedule | BW_OF_compile | BW_OF_export | BW_OF_report |
			BW_OF_features | BW_OF_improve,
	BW_OF_SEARCHING = BW_OF_HOLDING | BW_OF_code | BW_OF_minimal | BW_OF_ablate | BW_OF_sweep | BW_OF_tune,
	BW_OF_PREDICTING = BW_OF_SEARCHING | BW_OF_time | BW_OF_counters,
	BW_OF_GENERATING = BW_OF_PREDICTING | BW_OF_describe,
	BW_OF_LISTING = BW_OF_results | BW_OF_train | BW_OF_pipelines | BW_OF_devices,
	BW_OF_JSON = BW_OF_LISTING | BW_OF_published | BW_OF_trust | BW_OF_schedule | BW_OF_compile | BW_OF_time |
		     BW_OF_counters | BW_OF_code | BW_OF_export | BW_OF_features | BW_OF_improve | BW_OF_ablate |
		     BW_OF_sweep | BW_OF_tune | BW_OF_regress,
	BW_OF_WRITING = BW_OF_JSON | BW_OF_minimal | BW_OF_report | BW_OF_describe | BW_OF_script | BW_OF_repl,
	BW_OF_ALL = BW_OF_WRITING | BW_OF_SCREEN
};

/* Options with a text as value: field, name, placeholder of the value, set of commands that take the
 * option, meaning. */
#define BW_TEXT_OPTION_TABLE(X) \
	X(target, "target", "FEATURES", BW_OF_GENERATING, "features of the Halide target to add to the device's, as in avx2-f16c") \
	X(rfactor, "rfactor", "FUNC:N,...", BW_OF_GENERATING, "do the first update of FUNC that is associative in parts: its outermost RVar is split by N, and a Func of its own (FUNC_intm) holds the part of each; FUNC.updateK: update K; RVAR/N: another RVar; RVAR%N: every Nth iteration a part") \
	X(devices, "devices", "FILE", BW_OF_GENERATING | BW_OF_regress | BW_OF_published | BW_OF_train | BW_OF_devices, "device records that override the installed ones (beamwalk-devices(5))") \
	X(schedule, "schedule", "FILE", BW_OF_HOLDING | BW_OF_results, "hold every Func that this schedule mentions; results: HASH of the one to write") \
	X(scheduler, "scheduler", "NAME", BW_OF_HOLDING, "hold every Func as another scheduler places it, as in greedy or 'exact 5000'; the command `scheduler` lists them; schedule: all compares them") \
	X(link, "link", "FILE", BW_OF_TIMING | BW_OF_compile | BW_OF_regress, "C source, an object or a library to link with what is compiled: the functions that its extern stages call") \
	X(on, "on", "COMMAND", BW_OF_TIMING | BW_OF_regress | BW_OF_devices, "use the worker that COMMAND starts, as in --on 'ssh HOST beamwalk-bench'; tune: several times for several") \
	X(ncu, "ncu", "FILE", BW_OF_counters, "Nsight Compute's CSV (`ncu --csv`) of a run of the schedule, whose counters are set beside the emulated device's") \
	X(hosts, "hosts", "FILE", BW_OF_tune, "use the workers that the lines of this file start, commands as those of --on; # begins a comment") \
	X(slurm, "slurm", "OPTIONS", BW_OF_tune, "use an array of Slurm's jobs, submitted with these options of sbatch, as in --slurm '-p gpu -a 1-8'") \
	X(seconds, "seconds", "N", BW_OF_schedule | BW_OF_report | BW_OF_export | BW_OF_TIMING | BW_OF_regress | BW_OF_devices, "schedule, report, export: seconds to search for, from one seed after the other; else for the runs of a measurement (default 1; 0: one run) or the rates of a device (10)") \
	X(time_limit, "time-limit", "N", BW_OF_TIMING | BW_OF_regress | BW_OF_devices | BW_OF_ablate, "seconds until a run is killed (default 60), or a search of ablate abandoned (600)") \
	X(bound, "bound", "ABS,REL,COUNT", BW_OF_TIMING, "largest error of an output compared with the reference; kept for the generator") \
	X(ptxas, "ptxas", "PATH", BW_OF_EXPLORING | BW_OF_compile | BW_OF_code | BW_OF_regress, "the ptxas to assemble with (default: from PATH or the CUDA Toolkit)") \
	X(emit, "emit", "WHAT", BW_OF_compile, "write this instead: object, filter (object without runtime), reference, statement (as Halide lowers it), code (PTX, OpenCL C), cubin") \
	X(verify, "verify", "N", BW_OF_schedule, "count what the best N schedules do on the emulated device, and say where the counts contradict the cost model") \
	X(func, "func", "NAME", BW_OF_export | BW_OF_code, "write only this Func") \
	X(form, "form", "14|15", BW_OF_export, "Halide whose guard the comment shows (15: and later; default both)") \
	X(check, "check", "WHAT", BW_OF_export | BW_OF_time, "export: a source file, whose exports must fit the algorithm; time: race,bounds,init, on --gpu emulated") \
	X(strategy, "strategy", "NAME", BW_OF_tune, "what to measure next: bandit (default), changes of the fastest, states of the beam, draws; top, the beam; batch, draws") \
	X(changes, "changes", "N", BW_OF_improve, "stop after N changes (default: once none lowers the cost)") \
	X(free, "free", "FUNC,...|all", BW_OF_improve, "change these Funcs, too, though they have what no change can make again: loops nested by hand, an order of storage; staging: also the register staging that is off") \
	X(samples, "samples", "N", BW_OF_tune, "schedules to measure (default 100; with --minutes or --patience alone, as many as it takes)") \
	X(replay, "replay", "FILE", BW_OF_tune, "take the times of this file, as `results --csv` writes it, instead of measuring: to compare strategies") \
	X(report, "report", "FILE.html", BW_OF_tune, "write a page on the tuning and its fastest schedule, with pictures") \
	X(minutes, "minutes", "N", BW_OF_tune, "minutes to measure for") \
	X(patience, "patience", "N", BW_OF_tune | BW_OF_serve, "end once N schedules in a row were not faster; serve: once the client has read nothing for N seconds (default 300)") \
	X(seeds, "seeds", "N", BW_OF_ablate | BW_OF_sweep, "searches per combination, with seeds from --seed on (default 5; sweep: 1)") \
	X(gpus, "gpus", "NAME,...", BW_OF_sweep, "devices to sweep over (default: that of --gpu if it is given, else all GPUs)") \
	X(beams, "beams", "N,...", BW_OF_sweep, "beams to sweep over (default: that of --beam)") \
	X(bandwidths, "bandwidths", "F,...", BW_OF_sweep, "factors of the bandwidth of global memory to sweep over") \
	X(image_sizes, "image-sizes", "WxH,...", BW_OF_sweep, "sizes of the first input to sweep over; other inputs and outputs follow") \
	X(vary, "vary", "KEY=V,...", BW_OF_sweep, "values of a parameter of the generator to sweep over") \
	X(device, "device", "NAME", BW_OF_results | BW_OF_train, "only devices whose name contains this") \
	X(since, "since", "WHEN", BW_OF_results | BW_OF_train, "only since 2026-11-21, or since 7d or 12h ago") \
	X(verdict, "verdict", "NAME", BW_OF_results, "only right, wrong, failed, ...") \
	X(limit, "limit", "N", BW_OF_results, "only the newest N (default 20 in a table; 0: all)") \
	X(description, "description", "HASH", BW_OF_results, "write the pipeline description with this hash") \
	X(epochs, "epochs", "N", BW_OF_train, "number of epochs (default 300)") \
	X(rate, "rate", "R", BW_OF_train, "learning rate: the most that a step moves a weight (default 0.01)") \
	X(hold_out, "hold-out", "NAME|each", BW_OF_train, "leave out this pipeline, or each in turn, and report how well it is predicted") \
	X(at, "at", "start|end", BW_OF_explore | BW_OF_repl | BW_OF_script | BW_OF_learn, "position to open at (default end); learn: start begins the lesson again") \
	X(notes, "notes", "FILE", BW_OF_learn, "write the lecturer's notes of each step to this file or terminal") \
	X(pipelines, "pipelines", "PATH", BW_OF_regress, "the generator or description that the schedules are for, or the folder of those that they name") \
	X(color, "color", "auto|always|never", BW_OF_SCREEN, "whether the explorer uses colours")

/* Options of the search (search/settings.h) that can be given without --set: the name in C, the name,
 * placeholder of the value, set of commands that take the option. */
#define BW_SEARCH_OPTION_TABLE(X) \
	X(gpu, "gpu", "NAME", BW_OF_GENERATING | BW_OF_regress) \
	X(beam, "beam", "N", BW_OF_SEARCHING) \
	X(passes, "passes", "N", BW_OF_SEARCHING) \
	X(seed, "seed", "N", BW_OF_SEARCHING | BW_OF_train) \
	X(register_limit, "register-limit", "N", BW_OF_PREDICTING | BW_OF_regress) \
	X(cost_model, "cost-model", "NAME", BW_OF_PREDICTING | BW_OF_regress) \
	X(weights, "weights", "FILE", BW_OF_PREDICTING | BW_OF_regress | BW_OF_train | BW_OF_trust)

/* Options without a value: field, name, set of commands that take the option, meaning. */
#define BW_FLAG_OPTION_TABLE(X) \
	X(hand, "hand", BW_OF_describe, "write the schedule that the generator has by hand, in the text form, instead (status 11: the nearest to it)") \
	X(random, "random", BW_OF_HOLDING, "choose options at random instead of by cost") \
	X(resume, "resume", BW_OF_explore | BW_OF_repl | BW_OF_serve | BW_OF_train, "continue the last session of the pipeline, or an interrupted training") \
	X(trust, "trust", BW_OF_EXPLORING, "let loaded sessions run commands (set on=) and write files") \
	X(batch, "batch", BW_OF_learn, "give the answers of the lesson itself, and fail if one is no longer right") \
	X(lecture, "lecture", BW_OF_learn, "for an audience: the key that goes on gives the answers; one pane at a time") \
	X(ascii, "ascii", BW_OF_EXPLORING | BW_OF_tutorial | BW_OF_learn, "draw with ASCII characters only") \
	X(no_mouse, "no-mouse", BW_OF_SCREEN, "leave the mouse to the terminal") \
	X(rates, "rates", BW_OF_devices, "measure the rates of the CUDA devices") \
	X(best, "best", BW_OF_results, "only the fastest right schedule of each pipeline and device") \
	X(time, "time", BW_OF_regress, "run the schedules, too, and compare their times; --on does so") \
	X(record, "record", BW_OF_regress, "write what is true now into the files, to compare with from now on") \
	X(forget, "forget", BW_OF_results, "list the selected measurements, and forget them") \
	X(json, "json", BW_OF_JSON, "write JSON to standard output") \
	X(csv, "csv", BW_OF_results | BW_OF_ablate | BW_OF_sweep, "write CSV to standard output") \
	X(svg, "svg", BW_OF_sweep, "write a picture as SVG to standard output")

/* What an option of the command line does with its value. */
enum bw_option_kind {
	BW_OPTION_TEXT,      /* stores it in a field of struct bw_arguments */
	BW_OPTION_FLAG,      /* has none, and sets a field to true */
	BW_OPTION_SEARCH,    /* gives it to the option of the search that has the same name */
	BW_OPTION_SET,       /* gives it, NAME=VALUE, to any option of the search */
	BW_OPTION_PARAMETER, /* appends it to the parameters of the generator */
	BW_OPTION_ESTIMATE,  /* appends it to the estimates */
	BW_OPTION_ANSWER     /* has none, and prints something instead of running a command */
};

struct bw_option_info {
	const char *name; /* NULL: it has a letter alone */
	char letter;      /* 0: none */
	const char *value;   /* placeholder; NULL: it takes none */
	unsigned of;         /* commands that it is for */
	const char *meaning; /* NULL for SEARCH: search/settings.h has it */
	enum bw_option_kind kind;
	size_t field; /* of TEXT and FLAG: its offset in struct bw_arguments */
};

/* Returns all options of the command line and sets *n to their number. */
const struct bw_option_info *bw_option_infos(int *n);

/* An option of the search as given: --NAME VALUE, or --set VALUE if name is NULL. */
struct bw_setting_given {
	const char *name, *value;
};

/* The parsed command line. Strings are argv's. */
struct bw_arguments {
	const char *command;
	const char *pipeline;    /* NULL: none */
	const char *const *rest; /* arguments after the pipeline: schedules of `time`, the file of `script` */
	int n_rest;
	const char *generator, *output;           /* -g, --output */
	const char **generator_args, **estimates; /* -G, --estimate and --sizes; free() the arrays */
	int n_generator_args, n_estimates, generator_args_capacity, estimates_capacity;
	const char **workers; /* the values of all --on options; free() the array */
	int n_workers, workers_capacity;
	struct bw_setting_given *settings; /* options of the search, in command line order; free() the array */
	int n_settings, settings_capacity;
#define X(field, name, value, of, text) const char *field;
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, of, text) bool field;
	BW_FLAG_OPTION_TABLE(X)
#undef X
};

/* Parses the command line into *arguments. Returns -1 if there is a command to run, else the program's
 * exit status. The status is 0 for --help, --version and --set help, with the answer in *out. For wrong
 * usage the error is printed on standard error. */
int bw_arguments_parse(int argc, char **argv, struct bw_arguments *arguments, struct bw_text *out);
void bw_arguments_free(struct bw_arguments *arguments);
/* Reads a whole number from least to most, the value `text` of an option, into *value. Leaves *value
 * unchanged if text is NULL. Returns false with an error that names the option if it is not such a number. */
bool bw_arguments_number(const char *text, const char *option, long least, long most, long *value,
			 struct bw_error *error);
/* Does the same for a number that may have a fraction. The least value is 0 if `zero`; otherwise the
 * number must be above 0. */
bool bw_arguments_real(const char *text, const char *option, bool zero, double most, double *value,
		       struct bw_error *error);

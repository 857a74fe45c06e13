/* The options of a search. One table generates struct bw_settings, the defaults, and the code that reads,
 * prints, compares, completes and documents options. */
#pragma once

#include "cost/learned.h"
#include "cost/cost.h"
#include "nest/plan.h"

/* Kinds of site that a Func is offered: name in C, in words, meaning. Their order is the order of the bits
 * in a text such as 1111, from the left. Halide's anderson2021 describes its search_space_options in this
 * order, although its code reads the bits from the right. */
#define BW_SITES_TABLE(X) \
	X(ROOT, "root", "a kernel of its own; if left out, a second choice for Funcs that have no other site") \
	X(INLINE, "inline", "inlined into its consumers") \
	X(BLOCK, "block", "in the blocks of a consumer's kernel, with thread loops of its own") \
	X(THREAD, "thread", "in the threads of a consumer's kernel")

enum {
#define X(name, words, meaning) BW_SITES_INDEX_##name,
	BW_SITES_TABLE(X)
#undef X
	BW_N_SITES
};

enum bw_sites {
#define X(name, words, meaning) BW_SITES_##name = 1 << BW_SITES_INDEX_##name,
	BW_SITES_TABLE(X)
#undef X
	BW_SITES_ALL = (1 << BW_N_SITES) - 1
};

/* How buckets of similar options are sampled: see the option `sampling`. */
enum { BW_SAMPLING_OFF, BW_SAMPLING_ON, BW_SAMPLING_PAPER };

/* The rules by which the first pass freezes Funcs inline and at root for later passes (Anderson et al.
 * 2021, section 3.2): name in C, in words, meaning. */
#define BW_FREEZING_TABLE(X) \
	X(BW_FREEZING_OFF, "off", "nothing") \
	X(BW_FREEZING_PAPER, "paper", "after a pre-pass over inline and root: of N Funcs all but log2(N), those of the least cost") \
	X(BW_FREEZING_PROBED, "probed", "the Funcs that no other place was found to make cheaper: after the first of several passes; with one, after a pre-pass") \
	X(BW_FREEZING_AUTO, "auto", "probed where there are several passes, else off")

enum bw_freezing { BW_FREEZING_TABLE(BW_FIRST) BW_N_FREEZINGS };

/* Kinds of option: name in C, type of the field in struct bw_settings. */
#define BW_SETTING_KIND_TABLE(X) \
	X(DEVICE, const struct bw_device *) \
	X(MODEL, const struct bw_cost_model *) \
	X(WEIGHTS, const struct bw_cost_model *) /* the model of a weights file; NULL: none */ \
	X(WHOLE, int)     /* a whole number */ \
	X(LIMIT, int)     /* a whole number in the range, or 0: as the device's record says */ \
	X(FLAG, int)      /* 0 or 1 */ \
	X(SITES, int)     /* bits of enum bw_sites */ \
	X(VARIANTS, int)  /* bits of enum bw_plan_variant */ \
	X(FREEZING, int)  /* enum bw_freezing */ \
	X(SEED, uint64_t) \
	X(REAL, double) \
	X(BYTES, int64_t) \
	X(SCHEDULE, void) /* no field: a schedule file, whose Funcs are held by constraints */ \
	X(ABSENT, void)   /* no field: an option of Halide's that does not exist here; its meaning says why, and what to use */ \
	X(RETIRED, void)  /* no field: an option that there was; it has no effect, so that older files can be read */

enum bw_setting_kind {
#define X(name, type) BW_SETTING_##name,
	BW_SETTING_KIND_TABLE(X)
#undef X
	BW_N_SETTING_KINDS
};

#define X(name, type) typedef type bw_setting_##name;
BW_SETTING_KIND_TABLE(X)
#undef X

/* Options with a field: field, kind, name, name in Halide's anderson2021 if it differs, unit, default (of
 * `gpu`: the argument `device` of bw_settings_default), least value, most, whether another value can lead
 * to another schedule, meaning. */
#define BW_STORED_SETTING_TABLE(X) \
	X(device, DEVICE, "gpu", "", "", device, 0, 0, true, "device to search for; `beamwalk devices` lists them") \
	X(weights, WEIGHTS, "weights", "weights_path", "", NULL, 0, 0, true, "weights file of the learned cost model, which then predicts costs; empty: none; where weights predicted, the latency model then does") \
	X(model, MODEL, "cost_model", "", "", BW_DEFAULT_MODEL, 0, 0, true, "model that predicts costs: latency (the roofline with what it leaves out, as measured on an H200), roofline, sioutas (listing 1 of Sioutas et al. 2020), dp (Algorithm 2 of Jangda and Guha 2020), cs6120 (the weighted cost of its report), or learned, which needs weights") \
	X(beam, WHOLE, "beam", "beam_size", "states", 32, 1, 10000, true, "states kept at each decision; 1: a greedy search") \
	X(passes, WHOLE, "passes", "num_passes", "passes", 1, 0, 20, true, "passes over all decisions, from coarse to fine, each steering the next; 0: 5, or 1 if the beam is 1") \
	X(seed, SEED, "seed", "random_dropout_seed", "", 0, 0, 0, true, "seed of all random choices") \
	X(memory_limit, BYTES, "memory_limit", "", "bytes", 2147483648, 0, 1e12, false, "most memory for the states and decisions that a search remembers; one that needs more stops and says so; 0: no limit") \
	X(sampling, WHOLE, "sampling", "randomize_tilings", "", BW_SAMPLING_ON, BW_SAMPLING_OFF, BW_SAMPLING_PAPER, true, "1: cost log2(B), rounded down, random options of each bucket of B > 1, and more if there is a single state; 2: never more, as in the paper; 0: cost all options") \
	X(freezing, FREEZING, "freezing", "freeze_inline_compute_root", "", BW_FREEZING_AUTO, 0, 0, true, "Funcs that the first pass freezes inline and at root: off, paper (all but log2 of them), probed (those that no other site makes cheaper), auto (probed with several passes); 0 and 1: off and paper") \
	X(random, FLAG, "random", "", "", 0, 0, 1, true, "1: choose options at random instead of by cost, for tests and training data") \
	X(random_dropout, WHOLE, "random_dropout", "", "%", 100, 1, 100, true, "chance that a pass leaves no child out of a beam at random; 100: never leaves one out") \
	X(polish, FLAG, "polish", "", "", 1, 0, 1, true, "1: after the last pass, change the best schedules, one for each size of the output's blocks, in one Func at a time until no single change lowers the cost, and move costly Funcs to other sites, or tile them otherwise at root, where the Funcs next to them can then change so that it falls further; 0: leave the best as it was found, as in the paper") \
	X(search_space, SITES, "search_space", "search_space_options", "", BW_SITES_ALL, 0, 0, true, "sites for Funcs: all, or some of root,inline,block,thread, or four bits in this order, such as 1100") \
	X(variants, VARIANTS, "moves", "", "", BW_PLAN_VARIANTS_ALL, 0, 0, true, "variants of a Func's loops that are tried besides: all, none, some of unrolled,serial,outside,window,parity,vectors,pieces,atomic,blocks, or all but -NAME,...") \
	X(staging, FLAG, "staging", "", "", 1, 0, 1, true, "1: stage values that a thread loads several times in registers, where legal; 0: do not") \
	X(disable_subtiling, FLAG, "disable_subtiling", "", "", 0, 0, 1, true, "1: compute no Func inside of one that is itself computed in another's kernel") \
	X(parallelism, LIMIT, "parallelism", "", "SMs", 0, 1, 100000, true, "SMs to keep busy; 0: as in the device's record") \
	X(shared_block_kb, LIMIT, "shared_memory_limit_kb", "", "KiB", 0, 1, 4096, true, "shared memory per block; 0: as in the device's record") \
	X(shared_sm_kb, LIMIT, "shared_memory_sm_limit_kb", "", "KiB", 0, 1, 4096, true, "shared memory per SM; 0: as in the device's record") \
	X(active_blocks, LIMIT, "active_block_limit", "", "blocks", 0, 1, 4096, true, "resident blocks per SM; 0: as in the device's record") \
	X(active_warps, LIMIT, "active_warp_limit", "", "warps", 0, 1, 4096, true, "resident warps per SM; 0: as in the device's record") \
	X(recompute_limit, REAL, "recompute_limit", "", "x", 10, 1, 1e9, true, "most points computed per point needed; an option with more is pruned, unless the Func is cheap, or pointwise with one reader") \
	X(unrolled_limit, WHOLE, "unrolled_limit", "", "iterations", 16, 1, 1024, true, "most iterations of a tile's serial loops, which are unrolled; an option with more is pruned") \
	X(inlined_calls_limit, WHOLE, "inlined_calls_limit", "", "calls", 256, 0, 1000000, true, "most calls of an inlined Func per point") \
	X(idle_sms_limit, REAL, "idle_sms_limit", "", "x", 2, 0, 1000, true, "an option with fewer blocks than this many times the SMs is a second choice") \
	X(idle_lanes_limit, REAL, "idle_lanes_limit", "", "0..1", 0.5, 0, 1, true, "an option with a larger share of idle lanes is a second choice") \
	X(register_limit, LIMIT, "register_limit", "", "registers", 0, 16, 255, true, "registers per thread to compile for; 0: as in the device's record") \
	X(register_bytes_limit, BYTES, "register_bytes_limit", "", "bytes", 0, 0, 1e9, true, "most bytes of allocations per thread; 0: what fits into register_limit") \
	X(stack_factor, REAL, "stack_factor", "", "0..1", 0.95, 0, 1, true, "most of a thread's stack (103232 bytes) that its allocations may use; register_bytes_limit is usually tighter")

/* Options without a field: kind, name, Halide's name, meaning. */
#define BW_OTHER_SETTING_TABLE(X) \
	X(SCHEDULE, "partial_schedule", "partial_schedule_path", "schedule file (beamwalk-schedule(5)); every Func that it mentions is held") \
	X(ABSENT, "disable_memoized_features", "", "what kernels cost is always kept for the states that share them; it changes no cost") \
	X(ABSENT, "disable_memoized_blocks", "", "placements are never kept for other states; it would change no cost") \
	X(RETIRED, "memo_bytes", "", "has no effect: the table of what kernels cost has one size") \
	X(RETIRED, "threads", "", "has no effect: a search runs in one thread")

/* The default device. */
#define BW_DEFAULT_DEVICE "A100"

struct bw_settings {
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) bw_setting_##kind field;
	BW_STORED_SETTING_TABLE(X)
#undef X
	/* reader of weights files; NULL: none can be read. Must outlive the options. */
	struct bw_models *models;
};
struct bw_settings bw_settings_default(const struct bw_device *device);

/* An option as in the table. Texts are static; "" if there is none. */
struct bw_setting_info {
	enum bw_setting_kind kind;
	const char *name, *alias, *unit, *meaning;
	double least, most;
	bool alters;   /* another value can lead to another schedule */
	size_t offset; /* offset of its field; unused for kinds without a field */
};
const struct bw_setting_info *bw_setting_infos(int *n);
/* Returns true if an option has a field, and so a value to print. */
bool bw_setting_stored(const struct bw_setting_info *option);
/* Returns true if the value of an option is a number. */
bool bw_setting_numeric(const struct bw_setting_info *option);
/* Finds an option by name or alias. Treats - and _ as equal. Returns NULL with an error that suggests the
 * nearest name. */
const struct bw_setting_info *bw_setting_find(const char *name, size_t length, struct bw_error *error);

/* An assignment as the user gave it: `beam_size=8`. */
struct bw_assignment {
	const struct bw_setting_info *option;
	const char *value; /* points into the text that was read */
};
/* Reads NAME=VALUE. Returns false with an error that lists the possible names or values. */
bool bw_assignment_read(const char *text, struct bw_assignment *assignment, struct bw_error *error);
/* Sets the field of an option from a text. The option must not be a SCHEDULE. devices: the devices that
 * option `gpu` can name. On failure returns false and changes nothing; the error names the option, the
 * values that it takes and the value given. */
bool bw_settings_assign(const struct bw_assignment *assignment, const struct bw_device *devices,
			      int n_devices, struct bw_settings *options, struct bw_error *error);
/* Appends the value of an option; reading this text gives exactly the same value. Appends nothing for an
 * option without a field. */
void bw_setting_print(const struct bw_setting_info *option, const struct bw_settings *options,
		     struct bw_text *out);
/* Appends all options as a table with headings: name, value, unit, default and meaning. The last column is
 * wrapped; Halide's name follows the meaning. */
void bw_settings_print(const struct bw_settings *options, struct bw_text *out);

/* Appends kinds of site: `root,block`, or `all`. */
void bw_sites_print(int sites, struct bw_text *out);
const char *bw_freezing_name(enum bw_freezing freezing);
/* Returns the number of passes, at least 1. If the option is 0, this is the number that Halide's
 * anderson2021 uses. */
int bw_settings_passes(const struct bw_settings *options);
/* Returns the freezing rule, with AUTO resolved. A random search freezes nothing. */
enum bw_freezing bw_settings_freezing(const struct bw_settings *options);
/* Returns the device with the limits that the options set, for the rules and costs. The limits of a block
 * on shared memory and threads are at most those of an SM. */
struct bw_device bw_settings_device(const struct bw_settings *options);
/* Appends the options that can lead to another schedule and differ from the default, separated by blanks:
 * `beam=8 seed=5`. The device and the model are not included. */
void bw_settings_print_changed(const struct bw_settings *options, struct bw_text *out);
/* Appends the name of the device, followed by the limits that options set: `A100 parallelism=40`. */
void bw_settings_device_name(const struct bw_settings *options, struct bw_text *out);
bool bw_settings_equal(const struct bw_settings *a, const struct bw_settings *b);
/* Returns true if two sets of options are equal in all options that can lead to another schedule. */
bool bw_settings_same_outcome(const struct bw_settings *a, const struct bw_settings *b);
/* Returns the pass at whose end Funcs are frozen: 0 (the pre-pass) or 1. Returns -1 if no Funcs are
 * frozen. */
int bw_freezing_pass(const struct bw_settings *options);
/* Returns the number of states kept at a decision of the pre-pass. */
int bw_freezing_beam(const struct bw_settings *options);
/* Returns the registers per thread that kernels are compiled for. */
int bw_settings_registers(const struct bw_settings *options);

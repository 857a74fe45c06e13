/* What comes home from a GPU: a pack, the results of a campaign with it, and what is made of both
 * (tests/gpu/README says what the files hold). */
#pragma once
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/answer.h"
#include "results/result.h"
#include "schedule/schedule.h"
#include "results/results.h"

enum { PACK_VERSION = 1 };

/* Cost models whose predictions a pack has: name in C, key in the manifest, unit of a prediction, kind of the
 * schedules that a search by it finds. */
#define MODEL_TABLE(X) X(ROOFLINE, "roofline", "ms") X(LEARNED, "learned", "cost") X(LATENCY, "latency", "ms")
enum model {
#define X(name, key, unit) name,
	MODEL_TABLE(X)
#undef X
	N_MODELS
};
struct model_text {
	const char *key, *unit;
};
extern const struct model_text models[N_MODELS];

/* What is said of one kernel before it runs; numbers that are not known are -1 or NAN. */
struct kernel_plan {
	const char *entry;
	int registers, local_bytes;  /* per thread, by ptxas */
	int blocks_per_sm;           /* resident, by the calculator from ptxas's registers */
	double occupancy, predicted; /* 0..1: from ptxas's registers; without */
};

struct prediction {
	double value;       /* NAN: none */
	const char *device; /* the record that it is for */
	int n_kernels;
	struct kernel_plan *kernels;
};

/* A pipeline at one size. */
struct variant {
	const char *name, *pipeline, *arguments, *size;
	bool small;
	const char *hash;        /* sha256 of its description */
	const char *description; /* NULL: see trouble */
	struct bw_pipeline *read;
	const char *trouble; /* why nothing that was measured of it can be used; NULL: none */
};

/* What came of one schedule under one tool. */
struct outcome {
	struct label *label;
	const char *tool, *at;
	char uid[BW_UID_SIZE];
	int place; /* among all outcomes, in the order of the file */
	const struct session *session;
	struct bw_measurement *measurement; /* NULL: there is none, error says why */
	struct bw_error error;
	bool lost; /* the worker ended or was killed */
};

/* A schedule of a variant. */
struct label {
	struct variant *variant;
	const char *name, *kind, *seed; /* seed: of a random one; NULL else */
	const char *hash, *object;      /* sha256 of schedule and object; NULL: none */
	struct bw_schedule *schedule;   /* NULL: in C++ alone */
	uint64_t identity;              /* of the schedule, as results have it */
	const char *text;               /* of the schedule file */
	struct prediction by[N_MODELS];
	const char *trouble;
	const struct outcome *timed; /* the one that counts; NULL: it was not timed */
};

struct file_sum {
	const char *path, *sum;
};

/* A line of the plan. */
struct planned {
	long long id;
	const char *tool, *variant;
};

struct pack {
	struct bw_arena *arena;
	const char *folder;
	const char *version, *packed_utc, *gpu, *api, *halide, *weights, *seed,
		*sum; /* of the manifest; sum: its sha256 */
	int register_limit;
	int n_variants, n_labels, n_sums, n_planned, variants_room, labels_room, sums_room, planned_room;
	struct planned *planned;
	struct variant **variants;
	struct label **labels;
	struct file_sum *sums;
	struct bw_text notes; /* what is odd, a line each */
};

/* One start of the campaign. */
struct session {
	const char *at, *host;
	bool has_device;
	struct bw_present device; /* the one that was used */
};

/* A line that is passed on to the report as it is. */
struct remark {
	const char *at, *tool, *text; /* tool: of a sanitizer; NULL else */
	struct label *label;          /* NULL: none */
	int status;
	const json_t *csv; /* lines of counters */
};

struct campaign {
	struct bw_arena *arena;
	const char *path;
	int n_sessions, n_outcomes, n_sanitized, n_counted, n_clocks, n_notices, n_twice;
	int sessions_room, outcomes_room, sanitized_room, counted_room, clocks_room, notices_room;
	struct session **sessions;
	struct outcome **outcomes;
	struct remark *sanitized, *counted, *clocks, *notices;
	const char *why, *end;       /* of the last end; NULL: it was killed */
	json_t *rates;               /* the worker's answer; NULL: none */
	json_t *kept;                /* what remarks point into */
	const char *device, *driver; /* of the last result; "" if there is none */
	bool cpu;
	double clock; /* Hz of the last result that knows it; 0: none */
};

/* What unpacking is asked for. */
struct wanted {
	const char *folder, *results, *sums;
	const char *database; /* NULL: nothing is stored */
	const char *table;    /* folder */
	const char *source;   /* the source tree */
	bool any_pack;        /* results of another manifest are used */
	bool table_of_cpu;    /* the folder was named: also times of a CPU are written */
};

/* Appends a line to the pack's notes. */
void pack_note(struct pack *pack, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the pack; sums is the file of the sha256sum of all its files. What does not agree with its hashes is
 * noted, and has trouble. False with an error where nothing can be used. */
bool pack_read(struct pack *pack, const char *folder, const char *sums, struct bw_error *error);
void pack_free(struct pack *pack);
struct variant *pack_variant(const struct pack *pack, const char *name);
struct label *pack_label(const struct pack *pack, const char *variant, const char *name);
/* The sum of a file in the folder; NULL: it is not there. */
const char *pack_sum(const struct pack *pack, const char *path);
const struct kernel_plan *label_kernel(const struct label *label, const char *entry);
/* Copies a string of a JSON object into the arena; NULL without an error where it is missing, null, or no
 * string. */
const char *json_text(struct bw_arena *arena, const json_t *object, const char *key);

/* Reads the results, and those of further devices beside them (NAME.jsonl: NAME-0.jsonl to NAME-63.jsonl).
 * Lines that are none, cut, or of what the pack does not have are passed over and noted. */
bool campaign_read(struct campaign *campaign, struct pack *pack, const struct wanted *wanted,
                   struct bw_error *error);
/* The same of text that ends with a zero byte after its length; it is written into. */
void campaign_parse(struct campaign *campaign, struct pack *pack, const struct wanted *wanted, char *text,
                    size_t length);
void campaign_free(struct campaign *campaign);
/* Whether times of the outcome count: it ran alone, under no other tool. */
bool outcome_is_timed(const struct outcome *outcome);
const char *outcome_verdict(const struct outcome *outcome);
/* Whether the device is the one that predictions are for. */
bool campaign_is_predicted(const struct campaign *campaign, const struct pack *pack);

/* Stores what was measured; *stored counts what was not there yet. */
bool store_outcomes(const struct pack *pack, const struct campaign *campaign, const char *database,
                    long *stored, struct bw_error *error);
/* Writes DEVICE.tsv with the schedules beside it, and DEVICE.device.json if rates were measured; *path: the
 * table. */
bool write_tables(struct pack *pack, const struct campaign *campaign, const struct wanted *wanted,
                  struct bw_text *path, struct bw_error *error);
bool write_device(const struct pack *pack, const struct campaign *campaign, const char *stem,
                  struct bw_error *error);

/* The report, Markdown. source: the source tree. stored: measurements that are new in the database; -1: none
 * was asked for. */
void report_put(struct pack *pack, const struct campaign *campaign, const char *source, long stored,
                const char *table, struct bw_text *out);
/* Claims that the figures contradict, as items of a list with their figures; returns how many. */
int claims_put(const struct pack *pack, const struct campaign *campaign, struct bw_text *out);
/* Pairs of the timed schedules of a variant, *labels theirs; both in the arena. */
struct bw_pair *variant_pairs(const struct pack *pack, const struct variant *variant, enum model model,
                              struct label ***labels, int *n);
/* The timed label of a kind (the first), NULL if there is none with a right output; its time in ms. */
const struct label *variant_kind(const struct pack *pack, const struct variant *variant, const char *kind);
double label_ms(const struct label *label);
/* Sections of the report. */
void put_verdicts(const struct pack *pack, const struct campaign *campaign, struct bw_text *out);
void put_agreement(const struct pack *pack, const struct campaign *campaign, struct bw_text *out);
void put_kernels(const struct pack *pack, struct bw_text *out);
void put_remarks(const struct pack *pack, const struct campaign *campaign, const char *source,
                 struct bw_text *out);

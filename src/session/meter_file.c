/* A meter that reads earlier measurements from a file instead of using a device. */
#include <math.h>

#include "base/arith.h"
#include "base/file.h"
#include "session/tuning.h"

enum { MOST_BYTES = 256 << 20, MOST_COLUMNS = 100 };

/* The columns that are read. */
enum column { SCHEDULE, MILLISECONDS, ESTIMATE, ALGORITHM, TARGET, VERDICT, N_COLUMNS };
static const char *const names[N_COLUMNS] = {"schedule", "minimum_ms", "estimated_ms",
					     "algorithm", "target", "verdict"};

struct known {
	uint64_t hash;
	double ms; /* INFINITY: the run failed, or its output was wrong */
};

struct replay {
	struct bw_meter meter;
	char *path;
	struct known *list; /* sorted by hash */
	int n, capacity;
	struct bw_meter_outcome *pending;
	int n_pending, pending_capacity;
};

/* A line of CSV: its fields as texts. */
struct row {
	const char *path;
	int line;
	int n;
	struct bw_text fields[MOST_COLUMNS];
};

/* Reads one field up to its comma or the end of the line, and advances *at. Quotes are as in RFC 4180. */
static void read_field(const char **at, struct row *row, struct bw_text *field)
{
	const char *c = *at;
	bool quoted = *c == '"';
	for (c += quoted; *c; c++) {
		if (quoted && *c == '"' && c[1] != '"')
			quoted = false;
		else if (!quoted && (*c == ',' || *c == '\n'))
			break;
		else if (*c != '\r' || quoted) {
			c += quoted && *c == '"';
			row->line += *c == '\n';
			bw_text_append(field, c, 1);
		}
	}
	*at = c;
}

/* Reads the next line. Returns false at the end, or with an error. */
static bool read_row(const char **at, struct row *row, struct bw_error *error)
{
	row->n = 0;
	if (!**at)
		return false;
	row->line++;
	for (;; ++*at) {
		if (row->n == MOST_COLUMNS)
			return bw_fail(error, BW_ERROR_INPUT, "%s:%d: more than %d columns", row->path,
				       row->line, MOST_COLUMNS);
		bw_text_clear(&row->fields[row->n]);
		read_field(at, row, &row->fields[row->n++]);
		if (**at != ',')
			break;
	}
	*at += **at == '\n';
	return true;
}

/* Finds the columns by their names in the first line; -1: the file does not have the column. */
static bool find_columns(const struct row *row, int columns[N_COLUMNS], struct bw_error *error)
{
	for (int k = 0; k < N_COLUMNS; k++) {
		columns[k] = -1;
		for (int i = 0; i < row->n; i++)
			if (!strcmp(bw_text_get(&row->fields[i]), names[k]))
				columns[k] = i;
	}
	return (columns[SCHEDULE] >= 0 && columns[MILLISECONDS] >= 0) ||
	       bw_fail(
		   error, BW_ERROR_INPUT,
		   "%s:1: expected the columns schedule and minimum_ms, as `beamwalk results --csv` writes them",
		   row->path);
}

/* Returns the field of a column; "" if the file does not have the column. */
static const char *field_of(const struct row *row, const int columns[N_COLUMNS], enum column column)
{
	return columns[column] >= 0 && columns[column] < row->n ? bw_text_get(&row->fields[columns[column]])
								: "";
}

/* Returns true if a line belongs to another pipeline or device. */
static bool is_foreign(const struct bw_session *session, const struct row *row, const int columns[N_COLUMNS])
{
	char algorithm[17];
	const char *of = field_of(row, columns, ALGORITHM), *target = field_of(row, columns, TARGET);
	snprintf(algorithm, sizeof algorithm, "%016llx", (unsigned long long)session->pipeline->algorithm);
	return (*of && strcmp(of, algorithm) != 0) ||
	       (*target && strcmp(target, session->options.device->name) != 0);
}

static bool add_row(struct replay *replay, const struct row *row, const int columns[N_COLUMNS],
		    struct bw_error *error)
{
	/* If there is an estimate, use it: the time measured on the emulated device is that of the emulator's
	 * CPU. */
	const char *estimate = field_of(row, columns, ESTIMATE);
	const char *hash = field_of(row, columns, SCHEDULE);
	const char *ms = *estimate ? estimate : field_of(row, columns, MILLISECONDS);
	const char *verdict = field_of(row, columns, VERDICT);
	char *hash_end, *ms_end;
	struct known known = {strtoull(hash, &hash_end, 16), strtod(ms, &ms_end)};
	if (hash_end != hash + 16 || *hash_end)
		return !strcmp(hash, BW_RESULT_HAND) || !*hash ||
		       bw_fail(error, BW_ERROR_INPUT,
			       "%s:%d: expected the hash of a schedule, 16 digits, not \"%.40s\"", row->path,
			       row->line, hash);
	if (*ms_end || (*ms && !(known.ms > 0)))
		return bw_fail(error, BW_ERROR_INPUT, "%s:%d: expected a time in ms, not \"%.40s\"",
			       row->path, row->line, ms);
	if (!*ms || !strcmp(verdict, bw_verdict_name(BW_OUTPUT_WRONG)) ||
	    !strcmp(verdict, bw_verdict_name(BW_UNSTABLE)) || !strcmp(verdict, BW_RESULT_FAILED))
		known.ms = INFINITY;
	BW_PUSH(replay->list, replay->n, replay->capacity, known);
	return true;
}

/* Orders by hash, then by time. */
BW_ORDER(by_hash, struct known, 2 * BW_COMPARE(a->hash, b->hash) + BW_COMPARE(a->ms, b->ms))

static bool read_rows(const struct bw_session *session, struct replay *replay, const char *text,
		      struct row *row, struct bw_error *error)
{
	int columns[N_COLUMNS];
	struct bw_error wrong = {0};
	if (!read_row(&text, row, &wrong))
		return bw_fail(error, BW_ERROR_INPUT, "%s: it is empty", row->path);
	bool good = find_columns(row, columns, error);
	while (good && read_row(&text, row, &wrong))
		good = (row->n == 1 && !row->fields[0].length) || is_foreign(session, row, columns) ||
		       add_row(replay, row, columns, error);
	if (good && wrong.kind)
		*error = wrong;
	return good && !wrong.kind;
}

static bool ask(void *data, const struct bw_meter_asked *asked, struct bw_error *error)
{
	struct replay *replay = data;
	struct bw_meter_outcome outcome = {.number = asked->number, .absent = true};
	int low = 0, high = replay->n;
	uint64_t hash = asked->hash;
	(void)error;
	if (!hash)
		hash = bw_nest_schedule_hash(asked->nest);
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (replay->list[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	if (asked->nest && low < replay->n && replay->list[low].hash == hash) {
		outcome.absent = false;
		outcome.ms = replay->list[low].ms;
	} else if (asked->again) {
		outcome.absent = false;
		outcome.ms = INFINITY;
	}
	if (isinf(outcome.ms))
		bw_fail(&outcome.error, BW_ERROR_WRONG, "%s: %s", replay->meter.file,
			asked->nest ? "it failed or was wrong" : "its time is not among these");
	BW_PUSH(replay->pending, replay->n_pending, replay->pending_capacity, outcome);
	return true;
}

static bool take(void *data, struct bw_meter_outcome *outcome)
{
	struct replay *replay = data;
	if (!replay->n_pending)
		return false;
	*outcome = replay->pending[0];
	BW_REMOVE(replay->pending, replay->n_pending, 0);
	return true;
}

static void tell(const void *data, struct bw_text *out)
{
	const struct replay *replay = data;
	bw_text_printf(out, "replaying %s", replay->meter.file);
}

static void stop(void *data)
{
	((struct replay *)data)->n_pending = 0;
}

struct bw_meter *bw_meter_of_file(const struct bw_session *session, const char *path, struct bw_error *error)
{
	struct replay *replay = BW_NEW(struct replay);
	BW_SCOPED_MEMORY struct row *row = BW_NEW(struct row);
	BW_SCOPED_TEXT text = {0};
	*row = (struct row){.path = path};
	*replay = (struct replay){.path = bw_strdup(path)};
	replay->meter = (struct bw_meter){replay, session->options.device->name, false, replay->path, 0,   ask,
					  take,   NULL,                          tell,  stop,         NULL};
	bool good = bw_file_read(path, MOST_BYTES, &text, error) && bw_text_lines(path, &text, error) &&
		    read_rows(session, replay, bw_text_get(&text), row, error);
	if (good && !replay->n)
		good = bw_fail(error, BW_ERROR_INPUT, "%s: no measurement is of %s for %s", path,
			       session->pipeline->name, session->options.device->name);
	if (replay->n)
		qsort(replay->list, (size_t)replay->n, sizeof *replay->list, by_hash);
	for (int i = 0; i < MOST_COLUMNS; i++)
		bw_text_free(&row->fields[i]);
	if (good)
		return &replay->meter;
	bw_meter_of_file_free(&replay->meter);
	return NULL;
}

void bw_meter_of_file_free(struct bw_meter *meter)
{
	struct replay *replay = meter ? meter->data : NULL;
	if (replay) {
		free(replay->path);
		free(replay->list);
		free(replay->pending);
	}
	free(replay);
}

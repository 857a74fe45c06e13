/* Reads Nsight Compute's CSV. The table begins with the line whose first field is "ID". Other lines, of ncu
 * and of the program that ran, come before and after it. The page `details` has a line per metric of a
 * launch. The page `raw` has a line per launch and a column per metric; below its header, a line without an
 * ID has the units. Numbers have commas between thousands. Values that could not be measured are `n/a`. */
#include "results/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 8192, MOST_KERNELS = 1000, MOST_METRICS = 8192 };

/* The fields of a line, of the table or outside it. */
struct record {
	int n;
	char **fields; /* MOST_FIELDS */
};

/* Reads a record; its fields are in the arena. A quote quotes only at the begin of a field. Returns the text
 * after the record. */
static const char *read_record(const char *at, struct bw_arena *arena, struct record *record)
{
	for (record->n = 0;; at++) {
		bool quoted = *at == '"';
		const char *end = at + quoted;
		while (*end && (quoted ? *end != '"' || end[1] == '"' : !strchr(",\r\n", *end)))
			end += quoted && *end == '"' ? 2 : 1;
		char *field = BW_ARENA_ARRAY(arena, char, end - at + 1), *to = field;
		for (const char *from = at + quoted; from < end; from++) {
			*to++ = *from;
			from += quoted && *from == '"';
		}
		*to = 0;
		if (record->n < MOST_FIELDS)
			record->fields[record->n++] = field;
		at = end + (quoted && *end);
		at += strcspn(at, ",\n");
		if (*at != ',')
			return at + (*at == '\n');
	}
}

static int find_field(const struct record *record, const char *name)
{
	for (int k = 0; k < record->n; k++)
		if (!strcmp(record->fields[k], name))
			return k;
	return -1;
}

/* Returns the unit without its prefix, and multiplies the value by the prefix's factor. */
static const char *plain_unit(const char *unit, double *value)
{
	static const struct {
		char letter;
		double factor;
	} prefixes[] = {{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9},
			{'T', 1e12}, {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};
	static const char *const units[] = {"byte", "second", "s", "inst", "sector", "request", "cycle", "hz", "Hz", "warp"};
	for (size_t k = 0; *unit && k < sizeof units / sizeof *units; k++) {
		const char *plain = strcmp(units[k], "s") ? units[k] : "second";
		if (!strcmp(unit, units[k]))
			return plain;
		for (size_t p = 0; !strcmp(unit + 1, units[k]) && p < sizeof prefixes / sizeof *prefixes; p++)
			if (*unit == prefixes[p].letter) {
				*value *= prefixes[p].factor;
				return plain;
			}
	}
	return unit;
}

/* Reads a number with commas between thousands. Returns false if the text is not a number. */
static bool read_value(const char *text, double *value)
{
	char plain[64], *end;
	size_t n = 0;
	for (; *text && n + 1 < sizeof plain; text++)
		if (*text != ',')
			plain[n++] = *text;
	plain[n] = 0;
	*value = strtod(plain, &end);
	return !*text && n && !*end && isfinite(*value) && !strpbrk(plain, "xXpP");
}

static struct bw_ncu_kernel *add_kernel(struct bw_ncu *ncu, const char *name)
{
	size_t length = strcspn(name, "(");
	while (length && name[length - 1] == ' ')
		length--;
	for (int k = 0; k < ncu->n; k++)
		if (strlen(ncu->kernels[k].name) == length && !strncmp(ncu->kernels[k].name, name, length))
			return &ncu->kernels[k];
	if (!length || ncu->n == MOST_KERNELS)
		return NULL;
	char *copy = BW_ARENA_ARRAY(ncu->arena, char, length + 1);
	memcpy(copy, name, length);
	copy[length] = 0;
	BW_GROW(ncu->kernels, ncu->n, ncu->room);
	ncu->kernels[ncu->n] = (struct bw_ncu_kernel){.name = copy};
	return &ncu->kernels[ncu->n++];
}

static void add_metric(struct bw_ncu_kernel *kernel, const char *name, const char *unit, const char *text)
{
	double value;
	if (!*name || !read_value(text, &value))
		return;
	unit = plain_unit(unit, &value);
	struct bw_ncu_metric *metric = (struct bw_ncu_metric *)bw_ncu_metric(kernel, name);
	if (!metric && kernel->n < MOST_METRICS) {
		BW_GROW(kernel->metrics, kernel->n, kernel->room);
		metric = &kernel->metrics[kernel->n++];
		*metric = (struct bw_ncu_metric){.name = name, .unit = unit};
	}
	if (!metric || strcmp(metric->unit, unit))
		return;
	metric->sum += value;
	metric->n++;
}

/* Adds the metrics in a line of the table. units: the units' line of the page raw, or NULL. */
static void read_line(struct bw_ncu *ncu, const struct record *header, const struct record *line,
		      const struct record *units)
{
	int kernel = find_field(header, "Kernel Name"), metric = find_field(header, "Metric Name"),
	    unit = find_field(header, "Metric Unit"), value = find_field(header, "Metric Value");
	bool is_raw = metric < 0;
	struct bw_ncu_kernel *of = line->n > kernel ? add_kernel(ncu, line->fields[kernel]) : NULL;
	if (of && !is_raw && line->n > metric && line->n > unit && line->n > value)
		add_metric(of, line->fields[metric], line->fields[unit], line->fields[value]);
	for (int k = 0; of && is_raw && k < line->n && k < header->n; k++)
		if (strstr(header->fields[k], "__"))
			add_metric(of, header->fields[k], k < units->n ? units->fields[k] : "", line->fields[k]);
}

/* Returns the text from the header on, or NULL. */
static const char *find_header(const char *text)
{
	static const char first[] = "\"ID\",";
	for (const char *at = strstr(text, first); at; at = strstr(at + 1, first))
		if (at == text || at[-1] == '\n')
			return at;
	return NULL;
}

bool bw_ncu_read(const char *name, const char *text, struct bw_ncu *ncu, struct bw_error *error)
{
	*ncu = (struct bw_ncu){.arena = bw_arena_new()};
	const char *at = find_header(text);
	struct record header, line, units = {0};
	header.fields = BW_ARENA_ARRAY(ncu->arena, char *, MOST_FIELDS);
	line.fields = BW_ARENA_ARRAY(ncu->arena, char *, MOST_FIELDS);
	units.fields = BW_ARENA_ARRAY(ncu->arena, char *, MOST_FIELDS);
	if (!at)
		return bw_fail(error, BW_ERROR_INPUT, "%s: no table of Nsight Compute: expected a line that begins with \"ID\", as `ncu --csv` writes it", name);
	at = read_record(at, ncu->arena, &header);
	bool is_raw = find_field(&header, "Metric Name") < 0;
	if (find_field(&header, "Kernel Name") < 0 || (!is_raw && (find_field(&header, "Metric Unit") < 0 || find_field(&header, "Metric Value") < 0)))
		return bw_fail(error, BW_ERROR_INPUT, "%s: no columns \"Kernel Name\", \"Metric Unit\" and \"Metric Value\" in its table", name);
	while (*at) {
		bool inside = *at == '"';
		at = read_record(at, ncu->arena, &line);
		if (inside && is_raw && !*line.fields[0] && !units.n) {
			units.n = line.n;
			memcpy(units.fields, line.fields, (size_t)line.n * sizeof *line.fields);
		} else if (inside) {
			read_line(ncu, &header, &line, &units);
		}
	}
	for (int k = 0; k < ncu->n; k++)
		if (ncu->kernels[k].n)
			return true;
	return bw_fail(error, BW_ERROR_INPUT, "%s: no metric of any kernel in its table; of Nsight Compute's pages, details and raw have them", name);
}

void bw_ncu_free(struct bw_ncu *ncu)
{
	for (int k = 0; k < ncu->n; k++)
		free(ncu->kernels[k].metrics);
	free(ncu->kernels);
	bw_arena_free(ncu->arena);
}

const struct bw_ncu_kernel *bw_ncu_kernel(const struct bw_ncu *ncu, const char *name, size_t most)
{
	for (int k = 0; k < ncu->n; k++)
		if (!strncmp(ncu->kernels[k].name, name, most))
			return &ncu->kernels[k];
	return NULL;
}

const struct bw_ncu_metric *bw_ncu_metric(const struct bw_ncu_kernel *kernel, const char *name)
{
	for (int k = 0; k < kernel->n; k++)
		if (!strcmp(kernel->metrics[k].name, name))
			return &kernel->metrics[k];
	return NULL;
}

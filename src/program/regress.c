/* Checks the exported schedules of a source tree: do they still apply to their pipelines, compile without new
 * spills, cost no more, and run as fast as when they were written? */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "program/regress.h"

struct regress {
	struct bw_program *program;
	bool alone; /* the file was named by itself, not found in a folder */
	int n, n_worse, n_unreadable, n_unchecked;
	enum bw_error_kind unreadable; /* of the first that cannot be read or opened */
	bool written;          /* all output so far */
	struct bw_text out;
};

static void count(struct regress *regress, enum regress_outcome outcome, enum bw_error_kind kind)
{
	if (outcome == REGRESS_OK)
		return;
	if (regress_worse(outcome)) {
		regress->n_worse++;
	} else if (outcome == REGRESS_UNCHECKED) {
		regress->n_unchecked++;
	} else if (!regress->n_unreadable++) {
		regress->unreadable = kind;
	}
}

static void tell(struct regress *regress, const struct regress_export *export,
		 const struct regress_checked *checked)
{
	if (regress->program->arguments.json)
		regress_print_json(export, checked, &regress->out);
	else
		regress_print(export, checked, &regress->out);
	count(regress, checked->outcome, checked->error.kind);
	regress->n++;
	/* As they come, since compiling takes seconds. */
	if (regress->program->arguments.output || !regress->written)
		return;
	struct bw_error error;
	regress->written = bw_program_put(regress->program, &regress->out, &error);
	bw_text_clear(&regress->out);
}

static void check(struct regress_export *export, void *data)
{
	struct regress *regress = data;
	struct regress_checked checked;
	export->named = regress->alone;
	regress_check(regress->program, export, &checked);
	tell(regress, export, &checked);
	bw_text_free(&checked.notes);
}

static void check_file(struct regress *regress, const char *path)
{
	struct regress_checked checked = {.outcome = REGRESS_UNREADABLE};
	int n = regress_read(path, check, regress, &checked.error);
	if (n < 0 || (!n && regress->alone)) {
		if (!n)
			bw_fail(&checked.error, BW_ERROR_INPUT,
				"%s: there is no schedule of beamwalk's in it", path);
		checked.then = checked.now = (struct regress_facts){-1, -1, -1, -1, -1, "", "", ""};
		tell(regress, &(struct regress_export){.file = path, .line = 1}, &checked);
	}
}

/* Returns true if a file of a folder can hold an export: by its name. */
static bool may_export(const char *name)
{
	static const char *const endings[] = {".schedule", ".schedule.json", ".h",  ".hh", ".hpp", ".c",
					      ".cc",       ".cpp",           ".cxx"};
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (bw_ends_with(name, endings[i]))
			return true;
	return false;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Checks the files of a folder and of those in it, in the order of their names. Hidden ones are left out. */
static bool check_folder(struct regress *regress, const char *path, struct bw_error *error)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	if (!tree)
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
	while ((entry = fts_read(tree)) != NULL) {
		bool hidden = entry->fts_level > 0 && *entry->fts_name == '.';
		if (hidden && entry->fts_info == FTS_D)
			fts_set(tree, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_DNR)
			fprintf(stderr, "beamwalk: warning: %s: %s\n", entry->fts_path,
				strerror(entry->fts_errno));
		else if (entry->fts_info == FTS_F && !hidden && may_export(entry->fts_name))
			check_file(regress, entry->fts_path);
	}
	fts_close(tree);
	return true;
}

static bool check_path(struct regress *regress, const char *path, struct bw_error *error)
{
	struct stat info;
	int before = regress->n;
	bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
	regress->alone = !folder;
	if (!folder)
		check_file(regress, path);
	else if (!check_folder(regress, path, error))
		return false;
	return regress->n > before ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "%s: no exported schedule is there; `beamwalk export PIPELINE -o FILE` writes one",
		       path);
}

/* Appends how many schedules there are of a kind, unless there are none. */
static void say_number(const struct regress *regress, int n, const char *one, const char *more,
		       struct bw_text *said)
{
	bool first = !said->length;
	if (!n)
		return;
	bw_text_printf(said, "%s%d", first ? "" : ", ", n);
	if (first)
		bw_text_printf(said, " of %d schedules", regress->n);
	bw_text_printf(said, " %s", n == 1 ? one : more);
}

/* Returns true if all is as it was; else the error that the program ends with. */
static bool conclude(const struct regress *regress, struct bw_error *error)
{
	struct bw_text said = {0};
	say_number(regress, regress->n_worse, "is worse than when it was written",
		   "are worse than when they were written", &said);
	say_number(regress, regress->n_unreadable, "cannot be checked", "cannot be checked", &said);
	say_number(regress, regress->n_unchecked, "is not checked", "are not checked", &said);
	enum bw_error_kind kind = regress->n_worse        ? BW_ERROR_FAILED
				  : regress->n_unreadable ? regress->unreadable
							  : BW_ERROR_MISSING;
	bool good = !said.length || bw_fail(error, kind, "%s", bw_text_get(&said));
	bw_text_free(&said);
	return good;
}

bool bw_program_regress(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	static const char *const here[] = {"."};
	const char *const *paths = arguments->n_rest ? arguments->rest : here;
	struct regress regress = {.program = program, .written = true};
	double seconds;
	long limit;
	program->plain = true;
	if (!bw_arguments_real(arguments->seconds, "seconds", true, 3600, &seconds, error) ||
	    !bw_arguments_number(arguments->time_limit, "time-limit", 1, 24 * 3600, &limit, error))
		return false;
	bool good = true;
	for (int i = 0; i < (arguments->n_rest ? arguments->n_rest : 1) && good; i++)
		good = check_path(&regress, paths[i], error);
	struct bw_error unwritten;
	bool put =
	    regress.written && (!arguments->output || bw_program_put(program, &regress.out, &unwritten));
	if (good && !put)
		good = bw_fail(error, BW_ERROR_IO, "the outcome cannot be written");
	bw_text_free(&regress.out);
	return good && conclude(&regress, error);
}

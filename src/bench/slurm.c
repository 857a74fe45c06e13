#include "bench/slurm.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/complaint.h"

enum {
	MOST_OBJECT = 256 << 20, /* bytes */
	MOST_ANSWERS = 64 << 20,
	IDLE_SECONDS = 600, /* a job ends after so many seconds without a request, because beamwalk may
			       have ended */
	COMMAND_SECONDS = 60,
	MOST_ARRAYS = 3 /* arrays submitted in a row without an answer in between */
};

static const char *const folders[] = {"queue", "claimed", "results", "contents", "log"};

struct bw_slurm {
	char *folder; /* absolute */
	char *options, *bench;
	char name[BW_CONTENT_NAME]; /* name of the jobs, from the folder's name */
	int arrays;                 /* arrays submitted since the last answer */
	bool silent;                /* the news already say that the controller does not answer */
};

/* Returns FOLDER/a/b; free(). b may be NULL. */
static char *path_of(const struct bw_slurm *slurm, const char *a, const char *b)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s", slurm->folder, a);
	if (b)
		bw_text_printf(&path, "/%s", b);
	return bw_text_take(&path);
}

static bool make_folders(struct bw_slurm *slurm, struct bw_error *error)
{
	bool good = bw_trusted_folder_make(slurm->folder, error);
	for (size_t i = 0; good && i < sizeof folders / sizeof *folders; i++) {
		BW_SCOPED_MEMORY char *path = path_of(slurm, folders[i], NULL);
		good = bw_trusted_folder_make(path, error);
	}
	BW_SCOPED_MEMORY char *job = path_of(slurm, "job", NULL), *end = path_of(slurm, "end", NULL);
	good = good && bw_file_write(job, bw_slurm_job, strlen(bw_slurm_job), error);
	unlink(end);
	return good;
}

struct bw_slurm *bw_slurm_open(const char *folder, const char *options, const char *bench,
			       struct bw_error *error)
{
	struct bw_slurm *slurm = BW_NEW(struct bw_slurm);
	struct bw_text path = {0};
	BW_SCOPED_MEMORY char *here = *folder == '/' ? NULL : getcwd(NULL, 0);
	bw_text_printf(&path, "%s%s%s", here ? here : "", here ? "/" : "", folder);
	slurm->folder = bw_text_take(&path);
	slurm->options = bw_strdup(options);
	slurm->bench = bw_strdup(bench ? bench : "beamwalk-bench");
	bw_content_name(slurm->folder, strlen(slurm->folder), slurm->name);
	if (make_folders(slurm, error))
		return slurm;
	bw_slurm_close(slurm, false);
	return NULL;
}

/* Runs a Slurm command. Returns false with an error if it fails. */
static bool run(const char *command, struct bw_text *output, struct bw_error *error)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct bw_patience patience = {COMMAND_SECONDS, NULL};
	struct bw_outcome outcome;
	char name[16];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(command, " "), command);
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = BW_LONGEST_LINE}, &patience,
		       &outcome);
	bool good = bw_outcome_good(&outcome, name, &patience, BW_ERROR_DEVICE, error);
	bw_text_append(output, bw_text_get(&outcome.output), outcome.output.length);
	bw_outcome_free(&outcome);
	return good;
}

void bw_slurm_close(struct bw_slurm *slurm, bool end)
{
	BW_SCOPED_TEXT command = {0}, output = {0};
	struct bw_error ignored;
	if (!slurm)
		return;
	BW_SCOPED_MEMORY char *path = path_of(slurm, "end", NULL);
	if (end && bw_file_write(path, "", 0, &ignored)) {
		bw_text_printf(&command, "scancel --state=PENDING --name=%s", slurm->name);
		run(bw_text_get(&command), &output, &ignored);
	}
	free(slurm->folder);
	free(slurm->options);
	free(slurm->bench);
	free(slurm);
}

bool bw_slurm_content(struct bw_slurm *slurm, const char *object, char **path, struct bw_error *error)
{
	BW_SCOPED_TEXT content = {0};
	struct stat info;
	char name[BW_CONTENT_NAME];
	bool good = bw_file_read(object, MOST_OBJECT, &content, error);
	if (good) {
		bw_content_name(bw_text_get(&content), content.length, name);
		char *whole = path_of(slurm, "contents", name);
		good = (stat(whole, &info) == 0 && (size_t)info.st_size == content.length) ||
		       bw_file_write(whole, bw_text_get(&content), content.length, error);
		*path = whole;
	}
	return good;
}

static bool is_there(const struct bw_slurm *slurm, const char *folder, const char *name)
{
	BW_SCOPED_MEMORY char *path = path_of(slurm, folder, name);
	return access(path, F_OK) == 0;
}

/* Calls visit for each file of a folder whose name does not begin with a dot, until it returns false. */
static void each_file(const struct bw_slurm *slurm, const char *folder,
		      bool (*visit)(const char *name, void *data), void *data)
{
	BW_SCOPED_MEMORY char *path = path_of(slurm, folder, NULL);
	DIR *files = opendir(path);
	for (const struct dirent *file; files && (file = readdir(files));)
		if (*file->d_name != '.' && !visit(file->d_name, data))
			break;
	if (files)
		closedir(files);
}

struct claim {
	const char *name;
	bool found;
};

static bool see_claim(const char *name, void *data)
{
	struct claim *claim = data;
	size_t length = strlen(claim->name);
	claim->found |= !strncmp(name, claim->name, length) && name[length] == '@';
	return !claim->found;
}

bool bw_slurm_put(struct bw_slurm *slurm, const char *request, char name[BW_CONTENT_NAME],
		  struct bw_error *error)
{
	struct claim claim = {.name = name};
	bw_content_name(request, strlen(request), name);
	each_file(slurm, "claimed", see_claim, &claim);
	if (claim.found || is_there(slurm, "queue", name) || is_there(slurm, "results", name))
		return true;
	BW_SCOPED_MEMORY char *path = path_of(slurm, "queue", name);
	return bw_file_write(path, request, strlen(request), error);
}

void bw_slurm_withdraw(struct bw_slurm *slurm, const char *name)
{
	BW_SCOPED_MEMORY char *path = path_of(slurm, "queue", name);
	unlink(path);
}

bool bw_slurm_take(struct bw_slurm *slurm, const char *name, struct bw_text *answers)
{
	struct bw_error ignored;
	BW_SCOPED_MEMORY char *path = path_of(slurm, "results", name);
	bool good = bw_file_read(path, MOST_ANSWERS, answers, &ignored);
	if (good) {
		unlink(path);
		slurm->arrays = 0;
	}
	return good;
}

/* The tasks of beamwalk's jobs, as lines `JOB_TASK STATE`. */
struct tasks {
	struct bw_slurm *slurm;
	const char *lines;
};

/* Returns true if a task runs. A task that waits, or was requeued, does not run. */
static bool is_running(const char *lines, const char *task)
{
	size_t length = strlen(task);
	for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, task, length) != 0 || line[length] != ' ')
			continue;
		return strncmp(line + length + 1, "PENDING", 7) != 0 &&
		       strncmp(line + length + 1, "REQUEUE", 7) != 0;
	}
	return false;
}

/* Puts a claimed request back into the queue if its job does not run. Only removes the claim if the request
 * has answers. */
static bool give_back(const char *name, void *data)
{
	const struct tasks *tasks = data;
	const char *at = strchr(name, '@');
	if (!at || is_running(tasks->lines, at + 1))
		return true;
	BW_SCOPED_MEMORY char *request = bw_strdup(name);
	request[at - name] = 0;
	BW_SCOPED_MEMORY char *from = path_of(tasks->slurm, "claimed", name),
			      *to = path_of(tasks->slurm, "queue", request);
	if (is_there(tasks->slurm, "results", request))
		unlink(from);
	else
		rename(from, to);
	return true;
}

static bool submit(struct bw_slurm *slurm, struct bw_text *news, struct bw_error *error)
{
	enum { DEFAULT_TASKS = 4 };
	BW_SCOPED_TEXT command = {0}, output = {0};
	BW_SCOPED_MEMORY char *log = path_of(slurm, "log/%A_%a", NULL), *job = path_of(slurm, "job", NULL);
	bw_text_printf(&command,
		       "sbatch --parsable --job-name=%s --requeue --open-mode=append --array=1-%d --output=",
		       slurm->name, DEFAULT_TASKS);
	bw_text_quote(&command, log);
	bw_text_printf(&command, " %s ", slurm->options);
	bw_text_quote(&command, job);
	bw_text_puts(&command, " ");
	bw_text_quote(&command, slurm->folder);
	bw_text_puts(&command, " ");
	bw_text_quote(&command, slurm->bench);
	bw_text_printf(&command, " %d", IDLE_SECONDS);
	bool good = run(bw_text_get(&command), &output, error);
	if (good) {
		bw_text_append(&output, "", 0);
		output.bytes[strcspn(output.bytes, ";\n")] = 0;
		bw_one_line(output.bytes);
		bw_text_printf(news, "Slurm: submitted job %s, whose files are in %s\n", output.bytes,
			       slurm->folder);
	}
	return good;
}

bool bw_slurm_look_after(struct bw_slurm *slurm, struct bw_text *news, struct bw_error *error)
{
	BW_SCOPED_TEXT command = {0}, lines = {0};
	struct bw_error unanswered = {0};
	bool good = true;
	bw_text_printf(&command, "squeue --noheader --array --name=%s --format='%%F_%%K %%T'", slurm->name);
	bool answered = run(bw_text_get(&command), &lines, &unanswered);
	struct tasks tasks = {slurm, bw_text_get(&lines)};
	if (answered) {
		each_file(slurm, "claimed", give_back, &tasks);
		slurm->silent = false;
	} else if (!slurm->silent) {
		bw_text_printf(news, "%s; trying again\n", unanswered.text);
		slurm->silent = true;
	}
	if (answered && !lines.length && slurm->arrays++ == MOST_ARRAYS)
		good = bw_fail(error, BW_ERROR_DEVICE,
			       "Slurm: %d arrays of jobs have ended without an answer; %s/log says why",
			       MOST_ARRAYS, slurm->folder);
	else if (answered && !lines.length)
		good = submit(slurm, news, error);
	return good;
}

const char bw_slurm_job[] =
    "#!/bin/sh\n"
    "# job FOLDER WORKER IDLE: claims requests of FOLDER/queue by renaming them, has WORKER (beamwalk-bench) answer each, and leaves\n"
    "# the answers in FOLDER/results. Ends when there is a file FOLDER/end, or after IDLE seconds without a request.\n"
    "cd \"$1\" || exit 1\n"
    "worker=$2\n"
    "[ -x \"$worker\" ] || worker=beamwalk-bench\n"
    "me=${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-$$}}_${SLURM_ARRAY_TASK_ID:-0}\n"
    "child=\n"
    "# Gives back what this job has claimed, as before it was requeued.\n"
    "give_back() {\n"
    "	for claim in claimed/*@\"$me\"; do\n"
    "		name=${claim#claimed/}\n"
    "		[ -e \"$claim\" ] && mv \"$claim\" \"queue/${name%@*}\"\n"
    "	done\n"
    "	rm -f results/.*@\"$me\"\n"
    "}\n"
    "trap '[ \"$child\" ] && kill \"$child\"; give_back; exit 143' TERM\n"
    "give_back\n"
    "idle=0 failures=0\n"
    "while ! [ -e end ] && [ \"$idle\" -lt \"$3\" ]; do\n"
    "	claim=\n"
    "	for request in queue/*; do\n"
    "		[ -e \"$request\" ] || continue\n"
    "		name=${request#queue/}\n"
    "		mv \"$request\" \"claimed/$name@$me\" 2>/dev/null\n"
    "		[ -e \"claimed/$name@$me\" ] && claim=claimed/$name@$me && break\n"
    "	done\n"
    "	if ! [ \"$claim\" ]; then\n"
    "		sleep 1\n"
    "		idle=$((idle + 1))\n"
    "		continue\n"
    "	fi\n"
    "	idle=0 answers=results/.$name@$me\n"
    "	\"$worker\" <\"$claim\" >\"$answers\" &\n"
    "	child=$!\n"
    "	wait \"$child\"\n"
    "	status=$?\n"
    "	child=\n"
    "	# Whole answers end so. What is cut short, as on a full disk, is asked for again.\n"
    "	if [ \"$status\" = 0 ] && tail -n 1 \"$answers\" 2>/dev/null | grep -q '\"done\":\\|\"devices\":'; then\n"
    "		mv \"$answers\" \"results/$name\" && rm -f \"$claim\" && failures=0\n"
    "		continue\n"
    "	fi\n"
    "	echo \"$name: no whole answer, status $status\" >&2\n"
    "	give_back\n"
    "	failures=$((failures + 1))\n"
    "	[ \"$failures\" -lt 60 ] || exit 1\n"
    "	sleep 2\n"
    "done\n";

/* beamwalk: parses the command line and runs one command. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/ptxas.h"
#include "program/program.h"

/* The places of the program's files, and of the user's, found from the environment. */

/* Makes a folder instead of HOME, private to this user, in the common temporary folder. Returns false with
 * *trouble if that is impossible, for example because another user has made it. */
static bool make_home(const char *path, struct bw_error *trouble)
{
	struct stat info;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return bw_fail(trouble, BW_ERROR_IO, "%s cannot be created (%s)", path, strerror(errno));
	if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() || info.st_mode & 077)
		return bw_fail(trouble, BW_ERROR_IO, "%s does not belong to this user alone", path);
	return true;
}

/* Returns the default parent of the user's folders: HOME, or a private folder. If there is none, returns
 * /dev/null, below which nothing can be created. */
static char *find_home(struct bw_error *trouble)
{
	const char *home = getenv("HOME"), *temporary = getenv("TMPDIR");
	if (home && *home == '/')
		return bw_strdup(home);
	BW_SCOPED_MEMORY char *path =
	    bw_format("%s/beamwalk-%ld", temporary && *temporary == '/' ? temporary : "/tmp", (long)geteuid());
	return bw_strdup(make_home(path, trouble) ? path : "/dev/null");
}

static char *xdg(const char *variable, const char *fallback, struct bw_error *trouble)
{
	const char *value = getenv(variable);
	if (value && *value == '/')
		return bw_format("%s/beamwalk", value);
	BW_SCOPED_MEMORY char *home = find_home(trouble);
	return bw_format("%s/%s/beamwalk", home, fallback);
}

/* Returns the first of these variables that is set and not empty, else `otherwise`. */
static const char *said(const char *first, const char *second, const char *otherwise)
{
	const char *values[] = {getenv(first), second ? getenv(second) : NULL};
	for (int i = 0; i < 2; i++)
		if (values[i] && *values[i])
			return values[i];
	return otherwise;
}

/* Finds all places of files. In a build folder they are beside the program and in the sources; for an
 * installed program they follow from the path of the program. Reads the environment variables
 * XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, HOME, PATH, VISUAL, EDITOR and TMPDIR.
 * Without HOME, the user's folders are in a private folder in TMPDIR. If that is impossible, *trouble says
 * why, and no files can be written there. */
static void find_layout(struct bw_layout *layout, struct bw_error *trouble)
{
	char exe[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[length > 0 ? length : 0] = 0;
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	char *data = bw_find_installed(exe, BW_BINDIR, BW_PKGDATADIR, "source");
	BW_SCOPED_MEMORY char *lib = bw_find_installed(exe, BW_BINDIR, BW_PKGLIBDIR, "");
	layout->generators = bw_format("%s/pipelines", lib);
	layout->bundled = bw_format("%s/pipelines", data);
	layout->descriptions = bw_format("%s/data/descriptions", data);
	layout->lessons = bw_format("%s/lessons", data);
	layout->published = bw_format("%s/data/published", data);
	layout->devices = bw_format("%s/data/devices.json", data);
	layout->plugins = bw_plugins_find(lib);
	layout->bench = bw_format("%s/beamwalk-bench", *exe ? exe : BW_BINDIR);
	free(data);
	layout->ptxas = bw_ptxas_find(getenv("PATH"));
	layout->cache = xdg("XDG_CACHE_HOME", ".cache", trouble);
	layout->state = xdg("XDG_STATE_HOME", ".local/state", trouble);
	layout->config = xdg("XDG_CONFIG_HOME", ".config", trouble);
	layout->data = xdg("XDG_DATA_HOME", ".local/share", trouble);
	layout->results = bw_format("%s/results.db", layout->data);
	layout->editing = (struct bw_editing){said("VISUAL", "EDITOR", "vi"), said("TMPDIR", NULL, "/tmp")};
}

static void free_layout(struct bw_layout *layout)
{
	free(layout->generators);
	free(layout->bundled);
	free(layout->descriptions);
	free(layout->lessons);
	free(layout->published);
	free(layout->devices);
	bw_plugins_free(layout->plugins);
	free(layout->bench);
	free(layout->ptxas);
	free(layout->cache);
	free(layout->state);
	free(layout->config);
	free(layout->data);
	free(layout->results);
}

static bool run(struct bw_program *program, struct bw_error *error)
{
	static const struct {
		const char *name;
		bw_program_function *run;
	} commands[] = {
#define X(name, arguments, pipeline, more, example, text) {#name, bw_program_##name},
		BW_PROGRAM_TABLE(X)
#undef X
	};
	size_t i = 0;
	while (strcmp(commands[i].name, program->arguments.command))
		i++;
	return bw_program_load_devices(program, error) && commands[i].run(program, error);
}

/* Stores the remaining measurements, and prints the messages about them on standard error. Returns false
 * with an error if a measurement cannot be stored. */
static bool store_rest(struct bw_session *session, struct bw_error *error)
{
	BW_SCOPED_TEXT said = {0};
	bool good = bw_session_store_rest(session, &said);
	for (char *line = said.bytes, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		*next++ = 0;
		fprintf(stderr, "%s%s\n", *line == '{' ? "" : "beamwalk: ", line);
	}
	return good || bw_fail(error, BW_ERROR_IO, "a measurement could not be stored");
}

/* Combines two results, and keeps the first error. */
static bool also(bool good, bool next, struct bw_error *error, const struct bw_error *next_error)
{
	if (good && !next)
		*error = *next_error;
	return good && next;
}

/* Closes the output, prints the error, and returns the exit status: 0 only if everything was written. */
static int finish(bool good, struct bw_error *error)
{
	struct bw_error unwritten;
	good = also(good, bw_output_end(&unwritten), error, &unwritten);
	if (!good && error->kind != BW_ERROR_STOPPED)
		fprintf(stderr, "beamwalk: %s\n", error->text);
	return !good ? bw_error_status(error->kind) : ferror(stderr) ? bw_error_status(BW_ERROR_IO) : 0;
}

int main(int argc, char **argv)
{
	struct bw_program program = {0};
	struct bw_error error = {0}, lost = {0};
	struct bw_text answer = {0};
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	bw_output_begin();
	int status = bw_arguments_parse(argc, argv, &program.arguments, &answer);
	if (status >= 0) {
		bool good = bw_output_put(bw_text_get(&answer), answer.length, &error);
		bw_text_free(&answer);
		bw_arguments_free(&program.arguments);
		return status ? status : finish(good, &error);
	}
	find_layout(&program.layout, &lost);
	if (lost.kind)
		fprintf(stderr, "beamwalk: warning: HOME is not set, and %s: nothing is kept; set HOME\n", lost.text);
	program.places =
	    (struct bw_places){program.layout.plugins, program.layout.bench, program.layout.cache, "cc",
				program.arguments.link};
	program.folders = (struct bw_folders){program.layout.generators, program.layout.bundled,
					      program.layout.descriptions};
	bool good = run(&program, &error);
	if (program.session)
		good = also(good, store_rest(program.session, &lost), &error, &lost);
	bw_session_end(program.session);
	bw_text_free(&program.steps);
	bw_text_free(&program.rfactors);
	bw_models_free(&program.models);
	free(program.devices);
	bw_config_free(&program.config);
	free(program.chosen);
	free_layout(&program.layout);
	bw_arguments_free(&program.arguments);
	exit(finish(good, &error)); /* also frees what the session still holds */
}

/* Chooses the meter that the command line asks for. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "program/tune.h"

enum { MOST_BYTES = 1 << 20, PAUSE_US = 2000 };

/* Commands of workers: those of --on, and the lines of --hosts. */
struct commands {
	const char **list;
	int n, capacity;
	struct bw_text hosts; /* the file, whose lines the list refers to */
};

static void add(struct commands *commands, const char *command)
{
	BW_GROW(commands->list, commands->n, commands->capacity);
	commands->list[commands->n++] = command;
}

/* Adds the lines of a file that are neither empty nor comments. */
static bool add_hosts(struct commands *commands, const char *path, struct bw_error *error)
{
	if (!bw_file_read(path, MOST_BYTES, &commands->hosts, error) ||
	    !bw_text_lines(path, &commands->hosts, error))
		return false;
	int before = commands->n;
	for (char *line = commands->hosts.bytes, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		line += strspn(line, " \t\r");
		for (size_t n = strlen(line); n && strchr(" \t\r", line[n - 1]);)
			line[--n] = 0;
		if (*line && *line != '#')
			add(commands, line);
	}
	return commands->n > before ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "%s: it names no worker: expected a command per line, as in ssh HOST beamwalk-bench",
		       path);
}

/* Returns true if compiling beside what runs on this machine's device does not disturb it. */
static bool may_compile_beside(struct bw_session *session, const struct bw_yield *yield)
{
	if (bw_device_emulated(session->options.device))
		return true;
	bw_session_ask(session);
	while (session->asks && bw_yield(yield)) {
		bw_session_work(session, 1);
		usleep(PAUSE_US);
	}
	return session->runs_on && !session->runs_on->cpu;
}

/* Makes the meter of Slurm's jobs. Their folder is in the current one, named by the pipeline. */
static struct bw_meter *open_slurm(struct bw_program *program, struct bw_meter_workers *workers,
				   const struct bw_yield *yield, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_text folder = {0};
	if (arguments->n_workers || arguments->hosts) {
		bw_fail(error, BW_ERROR_USAGE, "--slurm has workers of its own: leave out --on and --hosts");
		return NULL;
	}
	bw_text_printf(&folder, "%s.slurm", program->session->pipeline->name);
	workers->slurm = arguments->slurm;
	workers->folder = bw_text_get(&folder);
	struct bw_meter *meter = bw_meter_of_workers(program->session, workers, yield, error);
	bw_text_free(&folder);
	return meter;
}

struct bw_meter *bw_program_tuning_meter(struct bw_program *program, const struct bw_yield *yield,
					 void (*news)(const char *line, void *data), void *data,
					 struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct commands commands = {0};
	struct bw_meter *meter = NULL;
	if (arguments->replay || !program->session->source.compilable)
		return NULL;
	if (arguments->slurm)
		return open_slurm(program, &(struct bw_meter_workers){.news = news, .data = data}, yield,
				  error);
	for (int i = 0; i < arguments->n_workers; i++)
		add(&commands, arguments->workers[i]);
	bool good = !arguments->hosts || add_hosts(&commands, arguments->hosts, error);
	if (good && !commands.n && may_compile_beside(program->session, yield))
		add(&commands, NULL);
	if (good && commands.n)
		meter = bw_meter_of_workers(
		    program->session,
		    &(struct bw_meter_workers){
			.commands = commands.list, .n = commands.n, .news = news, .data = data},
		    yield, error);
	bw_text_free(&commands.hosts);
	free(commands.list);
	return meter;
}

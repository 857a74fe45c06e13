#include "base/file.h"
#include "base/process.h"
#include "session/editor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_LIMIT = 4 << 20, NOT_FOUND = 127 };

/* The signals that the terminal's keys send to this process and the editor, and this process's
 * handlers for them while the editor runs. */
static const struct {
	int number;
	void (*handler)(int);
} keys[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTSTP, SIG_DFL}};
enum { N_KEYS = sizeof keys / sizeof *keys };

/* In the new process: signals as a program expects to find them. */
static void become(const struct bw_editing *editing, const char *path)
{
	struct bw_text line = {0};
	sigset_t none;
	bw_text_printf(&line, "%s \"$1\"", editing->command);
	for (int i = 0; i < N_KEYS; i++)
		signal(keys[i].number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", bw_text_get(&line), "sh", path, (char *)NULL);
	_exit(NOT_FOUND);
}

/* The editor's exit status, as waitpid has it; -1 with errno. */
static int run(const struct bw_editing *editing, const char *path)
{
	struct sigaction before[N_KEYS];
	for (int i = 0; i < N_KEYS; i++) {
		struct sigaction action = {.sa_handler = keys[i].handler};
		sigemptyset(&action.sa_mask);
		sigaction(keys[i].number, &action, &before[i]);
	}
	pid_t child = bw_process_fork(0);
	if (child == 0)
		become(editing, path);
	int status = bw_process_reap(child);
	for (int i = 0; i < N_KEYS; i++)
		sigaction(keys[i].number, &before[i], NULL);
	return status;
}

static bool ended_well(const struct bw_editing *editing, int status, struct bw_error *error)
{
	if (status == -1)
		return bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" did not start: %s",
			       editing->command, strerror(errno));
	if (WIFSIGNALED(status))
		return bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" was ended by signal %d",
			       editing->command, WTERMSIG(status));
	if (WEXITSTATUS(status) == NOT_FOUND)
		return bw_fail(error, BW_ERROR_FAILED,
			       "no editor \"%s\"; VISUAL or EDITOR in the environment names another",
			       editing->command);
	return WEXITSTATUS(status) == 0 ||
	       bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" ended with status %d", editing->command,
		       WEXITSTATUS(status));
}

bool bw_edit_text(const struct bw_editing *editing, const char *suffix, struct bw_text *text,
		  struct bw_error *error)
{
	BW_SCOPED_TEXT edited = {0};
	BW_SCOPED_MEMORY char *path = bw_format("%s/beamwalk-XXXXXX%s", editing->folder, suffix);
	int file = mkstemps(path, (int)strlen(suffix));
	if (file < 0) {
		bw_fail(error, BW_ERROR_IO, "%s: a file to be edited cannot be made there: %s",
			editing->folder, strerror(errno));
		return false;
	}
	close(file);
	bool good = bw_file_write(path, bw_text_get(text), text->length, error) &&
		    ended_well(editing, run(editing, path), error) &&
		    bw_file_read(path, TEXT_LIMIT, &edited, error);
	if (good) {
		bw_text_clear(text);
		bw_text_append(text, bw_text_get(&edited), edited.length);
	}
	unlink(path);
	return good;
}

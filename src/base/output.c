/* Standard output, and the three standard files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

void bw_output_begin(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
	for (int file = 0; file < 3; file++)
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", modes[file]) != file)
			return;
}

static bool failed(struct bw_error *error)
{
	return bw_fail(error, BW_ERROR_IO, "standard output: %s", strerror(errno));
}

bool bw_output_put(const char *bytes, size_t length, struct bw_error *error)
{
	return (fflush(stdout) == 0 && bw_write_all(STDOUT_FILENO, bytes, length)) || failed(error);
}

bool bw_output_end(struct bw_error *error)
{
	errno = 0;
	if (fflush(stdout) != 0)
		return failed(error);
	if (ferror(stdout))
		return bw_fail(error, BW_ERROR_IO, "standard output: not all of it could be written");
	return close(STDOUT_FILENO) == 0 || failed(error);
}

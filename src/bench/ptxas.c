#include "bench/ptxas.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/cache.h"
#include "bench/complaint.h"
#include "bench/device_code.h"

enum { MOST_SAID = 16 << 20, MOST_CUBIN = 256 << 20 }; /* bytes */

/* Folders where the toolkit, Debian's package and Arch's package install ptxas. */
static const char *const usual[] = {"/usr/local/cuda/bin", "/usr/lib/nvidia-cuda-toolkit/bin",
				    "/opt/cuda/bin", NULL};

/* Returns the path of ptxas in a folder if it is executable; free(). length: bytes of the folder's name. */
static char *ptxas_in(const char *folder, size_t length)
{
	BW_SCOPED_TEXT path = {0};
	bw_text_printf(&path, "%.*s/ptxas", (int)length, folder);
	if (length && access(path.bytes, X_OK) == 0)
		return bw_text_take(&path);
	return NULL;
}

char *bw_ptxas_find(const char *path)
{
	char *found = NULL;
	for (const char *at = path ? path : ""; *at && !found; at += strcspn(at, ":"), at += *at == ':')
		found = ptxas_in(at, strcspn(at, ":"));
	for (int k = 0; usual[k] && !found; k++)
		found = ptxas_in(usual[k], strlen(usual[k]));
	return found;
}

/* Returns the line of ptxas's output that contains a mark, from the mark on. Returns NULL if there is
 * none. */
static const char *find_line(const char *said, const char *mark, struct bw_text *line)
{
	const char *at = strstr(said, mark);
	if (!at)
		return NULL;
	at += strlen(mark);
	at += strspn(at, " :");
	bw_text_append(line, at, strcspn(at, "\n"));
	return bw_text_get(line);
}

/* Sets an error that says that ptxas does not know the architecture. CUDA 13 supports only Turing (sm_75) and
 * later. */
static bool fail_architecture(const struct bw_assembly *assembly, struct bw_error *error)
{
	enum { OLDEST_OF_CUDA_13 = 75 };
	bool old = atoi(assembly->architecture + strcspn(assembly->architecture, "0123456789")) < OLDEST_OF_CUDA_13;
	return bw_fail(error, BW_ERROR_MISSING, "%s does not know %s: %s; --ptxas PATH names another",
		       assembly->ptxas, assembly->architecture,
		       old ? "CUDA 13 and later begin with sm_75, the ptxas of CUDA 12 does"
			   : "a newer CUDA Toolkit's ptxas may");
}

/* Sets an error that says why ptxas failed. Its standard error is part of its output. A ptxas that is too old
 * for the PTX counts as missing. */
static bool fail_assembly(const struct bw_assembly *assembly, const struct bw_outcome *outcome,
			  const struct bw_patience *patience, struct bw_error *error)
{
	static const char *const marks[] = {"ptxas fatal", "ptxas error", " error"};
	const char *said = bw_text_get(&outcome->output), *found = NULL;
	BW_SCOPED_TEXT line = {0};
	bool architecture = strstr(said, "'gpu-name'") != NULL, old = strstr(said, "Unsupported .version") != NULL;
	for (size_t k = 0; k < sizeof marks / sizeof *marks && !found; k++)
		found = find_line(said, marks[k], &line);
	if (outcome->ending == BW_EXITED && architecture)
		fail_architecture(assembly, error);
	else if (outcome->ending == BW_EXITED && found)
		bw_fail(error, old ? BW_ERROR_MISSING : BW_ERROR_DEVICE, "%s: for %s: %s", assembly->ptxas,
			assembly->architecture, found);
	else
		bw_outcome_good(outcome, assembly->ptxas, patience, BW_ERROR_DEVICE, error);
	return false;
}

/* Runs ptxas on a file. Its standard error goes to the same pipe as its output, so that none of it is
 * lost. */
static bool run(const struct bw_assembly *assembly, const char *input, const char *output,
		const struct bw_patience *patience, struct bw_text *said, struct bw_error *error)
{
	char architecture[32], limit[32];
	struct bw_outcome outcome;
	snprintf(architecture, sizeof architecture, "-arch=%s", assembly->architecture);
	snprintf(limit, sizeof limit, "-maxrregcount=%d", assembly->register_limit);
	const char *const argv[] = {"/bin/sh",       "-c",  "exec \"$0\" \"$@\" 2>&1",
				    assembly->ptxas, "-v",  architecture,
				    limit,           input, "-o",
				    output,          assembly->lines ? "-lineinfo" : NULL, NULL};
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = MOST_SAID}, patience, &outcome);
	bool good = outcome.ending == BW_EXITED && outcome.code == 0;
	if (good)
		bw_text_puts(said, bw_text_get(&outcome.output));
	else
		fail_assembly(assembly, &outcome, patience, error);
	bw_outcome_free(&outcome);
	return good;
}

static bool assemble_in(const struct bw_assembly *assembly, const char *scratch, const struct bw_text *ptx,
			const struct bw_patience *patience, struct bw_text *cubin,
			struct bw_kernel_uses *uses, struct bw_error *error)
{
	struct bw_text said = {0};
	char *input = bw_format("%s/kernels.ptx", scratch),
	     *output = bw_format("%s/kernels.cubin", scratch);
	bool good = bw_file_write(input, bw_text_get(ptx), ptx->length, error) &&
		    run(assembly, input, output, patience, &said, error);
	if (good) {
		good = bw_ptxas_read(bw_text_get(&said), uses, error) || bw_fail_in(error, "%s", assembly->ptxas);
		uses->register_limit = assembly->register_limit;
		bw_ptxas_order(bw_text_get(ptx), uses);
	}
	good = good && (!cubin || bw_file_read(output, MOST_CUBIN, cubin, error));
	bw_text_free(&said);
	free(input);
	free(output);
	return good;
}

bool bw_ptxas_run(const struct bw_assembly *assembly, const struct bw_text *ptx,
		  const struct bw_patience *patience, struct bw_text *cubin, struct bw_kernel_uses *uses,
		  struct bw_error *error)
{
	*uses = (struct bw_kernel_uses){0};
	if (!assembly->ptxas)
		return bw_fail(
		    error, BW_ERROR_MISSING,
		    "there is no ptxas: it comes with the CUDA Toolkit; --ptxas PATH names one that is elsewhere");
	if (access(assembly->ptxas, X_OK) != 0)
		return bw_fail(error, BW_ERROR_IO, "%s: cannot be run: %s", assembly->ptxas, strerror(errno));
	struct bw_scratch scratch;
	bool good = bw_cache_scratch(assembly->cache, &scratch, error) &&
		    assemble_in(assembly, scratch.path, ptx, patience, cubin, uses, error);
	bw_cache_scratch_free(&scratch);
	return good;
}

bool bw_ptxas_object(const struct bw_assembly *assembly, const char *object,
		     const struct bw_patience *patience, struct bw_kernel_uses *uses, struct bw_error *error)
{
	BW_SCOPED_TEXT ptx = {0};
	return bw_device_code_read(object, BW_API_CUDA, &ptx, error) &&
	       bw_ptxas_run(assembly, &ptx, patience, NULL, uses, error);
}

/* What `ptxas -v` says of each kernel:
 *   ptxas info    : Compiling entry function 'NAME' for 'sm_80'
 *   ptxas info    : Function properties for NAME
 *       16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
 *   ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem, 392 bytes cmem[0]
 * Older ones say no barriers, and none of what is 0 bytes but in the line of spills. */

/* Copies a name of `length` bytes, truncated to `size`. */
static void set_name(char *to, size_t size, const char *name, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(to, name, length);
	to[length] = 0;
}

static bool is_name(const struct bw_kernel_use *use, const char *name, size_t length)
{
	char kept[sizeof use->name];
	set_name(kept, sizeof kept, name, length);
	return !strcmp(use->name, kept);
}

/* Returns the number N before a word in a line, as in `N bytes WHAT` or `used N WHAT`; -1 if there is none.
 * */
static int number_before(const char *line, const char *what)
{
	const char *at = strstr(line, what);
	if (!at)
		return -1;
	while (at > line && at[-1] == ' ')
		at--;
	const char *end = at;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end)
		return -1;
	long number = strtol(at, NULL, 10);
	return number > INT_MAX ? -1 : (int)number;
}

/* Returns the number before a word, like number_before, but 0 if there is none, because ptxas omits zeros. */
static int number_or_none(const char *line, const char *what)
{
	int number = number_before(line, what);
	return number < 0 ? 0 : number;
}

/* State of the reader: the current kernel, and the function whose properties come next; NULL if it is not
 * kept. */
struct reader {
	struct bw_kernel_uses *uses;
	struct bw_kernel_use *compiled, *described;
};

static void begin_kernel(struct reader *reader, const char *name)
{
	size_t length = strcspn(name, "'");
	reader->compiled = reader->described = NULL;
	if (name[length] != '\'' || length == 0 || reader->uses->n == BW_MOST_KERNELS)
		return;
	reader->compiled = &reader->uses->list[reader->uses->n++];
	*reader->compiled = BW_KERNEL_UNKNOWN;
	set_name(reader->compiled->name, sizeof reader->compiled->name, name, length);
}

static void read_spills(struct bw_kernel_use *use, const char *line)
{
	use->local_bytes = number_before(line, "bytes stack frame");
	use->spill_stores = number_before(line, "bytes spill stores");
	use->spill_loads = number_before(line, "bytes spill loads");
}

static void read_line(struct reader *reader, const char *line)
{
	static const char compiling[] = "Compiling entry function '",
			  properties[] = "Function properties for ", used[] = ": Used ";
	const char *at;
	if ((at = strstr(line, compiling))) {
		begin_kernel(reader, at + sizeof compiling - 1);
	} else if ((at = strstr(line, properties))) {
		const char *name = at + sizeof properties - 1;
		reader->described = reader->compiled && is_name(reader->compiled, name, strcspn(name, " \r"))
					? reader->compiled
					: NULL;
	} else if (reader->described && strstr(line, "bytes stack frame")) {
		read_spills(reader->described, line);
		reader->described = NULL;
	} else if (reader->compiled && (at = strstr(line, used))) {
		reader->compiled->registers = number_before(at, "registers");
		reader->compiled->barriers = number_before(at, "barriers");
		reader->compiled->shared_bytes = number_or_none(at, "bytes smem");
		reader->compiled = NULL;
	}
}

bool bw_ptxas_read(const char *said, struct bw_kernel_uses *uses, struct bw_error *error)
{
	struct reader reader = {uses, NULL, NULL};
	BW_SCOPED_TEXT line = {0};
	*uses = (struct bw_kernel_uses){0};
	for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		bw_text_clear(&line);
		bw_text_append(&line, at, strcspn(at, "\n"));
		read_line(&reader, bw_text_get(&line));
	}
	if (!uses->n)
		return bw_fail(error, BW_ERROR_DEVICE, "ptxas names no kernel");
	for (int k = 0; k < uses->n; k++)
		if (uses->list[k].registers < 0)
			return bw_fail(error, BW_ERROR_DEVICE, "ptxas does not say the registers of %s", uses->list[k].name);
	return true;
}

/* Returns the offset of the kernel's entry in the text; the text's length if it has none. */
static size_t place_of(const char *ptx, const struct bw_kernel_use *use)
{
	static const char mark[] = ".entry ";
	for (const char *at = ptx; (at = strstr(at, mark)); at++) {
		const char *name = at + sizeof mark - 1;
		if (is_name(use, name, strcspn(name, " (\t\r\n")))
			return (size_t)(at - ptx);
	}
	return strlen(ptx);
}

void bw_ptxas_order(const char *ptx, struct bw_kernel_uses *uses)
{
	size_t places[BW_MOST_KERNELS];
	for (int k = 0; k < uses->n; k++) {
		struct bw_kernel_use use = uses->list[k];
		size_t place = place_of(ptx, &use);
		int to = k;
		for (; to > 0 && places[to - 1] > place; to--) {
			uses->list[to] = uses->list[to - 1];
			places[to] = places[to - 1];
		}
		uses->list[to] = use;
		places[to] = place;
	}
}

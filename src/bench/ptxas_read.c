/* What `ptxas -v` says of each kernel:
 *   ptxas info    : Compiling entry function 'NAME' for 'sm_80'
 *   ptxas info    : Function properties for NAME
 *       16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
 *   ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem, 392 bytes cmem[0]
 * Older ones say no barriers, and none of what is 0 bytes but in the line of spills. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ptxas.h"

/* Copies a name of `length` bytes, cut to what is kept of it. */
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

/* Of `N bytes WHAT` or `used N WHAT` in a line the number before WHAT; -1 where the line does not say it. */
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

/* What is 0 goes unsaid. */
static int number_or_none(const char *line, const char *what)
{
	int number = number_before(line, what);
	return number < 0 ? 0 : number;
}

/* Where the reader stands: the kernel that is compiled, and the function whose properties come
 * next; NULL if it is none that is kept. */
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
	struct bw_text line = {0};
	*uses = (struct bw_kernel_uses){0};
	for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		bw_text_clear(&line);
		bw_text_append(&line, at, strcspn(at, "\n"));
		read_line(&reader, bw_text_get(&line));
	}
	bw_text_free(&line);
	if (!uses->n)
		return bw_fail(error, BW_ERROR_DEVICE, "ptxas names no kernel");
	for (int k = 0; k < uses->n; k++)
		if (uses->list[k].registers < 0)
			return bw_fail(error, BW_ERROR_DEVICE, "ptxas does not say the registers of %s", uses->list[k].name);
	return true;
}

/* Where the kernel's entry begins in the text; its length where there is none. */
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

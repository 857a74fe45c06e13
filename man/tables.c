/* Fills the tables of the program into a manual page: reads a page with lines `@NAME@`, writes it with the table of that name in
 * mdoc in the place of each. So the manual says what the program does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cost/cost.h"
#include "gpu/device.h"
#include "search/search.h"
#include "session/session.h"

/* mdoc takes a backslash for the beginning of an escape, and a leading dot or quote for a request. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
}

static void item(const char *head, const char *text)
{
	fputs(".It Li \"", stdout);
	put(head);
	fputs("\"\n", stdout);
	put(text);
	putchar('\n');
}

static void statuses(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, status, text) item(#status, status ? text : "success");
	BW_ERROR_TABLE(X)
#undef X
	printf(".El\n");
}

static void command(const char *name, const char *arguments, const char *key, const char *help)
{
	printf(".It Ic ");
	put(name);
	if (*arguments) {
		printf(" Li \"");
		put(arguments);
		printf("\"");
	}
	if (*key) {
		printf(" Pq Li \"\\&");
		put(key);
		printf("\"");
	}
	putchar('\n');
	put(help);
	putchar('\n');
}

static void commands(void)
{
	printf(".Bl -tag -width indent\n");
#define X(name, symbol, arguments, key, help, journaled) command(name, arguments, key, help);
	BW_COMMAND_TABLE(X)
#undef X
	printf(".El\n");
}

static void rules(void)
{
	printf(".Bl -tag -width \"thread allocation\" -compact\n");
#define X(name, text, hard, meaning) item(text, meaning);
	BW_RULE_TABLE(X)
#undef X
	printf(".El\n");
}

static void terms(void)
{
	printf(".Bl -tag -width \"global store\" -compact\n");
#define X(name, words, key, text) item(words, text);
	BW_TERM_TABLE(X)
#undef X
	printf(".El\n");
}

static void fates(void)
{
	const char *comma = "";
#define X(name, text) \
	printf("%s%s", comma, text); \
	comma = ",\n";
	BW_FATE_TABLE(X)
#undef X
	printf(".\n");
}

static void device(const char *key, const char *unit, const char *text)
{
	printf(".It Cm ");
	put(key);
	if (*unit) {
		printf(" Pq ");
		put(unit);
	}
	putchar('\n');
	put(text);
	putchar('\n');
}

static void devices(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(field, key, unit, text) device(key, unit, text);
	BW_DEVICE_TABLE(X)
#undef X
	printf(".El\n");
}

static const struct {
	const char *name;
	void (*write)(void);
} tables[] = {
	{"@statuses@", statuses},
	{"@commands@", commands},
	{"@rules@", rules},
	{"@fates@", fates},
	{"@terms@", terms},
	{"@devices@", devices},
};

/* Writes one line of the page, or the table that it asks for. False where there is no such table. */
static bool put_line(const char *line)
{
	if (*line != '@') {
		puts(line);
		return true;
	}
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (strcmp(line, tables[i].name) == 0) {
			tables[i].write();
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct bw_text page = {0};
	struct bw_error error = {0};
	if (argc != 2 || !bw_file_read(argv[1], 1 << 20, &page, &error)) {
		fprintf(stderr, "tables: %s\n", argc == 2 ? error.text : "usage: tables PAGE");
		return 1;
	}
	char *rest = page.bytes, *line;
	while ((line = strsep(&rest, "\n")) && rest)
		if (!put_line(line)) {
			fprintf(stderr, "tables: %s: there is no table %s\n", argv[1], line);
			return 1;
		}
	bw_text_free(&page);
	return fflush(stdout) == 0 ? 0 : 1;
}

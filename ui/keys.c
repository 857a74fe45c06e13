#include "ui/keys.h"

#include <stdio.h>
#include <string.h>

#include "ui/glyph.h"

static const struct bw_binding requests[] = {
#define X(name, keys, command, help) {BW_REQUEST_##name, command, keys, help},
	BW_REQUEST_TABLE(X)
#undef X
};
enum { N_REQUESTS = sizeof requests / sizeof *requests };

const char *bw_key_name(enum bw_key_code code)
{
	static const char *const names[] = {
#define X(name, text) text,
		BW_KEY_TABLE(X)
#undef X
	};
	return code > BW_KEY_FIRST ? names[code - BW_KEY_FIRST - 1] : "";
}

/* A key as the tables write it: `Up`, `^R`, `k`. */
static void name_key(struct bw_key key, char name[16])
{
	if (key.code > BW_KEY_FIRST)
		snprintf(name, 16, "%s", bw_key_name(key.code));
	else if (key.code < ' ')
		snprintf(name, 16, "^%c", (char)(key.code + '@'));
	else
		bw_glyph_utf8(key.code, name);
}

/* Whether a list of keys with blanks between has this one. */
static bool has_key(const char *keys, const char *name)
{
	size_t length = strlen(name);
	for (; *keys; keys += strcspn(keys, " ") + (keys[strcspn(keys, " ")] == ' '))
		if (strncmp(keys, name, length) == 0 && (keys[length] == ' ' || keys[length] == 0))
			return true;
	return false;
}

static struct bw_binding of_command(const struct bw_command *command)
{
	return (struct bw_binding){BW_REQUEST_RUN, command->name, command->key, command->help};
}

static bool taken(const struct bw_command *command)
{
	for (int i = 0; i < N_REQUESTS; i++)
		if (has_key(requests[i].keys, command->key))
			return true;
	return false;
}

struct bw_binding bw_binding_of(struct bw_key key)
{
	char name[16];
	int n;
	const struct bw_command *commands = bw_commands(&n);
	if (key.alt || key.code == BW_KEY_NONE)
		return (struct bw_binding){.request = BW_REQUEST_NONE};
	name_key(key, name);
	for (int i = 0; i < N_REQUESTS && *name; i++)
		if (has_key(requests[i].keys, name))
			return requests[i];
	for (int i = 0; i < n && *name; i++)
		if (*commands[i].key && has_key(commands[i].key, name))
			return of_command(&commands[i]);
	return (struct bw_binding){.request = BW_REQUEST_NONE};
}

int bw_bindings(struct bw_binding *bindings, int most)
{
	int n_commands, n = 0;
	const struct bw_command *commands = bw_commands(&n_commands);
	for (int i = 0; i < n_commands && n < most; i++)
		if (*commands[i].key && !taken(&commands[i]))
			bindings[n++] = of_command(&commands[i]);
	for (int i = 0; i < N_REQUESTS && n < most; i++)
		bindings[n++] = requests[i];
	return n;
}

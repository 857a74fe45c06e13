#include "ui/keys.h"

#include <ctype.h>

#include "ui/glyph.h"

static const char *const key_names[] = {BW_KEY_TABLE(BW_SECOND)};
enum { N_NAMES = sizeof key_names / sizeof *key_names };

const char *bw_key_name(enum bw_key_code code)
{
	return code > BW_KEY_FIRST ? key_names[code - BW_KEY_FIRST - 1] : "";
}

void bw_key_print(struct bw_key key, char name[BW_KEY_NAME_SIZE])
{
	char plain[BW_KEY_NAME_SIZE] = "";
	if (key.code > BW_KEY_FIRST)
		snprintf(plain, sizeof plain, "%s", bw_key_name(key.code));
	else if (key.code && key.code < ' ')
		snprintf(plain, sizeof plain, "^%c", (char)(key.code + '@'));
	else if (key.code)
		bw_glyph_utf8(key.code, plain);
	snprintf(name, BW_KEY_NAME_SIZE, "%s%.12s", key.alt && *plain ? "M-" : "", plain);
}

/* Returns the key for a name of more than one character. Excludes keys that only terminals send, and the
 * two keys that always stop work. */
static uint32_t named(const char *name)
{
	for (int i = 0; i < N_NAMES; i++) {
		uint32_t code = BW_KEY_FIRST + 1 + (uint32_t)i;
		if (*key_names[i] && !strcasecmp(key_names[i], name) && code < BW_KEY_MOUSE && code != BW_KEY_ESCAPE)
			return code;
	}
	return BW_KEY_NONE;
}

/* Returns the key for a name such as `^R` if terminals can tell it from other keys. ^C, ^L and ^Z
 * cannot be rebound. */
static uint32_t control(const char *name)
{
	int letter = name[0] == '^' ? toupper((unsigned char)name[1]) : 0;
	return letter >= 'A' && letter <= '_' && !name[2] && !strchr("CHIJLMZ[", letter)
		   ? (uint32_t)(letter & 31)
		   : (uint32_t)BW_KEY_NONE;
}

struct bw_key bw_key_parse(const char *name)
{
	struct bw_key key = {.alt = !strncmp(name, "M-", 2) && name[2]};
	name += key.alt ? 2 : 0;
	const char *end = name;
	uint32_t glyph = bw_glyph_next(&end);
	key.code = named(name);
	if (!key.code)
		key.code = control(name);
	if (!key.code && glyph > ' ' && glyph != 127 && glyph != 0xfffd && glyph < BW_KEY_FIRST && !*end)
		key.code = glyph;
	return key.code ? key : (struct bw_key){.code = BW_KEY_NONE};
}

static const struct bw_binding requests[] = {
#define X(name, keys, command, help) {BW_REQUEST_##name, command, keys, help},
	BW_REQUEST_TABLE(X)
#undef X
};
enum { N_REQUESTS = sizeof requests / sizeof *requests, MOST_BINDINGS = 128 };

/* Returns true if a list of keys with blanks contains this one. */
static bool has_key(const char *keys, const char *name)
{
	size_t length = strlen(name);
	for (; *keys; keys += strcspn(keys, " ") + (keys[strcspn(keys, " ")] == ' '))
		if (strncmp(keys, name, length) == 0 && (keys[length] == ' ' || keys[length] == 0))
			return true;
	return false;
}

static const struct bw_view_key view_keys[] = {
	{"", "step", NULL, NULL}, {"", "back", NULL, NULL}, {"", "run", NULL, NULL}, {"", "view views", "views", NULL}, {"", "why", NULL, NULL}, {"", "accept", NULL, NULL},
	{"", "freeze", NULL, NULL}, {"", "view override", "change", NULL}, {"", "time", NULL, NULL}, {"", "undo", NULL, NULL},
	{"graph", "do earlier", "what it reads", NULL}, {"graph", "do later", "its reader", NULL}, {"graph", "do down", "next", NULL}, {"graph", "view tile", "tile", NULL},
	{"graph", "view views", "views", NULL}, {"graph", "freeze", NULL, NULL}, {"graph", "why", NULL, NULL},
	{"roofline", "do down", "next", NULL}, {"roofline", "do page-down", "page", NULL}, {"roofline", "do bottom", "last", NULL}, {"roofline", "view tile", "tile", NULL}, {"roofline", "view views", "views", NULL}, {"roofline", "why", NULL, NULL},
	{"roofline", "compile", NULL, NULL}, {"roofline", "view override", "change", NULL},
	{"film", "step", "pause, go on", NULL}, {"film", "do later", "next", NULL}, {"film", "do earlier", "before", NULL}, {"film", "play faster", "faster", NULL}, {"film", "play slower", "slower", NULL}, {"film", "do cancel", "end", NULL},
	{"search", "step", "film", "play"}, {"search", "do up", "earlier", NULL}, {"search", "do down", "later", NULL}, {"search", "do open", "decision", NULL}, {"search", "view views", "views", NULL},
	{"search", "why", "what mattered", "why search"}, {"search", "view statistics", "statistics", NULL},
	{"tile", "do later", "wider", "lens wider"}, {"tile", "do earlier", "narrower", "lens narrower"}, {"tile", "do down", "taller", "lens taller"}, {"tile", "do up", "flatter", "lens flatter"},
	{"tile", "do next-pane", "next Func", NULL}, {"tile", "do open", "hold it so", NULL}, {"tile", "why", NULL, NULL},
	{"help", "step", "page", "do page-down"}, {"help", "back", "page back", "do page-up"}, {"help", "do search", "search", NULL}, {"help", "view glossary", "all words", NULL}, {"help", "view views", "views", NULL},
	{"glossary", "step", "page", "do page-down"}, {"glossary", "back", "page back", "do page-up"}, {"glossary", "do search", "search", NULL},
	{"views", "do open", "show", NULL}, {"views", "do down", "next", NULL}, {"views", "step", "page", "do page-down"}, {"views", "back", "page back", "do page-up"},
	{"decision", "step", NULL, NULL}, {"decision", "back", NULL, NULL}, {"decision", "cost", NULL, NULL}, {"decision", "accept", NULL, NULL}, {"decision", "reject", NULL, NULL},
	{"decision", "pin", NULL, NULL}, {"decision", "freeze", NULL, NULL}, {"decision", "why", NULL, NULL}, {"decision", "undo", NULL, NULL},
	{"decision", "do earlier", "stage before", "replay back"}, {"decision", "do later", "next stage", "replay next"},
	{"override", "do open", "hold", NULL}, {"override", "do down", "next", NULL}, {"override", "step func", "next Func", "select next"}, {"override", "back func", "Func before", "select previous"}, {"override", "view views", "views", NULL},
	{"override", "undo", NULL, NULL}, {"override", "why", NULL, NULL}, {"override", "time", NULL, NULL},
	{"opinions", "do open", "kernels", NULL}, {"opinions", "do down", "next", NULL}, {"opinions", "accept", "hold it so", NULL}, {"opinions", "compare", NULL, NULL},
	{"opinions", "time", NULL, NULL}, {"opinions", "compile", NULL, NULL}, {"opinions", "undo", NULL, NULL}, {"opinions", "view walk", "walk", NULL},
	{"code", "do down", "next", NULL}, {"code", "do later", "statement", "select column next"}, {"code", "do fold", "fold", NULL}, {"code", "sort", "one Func", "code func"}, {"code", "play", "fold others", "fold loops"}, {"code", "do search", "search", NULL}, {"code", "step func", "next Func", "select next"}, {"code", "back func", "Func before", "select previous"}, {"code", "compile", NULL, NULL}, {"code", "view counters", "counters", NULL},
	{"code", "view views", "views", NULL},
	{"tune", "do open", "take it", NULL}, {"tune", "do down", "next", NULL}, {"tune", "view views", "views", NULL}, {"tune", "view timings", "timings", NULL},
	{"tune", "undo", NULL, NULL}, {"tune", "accept", "take it", "tune take"},
	{"walk", "step", NULL, "walk step"}, {"walk", "back", NULL, "walk back"}, {"walk", "do open", "take", NULL}, {"walk", "reject", "forbid", "walk forbid"},
	{"walk", "freeze", "hold", "walk hold"}, {"walk", "why", NULL, "walk why"}, {"walk", "undo", NULL, NULL}, {"walk", "view main", "main", NULL},
	{"walk", "accept", "take", "walk take"}, {"walk", "run", "its end", "walk end"}, {"walk", "step pass", "its end", "walk end"}, {"walk", "back pass", "its start", "walk start"},
	{"history", "do up", "jump back", NULL}, {"history", "do down", "jump on", NULL}, {"history", "undo", NULL, NULL}, {"history", "redo", NULL, NULL},
	{"history", "compare", NULL, NULL}, {"history", "time", NULL, NULL},
};
enum { N_VIEW_KEYS = sizeof view_keys / sizeof *view_keys };

const struct bw_view_key *bw_view_keys(const char *view, int *n)
{
	int first = 0;
	while (first < N_VIEW_KEYS && strcmp(view_keys[first].view, view))
		first++;
	first = first < N_VIEW_KEYS ? first : 0;
	*n = 0;
	while (first + *n < N_VIEW_KEYS && !strcmp(view_keys[first + *n].view, view_keys[first].view))
		++*n;
	return &view_keys[first];
}

static struct bw_binding of_command(const struct bw_command *command)
{
	return (struct bw_binding){BW_REQUEST_RUN, command->name, command->key, command->help};
}

static struct bw_binding of_bound(const struct bw_rebinding *bound)
{
	if (bound->request == BW_REQUEST_RUN)
		return (struct bw_binding){BW_REQUEST_RUN, bound->command, bound->key, ""};
	if (bound->request == BW_REQUEST_NONE)
		return (struct bw_binding){.request = BW_REQUEST_NONE};
	return requests[bound->request - 1];
}

static bool taken(const struct bw_command *command)
{
	for (int i = 0; i < N_REQUESTS; i++)
		if (has_key(requests[i].keys, command->key))
			return true;
	return false;
}

struct bw_binding bw_binding_of(const struct bw_keymap *keymap, struct bw_key key)
{
	char name[BW_KEY_NAME_SIZE];
	int n;
	const struct bw_command *commands = bw_commands(&n);
	bw_key_print(key, name);
	for (int i = 0; keymap && *name && i < keymap->n; i++)
		if (!strcmp(keymap->list[i].key, name))
			return of_bound(&keymap->list[i]);
	if (key.alt || key.code == BW_KEY_NONE)
		return (struct bw_binding){.request = BW_REQUEST_NONE};
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

void bw_request_print(enum bw_request request, char name[32])
{
	static const char *const names[] = {
		"none",
#define X(name, keys, command, help) #name,
		BW_REQUEST_TABLE(X)
#undef X
		"",
	};
	size_t i = 0;
	for (const char *at = names[request]; *at && i < 31; at++)
		name[i++] = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
	name[i] = 0;
}

static enum bw_request find_request(const char *name)
{
	for (int request = BW_REQUEST_NONE + 1; request < BW_REQUEST_RUN; request++) {
		char known[32];
		bw_request_print((enum bw_request)request, known);
		if (!strcmp(known, name))
			return (enum bw_request)request;
	}
	return BW_REQUEST_NONE;
}

enum bw_request bw_request_of(const char *line)
{
	return strncmp(line, "do ", 3) ? BW_REQUEST_NONE : find_request(line + 3 + strspn(line + 3, " \t"));
}

/* Finds the request that a line makes. Returns false with an error if a key cannot be bound to the line. */
static bool read_line(const char *line, enum bw_request *request, struct bw_error *error)
{
	*request = bw_request_of(line);
	if (!strcmp(line, "none") || *request != BW_REQUEST_NONE)
		return true;
	if (!strncmp(line, "do ", 3))
		return bw_fail(error, BW_ERROR_INPUT, "\"%.60s\": no such request; beamwalkrc(5) lists them", line);
	*request = BW_REQUEST_RUN;
	return bw_session_knows(line, error);
}

bool bw_keymap_bind(struct bw_keymap *keymap, const char *key, const char *line, struct bw_error *error)
{
	struct bw_key parsed = bw_key_parse(key);
	struct bw_rebinding bound = {0};
	if (parsed.code == BW_KEY_NONE)
		return bw_fail(error, BW_ERROR_INPUT,
			       "\"%.60s\" is no key that can be bound; as in Space, ^R, F5, M-x or x", key);
	if (!read_line(line, &bound.request, error))
		return false;
	bw_key_print(parsed, bound.key);
	bound.command = bound.request == BW_REQUEST_RUN ? bw_strdup(line) : NULL;
	for (int i = 0; i < keymap->n; i++)
		if (!strcmp(keymap->list[i].key, bound.key)) {
			free(keymap->list[i].command);
			keymap->list[i] = bound;
			return true;
		}
	BW_PUSH(keymap->list, keymap->n, keymap->capacity, bound);
	return true;
}

void bw_keymap_free(struct bw_keymap *keymap)
{
	for (int i = 0; i < keymap->n; i++)
		free(keymap->list[i].command);
	free(keymap->list);
	*keymap = (struct bw_keymap){0};
}

static bool rebound(const struct bw_keymap *keymap, const char *key, size_t length)
{
	for (int i = 0; keymap && i < keymap->n; i++)
		if (strlen(keymap->list[i].key) == length && !strncmp(keymap->list[i].key, key, length))
			return true;
	return false;
}

void bw_keys_left(const struct bw_keymap *keymap, const char *keys, char left[64])
{
	size_t n = 0;
	left[0] = 0;
	while (*keys) {
		size_t length = strcspn(keys, " ");
		if (!rebound(keymap, keys, length) && n + length + 2 < 64)
			n += (size_t)snprintf(left + n, 64 - n, "%s%.*s", n ? " " : "", (int)length, keys);
		keys += length + strspn(keys + length, " ");
	}
}

/* Finds the first key of a request. */
static void key_of_request(const struct bw_keymap *keymap, enum bw_request request,
			   char name[BW_KEY_NAME_SIZE])
{
	char left[64] = "";
	for (int i = 0; keymap && i < keymap->n; i++)
		if (keymap->list[i].request == request) {
			snprintf(name, BW_KEY_NAME_SIZE, "%s", keymap->list[i].key);
			return;
		}
	bw_keys_left(keymap, requests[request - 1].keys, left);
	snprintf(name, BW_KEY_NAME_SIZE, "%.*s", (int)strcspn(left, " "), left);
}

void bw_key_of(const struct bw_keymap *keymap, const char *line, char name[BW_KEY_NAME_SIZE])
{
	struct bw_binding bindings[MOST_BINDINGS];
	char left[64] = "";
	enum bw_request request = bw_request_of(line);
	*name = 0;
	if (request != BW_REQUEST_NONE) {
		key_of_request(keymap, request, name);
		return;
	}
	for (int i = 0; keymap && i < keymap->n; i++)
		if (keymap->list[i].request == BW_REQUEST_RUN && !strcmp(keymap->list[i].command, line)) {
			snprintf(name, BW_KEY_NAME_SIZE, "%s", keymap->list[i].key);
			return;
		}
	for (int i = 0, n = bw_bindings(bindings, MOST_BINDINGS); i < n && !*left; i++)
		if (!strcmp(bindings[i].command, line))
			bw_keys_left(keymap, bindings[i].keys, left);
	snprintf(name, BW_KEY_NAME_SIZE, "%.*s", (int)strcspn(left, " "), left);
}

void bw_keys_write(const struct bw_keymap *keymap, const char *text, struct bw_text *out)
{
	for (;;) {
		size_t length = strcspn(text, "{");
		char line[64], key[BW_KEY_NAME_SIZE];
		bw_text_append(out, text, length);
		if (!text[length])
			return;
		text += length + 1;
		length = strcspn(text, "}");
		snprintf(line, sizeof line, "%.*s", (int)length, text);
		bw_key_of(keymap, line, key);
		bw_text_printf(out, "%s%s", *key ? "" : ":", *key ? key : line);
		text += length + (text[length] == '}');
	}
}

#include "ui/shorten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Attributes that can be reset one by one: the parameter that sets an attribute, and the parameter that
 * resets it. Bold and faint are reset together. */
enum { BOLD, FAINT, UNDERLINED, REVERSED, N_ATTRIBUTES };
static const struct {
	int on, off;
} attributes[N_ATTRIBUTES] = {{1, 22}, {2, 22}, {4, 24}, {7, 27}};

enum { FOREGROUND, BACKGROUND, N_GROUNDS };
static const char *const plain[N_GROUNDS] = {"39", "49"};

/* The look of characters. */
struct look {
	bool has[N_ATTRIBUTES];
	char ground[N_GROUNDS][20]; /* parameters of a colour; empty: the terminal's default */
};

/* State while a frame is rewritten. */
struct rewriting {
	const char *at, *end;
	struct look is, wanted; /* of the terminal; of the next text */
	struct bw_text *out;
};

static void add(char *parameters, size_t size, const char *parameter)
{
	size_t n = strlen(parameters);
	snprintf(parameters + n, size - n, "%s%s", n ? ";" : "", parameter);
}

static void add_attribute(char *parameters, size_t size, int number)
{
	char text[8];
	snprintf(text, sizeof text, "%d", number);
	add(parameters, size, text);
}

/* Writes the parameters that reset all attributes and then set a look. */
static void anew(const struct look *wanted, char *parameters, size_t size)
{
	bool any = false;
	*parameters = 0;
	for (int a = 0; a < N_ATTRIBUTES; a++)
		any |= wanted->has[a];
	for (int g = 0; g < N_GROUNDS; g++)
		any |= *wanted->ground[g] != 0;
	if (any)
		add(parameters, size, "0");
	for (int a = 0; a < N_ATTRIBUTES; a++)
		if (wanted->has[a])
			add_attribute(parameters, size, attributes[a].on);
	for (int g = 0; g < N_GROUNDS; g++)
		if (*wanted->ground[g])
			add(parameters, size, wanted->ground[g]);
}

/* Writes the parameters that change one look into another. */
static void differing(const struct look *is, const struct look *wanted, char *parameters, size_t size)
{
	bool weights = (is->has[BOLD] && !wanted->has[BOLD]) || (is->has[FAINT] && !wanted->has[FAINT]);
	*parameters = 0;
	if (weights)
		add_attribute(parameters, size, attributes[BOLD].off);
	for (int a = 0; a < N_ATTRIBUTES; a++) {
		bool has = is->has[a] && !(weights && a <= FAINT);
		if (has != wanted->has[a])
			add_attribute(parameters, size, wanted->has[a] ? attributes[a].on : attributes[a].off);
	}
	for (int g = 0; g < N_GROUNDS; g++)
		if (strcmp(is->ground[g], wanted->ground[g]) != 0)
			add(parameters, size, *wanted->ground[g] ? wanted->ground[g] : plain[g]);
}

/* Returns true if blanks look different in the two looks. */
static bool blanks_differ(const struct look *a, const struct look *b)
{
	return strcmp(a->ground[BACKGROUND], b->ground[BACKGROUND]) != 0 ||
	       a->has[UNDERLINED] != b->has[UNDERLINED] || a->has[REVERSED] != b->has[REVERSED] ||
	       (a->has[REVERSED] && strcmp(a->ground[FOREGROUND], b->ground[FOREGROUND]) != 0);
}

/* Gives the terminal the wanted look. */
static void apply(struct rewriting *rewriting)
{
	char fresh[96], more[96];
	differing(&rewriting->is, &rewriting->wanted, more, sizeof more);
	anew(&rewriting->wanted, fresh, sizeof fresh);
	if (*more)
		bw_text_printf(rewriting->out, "\033[%sm", strlen(fresh) < strlen(more) ? fresh : more);
	rewriting->is = rewriting->wanted;
}

static void set_ground(struct look *look, int ground, const char *from, const char *to)
{
	size_t n = (size_t)(to - from) < sizeof look->ground[ground] ? (size_t)(to - from)
								     : sizeof look->ground[ground] - 1;
	memcpy(look->ground[ground], from, n);
	look->ground[ground][n] = 0;
}

/* Returns the end of a colour's parameters, which begin with 38 or 48, or NULL if they are not
 * recognized. */
static const char *colour_end(const char *at)
{
	char *end;
	if (strncmp(at + 2, ";5;", 3) != 0)
		return NULL;
	strtol(at + 5, &end, 10);
	return end > at + 5 ? end : NULL;
}

/* Parses one parameter, or all parameters of a colour. Returns their end, or NULL if they are not
 * recognized. */
static const char *take_parameter(struct look *look, const char *at)
{
	char *end;
	long number = strtol(at, &end, 10);
	const char *after = end;
	int tens = (int)(number / 10), ground = tens == 4 || tens == 10 ? BACKGROUND : FOREGROUND;
	if (number == 0) {
		*look = (struct look){0};
		return after;
	}
	for (int a = 0; a < N_ATTRIBUTES; a++)
		if (number == attributes[a].on || number == attributes[a].off) {
			look->has[a] = number == attributes[a].on;
			if (number != 22)
				return after;
		}
	if (number == 22)
		return after;
	if (number == 38 || number == 48)
		after = colour_end(at);
	else if (!(tens == 3 || tens == 4 || tens == 9 || tens == 10) || number % 10 == 8 ||
		 (tens >= 9 && number % 10 == 9))
		return NULL;
	if (after && number % 10 == 9)
		*look->ground[ground] = 0;
	else if (after)
		set_ground(look, ground, at, after);
	return after;
}

/* Takes the parameters of ESC [ ... m. */
static bool take_look(struct rewriting *rewriting, const char *at, const char *end)
{
	if (at == end)
		rewriting->wanted = (struct look){0};
	while (at < end) {
		at = take_parameter(&rewriting->wanted, at);
		if (!at || at > end || (at < end && *at++ != ';'))
			return false;
	}
	return true;
}

/* Parses ESC [, parameters, and a final byte. Records changes of attributes and colours, and writes
 * them before other output that depends on them; cursor movements do not. */
static bool take_sequence(struct rewriting *rewriting)
{
	const char *from = rewriting->at, *to = from + 2;
	while (to < rewriting->end && (unsigned char)*to >= 0x20 && (unsigned char)*to < 0x40)
		to++;
	if (to == rewriting->end)
		return false;
	rewriting->at = to + 1;
	if (*to == 'm')
		return take_look(rewriting, from + 2, to);
	if (!strchr("ABCDGHdf", *to))
		apply(rewriting);
	bw_text_append(rewriting->out, from, (size_t)(to + 1 - from));
	return true;
}

/* Takes any sequence that begins with ESC. The character set always stays ASCII. */
static bool take_escape(struct rewriting *rewriting)
{
	const char *at = rewriting->at;
	size_t left = (size_t)(rewriting->end - at);
	if (left > 1 && at[1] == '[')
		return take_sequence(rewriting);
	if (left < 3 || at[1] != '(' || at[2] != 'B')
		return false;
	rewriting->at += 3;
	return true;
}

bool bw_shorten(const char *bytes, size_t n, struct bw_text *out)
{
	struct rewriting rewriting = {.at = bytes, .end = bytes + n, .out = out};
	size_t before = out->length;
	while (rewriting.at < rewriting.end) {
		char byte = *rewriting.at;
		if (byte == '\033') {
			if (!take_escape(&rewriting)) {
				out->length = before;
				return false;
			}
			continue;
		}
		bool moves = byte == '\r' || byte == '\b', blank = byte == ' ';
		if (!moves && (!blank || blanks_differ(&rewriting.is, &rewriting.wanted)))
			apply(&rewriting);
		bw_text_append(out, &byte, 1);
		rewriting.at++;
	}
	rewriting.wanted = (struct look){0};
	apply(&rewriting);
	return true;
}

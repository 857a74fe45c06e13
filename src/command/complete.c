/* Completion: the words that can end a line follow from the arguments of its command in the table,
 * `[FUNC|all]` or `func FUNC | state STATE`: a bar with blanks around it separates sequences of
 * words, a bar without blanks separates words. Capitals stand for a thing of that kind, small letters
 * for themselves. */
#include <ctype.h>

#include "base/arith.h"
#include "command/figure.h"
#include "command/complete.h"

BW_ORDER(compare_words, char *, strcmp(*a, *b))

static bool stands_for_itself(const char *word)
{
	return islower((unsigned char)*word) || *word == '-';
}

/* Returns true if a word can be repeated: `FUNC...`. */
static bool repeats(const char *word, size_t length)
{
	return length > 3 && !strncmp(word + length - 3, "...", 3);
}

/* One word of the arguments that stands for itself or for things of a kind. */
static void complete_word(struct completions *found, const char *word, size_t length)
{
	bw_complete_kind(found, word, length - (repeats(word, length) ? 3 : 0));
	if (!stands_for_itself(word))
		return;
	BW_SCOPED_MEMORY char *literal = bw_strdup(word);
	size_t sign = strcspn(word, "<>="); /* end of the part before the number, as in `cost<N` and
					       `beams=N` */
	literal[sign < length ? sign + 1 : length] = 0;
	bw_complete_with(found, literal);
}

/* Returns true if the typed text fits a word of the arguments: a literal word must be equal. */
static bool fits(const char *word, const char *typed, size_t length)
{
	return !stands_for_itself(word) || (strcspn(word, " ") == length && !strncmp(word, typed, length));
}

/* One alternative, words in turn, against the words typed before the stem. */
static void complete_alternative(struct completions *found, const char *words, const char *typed)
{
	for (size_t last = 0; *words; words += last, words += strspn(words, " ")) {
		size_t length = strcspn(typed, " \t");
		if (typed >= found->stem) {
			for (const char *word = words; *word && *word != ' ';) {
				size_t one = strcspn(word, "| ");
				complete_word(found, word, one);
				word += one + (word[one] == '|');
			}
			return;
		}
		if (!fits(words, typed, length))
			return;
		typed += length;
		typed += strspn(typed, " \t");
		last = strcspn(words, " ");
		if (repeats(words, strcspn(words, "| ")))
			last = 0;
	}
}

/* Returns true if the word before the stem is `at`, behind which a level stands. */
static bool behind_at(const struct completions *found, const char *typed)
{
	const char *end = found->stem;
	while (end > typed && isspace((unsigned char)end[-1]))
		end--;
	return end - typed > 2 && !strncmp(end - 2, "at", 2) && isspace((unsigned char)end[-3]);
}

static void complete_arguments(struct completions *found, const char *arguments, const char *typed)
{
	if (strstr(arguments, "SITE") && behind_at(found, typed)) {
		bw_complete_levels(found);
		return;
	}
	char *plain = bw_strdup(arguments), *end = plain;
	for (const char *at = arguments; *at; at++)
		if (*at != '[' && *at != ']')
			*end++ = *at;
	*end = 0;
	for (char *alternative = plain, *next; alternative; alternative = next) {
		next = strstr(alternative, " | ");
		if (next) {
			*next = 0;
			next += 3;
		}
		complete_alternative(found, alternative, typed);
	}
	free(plain);
}

/* What follows the first word of a fact is as the table of facts has it. */
static void complete_fact(struct completions *found, const char *typed)
{
	static const struct {
		const char *word, *arguments;
	} facts[] = {
#define X(name, word, arguments, meaning) {word, arguments},
		BW_FACT_TABLE(X)
#undef X
	};
	size_t length = strcspn(typed, " \t");
	const char *rest = typed + length + strspn(typed + length, " \t");
	if (typed + length >= found->stem) {
		bw_complete_kind(found, "FACT", strlen("FACT"));
		return;
	}
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (!*facts[i].word)
			complete_arguments(found, facts[i].arguments, typed);
		else if (strlen(facts[i].word) == length && !strncmp(typed, facts[i].word, length) && i == BW_FACT_BEST)
			complete_fact(found, rest);
		else if (strlen(facts[i].word) == length && !strncmp(typed, facts[i].word, length))
			complete_arguments(found, facts[i].arguments, rest);
	}
}

/* Where the word begins that is to be completed: a file's name may have blanks. */
static const char *find_stem(const struct bw_command *command, const char *arguments, const char *end)
{
	const char *stem = end;
	if (command && !strncmp(command->arguments, "FILE", 4) && !strstr(command->arguments, "FUNC"))
		return strncmp(arguments, "--trust ", 8) ? arguments : arguments + 8;
	while (stem > arguments && !isspace((unsigned char)stem[-1]))
		stem--;
	return stem;
}

/* Skips commands that take a command, and returns the line of the innermost one; sets *command to it. */
static const char *innermost(const char *start, const struct bw_command **command)
{
	size_t name = strcspn(start, " \t");
	*command = start[name] ? bw_command_find(start, name) : NULL;
	while (*command && !strcmp((*command)->arguments, "COMMAND")) {
		start += name + strspn(start + name, " \t");
		name = strcspn(start, " \t");
		*command = start[name] ? bw_command_find(start, name) : NULL;
	}
	return start;
}

/* As bw_session_complete; *typed: how much of the words is there. */
static int complete(struct bw_session *session, const char *line, int length, char **words, int most,
		    size_t *typed)
{
	BW_SCOPED_TEXT text = {0};
	const struct bw_command *command;
	bw_text_append(&text, line, (size_t)length);
	const char *start = innermost(bw_text_get(&text) + strspn(bw_text_get(&text), " \t"), &command),
		   *end = bw_text_get(&text) + text.length;
	size_t name = strcspn(start, " \t");
	const char *arguments = start + name + strspn(start + name, " \t"),
		   *stem = start[name] ? find_stem(command, arguments, end) : start;
	struct completions found = {session, words, 0, most, stem, (size_t)(end - stem)};
	if (!start[name])
		bw_complete_kind(&found, "COMMAND", strlen("COMMAND"));
	else if (command && !strcmp(command->arguments, "FACT"))
		complete_fact(&found, arguments);
	else if (command)
		complete_arguments(&found, command->arguments, arguments);
	qsort(words, (size_t)found.n, sizeof *words, compare_words);
	*typed = found.length;
	return found.n;
}

int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most)
{
	size_t typed;
	return complete(session, line, length, words, most, &typed);
}

/* What all words begin with, in bytes, never half of a character. */
static size_t common_prefix(char *const *words, int n)
{
	size_t length = strlen(words[0]);
	for (int i = 1; i < n; i++) {
		size_t same = 0;
		while (same < length && words[i][same] == words[0][same])
			same++;
		length = same;
	}
	return bw_utf8_cut(words[0], length);
}

int bw_session_complete_line(struct bw_session *session, const char *line, int length, struct bw_text *more,
			     struct bw_text *list)
{
	enum { MOST_WORDS = 200 };
	char *words[MOST_WORDS];
	size_t typed;
	int n = complete(session, line, length, words, MOST_WORDS, &typed);
	size_t agreed = n ? common_prefix(words, n) : 0;
	if (agreed > typed)
		bw_text_append(more, words[0] + typed, agreed - typed);
	if (n == 1 && agreed && !strchr("/=", words[0][agreed - 1]))
		bw_text_puts(more, " ");
	for (int i = 0; i < n; i++) {
		if (n > 1 && agreed <= typed)
			bw_text_printf(list, "%s%s", i ? "  " : "", words[i]);
		free(words[i]);
	}
	return n;
}

/* Any two screens, the report and JSON agree on every figure of the same name. All views of six pipelines are drawn and read as a person reads them, by
 * the words beside a figure; what is read of a kernel, a Func or the schedule under one name has one value, to the digits that are printed. A figure with such words that
 * no rule reads fails, and so does a view of which nothing is read and that is not said to have none: a new view needs a rule. BW_SHOW=1 prints what is read. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "../core/test.h"
#include "base/say.h"
#include "command/figure.h"
#include "command/report.h"
#include "made.h"
#include "page/page.h"
#include "ui/print.h"

enum { MOST_SEEN = 40000, MOST_GROUPS = 16, WIDE = 240, TALL = 400 };

/* A figure that was read: of what, its name, the least and the greatest value that print so, or its words; where it stood. */
struct seen {
	char of[96], name[32], words[32], where[200];
	double low, high;
};

/* All that is read, but for views that describe others, with examples; how many figures were read of each. */
static const char *const screens[] = {
#define X(id, name, kind, meaning) BW_VIEW_##kind == BW_VIEW_ABOUT ? NULL : #name,
	BW_VIEW_TABLE(X)
#undef X
	"main", "why", "why search", "report", "--json", "assert"};
static int n_read[sizeof screens / sizeof *screens];

static struct seen seen[MOST_SEEN];
static int n_seen, n_disagreements;
/* What the screen that is read is about. */
static char view_name[64], kernel_name[64], func_name[80], inlined[64], selected[64], decision[80];
static struct made *made;

/* Sets the range of values that print as a text: `0.8214`, `<1%`, `6,144`, `17,920 B`, `50.7 MB`, `1.10x`. Returns false if it is no number. */
static bool read_range(const char *text, double *low, double *high)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = {{"%", 0.01}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"us", 1e-3}};
	char digits[32];
	size_t n = 0;
	bool less = *text == '<';
	text += less;
	for (; n + 1 < sizeof digits && (isdigit((unsigned char)*text) || *text == '.' || *text == ','); text++)
		if (*text != ',')
			digits[n++] = *text;
	digits[n] = '\0';
	const char *point = strchr(digits, '.');
	double value = atof(digits), step = pow(10, point ? -(double)strlen(point + 1) : 0);
	if (!n)
		return false;
	if (text[0] == 'e' && text[1] == '-') {
		char *end;
		double scale = pow(10, -strtod(text + 2, &end));
		value *= scale;
		step *= scale;
		text = end;
	}
	text += *text == ' ';
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strncmp(text, units[i].unit, strlen(units[i].unit))) {
			value *= units[i].scale;
			step *= units[i].scale;
			text += strlen(units[i].unit);
			break;
		}
	text += strspn(text, " ");
	if (*text && strcmp(text, "x") && strcmp(text, "B") && strcmp(text, "%"))
		return false;
	*low = less ? 0 : value - step * 0.5000001;
	*high = less ? value : value + step * 0.5000001;
	return true;
}

/* Adds a figure, and compares it with those of the same name that were read before. */
static void add(const char *of, const char *name, const char *words, double low, double high, const char *where)
{
	assert_true(n_seen < MOST_SEEN);
	for (size_t i = 0; i < sizeof screens / sizeof *screens; i++)
		n_read[i] += screens[i] && !strcmp(screens[i], view_name);
	struct seen *now = &seen[n_seen];
	snprintf(now->of, sizeof now->of, "%s", of);
	snprintf(now->name, sizeof now->name, "%s", name);
	snprintf(now->words, sizeof now->words, "%s", words);
	snprintf(now->where, sizeof now->where, "%s: %.*s", view_name, (int)strcspn(where + strspn(where, " "), "\n"), where + strspn(where, " "));
	now->low = low;
	now->high = high;
	for (int i = 0; i < n_seen; i++) {
		const struct seen *was = &seen[i];
		if (strcmp(was->of, of) != 0 || strcmp(was->name, name) != 0)
			continue;
		bool same = isnan(low) || isnan(was->low) ? !strcmp(was->words, words) && isnan(low) == isnan(was->low) : low <= was->high && was->low <= high;
		if (same)
			continue;
		if (n_disagreements++ < 60)
			print_message("%s of %s:\n  %s\n  %s\n", name, of, was->where, now->where);
		return;
	}
	n_seen++;
}

static void add_text(const char *of, const char *name, const char *text, const char *where)
{
	double low = NAN, high = NAN;
	bool number = read_range(text, &low, &high);
	add(of, name, number ? "" : text, low, high, where);
}

#define COST "([0-9][0-9.,]*(e-[0-9]+)?)"
#define SHARE "(<?[0-9]+%)"
#define TIMES "([0-9.,]+x)"
#define NAME "([A-Za-z_][^ \t;,:]*)"
#define BYTES "([0-9.,]+ (B|kB|MB|GB))"
#define TERM "(arithmetic|load/store|L2|memory|latency|spilled|slowest warp|barrier|launch)"
#define LIMITER "(registers|threads|warps|blocks|shared memory)"
#define TAB "[^\t]*\t"

/* How a figure is found on a screen: the view, or "" for all; what the groups of the pattern are. K, F, I and T name what follows: a kernel, a Func, one that is inlined into
 * the kernel, a term of the cost; U an update of the selected Func. `k:NAME` is a figure of the kernel named last, `f:` of the Func, `g:` of its stage, `i:` of the inlined Func, `s:` of the schedule; `-` is passed
 * over. */
static const struct rule {
	const char *view, *groups, *pattern;
} rules[] = {
	{"report", "s:cost - s:kernels", "is predicted to take " COST " ms on [^ ]*, in ([0-9]+) kernels?"},
	{"report", "K k:share", "The kernel of " NAME " takes " SHARE " of that"},
	/* the head of each screen, and the two lines on the selected Func */
	{"main", "f:computed f:bytes", TIMES " points computed each   " BYTES " of (shared|registers) memory"},
	{"main", "f:computed", TIMES " points computed each"},
	/* panes */
	{"beam", "s:cost - -", "^[▸ ] +1 +" COST " "},
	{"nest", "s:kernels", "LOOP NEST of state 1 .* ([0-9]+) kernels?"},
	{"", "K k:share k:grid k:block", "kernel " NAME " +" SHARE " +grid ([0-9x]+) +block ([0-9x]+)"},
	{"", "k:blocks k:waves", "([0-9,]+) blocks?, ([0-9.]+) waves"},
	{"", "F - - f:bytes - f:computed", NAME "( [Ff])?  [0-9x]+ a (block|thread) in [a-z]+, " BYTES ", computed " TIMES},
	{"", "F - - f:bytes", NAME "( [Ff])?  [0-9x]+ a (block|thread) in [a-z]+, " BYTES},
	{"stages", "s:cost -", "STAGES of state 1 .* " COST " ms"},
	{"stages", "T f:term -", "^   " TERM " +" COST " +[<0-9]+%"},
	{"stages", "I - - -", "^   in " NAME " +" COST " +" SHARE},
	{"stages", "F - f:cost - f:share", "^[▸ ] ([A-Za-z_][^ ]*)( [Ff])? +" COST " +" SHARE},
	{"stages", "- - -", "^   (itself) +" COST " +" SHARE},
	{"", "-", "(searched|evaluated) in [0-9.]+ m?s"},
	{"", "s:enumerated s:costed s:kept", "([0-9,]+) options enumerated, ([0-9,]+) costed, ([0-9,]+) kept"},
	{"start", "s:enumerated", "([0-9,]+) options in [0-9.]+ m?s"},
	{"statistics", "s:enumerated - - s:costed s:kept", "^ +1 +([0-9,]+) +([0-9,]+) +([0-9,]+) +([0-9,]+) +[0-9]+ ms +([0-9,]+)"},
	{"history", "s:cost", "^ +([0-9.]+) +polished by"},
	{"report", "s:costed", "^options costed: ([0-9,]+)$"},
	/* views */
	{"start", "s:cost - s:kernels", "best: " COST " ms in ([0-9]+) kernels?"},
	{"start", "K k:grid k:block k:share", "^ +" NAME " +([0-9x]+) blocks of ([0-9x]+) +" SHARE},
	{"graph", "K k:kernel_share", "│ " NAME " " SHARE " \\+[0-9]+ │"},
	{"graph", "s:kernels", "([0-9]+) kernels?"},
	{"graph", "F f:share_of_all", "^[▸ ] +" NAME " +inside +" SHARE " "},
	{"graph", "K k:share", "^[▸ ] +" NAME " +kernel +" SHARE " "},
	{"tile", "K k:blocks", "a block of kernel " NAME " .* ([0-9,]+) blocks?,"},
	{"tile", "F f:beside f:computed f:bytes", "^[▸ ] " NAME " +inside +[0-9x]+ +" SHARE " +" TIMES " +" BYTES " (shared|a thread)"},
	{"tile", "F f:beside f:computed", "^[▸ ] " NAME " +inside +[0-9x]+ +" SHARE " +" TIMES},
	{"tile", "I - - i:computed", "^[▸ ] " NAME " +inlined +[0-9x]+ +(<?[0-9]+%( +))?" TIMES},
	{"tile", "F - f:bytes", "^[▸ ] " NAME " +inside +[0-9x]+ +(<?[0-9]+% +)?" BYTES " (shared|a thread)"},
	{"tile", "F f:computed f:bytes", "^[▸ ] " NAME " +inside +[0-9x]+ +" TIMES " +" BYTES " (shared|a thread)"},
	{"tile", "f:computed", "computed " TIMES " the points that are needed"},
	{"tile", "- k:threads", "([0-9x]+) of ([0-9,]+) threads, [0-9,]+ points? each"},
	{"tile", "k:block", "([0-9x]+) threads, [0-9,]+ points? each"},
	{"tile", "f:points", "points a block; all: ([0-9.,]+( [kMG])?) "},
	{"report", "F f:beside f:computed f:bytes", "^" NAME "\tinside\t[0-9x]+\t" SHARE "\t" TIMES "\t" BYTES " a (block|thread),"},
	{"report", "I - i:computed", "^" NAME "\tinlined\t[0-9x]+\t(<?[0-9]+%)?\t" TIMES "\t"},
	{"roofline", "K k:share", "^ .*  kernel " NAME " +" SHARE},
	{"roofline", "K k:share - - k:bound k:occupancy k:limiter", "^[▸ ] [A-Z]+ " NAME " +" SHARE " +(L2 )?[0-9.]+ .*/s +(<?[0-9]+%)? +" TERM " +([0-9]+%) +" LIMITER},
	{"roofline", "k:bound k:bound_share", "bound by " TERM ": " SHARE " of its time"},
	{"report", "K k:bound k:bound_share", "^[A-Z]+ " NAME ": bound by " TERM ": " SHARE " of its time"},
	{"report", "k:bound k:bound_share", "bound by " TERM ": " SHARE " of its time"},
	{"", "I - i:computed", NAME ", inlined, takes " SHARE " of its time, computed " TIMES},
	{"", "k:threads", "([0-9,]+) threads a block"},
	{"", "k:registers", "about ([0-9]+) registers a thread"},
	{"", "k:shared", BYTES " shared a block"},
	{"search", "s:cost", "best ([0-9.]+), worst"},
	{"search", "- s:cost", "then polished: [0-9]+ changes?, ([0-9.]+) to ([0-9.]+)"},
	{"search", "D - - d:change", "^[▸ ] ([^ ]+\\.(where|tile)) .*[0-9](st|nd|rd|th) +[0-9]+ +(~?[+-]?[0-9.]+%)"},
	{"", "D d:cost - d:change", "decided at ([^ ]+): its runner-up would cost " COST " ms, (~?[+-][0-9.]+%)"},
	{"", "D - d:cost - - d:change", "([^ ]+\\.(where|tile)): its runner-up ends at " COST " ms( or less)?, (~?[+-][0-9.]+%)"},
	{"why search", "D - d:cost - d:change", "^ +([^ ]+\\.(where|tile)) +" COST " ms, (~?[+-]?[0-9.]+%)"},
	{"report", "D - d:cost - d:change", "^([^ \t]+\\.(where|tile))\t.*\t" COST " ms\t(~?[+-][0-9.]+%)"},
	{"", "s:cost", "polished by [0-9]+ changes?, [0-9.]+ to ([0-9.]+) ms"},
	{"why search", "s:cost", "state 1 of [0-9]+: ([0-9.]+) ms"},
	{"report", "-", "is the cheapest of the beam, at [0-9.]+ ms"},
	{"report", "s:cost -", "^// The schedule of .* latency " COST " ms"},
	{"sweep", "s:cost - s:kernels", "^ +A100 +4 +0 +" COST " +([0-9]+) "},
	{"timings", "s:cost", "predicted ([0-9.]+) ms"},
	{"", "- - s:counted", "[Ee]stimated (for [^:,]*|from the counts)(, not measured)?: ([0-9.]+) ms"},
	{"counters", "K", "^ +_kernel_([A-Za-z0-9$]+)_s0"},
	{"counters", "k:grid k:block k:shared", "grid ([0-9x]+), block ([0-9x]+), " BYTES " shared"},
	{"override", "s:cost", "as it is: .*  ([0-9][0-9.]*)( |$)"},
	{"compare", "s:cost", "^ *all +([0-9.]+) "},
	{"features", "-", "the state: roofline [0-9.]+ ms"},
	{"features", "-", "^ +roofline: [0-9.e-]+ ms"},
	{"features", "g:cost", "^ +latency: " COST " ms"},
	{"features", "F", "^ +([A-Za-z_0-9$]+\\.update[0-9]+) *$"},
	/* answers */
	{"why", "f:computed f:points", "computed " TIMES ": ([0-9,]+) points where [0-9,]+ are needed"},
	{"why", "U - g:cost - g:share - K k:share", "((the definition|update[0-9]+) )?costs " COST " ms, " SHARE " of all(, its kernel " NAME " " SHARE ")?:"},
	{"why", "T g:term", TERM " " COST " ms"},
	{"why", "g:bound g:achieved_occupancy g:busy_sms g:busy_lanes", "bound by " TERM ", its greatest part; achieved occupancy " SHARE ", SMs busy " SHARE ", lanes busy " SHARE},
	{"why", "- I - i:computed", "of this " SHARE " in " NAME ", inlined: ([0-9,.]+) calls? a point, computed " TIMES},
	/* all views */
	{"", "k:occupancy k:limiter", "occupancy ([0-9]+%) \\(" LIMITER "\\)"},
	{"", "k:occupancy k:limiter", "occupancy ([0-9]+%), limited by " LIMITER},
	{"", "- k:registers", "registers: (about )?([0-9]+), estimated"},
	/* the report */
	{"report", "s:cost", "^predicted: " COST " ms"},
	{"report", "s:kernels", "^kernels: ([0-9]+)$"},
	{"report", "K k:share k:cost - k:grid k:block k:shared - k:occupancy k:limiter k:bound k:bound_share",
	 "^[A-Z]+ " NAME "\t" SHARE "\t" COST " ms\t([0-9x]+)\t([0-9x]+)\t" BYTES "\t" SHARE "\t" LIMITER "\t" TERM ", " SHARE "\t"},
	{"report", "F g:share g:cost - g:bound g:computed", "^" NAME "\t" SHARE "\t" COST " ms\t" TERM "\t" TIMES "\t"},
};

static regex_t compiled[sizeof rules / sizeof *rules];

/* Words that stand beside a figure of these names: what no rule has read of them is a mistake. */
static const char *const named[] = {"occupancy[: ]+[0-9]+%[^┤]", "[0-9.]+ waves", "[0-9]+ registers", "registers: about [0-9]", "bound by [a-z]", "limited by [a-z]", "computed [0-9.]+x",
				    "kernel [^ ]+ +<?[0-9]+%", "[0-9]+x[0-9]+ threads", "[0-9] B shared", "[0-9]\\.[0-9]+ ms", "[0-9] kernels"};
static regex_t named_compiled[sizeof named / sizeof *named];

/* Returns what a figure is of. */
static const char *subject(char kind)
{
	static char of[160];
	const char *dot = strchr(func_name, '.');
	int length = dot ? (int)(dot - func_name) : (int)strlen(func_name), stages = 1;
	for (int f = 0; f < made->session->pipeline->n_funcs; f++)
		if ((int)strlen(made->session->pipeline->funcs[f].name) == length && !strncmp(made->session->pipeline->funcs[f].name, func_name, (size_t)length))
			stages = made->session->pipeline->funcs[f].n_stages;
	if (kind == 'k')
		snprintf(of, sizeof of, "kernel %s", kernel_name);
	else if (kind == 'i')
		snprintf(of, sizeof of, "%s, inlined in %s", inlined, kernel_name);
	else if (kind == 'd')
		snprintf(of, sizeof of, "runner-up of %s", decision);
	else if (kind == 's')
		snprintf(of, sizeof of, "the schedule");
	else
		snprintf(of, sizeof of, "%s %s", kind == 'g' && stages > 1 ? "stage" : "Func", func_name);
	return of;
}

/* Puts the value of one group where its name says. */
static void take(const char *group, const char *value, const char *line)
{
	static char term[32];
	if (!strcmp(group, "T"))
		snprintf(term, sizeof term, "%s", value);
	else if (!strcmp(group, "K"))
		snprintf(kernel_name, sizeof kernel_name, "%s", value);
	else if (!strcmp(group, "F"))
		snprintf(func_name, sizeof func_name, "%s", value);
	else if (!strcmp(group, "U"))
		snprintf(func_name, sizeof func_name, "%s%s%.*s", selected, *value == 'u' ? "." : "", *value == 'u' ? (int)strcspn(value, " ") : 0, value);
	else if (!strcmp(group, "D"))
		snprintf(decision, sizeof decision, "%s", value);
	else if (!strcmp(group, "I"))
		snprintf(inlined, sizeof inlined, "%s", value);
	else if (strcmp(group, "-") != 0) {
		const char *of = subject(*group);
		/* A name that was cut to fit has no figure that can be told to be another's. */
		if (!strstr(of, "…") && !strchr(of, '*'))
			add_text(of, strcmp(group + 1, ":term") ? group + 2 : term, value, line);
	}
}

/* Sets the column at which the last piece of text of a line begins, behind two blanks or a picture. Returns the piece; picture: the line has one. */
static const char *last_piece(const char *line, const char *end, int *begin, bool *picture)
{
	const char *piece = line;
	int column = 0, blanks = 0;
	*begin = 0;
	*picture = false;
	for (const char *c = line; c < end; c++) {
		unsigned char byte = (unsigned char)*c;
		if ((byte & 0xc0) == 0x80)
			continue;
		bool drawn = byte >= 0xe2 && strncmp(c, "…", 3) != 0 && strncmp(c, "▸", 3) != 0, blank = byte == ' ' || drawn;
		*picture |= drawn;
		if (!blank && blanks >= 2) {
			*begin = column;
			piece = c;
		}
		blanks = blank ? blanks + 1 : 0;
		column++;
	}
	return piece;
}

/* Returns the text with pieces that stand below each other at the right of a picture, which were one line before it was wrapped, as one line. Freed by the caller. */
static char *joined(const char *text)
{
	struct bw_text all = {0}, run = {0};
	int at = -1;
	for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
		int begin, next;
		bool picture, ignored;
		end = line + strcspn(line, "\n");
		const char *piece = last_piece(line, end, &begin, &picture);
		if (at < 0 && picture && begin > 20 && *end) {
			last_piece(end + 1, end + 1 + strcspn(end + 1, "\n"), &next, &ignored);
			at = next == begin || next == begin + 2 ? begin : -1;
		}
		if (at >= 0 && (begin == at || begin == at + 2)) {
			bw_text_printf(&run, "%s%.*s", run.length ? " " : "", (int)(end - piece), piece);
			bw_text_append(&all, line, (size_t)(piece - line));
		} else {
			if (at >= 0)
				bw_text_printf(&all, "%s\n", bw_text_get(&run));
			bw_text_clear(&run);
			at = -1;
			bw_text_append(&all, line, (size_t)(end - line));
		}
		bw_text_puts(&all, "\n");
	}
	bw_text_puts(&all, bw_text_get(&run));
	bw_text_free(&run);
	return bw_text_take(&all);
}

/* Reads all figures of a text. whole: nothing is cut, so that all of them have to be read. */
static void read_screen(const char *text, bool whole)
{
	for (const char *at = text, *end; *at; at = end + (*end == '\n')) {
		end = at + strcspn(at, "\n");
		char line[4096];
		snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
		char original[4096];
		memcpy(original, line, sizeof line);
		for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
			regmatch_t match[MOST_GROUPS];
			/* Of the panes together, which are cut, only what is in none of them is read. */
			if (strcmp(rules[r].view, view_name) != 0 && (*rules[r].view || !strcmp(view_name, "main")))
				continue;
			while (regexec(&compiled[r], line, MOST_GROUPS, match, 0) == 0) {
				const char *group = rules[r].groups;
				for (int g = 1; *group; g++, group += strcspn(group, " "), group += *group == ' ') {
					char name[32], value[256] = "";
					snprintf(name, sizeof name, "%.*s", (int)strcspn(group, " "), group);
					if (match[g].rm_so >= 0)
						snprintf(value, sizeof value, "%.*s", (int)(match[g].rm_eo - match[g].rm_so), line + match[g].rm_so);
					if (*value)
						take(name, value, original);
				}
				memset(line + match[0].rm_so, '\1', (size_t)(match[0].rm_eo - match[0].rm_so));
			}
		}
		for (size_t i = 0; whole && i < sizeof named / sizeof *named; i++)
			if (regexec(&named_compiled[i], line, 0, NULL, 0) == 0 && n_disagreements++ < 60)
				print_message("%s: no rule reads `%s` of\n  %s\n", view_name, named[i], original);
	}
}

/* Returns the Func of the kernel that computes a Func, or -1. */
static int kernel_of(int func)
{
	const struct bw_placed *placed = func >= 0 ? bw_session_state(made->session)->nest->placed[func] : NULL;
	return !placed ? -1 : placed->placement->compute.kind == BW_SITE_ROOT ? func : placed->kernel_func;
}

/* Takes what is read next for the selected Func's and its kernel's. */
static void about_selected(void)
{
	int func = made->session->selection.func, kernel = kernel_of(func);
	snprintf(selected, sizeof selected, "%s", func >= 0 ? made->session->pipeline->funcs[func].name : "-");
	snprintf(func_name, sizeof func_name, "%s", selected);
	if (kernel >= 0)
		snprintf(kernel_name, sizeof kernel_name, "%s", made->session->pipeline->funcs[kernel].name);
}

/* Shows a view as wide as it wants, and at two sizes of a terminal; panes by themselves. */
static void read_view(const char *name, bool pane)
{
	static const int sizes[][2] = {{WIDE, TALL}, {80, 24}, {160, 50}};
	struct bw_text line = {0};
	snprintf(view_name, sizeof view_name, "%s", name);
	bw_text_printf(&line, "view %s", name);
	made_run(made, bw_text_get(&line));
	bw_text_clear(&line);
	for (size_t i = 0; i < (pane ? 1 : sizeof sizes / sizeof *sizes); i++) {
		if (pane)
			bw_print_view(made->session, name, &line);
		char *text = pane ? bw_text_take(&line) : made_draw(made, sizes[i][0], sizes[i][1]), *lines = joined(text);
		if (getenv("BW_SHOW"))
			printf("---- %s %d\n%s", name, sizes[i][0], lines);
		about_selected();
		read_screen(pane ? text : lines, i == 0 && strcmp(name, "main") != 0);
		free(text);
		free(lines);
	}
	bw_text_free(&line);
}

/* What a command answers is read like a screen. */
static void read_answer(const char *name, const char *command)
{
	struct bw_text out = {0};
	struct bw_error error;
	snprintf(view_name, sizeof view_name, "%s", name);
	about_selected();
	if (!bw_session_run(made->session, command, &out, &error))
		fail_msg("%s: %s", command, error.text);
	if (getenv("BW_SHOW"))
		printf("---- %s\n%s", command, bw_text_get(&out));
	read_screen(bw_text_get(&out), true);
	bw_text_free(&out);
}

/* Reads the report: a row of a table on a line, its cells parted by tabs. */
static void read_report(void)
{
	struct bw_text page = {0}, text = {0};
	struct bw_error error;
	bool style = false;
	assert_true(bw_page_write(made->session, &page, &error));
	for (const char *at = bw_text_get(&page); *at; at++) {
		if (*at == '<') {
			style = strncmp(at, "</style", 7) != 0 && strncmp(at, "</svg", 5) != 0 && (style || !strncmp(at, "<style", 6) || !strncmp(at, "<svg", 4));
			if (!style)
				bw_text_puts(&text, !strncmp(at, "</td", 4) || !strncmp(at, "</th", 4) ? "\t" : !strncmp(at, "</b", 3) ? " " : !strncmp(at, "</dt", 4) ? ": " : "");
			at += strcspn(at, ">");
		} else if (!style && !strncmp(at, "&lt;", 4)) {
			bw_text_puts(&text, "<");
			at += 3;
		} else if (!style)
			bw_text_append(&text, at, 1);
	}
	snprintf(view_name, sizeof view_name, "report");
	if (getenv("BW_SHOW"))
		printf("---- report\n%s", bw_text_get(&text));
	read_screen(bw_text_get(&text), true);
	bw_text_free(&page);
	bw_text_free(&text);
}

static const char *const pipelines[] = {"harris", "local_laplacian", "unsharp", "camera_pipe", "mat_mul", "bilateral_grid"};

/* Adds a number or word of JSON. */
static void add_json(char kind, const char *name, const json_t *value)
{
	char where[160], text[128] = "";
	const char *of = subject(kind);
	double number = json_number_value(value);
	if (json_is_array(value))
		for (size_t i = 0, n = json_array_size(value); i < n; i++) {
			while (n > 1 && json_integer_value(json_array_get(value, n - 1)) == 1)
				n--;
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? "x" : "", (long long)json_integer_value(json_array_get(value, i)));
		}
	snprintf(where, sizeof where, json_is_number(value) ? "%s of %s: %s%.9g" : "%s of %s: %s", name, of, json_is_string(value) ? json_string_value(value) : text, number);
	if (json_is_string(value))
		add(of, name, json_string_value(value), NAN, NAN, where);
	else if (json_is_array(value))
		add_text(of, name, text, where);
	else if (json_is_number(value))
		add(of, name, "", number - 1e-7 * fabs(number), number + 1e-7 * fabs(number), where);
}

/* Reads the figures of JSON: of each object with the name of a kernel or a Func, those that screens show, too. */
static void read_json(const char *list, const json_t *value)
{
	static const struct {
		const char *key, *name;
		char kind; /* f: also of a kernel, in a list of kernels */
	} keys[] = {{"share", "share", 'f'}, {"ms", "cost", 'g'}, {"cost_ms", "cost", 'g'}, {"shared_bytes", "shared", 'k'}, {"occupancy", "occupancy", 'g'}, {"limited_by", "limiter", 'k'}, {"limiter", "limiter", 'k'}, {"bound", "bound", 'g'},
		    {"bound_share", "bound_share", 'k'}, {"registers", "registers", 'k'}, {"threads", "threads", 'k'}, {"threads_per_block", "threads", 'k'}, {"block_threads", "block", 'k'}, {"grid_blocks", "grid", 'k'}, {"blocks", "grid", 'k'},
		    {"waves", "waves", 'w'}, {"points", "points", 'f'}, {"recompute", "computed", 'g'}, {"computed", "computed", 'f'}, {"busy_sms", "busy_sms", 'g'}, {"busy_lanes", "busy_lanes", 'g'}, {"achieved_occupancy", "achieved_occupancy", 'g'}};
	if (json_is_array(value))
		for (size_t i = 0; i < json_array_size(value); i++)
			read_json(list, json_array_get(value, i));
	if (!json_is_object(value))
		return;
	const char *kernel = json_string_value(json_object_get(value, "kernel")), *func = json_string_value(json_object_get(value, "func"));
	long long stage = json_integer_value(json_object_get(value, "stage"));
	bool kernels = !strcmp(list, "kernels") || (kernel && !func), terms = !strcmp(list, "terms");
	const char *name = func ? func : kernel, *is = json_string_value(json_object_get(value, "is"));
	if (name && kernels)
		snprintf(kernel_name, sizeof kernel_name, stage ? "%s.update%lld" : "%s", name, stage - 1);
	else if (name)
		snprintf(func_name, sizeof func_name, stage ? "%s.update%lld" : "%s", name, stage - 1);
	const int at = func ? bw_pipeline_find(made->session->pipeline, func) : -1;
	if (func && !kernels) /* a kernel of its own has the number of its stage */
		snprintf(kernel_name, sizeof kernel_name, "%s", kernel_of(at) == at ? func_name : kernel_of(at) < 0 ? "-" : made->session->pipeline->funcs[kernel_of(at)].name);
	if (name && is && !strcmp(is, "inlined"))
		snprintf(inlined, sizeof inlined, "%s", name);
	for (size_t i = 0; (name || !strcmp(list, "figures")) && i < sizeof keys / sizeof *keys; i++) {
		const json_t *of = json_object_get(value, keys[i].key);
		char kind = kernels || keys[i].kind == 'w' ? 'k' : is && !strcmp(is, "inlined") ? 'i' : keys[i].kind;
		/* In the tile view `threads` and `shared` are those of a Func; the graph's share is of a Func, not of its kernel. */
		if (!of || (keys[i].kind == 'k' && !kernels))
			continue;
		add_json(kind, keys[i].name, of);
	}
	const char *key;
	json_t *member;
	json_object_foreach((json_t *)value, key, member)
		if (terms && strlen(key) > 3 && !strcmp(key + strlen(key) - 3, "_ms")) {
			char term[32];
			snprintf(term, sizeof term, "%.*s", (int)strlen(key) - 3, key);
			for (char *c = term; *c; c++)
				*c = *c == '_' ? (strncmp(term, "load", 4) ? ' ' : '/') : *c;
			add_json('g', !strcmp(term, "l2") ? "L2" : term, member);
		} else if ((json_is_object(member) || json_is_array(member)) && strcmp(key, "inlined") != 0 && strncmp(key, "step", 4) != 0 && strcmp(key, "loads") != 0)
			read_json(key, member);
}

static void read_json_text(const char *name, const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, 0, &error);
	snprintf(view_name, sizeof view_name, "%s", name);
	if (!json)
		fail_msg("%s: %s", name, error.text);
	snprintf(kernel_name, sizeof kernel_name, "-");
	if (getenv("BW_SHOW"))
		printf("---- %s\n%s\n", name, text);
	read_json("", json);
	snprintf(func_name, sizeof func_name, "-");
	add_json('s', "cost", json_object_get(json, "cost_ms"));
	static const char *const counts[] = {"enumerated", "costed", "kept"};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		add_json('s', counts[i], json_object_get(json_object_get(json, "counts"), counts[i]));
	json_decref(json);
}

static void read_all_json(void)
{
	static const char *const views[] = {"roofline", "graph", "tile", "stages", "nest"};
	struct bw_text out = {0};
	struct bw_error error;
	bw_report_json(made->session, bw_session_state(made->session), &(struct bw_text){0}, &out);
	read_json_text("--json", bw_text_get(&out));
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		char line[64];
		snprintf(line, sizeof line, "view --json %s", views[i]);
		bw_text_clear(&out);
		if (bw_session_run(made->session, line, &out, &error))
			read_json_text("--json", bw_text_get(&out));
	}
	bw_text_free(&out);
}

/* Figures that lessons and `assert` quote. */
static void read_quoted(int func)
{
	static const struct {
		const char *word, *name;
		char kind;
	} figures[] = {{"cost", "cost", 'f'}, {"share", "share", 'k'}, {"kernel", "cost", 'k'}, {"blocks", "blocks", 'k'}, {"threads", "threads", 'k'}, {"shared", "shared", 'k'}, {"occupancy", "occupancy", 'k'}, {"limiter", "limiter", 'k'}, {"bound", "bound", 'k'},
		       {"recompute", "computed", 'f'}, {"points", "points", 'f'}};
	snprintf(view_name, sizeof view_name, "assert");
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		char text[128];
		struct bw_figure figure;
		struct bw_error error;
		snprintf(text, sizeof text, "%s of %s", figures[i].word, made->session->pipeline->funcs[func].name);
		if (!bw_figure_read(made->session, text, &figure, &error))
			continue;
		bool words = figure.kind == BW_FIGURE_WORDS;
		double slack = 1e-7 * fabs(figure.value);
		snprintf(text + strlen(text), sizeof text - strlen(text), words ? ": %s" : ": %.0s%.9g", words ? figure.words : "", figure.value);
		add(subject(figures[i].kind), figures[i].name, words ? figure.words : "", words ? NAN : figure.value - slack, words ? NAN : figure.value + slack, text);
	}
}

/* by_hand: reads of the schedule by hand of harris, with what the emulated device counted of it, instead of what a search finds. */
static void read_all(const char *pipeline, bool by_hand)
{
	static const char *const of_a_func[] = {"features", "main", "roofline", "tile", "override"}; /* the last three of a kernel */
	made = made_new(pipeline, "A100", false);
	n_seen = 0;
	made_run(made, "set beam=4");
	made_run(made, "run end");
	if (by_hand)
		made_show_code(made);
	else
		made_run(made, "sweep gpus=A100 beams=4");
	made_run(made, "compare 1 1");
	read_all_json();
	for (int v = 0; v < BW_N_SHEETS; v++)
		if (screens[v])
			read_view(screens[v], v < BW_N_PANES);
	for (int f = 0; f < made->session->pipeline->n_funcs; f++) {
		if (kernel_of(f) < 0)
			continue;
		char line[128];
		snprintf(line, sizeof line, "select func %s", made->session->pipeline->funcs[f].name);
		made_run(made, line);
		for (size_t v = 0; v < sizeof of_a_func / sizeof *of_a_func; v++)
			if (v < 2 || kernel_of(f) == f)
				read_view(of_a_func[v], false);
		read_answer("why", "why");
		read_quoted(f);
	}
	read_answer("why search", "why search");
	read_answer("why search", "why best");
	read_report();
	made_free(made);
}

static void screens_agree(void **state)
{
	/* Of access, the sectors of a load; of code, how often lines run; of the others, schedules of other schedulers and of a tuning: figures of other names. */
	static const char *const without[] = {"access", "code", "walk", "opinions", "tune"};
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
		assert_int_equal(regcomp(&compiled[r], rules[r].pattern, REG_EXTENDED), 0);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		assert_int_equal(regcomp(&named_compiled[i], named[i], REG_EXTENDED), 0);
	for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++)
		read_all(pipelines[p], false);
	read_all("harris", true);
	for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
		bool none = false;
		for (size_t k = 0; k < sizeof without / sizeof *without; k++)
			none |= screens[i] && !strcmp(screens[i], without[k]);
		if (screens[i] && none == (n_read[i] > 0))
			fail_msg("%s: %d figures were read, %s", screens[i], n_read[i], none ? "though it is said to have none" : "so no rule knows it");
	}
	assert_int_equal(n_disagreements, 0);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	const struct CMUnitTest tests[] = {cmocka_unit_test(screens_agree)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* How to find the schedule again: command lines, and all that the search depends on. */
#include <config.h>
#include <string.h>

#include "page/page_private.h"

/* Appends a word for a shell: quoted if it has anything but plain characters. */
static void put_word(struct bw_text *line, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		bw_text_puts(line, word);
		return;
	}
	bw_text_puts(line, "'");
	for (; *word; word++)
		bw_text_printf(line, *word == '\'' ? "'\\''" : "%c", *word);
	bw_text_puts(line, "'");
}

/* Appends the arguments that name the pipeline and the options that are not as by default. */
static void put_arguments(const struct bw_page *page, struct bw_text *line)
{
	const struct bw_session *session = page->session;
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	struct bw_settings plain = bw_settings_default(session->options.device);
	put_word(line, session->source.name);
	if (session->source.generator.name &&
	    strcmp(session->source.generator.name, session->source.name) != 0) {
		bw_text_puts(line, " -g ");
		put_word(line, session->source.generator.name);
	}
	for (int i = 0; i < session->source.generator.n_args; i++) {
		bw_text_puts(line, " -G ");
		put_word(line, session->source.generator.args[i]);
	}
	for (int i = 0; i < session->source.generator.n_estimates; i++) {
		bw_text_puts(line, " --estimate ");
		put_word(line, session->source.generator.estimates[i]);
	}
	bw_text_puts(line, " --gpu ");
	put_word(line, session->options.device->name);
	for (int i = 0; i < n; i++) {
		struct bw_text is = {0}, was = {0};
		if (!bw_setting_stored(&infos[i]) || !strcmp(infos[i].name, "gpu"))
			continue;
		bw_setting_print(&infos[i], &session->options, &is);
		bw_setting_print(&infos[i], &plain, &was);
		/* Weights predict where nothing else is said. */
		bool says_model = session->options.weights && infos[i].kind == BW_SETTING_MODEL;
		if (strcmp(bw_text_get(&is), bw_text_get(&was)) != 0 || says_model) {
			bw_text_printf(line, " --set %s=", infos[i].name);
			put_word(line, bw_text_get(&is));
		}
		bw_text_free(&is);
		bw_text_free(&was);
	}
}

static void put_fact(struct bw_page *page, const char *name, const char *value)
{
	bw_text_puts(page->out, "<dt>");
	bw_html_text(page->out, name);
	bw_text_puts(page->out, "</dt><dd>");
	bw_html_text(page->out, value);
	bw_text_puts(page->out, "</dd>\n");
}

static void put_facts(struct bw_page *page)
{
	const struct bw_session *session = page->session;
	const struct bw_settings *options = &session->options;
	struct bw_schedule *schedule = bw_nest_schedule(page->nest);
	put_fact(page, "beamwalk", PACKAGE_VERSION);
	put_fact(page, "device", options->device->name);
	put_fact(page, "figures of the device", options->device->source);
	put_fact(page, "cost model", options->model->title);
	put_fact(page, "seed", bw_page_say(page, "%llu", (unsigned long long)options->seed));
	put_fact(page, "beam", bw_page_say(page, "%d states", options->beam));
	put_fact(page, "passes", bw_page_say(page, "%d", bw_settings_passes(options)));
	put_fact(page, "algorithm",
		 bw_page_say(page, "%016llx", (unsigned long long)page->pipeline->algorithm));
	put_fact(page, "description",
		 bw_page_say(page, "%016llx", (unsigned long long)page->pipeline->content));
	put_fact(page, "schedule",
		 bw_page_say(page, "%016llx", (unsigned long long)bw_schedule_hash(schedule)));
	bw_schedule_drop(schedule);
}

/* Appends the commands that steered the search, if there are any. */
static void put_journal(struct bw_page *page)
{
	const struct bw_session *session = page->session;
	bool any = false;
	for (int i = 0; i < session->n_journal; i++) {
		if (session->journal[i].undone)
			continue;
		if (!any)
			bw_text_puts(
			    page->out,
			    "<p>The search was steered by these commands of the explorer:</p>\n<pre>");
		any = true;
		bw_html_printf(page->out, "%s\n", session->journal[i].line);
	}
	if (any)
		bw_text_puts(page->out, "</pre>\n");
}

void bw_page_reproduce(struct bw_page *page)
{
	struct bw_text arguments = {0};
	put_arguments(page, &arguments);
	const char *words = bw_text_get(&arguments);
	bw_text_puts(
	    page->out,
	    "<section id=\"again\"><h2>How to reproduce it</h2>\n<p>The search depends on what "
	    "stands here alone, so that the same lines find the same schedule on any machine.</p>\n<pre>");
	bw_html_printf(page->out,
		       "beamwalk schedule %s -o best.schedule   # find it\n"
		       "beamwalk time %s best.schedule          # compile, check and time it\n"
		       "beamwalk %s                             # look at it in the explorer\n",
		       words, words, words);
	bw_text_puts(page->out, "</pre>\n");
	put_journal(page);
	bw_text_puts(page->out, "<dl class=\"facts\">\n");
	put_facts(page);
	bw_text_puts(page->out, "</dl></section>\n");
	bw_text_free(&arguments);
}

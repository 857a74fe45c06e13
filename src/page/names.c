/* What sections of the page call things: stages, costs, kernels, rates. */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "page/page_private.h"

const char *bw_page_say(const struct bw_page *page, const char *format, ...)
{
	va_list list;
	char *text = NULL;
	va_start(list, format);
	int length = vasprintf(&text, format, list);
	va_end(list);
	if (length < 0)
		abort();
	char *kept = bw_arena_strdup(page->arena, text);
	free(text);
	return kept;
}

const char *bw_page_stage(const struct bw_page *page, int func, int stage)
{
	const char *name = page->pipeline->funcs[func].name;
	return stage ? bw_page_say(page, "%s.update%d", name, stage - 1) : name;
}

const char *bw_page_cost(const struct bw_page *page, double cost)
{
	const char *unit = page->session->options.model->unit;
	return bw_page_say(page, "%s%s%s", bw_say_cost(cost).text, *unit ? " " : "", unit);
}

const char *bw_page_letter(const struct bw_page *page, int kernel)
{
	return kernel < 26 ? bw_page_say(page, "%c", 'A' + kernel)
			   : bw_page_say(page, "%c%c", 'A' + (kernel / 26 - 1) % 26, 'A' + kernel % 26);
}

const char *bw_page_prefixed(const struct bw_page *page, double value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	int p = 0;
	for (; value >= 999.5 && p < 5; p++)
		value /= 1000;
	return bw_page_say(page, "%.*f %s", value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value, prefixes[p]);
}

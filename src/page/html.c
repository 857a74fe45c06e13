#include "page/html.h"

#include <math.h>

#include "page/page_private.h"

/* Returns the number of bytes of the character at the beginning of a text, or 0 if XML does not allow it. */
static int character(const char *text)
{
	uint32_t point;
	int n = bw_utf8(text, SIZE_MAX, &point);
	return n && (point >= 0x20 || point == '\n' || point == '\t') && (point | 1) != 0xffff ? n : 0;
}

void bw_html_text(struct bw_text *out, const char *text)
{
	while (*text) {
		int n = character(text);
		const char *entity = *text == '&'    ? "&amp;"
				     : *text == '<'  ? "&lt;"
				     : *text == '>'  ? "&gt;"
				     : *text == '"'  ? "&quot;"
				     : *text == '\'' ? "&#39;"
				     : n == 0        ? "\xef\xbf\xbd"
						     : NULL;
		if (entity)
			bw_text_puts(out, entity);
		else
			bw_text_append(out, text, (size_t)n);
		text += n ? n : 1;
	}
}

static void append_formatted(struct bw_text *out, const char *format, va_list list)
{
	while (*format) {
		size_t markup = strcspn(format, "%"), length = format[markup] ? strcspn(format + markup + 1, "sdf%") + 2 : 0;
		BW_SCOPED_MEMORY char *conversion = bw_format("%.*s", (int)length, format + markup);
		char kind = length ? conversion[length - 1] : 0;
		BW_SCOPED_MEMORY char *text = kind == 's'   ? bw_strdup(va_arg(list, const char *))
					      : kind == 'd' ? bw_format(conversion, va_arg(list, int))
					      : kind == 'f' ? bw_format(conversion, va_arg(list, double))
							    : bw_strdup(kind ? "%" : "");
		bw_text_append(out, format, markup);
		bw_html_text(out, text);
		format += markup + length;
	}
}

void bw_html_printf(struct bw_text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	append_formatted(out, format, list);
	va_end(list);
}

void bw_html_cell(struct bw_text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	bw_text_puts(out, "<td>");
	append_formatted(out, format, list);
	bw_text_puts(out, "</td>");
	va_end(list);
}

void bw_html_figure(struct bw_text *out, double value, const char *shown)
{
	bw_text_printf(out, "<data value=\"%.9g\">", value);
	bw_html_text(out, shown);
	bw_text_puts(out, "</data>");
}

void bw_html_number(struct bw_text *out, double value, const char *shown)
{
	bw_text_puts(out, "<td class=\"n\">");
	if (*shown)
		bw_html_figure(out, value, shown);
	bw_text_puts(out, "</td>");
}

void bw_html_share(struct bw_text *out, double share)
{
	bw_text_printf(out, "<td class=\"share\"><span class=\"bar\" style=\"width:%.1f%%\"></span>",
		       100 * fmin(fmax(share, 0), 1));
	bw_html_figure(out, share, bw_say_percent(share).text);
	bw_text_puts(out, "</td>");
}

void bw_html_table(struct bw_text *out, int n, const char *const *names)
{
	/* In a narrow window each cell is a row with the name of its column. */
	bw_text_puts(out, "<div class=\"wide\"><table style=\"");
	for (int i = 0; i < n; i++)
		bw_html_printf(out, "--h%d:&#39;%s&#39;;", i + 1, names[i] + (*names[i] == '>'));
	bw_text_puts(out, "\"><thead><tr>");
	for (int i = 0; i < n; i++) {
		bool figures = *names[i] == '>';
		bw_text_puts(out, figures ? "<th class=\"n\" scope=\"col\">" : "<th scope=\"col\">");
		bw_html_text(out, names[i] + figures);
		bw_text_puts(out, "</th>");
	}
	bw_text_puts(out, "</tr></thead>\n");
}

/* The page's style sheet: two colour schemes, narrow and wide windows, paper. */

const char bw_page_style[] =
    ":root{--bg:#faf9f6;--card:#fff;--ink:#1c212b;--soft:#5d6573;--rule:#e2dfd8;--hot:#e8590c;--cool:#1971c2;"
    "--good:#2b8a3e;--shade:#f1efea;color-scheme:light dark}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#11141a;--card:#191d25;--ink:#e7e9ee;--soft:#9aa3b1;"
    "--rule:#2d3340;--hot:#ff922b;--cool:#4dabf7;--good:#51cf66;--shade:#222732}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',"
    "Roboto,'DejaVu Sans',sans-serif}\n"
    "main{max-width:66rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\n"
    "h1{font-size:2.3rem;line-height:1.15;margin:0 0 .3rem;letter-spacing:-.02em}\n"
    "h2{font-size:1.35rem;margin:3rem 0 .4rem;padding-top:1rem;border-top:1px solid var(--rule);"
    "letter-spacing:-.01em}\n"
    "h3{font-size:1rem;margin:1.8rem 0 .3rem}\n"
    "p{margin:.35rem 0 .9rem;max-width:46rem}\n"
    ".soft,figcaption,dt{color:var(--soft)}\n"
    ".lead{font-size:1.1rem}\n"
    "nav{margin:1rem 0 0;font-size:.92rem}nav a{margin-right:1rem;white-space:nowrap}\n"
    "a{color:var(--cool);text-decoration:none}a:hover{text-decoration:underline}\n"
    "code,pre,.mono{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    "pre{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:.9rem 1rem;"
    "overflow-x:auto;font-size:.8rem;line-height:1.45;margin:.5rem 0 1rem}\n"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--cool)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.6rem,1fr));gap:.75rem;"
    "margin:1.5rem 0;padding:0}\n"
    ".cards div{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:.7rem .9rem}\n"
    ".cards dt{font-size:.8rem}.cards dd{margin:0;font-size:1.35rem;font-weight:600;"
    "font-variant-numeric:tabular-nums;letter-spacing:-.01em}\n"
    ".wide{overflow-x:auto;margin:.5rem 0 1rem}\n"
    "table{border-collapse:collapse;font-size:.88rem;min-width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;padding:.4rem 1rem .4rem 0;border-bottom:1px solid var(--rule);"
    "vertical-align:top;white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:500;font-size:.8rem;white-space:nowrap;vertical-align:bottom}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    "td.name{white-space:nowrap;font-weight:600}\n"
    "td.share{position:relative;min-width:6.5rem;white-space:nowrap}\n"
    ".bar{position:absolute;left:0;top:.38rem;height:1.45rem;background:var(--hot);opacity:.28;"
    "border-radius:3px;max-width:calc(100% - 1rem)}\n"
    "td.share data{position:relative;padding-left:.35rem}\n"
    "b.letter{display:inline-block;min-width:1.5em;text-align:center;border-radius:4px;"
    "background:var(--shade);margin-right:.4em}\n"
    "figure{margin:0}figcaption{font-size:.86rem;max-width:46rem;margin:.2rem 0 1rem}\n"
    "dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;font-size:.92rem}\n"
    "dl.facts dd{margin:0;overflow-wrap:anywhere}\n"
    ".pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5rem;align-items:start}\n"
    "footer{margin-top:3rem;color:var(--soft);font-size:.85rem}\n"
    "@media(max-width:640px){main{padding:1.4rem .9rem 3rem}h1{font-size:1.8rem}.pair{display:block}\n"
    "thead{display:none}table,tbody,tr{display:block}tr{padding:.5rem 0;border-bottom:1px solid var(--rule)}\n"
    "td,td.n,td.name,td.share{display:flow-root;border:0;padding:.08rem 0 .08rem 9rem;text-align:left;"
    "white-space:normal;overflow-wrap:anywhere}td.share data{padding:0}\n"
    "td:empty,.bar{display:none}td::before{float:left;width:8.6rem;margin-left:-9rem;color:var(--soft);font-weight:400}\n"
    "svg.plot text,svg.plot text.soft{font-size:15px}\n"
    "td:nth-child(1)::before{content:var(--h1)}td:nth-child(2)::before{content:var(--h2)}"
    "td:nth-child(3)::before{content:var(--h3)}td:nth-child(4)::before{content:var(--h4)}"
    "td:nth-child(5)::before{content:var(--h5)}td:nth-child(6)::before{content:var(--h6)}"
    "td:nth-child(7)::before{content:var(--h7)}td:nth-child(8)::before{content:var(--h8)}"
    "td:nth-child(9)::before{content:var(--h9)}}\n"
    "@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--rule:#ccc;--hot:#d9480f;--cool:#1864ab;"
    "--good:#2b8a3e;--shade:#f0f0f0}body{font-size:10.5pt}main{max-width:none;padding:0}nav{display:none}\n"
    "h2{break-after:avoid;margin-top:1.6rem}h3,figcaption{break-after:avoid}\n"
    "figure,tr,.cards,.pair,svg{break-inside:avoid}.wide{overflow:visible}svg{min-width:0!important;"
    "max-height:22cm}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:7.5pt}table{font-size:8.5pt}\n"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

/* Words shared by sections of the page for stages, costs, kernels and rates. */

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

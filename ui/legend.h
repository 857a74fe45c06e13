/* What the letters, marks and words of the views mean, in sentences for people who meet them first. */
#ifndef BW_UI_LEGEND_H
#define BW_UI_LEGEND_H

struct bw_legend {
	const char *view; /* that it explains; "": a word of all views */
	const char *term, *meaning;
};
/* Returns the table, and sets `n` to its length. Entries of a view stand together, in reading order. */
const struct bw_legend *bw_legends(int *n);
#endif

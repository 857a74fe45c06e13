/* The meanings of the letters, marks and words in the views, in sentences for newcomers. */
#ifndef BW_UI_LEGEND_H
#define BW_UI_LEGEND_H

struct bw_legend {
	const char *view; /* that it explains; "": a word of all views */
	const char *term, *meaning;
};
/* Returns the table, and sets `n` to its length. The entries of a view are consecutive, in reading
 * order. */
const struct bw_legend *bw_legends(int *n);
#endif

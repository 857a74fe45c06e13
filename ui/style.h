/* Styles by meaning. Views use meanings only; the table gives each its colour in 256 and 16 colours, and
 * its attributes. */
#ifndef BW_UI_STYLE_H
#define BW_UI_STYLE_H

enum bw_attribute { BW_PLAIN = 0, BW_BOLD = 1, BW_FAINT = 2, BW_UNDERLINED = 4 };

/* Meanings: name in C, colour of 256, the same on a highlighted row, colour of 16 (-1: the terminal's
 * default), attributes, colour in SVG. Colours of 256 are readable on white and on black. Without colours
 * the attributes remain; no meaning is shown by colour alone. */
#define BW_STYLE_TABLE(X) \
	X(NORMAL, -1, 15, -1, BW_PLAIN, "#d3d7de") \
	X(DIM, 244, 15, 8, BW_PLAIN, "#8b919c") \
	X(RULE, 242, 15, 8, BW_PLAIN, "#4b515c") \
	X(TITLE, -1, 15, -1, BW_BOLD, "#f2f4f8") \
	X(STRONG, -1, 15, -1, BW_BOLD, "#f2f4f8") \
	X(KEY, 67, 153, 6, BW_BOLD, "#8fb8de") \
	X(MARK, 172, 222, 3, BW_BOLD, "#f2cf86") \
	X(KEPT, 71, 157, 2, BW_PLAIN, "#8fce8f") \
	X(DROPPED, 137, 223, 3, BW_PLAIN, "#d3b07f") \
	X(PRUNED, 167, 217, 1, BW_PLAIN, "#d38a8a") \
	X(ERROR, 160, 217, 1, BW_BOLD, "#ff6b6b") \
	X(HEAT_1, 65, 151, 2, BW_PLAIN, "#7fb08a") \
	X(HEAT_2, 107, 193, 2, BW_PLAIN, "#b0d083") \
	X(HEAT_3, 178, 228, 3, BW_PLAIN, "#f5d76e") \
	X(HEAT_4, 208, 222, 3, BW_BOLD, "#f5a962") \
	X(HEAT_5, 196, 217, 1, BW_BOLD, "#f57262")

enum bw_style {
#define X(name, colour256, lit256, colour16, attributes, svg) BW_STYLE_##name,
	BW_STYLE_TABLE(X)
#undef X
	BW_N_STYLES
};

struct bw_look {
	const char *name;
	int colour256, lit256, colour16, attributes;
	const char *svg;
};
const struct bw_look *bw_style_look(enum bw_style style);
/* Returns the style for a share of the whole, 0..1. */
enum bw_style bw_style_heat(double share);
#endif

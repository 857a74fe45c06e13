/* Frames: writes a grid's cells in the terminal's looks of their styles, in as few bytes as possible. */
#include "ui/terminal_private.h"

#include <fcntl.h>
#include <unistd.h>

#include "ui/shorten.h"

/* Up to so many blanks between two words keep the style of the first. */
enum { SHORT_GAP = 7 };
/* Background in 256 colours. */
static const short backgrounds[N_GROUNDS] = {-1, 237, 24};

static int count_colours(const struct bw_terminal_options *options)
{
	if (options->color == BW_COLOR_NEVER || (options->color == BW_COLOR_AUTO && options->no_color) ||
	    !has_colors())
		return 0;
	start_color();
	use_default_colors();
	return COLORS >= 256 && COLOR_PAIRS > BW_N_STYLES * N_GROUNDS ? 256
	       : COLORS >= 16                                         ? 16
	       : COLORS >= 8                                          ? 8
								      : 0;
}

static attr_t attributes_of(const struct bw_look *look)
{
	return (look->attributes & BW_BOLD ? A_BOLD : 0) | (look->attributes & BW_FAINT ? A_DIM : 0) |
	       (look->attributes & BW_UNDERLINED ? A_UNDERLINE : 0);
}

/* Makes a look for 16 colours or none: rows are set off by reverse video and underlines. */
static void make_plain_look(struct bw_terminal *terminal, int style, short pair)
{
	static const attr_t grounds[N_GROUNDS] = {A_NORMAL, A_UNDERLINE, A_REVERSE};
	const struct bw_look *look = bw_style_look(style);
	int colour = terminal->colours ? look->colour16 : -1;
	attr_t more = 0;
	if (colour >= terminal->colours) {
		colour = -1;
		more = A_DIM;
	}
	if (colour >= 0)
		init_pair(pair, (short)colour, -1);
	for (int ground = 0; ground < N_GROUNDS; ground++) {
		terminal->attributes[style][ground] = attributes_of(look) | more | grounds[ground];
		terminal->pairs[style][ground] = colour >= 0 ? pair : 0;
	}
}

void bw_terminal_make_looks(struct bw_terminal *terminal, const struct bw_terminal_options *options)
{
	terminal->colours = count_colours(options);
	short pair = 1;
	for (int style = 0; style < BW_N_STYLES; style++) {
		const struct bw_look *look = bw_style_look(style);
		if (terminal->colours < 256) {
			make_plain_look(terminal, style, pair++);
			continue;
		}
		for (int ground = 0; ground < N_GROUNDS; ground++) {
			int colour = ground == GROUND_PLAIN ? look->colour256 : look->lit256;
			terminal->attributes[style][ground] = attributes_of(look);
			terminal->pairs[style][ground] = colour < 0 ? 0 : pair;
			if (colour >= 0)
				init_pair(pair++, (short)colour, backgrounds[ground]);
		}
	}
}

static int ground_of(const struct bw_cell *cell)
{
	return cell->flags & BW_CELL_SELECTED ? GROUND_SELECTED
	       : cell->flags & BW_CELL_LINKED ? GROUND_LINKED
					      : GROUND_PLAIN;
}

static void set_cell(const struct bw_terminal *terminal, uint32_t glyph, int style, int ground, cchar_t *out)
{
	wchar_t text[2] = {(wchar_t)glyph, 0};
	attr_t attributes = terminal->attributes[style][ground];
	setcchar(out, text, glyph == ' ' ? attributes & ~A_UNDERLINE : attributes,
		 terminal->pairs[style][ground], NULL);
}

static bool is_blank(const struct bw_cell *cell)
{
	return cell->glyph == ' ';
}

/* Returns the end of the blanks from x on that have the same background. */
static int blanks_end(const struct bw_cell *cells, int x, int columns)
{
	int end = x;
	while (end < columns && is_blank(&cells[end]) && cells[end].flags == cells[x].flags)
		end++;
	return end;
}

/* Makes the cells of one row for curses, and returns their number. A few blanks between two words keep the
 * style of the first, because changes of style cost bytes and do not show in blanks. */
static int make_row(const struct bw_terminal *terminal, const struct bw_cell *cells, int columns)
{
	int n = 0, style = BW_STYLE_NORMAL;
	for (int x = 0; x < columns;) {
		if (!is_blank(&cells[x])) {
			style = cells[x].style;
			if (cells[x].glyph)
				set_cell(terminal, cells[x].glyph, style, ground_of(&cells[x]), &terminal->row[n++]);
			x++;
			continue;
		}
		int end = blanks_end(cells, x, columns);
		if (end == columns || end - x > SHORT_GAP)
			style = BW_STYLE_NORMAL;
		for (; x < end; x++)
			set_cell(terminal, ' ', style, ground_of(&cells[x]), &terminal->row[n++]);
	}
	return n;
}

/* Reads what curses wrote into the file in memory, and empties the file. */
static void read_frame(struct bw_terminal *terminal)
{
	char bytes[4096];
	bw_text_clear(&terminal->frame);
	lseek(terminal->frame_fd, 0, SEEK_SET);
	for (ssize_t got; (got = read(terminal->frame_fd, bytes, sizeof bytes)) > 0;)
		bw_text_append(&terminal->frame, bytes, (size_t)got);
	lseek(terminal->frame_fd, 0, SEEK_SET);
	if (ftruncate(terminal->frame_fd, 0) != 0)
		terminal->frame_fd = -1;
}

/* Makes curses write the frame into memory, and writes the shortened result to the terminal. */
static void update(struct bw_terminal *terminal)
{
	int out = fileno(terminal->out);
	if (terminal->frame_fd < 0 || dup3(terminal->frame_fd, out, O_CLOEXEC) < 0) {
		refresh();
		return;
	}
	refresh();
	dup3(STDOUT_FILENO, out, O_CLOEXEC);
	read_frame(terminal);
	bw_text_clear(&terminal->shorter);
	bool shorter = bw_shorten(terminal->frame.bytes, terminal->frame.length, &terminal->shorter);
	const struct bw_text *frame = shorter ? &terminal->shorter : &terminal->frame;
	bw_terminal_write(frame->bytes, frame->length);
}

void bw_terminal_show(struct bw_terminal *terminal, const struct bw_grid *grid, int x, int y)
{
	int columns = grid->columns < COLS ? grid->columns : COLS, rows = grid->rows < LINES ? grid->rows : LINES;
	if (columns > terminal->row_columns) {
		terminal->row = bw_resize_array(terminal->row, (size_t)columns, sizeof *terminal->row);
		terminal->row_columns = columns;
	}
	for (int line = 0; line < rows; line++) {
		int n = make_row(terminal, bw_grid_at(grid, 0, line), columns);
		mvadd_wchnstr(line, 0, terminal->row, n);
	}
	if (x >= 0 && x < COLS && y >= 0 && y < LINES)
		move(y, x);
	update(terminal);
}

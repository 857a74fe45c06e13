/* Keys as the terminal sends them. */
#include "ui/terminal_private.h"

/* Keys of curses and of beamwalk. */
static const struct {
	int curses;
	enum bw_key_code code;
} keys[] = {
	{KEY_UP, BW_KEY_UP}, {KEY_DOWN, BW_KEY_DOWN}, {KEY_LEFT, BW_KEY_LEFT}, {KEY_RIGHT, BW_KEY_RIGHT},
	{KEY_PPAGE, BW_KEY_PAGE_UP}, {KEY_NPAGE, BW_KEY_PAGE_DOWN}, {KEY_HOME, BW_KEY_HOME}, {KEY_END, BW_KEY_END},
	{KEY_ENTER, BW_KEY_ENTER}, {KEY_BACKSPACE, BW_KEY_BACKSPACE}, {KEY_BTAB, BW_KEY_BACKTAB}, {KEY_DC, BW_KEY_DELETE},
	{KEY_PASTE_ON, BW_KEY_PASTE_BEGIN}, {KEY_PASTE_OFF, BW_KEY_PASTE_END},
};

static struct bw_key mouse_key(void)
{
	MEVENT event;
	if (getmouse(&event) != OK)
		return (struct bw_key){.code = BW_KEY_OTHER};
	uint32_t code = event.bstate & BUTTON4_PRESSED   ? BW_KEY_WHEEL_UP
			: event.bstate & BUTTON5_PRESSED ? BW_KEY_WHEEL_DOWN
							 : BW_KEY_MOUSE;
	return (struct bw_key){code, false, event.x, event.y};
}

static uint32_t character_key(wint_t character)
{
	switch (character) {
	case '\r':
	case '\n':
		return BW_KEY_ENTER;
	case '\t':
		return BW_KEY_TAB;
	case ' ':
		return BW_KEY_SPACE;
	case 8:
	case 127:
		return BW_KEY_BACKSPACE;
	case 27:
		return BW_KEY_ESCAPE;
	}
	return character ? (uint32_t)character : BW_KEY_OTHER;
}

static struct bw_key read_key(void)
{
	wint_t got = 0;
	int kind = get_wch(&got);
	if (kind == OK)
		return (struct bw_key){.code = character_key(got)};
	if (kind != KEY_CODE_YES)
		return (struct bw_key){.code = BW_KEY_NONE};
	if (got == KEY_MOUSE)
		return mouse_key();
	if ((int)got >= KEY_F(1) && (int)got <= KEY_F(12))
		return (struct bw_key){.code = BW_KEY_F1 + (uint32_t)((int)got - KEY_F(1))};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if ((int)got == keys[i].curses)
			return (struct bw_key){.code = keys[i].code};
	return (struct bw_key){.code = BW_KEY_OTHER};
}

/* Alt with a key arrives as Esc and the key together. A lone Esc is one after which nothing follows for
 * the 5 ms that curses waits. */
struct bw_key bw_terminal_key(struct bw_terminal *terminal)
{
	struct bw_key key = read_key();
	if (key.code == BW_KEY_ESCAPE) {
		struct bw_key behind = read_key();
		if (behind.code != BW_KEY_NONE) {
			key = behind;
			key.alt = true;
		}
	}
	if (key.code != BW_KEY_NONE)
		terminal->idle = 0;
	return key;
}

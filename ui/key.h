/* Keys, as the terminal sends them and the tables of keys name them. */
#ifndef BW_UI_KEY_H
#define BW_UI_KEY_H
#include <stdbool.h>
#include <stdint.h>

/* Keys that are not characters: name in C, name in tig's notation. */
#define BW_KEY_TABLE(X) \
	X(ENTER, "Enter") X(TAB, "Tab") X(BACKTAB, "S-Tab") X(BACKSPACE, "Bksp") X(ESCAPE, "Esc") X(SPACE, "Space") \
	X(UP, "Up") X(DOWN, "Down") X(LEFT, "Left") X(RIGHT, "Right") X(PAGE_UP, "PgUp") X(PAGE_DOWN, "PgDn") \
	X(HOME, "Home") X(END, "End") X(DELETE, "Del") \
	X(F1, "F1") X(F2, "F2") X(F3, "F3") X(F4, "F4") X(F5, "F5") X(F6, "F6") X(F7, "F7") X(F8, "F8") X(F9, "F9") X(F10, "F10") X(F11, "F11") X(F12, "F12") \
	X(MOUSE, "mouse") X(WHEEL_UP, "wheel up") X(WHEEL_DOWN, "wheel down") X(PASTE_BEGIN, "") X(PASTE_END, "") X(OTHER, "")

enum bw_key_code {
	BW_KEY_NONE = 0, /* below: characters by code point, including control characters */
	BW_KEY_FIRST = 0x200000,
#define X(name, text) BW_KEY_##name,
	BW_KEY_TABLE(X)
#undef X
};

struct bw_key {
	uint32_t code;
	bool alt;
	int x, y; /* of the mouse */
};

/* Returns the name of a key that is not a character. */
const char *bw_key_name(enum bw_key_code code);
/* The name of a key in the tables: `Up`, `^R`, `k`, `M-x` with Alt. */
enum { BW_KEY_NAME_SIZE = 16 };
void bw_key_print(struct bw_key key, char name[BW_KEY_NAME_SIZE]);
/* Returns the key of a name; code NONE if it is not a key that can be bound. */
struct bw_key bw_key_parse(const char *name);
#endif

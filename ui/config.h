/* beamwalkrc(5): the user's keys and defaults for the explorer and the read-eval loop. */
#pragma once
#include "ui/keys.h"

/* Settings of the screen: name in C, in words, values separated by blanks, meaning. */
#define BW_SCREEN_SETTING_TABLE(X) \
	X(BW_SETTING_COLOR, "color", "auto always never", "colours; auto: as the terminal and NO_COLOR say") \
	X(BW_SETTING_ASCII, "ascii", "0 1", "1: draw with ASCII characters only, in any locale") \
	X(BW_SETTING_MOUSE, "mouse", "0 1", "0: leave the mouse to the terminal")

enum bw_screen_setting { BW_SCREEN_SETTING_TABLE(BW_FIRST) BW_N_SCREEN_SETTINGS };

/* A line `set OPTION=VALUE` for a search option. */
struct bw_default {
	int line;
	char *text; /* OPTION=VALUE */
};

struct bw_config {
	int settings[BW_N_SCREEN_SETTINGS]; /* index of the value, from 1; 0: not set */
	struct bw_keymap keymap;
	struct bw_default *defaults; /* in file order */
	int n_defaults, defaults_capacity;
};

/* Parses a text into *config, which must be empty. Errors begin with name and line: `beamwalkrc:3: ...`.
 * After an error *config has nothing to free. */
bool bw_config_parse(const char *name, const char *text, struct bw_config *config, struct bw_error *error);
/* Reads a file. Leaves *config empty if there is no such file. */
bool bw_config_read(const char *path, struct bw_config *config, struct bw_error *error);
/* Applies the defaults to *options. name: the file's name for errors, as in bw_config_parse. */
bool bw_config_apply(const struct bw_config *config, const char *name, const struct bw_device *devices,
		     int n_devices, struct bw_settings *options, struct bw_error *error);
void bw_config_free(struct bw_config *config);

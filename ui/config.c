#include "ui/config.h"

#include <unistd.h>

#include "base/file.h"

enum { MOST_BYTES = 1 << 20 };

static const struct {
	const char *name, *values;
} settings[] = {
#define X(name, text, values, meaning) {text, values},
	BW_SCREEN_SETTING_TABLE(X)
#undef X
};

/* Returns the index of a value in a space-separated list, counted from 1, or 0 if it is not in the
 * list. */
static int find_value(const char *values, const char *value)
{
	size_t length = strlen(value);
	for (int i = 1; *values; i++) {
		size_t one = strcspn(values, " ");
		if (one == length && !strncmp(values, value, one))
			return i;
		values += one + strspn(values + one, " ");
	}
	return 0;
}

/* Parses a setting of the screen. Returns -1 if the line is not one. */
static int take_setting(struct bw_config *config, const char *text, struct bw_error *error)
{
	size_t length = strcspn(text, "=");
	for (int i = 0; i < BW_N_SCREEN_SETTINGS; i++) {
		if (strlen(settings[i].name) != length || strncmp(settings[i].name, text, length))
			continue;
		const char *value = text[length] ? text + length + 1 : "";
		config->settings[i] = find_value(settings[i].values, value);
		return config->settings[i] ||
		       bw_fail(error, BW_ERROR_INPUT, "%s takes one of %s, not \"%.60s\"", settings[i].name,
			       settings[i].values, value);
	}
	return -1;
}

/* Parses a default for a search option. Checks its name now, and its value when it is applied. */
static bool take_set(struct bw_config *config, int line, const char *text, struct bw_error *error)
{
	struct bw_assignment assignment;
	int taken = take_setting(config, text, error);
	if (taken >= 0)
		return taken;
	if (!bw_assignment_read(text, &assignment, error))
		return false;
	if (assignment.option->kind == BW_SETTING_SCHEDULE)
		return bw_fail(error, BW_ERROR_INPUT, "%s is of one pipeline, and no default", assignment.option->name);
	BW_PUSH(config->defaults, config->n_defaults, config->defaults_capacity,
		(struct bw_default){line, bw_strdup(text)});
	return true;
}

static bool take_bind(struct bw_config *config, char *text, struct bw_error *error)
{
	char *line = text + strcspn(text, " \t");
	if (!*text || !*line)
		return bw_fail(error, BW_ERROR_INPUT, "bind takes a key and a command, as in: bind F5 run end");
	*line++ = 0;
	return bw_keymap_bind(&config->keymap, text, line + strspn(line, " \t"), error);
}

/* Takes one line without blanks around it. */
static bool take_line(struct bw_config *config, int number, char *line, struct bw_error *error)
{
	size_t length = strcspn(line, " \t");
	char *rest = line + length + strspn(line + length, " \t");
	if (!*line || *line == '#')
		return true;
	if (length == 4 && !strncmp(line, "bind", 4))
		return take_bind(config, rest, error);
	if (length == 3 && !strncmp(line, "set", 3))
		return take_set(config, number, rest, error);
	return bw_fail(error, BW_ERROR_INPUT, "expected bind, set or a comment, found \"%.60s\"", line);
}

bool bw_config_parse(const char *name, const char *text, struct bw_config *config, struct bw_error *error)
{
	char *copy = bw_strdup(text), *rest = copy, *line;
	bool good = true;
	for (int number = 1; good && (line = strsep(&rest, "\n")); number++) {
		good = take_line(config, number, bw_trim(line), error) || bw_fail_in(error, "%s:%d", name, number);
	}
	free(copy);
	if (good)
		return true;
	error->kind = BW_ERROR_INPUT;
	bw_config_free(config);
	return false;
}

bool bw_config_read(const char *path, struct bw_config *config, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	if (access(path, F_OK) != 0)
		return true;
	return bw_trusted_file_read(path, MOST_BYTES, &text, error) && bw_text_lines(path, &text, error) &&
	       bw_config_parse(path, bw_text_get(&text), config, error);
}

bool bw_config_apply(const struct bw_config *config, const char *name, const struct bw_device *devices,
		     int n_devices, struct bw_settings *options, struct bw_error *error)
{
	for (int i = 0; i < config->n_defaults; i++) {
		struct bw_assignment assignment;
		if (!bw_assignment_read(config->defaults[i].text, &assignment, error) ||
		    !bw_settings_assign(&assignment, devices, n_devices, options, error)) {
			error->kind = BW_ERROR_INPUT;
			return bw_fail_in(error, "%s:%d", name, config->defaults[i].line);
		}
	}
	return true;
}

void bw_config_free(struct bw_config *config)
{
	bw_keymap_free(&config->keymap);
	for (int i = 0; i < config->n_defaults; i++)
		free(config->defaults[i].text);
	free(config->defaults);
	*config = (struct bw_config){0};
}

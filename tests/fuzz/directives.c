/* Fuzzes reading lists of directives. Whatever is accepted is printed, and what is printed is read and printed the same. */
#include <string.h>

#include "base/json.h"
#include "schedule/directive.h"
#include "target.h"

/* The list of a text as printed; false with an error where it is none. */
static bool print_again(const char *bytes, size_t length, struct bw_text *out, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("fuzz", bytes, length, error);
	if (!json)
		return false;
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *list = bw_directives_read(&root, error);
	bw_json_free(json);
	if (!list)
		return false;
	bw_directives_print(list, out);
	bw_directives_free(list);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_text once = {0}, twice = {0};
	struct bw_error error = {0};
	if (print_again((const char *)bytes, length, &once, &error)) {
		expect(print_again(bw_text_get(&once), once.length, &twice, &error), error.text);
		expect(strcmp(bw_text_get(&once), bw_text_get(&twice)) == 0, "a list prints alike");
	} else
		expect(error.kind == BW_ERROR_INPUT && strncmp(error.text, "fuzz:", 5) == 0, "errors begin with the file");
	bw_text_free(&once);
	bw_text_free(&twice);
	return 0;
}

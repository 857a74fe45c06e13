/* Fuzzes what a client sends to `beamwalk serve`: whatever it is, all that is answered is JSON-RPC 2.0, one text per line, and the server ends with its input. */
#include <jansson.h>
#include <sys/mman.h>

#include "command/commands.h"
#include "fuzz.h"

static void check_message(const json_t *message)
{
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	expect(version && !strcmp(version, "2.0"), "a message of JSON-RPC 2.0");
	bool asks = json_object_get(message, "method"), answers = json_object_get(message, "result"), refuses = json_object_get(message, "error");
	expect(asks + answers + refuses == 1 && (asks || json_object_get(message, "id")), "it is a notification, a result or an error");
}

static void check_line(const char *line, size_t length)
{
	json_t *value = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	expect(value, "each line is JSON");
	for (size_t i = 0; i < json_array_size(value); i++)
		check_message(json_array_get(value, i));
	if (!json_is_array(value))
		check_message(value);
	json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_text text = {0}, answers = {0};
	struct bw_error error = {0};
	bw_text_append(&text, (const char *)bytes, length);
	if (!fuzz_may_run(text.bytes) || memmem(bytes, length, "\\u00", 4) || strlen(text.bytes) != length) {
		bw_text_free(&text);
		return 0;
	}
	fuzz_enter();
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	expect(in >= 0 && out >= 0 && bw_write_all(in, text.bytes, length) && lseek(in, 0, SEEK_SET) == 0, "files in memory");
	struct bw_session *session = fuzz_session();
	expect(bw_serve(session, in, out, 60, &error), error.text);
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", out);
	expect(lseek(out, 0, SEEK_SET) == 0 && bw_file_read(path, 1 << 28, &answers, &error), error.text);
	for (const char *line = bw_text_get(&answers), *end; *line; line = end + 1) {
		expect((end = strchr(line, '\n')), "each message is a line");
		check_line(line, (size_t)(end - line));
	}
	bw_session_free(session);
	close(in);
	close(out);
	bw_text_free(&text);
	bw_text_free(&answers);
	return 0;
}

/* Fuzzes the lines of the command language, as scripts, the prompt and the explorer take them: each is done or refused in one line, the screen is told no
 * control characters, and the session goes on: its views can be printed, and all of it can be undone. */
#include "fuzz.h"

static void run(struct bw_session *session, const char *line)
{
	struct bw_text out = {0};
	struct bw_error error = {0};
	if (!bw_session_run(session, line, &out, &error))
		expect(error.kind != BW_ERROR_NONE && *error.text && !strchr(error.text, '\n'), "what is refused is told in a line");
	expect(is_plain(error.text) && is_plain(session->message), "messages are plain");
	fuzz_settle(session);
	bw_text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	enum { MOST_LINES = 14, MOST_UNDO = 14 };
	struct bw_text text = {0};
	bw_text_append(&text, (const char *)bytes, length);
	if (strlen(text.bytes) != length || !fuzz_may_run(text.bytes)) {
		bw_text_free(&text);
		return 0;
	}
	fuzz_enter();
	struct bw_session *session = fuzz_session();
	int n = 0;
	for (char *line = text.bytes, *end; *line && n < MOST_LINES && !session->quit; line = end, n++) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		run(session, line);
	}
	run(session, "view main");
	run(session, "why");
	struct bw_error error = {0};
	for (n = 0; n < MOST_UNDO && bw_session_run(session, "undo", NULL, &error); n++)
		fuzz_settle(session);
	run(session, "run end");
	bw_session_free(session);
	bw_text_free(&text);
	return 0;
}

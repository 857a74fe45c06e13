/* Fuzzes saved sessions. One that is loaded is saved as a text that loads, and then is the same text. */
#include "fuzz.h"
#include "session/call.h"

/* Loads the file into a new session; NULL if it is refused. */
static struct bw_session *load(const char *path)
{
	struct bw_error error = {0};
	struct bw_text out = {0};
	struct bw_session *session = fuzz_session();
	bool good = bw_session_replay_file(session, path, &out, &error);
	fuzz_settle(session);
	bw_text_free(&out);
	if (good)
		return session;
	expect(error.kind != BW_ERROR_NONE && is_plain(error.text) && !strchr(error.text, '\n'), "what is refused is told in a line");
	bw_session_free(session);
	return NULL;
}

/* Saves it with a Func selected: a session that has not begun has none, and has one once it is loaded. */
static void save(struct bw_session *session, struct bw_text *text)
{
	bw_text_clear(text);
	if (session->selection.func < 0)
		bw_session_run(session, "select func output", NULL, NULL);
	bw_session_print_saved(session, session->cursor, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_text text = {0}, again = {0};
	bw_text_append(&text, (const char *)bytes, length);
	fuzz_enter();
	if (fuzz_may_run(bw_text_get(&text))) {
		fuzz_write("given", bytes, length);
		struct bw_session *session = load("given"), *other = NULL;
		if (session) {
			save(session, &text);
			fuzz_write("saved", (const uint8_t *)bw_text_get(&text), text.length);
			other = load("saved");
			expect(other, "what was saved is loaded");
			save(other, &again);
			if (strcmp(bw_text_get(&text), bw_text_get(&again))) {
				fprintf(stderr, "%s\n---\n%s\n", bw_text_get(&text), bw_text_get(&again));
				expect(false, "and is saved as the same text");
			}
		}
		bw_session_free(session);
		bw_session_free(other);
	}
	bw_text_free(&text);
	bw_text_free(&again);
	return 0;
}

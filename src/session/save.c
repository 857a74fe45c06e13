/* Saves sessions as text: scripts whose first comments name the pipeline with the hash of its description and
 * the version of beamwalk. The settings come before the line `# journal`. */

#include <config.h>

#include "session/core.h"

static void save_options(const struct bw_settings *options, struct bw_text *text)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		if (!bw_setting_stored(&infos[i]))
			continue;
		bw_text_printf(text, "set %s=", infos[i].name);
		bw_setting_print(&infos[i], options, text);
		bw_text_puts(text, "\n");
	}
}

/* Appends a position: the decision's name, or a number if the position is the end of a pass. */
static void save_place(const struct bw_session *session, int position, struct bw_text *text)
{
	bool ends = position < bw_search_n_decisions(session->search) &&
		    bw_search_decision(session->search, position)->phase == BW_PHASE_PASS;
	bw_text_puts(text, "run ");
	if (ends)
		bw_text_printf(text, "%d", position);
	else
		bw_session_decision_name(session, position, text);
	bw_text_printf(text, "\nselect state %d\n", position == session->cursor ? session->selection.state + 1 : 1);
	if (session->selection.func >= 0)
		bw_text_printf(text, "select func %s\n", session->pipeline->funcs[session->selection.func].name);
}

enum { MOST_DIGESTS = 16 };

/* Appends digests of the beams at several positions, the cursor's last, in the form for `assert beams`: ` 9
 * f3c1... 17 80aa...`. */
static void session_digests(const struct bw_session *session, struct bw_text *out)
{
	int step = session->cursor / MOST_DIGESTS + 1;
	for (int p = 0; p <= session->cursor; p++)
		if (p == session->cursor || (p && p % step == 0))
			bw_text_printf(out, " %d %016llx", p, (unsigned long long)bw_search_digest(session->search, p));
}

void bw_session_print_saved(const struct bw_session *session, int position, struct bw_text *text)
{
	const char *worker = bw_bench_command(session->bench);
	bw_text_printf(
	    text, BW_SAVED_BEGIN "%d, beamwalk " PACKAGE_VERSION ", pipeline %s, description %016llx\n",
	    BW_SAVED_VERSION, session->pipeline->name, (unsigned long long)session->pipeline->content);
	save_options(bw_session_first_options(session), text);
	if (worker)
		bw_text_printf(text, "set on=%s\n", worker);
	bw_text_puts(text, BW_SAVED_JOURNAL "\n");
	bw_history_print(session, text);
	for (int i = 0; i < session->n_journal; i++)
		bw_text_printf(text, "%s\n", session->journal[i].line);
	for (int i = bw_journal_done(session); i < session->n_journal; i++)
		bw_text_puts(text, "undo\n");
	save_place(session, position, text);
	for (int i = 0; i < session->n_timings; i++)
		if (*session->timings[i].uid && session->timings[i].phase >= BW_JOB_DONE)
			bw_text_printf(text, "measured %s\n", session->timings[i].uid);
	if (position == session->cursor) {
		bw_text_puts(text, "assert beams");
		session_digests(session, text);
		bw_text_puts(text, "\n");
	}
}

bool bw_session_replay_file(struct bw_session *session, const char *path, struct bw_text *out,
			    struct bw_error *error)
{
	struct own *own = own_of(session);
	bool replayed = own->replays;
	int first = bw_journal_done(session);
	own->replays = true;
	*own->differs = 0;
	bw_history_begin_graft(session);
	bool good = bw_session_run_file(session, path, out, error);
	own->replays = replayed;
	if (good)
		bw_session_stand(session, first);
	return good;
}

/* Returns the word after `KEY ` in the first line; NULL if there is none. free(). */
static char *header_word(const char *text, const char *key)
{
	size_t line = strcspn(text, "\n");
	BW_SCOPED_MEMORY char *first = bw_strdup(text);
	first[line] = 0;
	const char *at = strncmp(first, BW_SAVED_BEGIN, strlen(BW_SAVED_BEGIN)) ? NULL : strstr(first, key);
	char *word = at ? bw_strdup(at + strlen(key)) : NULL;
	if (word)
		word[strcspn(word, ",\n")] = 0;
	return word;
}

void bw_saved_differences(const struct bw_session *session, const char *text, struct bw_text *out)
{
	const struct own *own = own_of(session);
	char here[32], *version = header_word(text, ", beamwalk "),
		       *description = header_word(text, ", description ");
	snprintf(here, sizeof here, "%016llx", (unsigned long long)session->pipeline->content);
	if (description && strcmp(description, here))
		bw_text_puts(out, "; it is of another pipeline, or the pipeline has changed since");
	if (*own->differs)
		bw_text_printf(out, "; %s", own->differs);
	if (*own->differs && version && strcmp(version, PACKAGE_VERSION))
		bw_text_printf(out, " (saved by version %s, this is " PACKAGE_VERSION ")", version);
	free(version);
	free(description);
}

void bw_session_tell_loaded(struct call *call, const char *text)
{
	BW_SCOPED_TEXT differences = {0};
	bw_saved_differences(call->session, text, &differences);
	if (differences.length)
		snprintf(call->session->warning, sizeof call->session->warning, "%.250s", bw_text_get(&differences) + 2);
	bw_session_say(call, "loaded %s%s", call->rest, bw_text_get(&differences));
}

/* Digests of beams: they show whether a loaded session reached bit-for-bit equal states and, if not, at which
 * decision the states begin to differ. */

/* Reads a position and a digest, and advances *text past them. */
static bool take_pair(const char **text, long *position, uint64_t *digest)
{
	char *end;
	*position = strtol(*text, &end, 10);
	if (end == *text || *position < 0)
		return false;
	const char *hex = end + strspn(end, " \t");
	*digest = strtoull(hex, &end, 16);
	if (end - hex != 16)
		return false;
	*text = end + strspn(end, " \t");
	return true;
}

/* Appends where the states differ: after decision `same`, the last one with equal states, and up to decision
 * `other`. */
static void describe(const struct bw_session *session, long same, long other, struct bw_text *out)
{
	bw_text_printf(out, "states differ from those that were saved, ");
	if (same >= 0)
		bw_text_printf(out, "after decision %ld and ", same);
	bw_text_printf(out, "up to decision %ld, ", other);
	bw_session_decision_name(session, (int)other, out);
}

/* Compares the states with the digests, as far as the search has run. */
static bool compare(struct call *call, const char *text, const char *fact, struct bw_text *found)
{
	const struct bw_search *search = call->session->search;
	int reached = bw_search_reached(search);
	long position, same = -1;
	uint64_t said;
	for (; *text; same = position) {
		if (!take_pair(&text, &position, &said))
			return bw_fail(
			    call->error, BW_ERROR_USAGE,
			    "assert %.80s: expected positions, each with a digest of 16 hexadecimal digits",
			    fact);
		if (position > reached) {
			bw_text_printf(found, "the search has come to decision %d, not to %ld", reached, position);
			return true;
		}
		if (bw_search_digest(search, (int)position) != said) {
			describe(call->session, same, position, found);
			return true;
		}
	}
	return true;
}

bool bw_assert_beams(struct call *call, const char *fact, const char *rest)
{
	struct own *own = own_of(call->session);
	BW_SCOPED_TEXT found = {0};
	if (!*rest)
		return bw_fail(call->error, BW_ERROR_USAGE, "assert beams: which? as in a saved session");
	bool good = compare(call, rest, fact, &found);
	if (found.length && own->replays)
		snprintf(own->differs, sizeof own->differs, "%.250s", bw_text_get(&found));
	else if (found.length)
		good = bw_fail(call->error, BW_ERROR_WRONG, "assert beams: %s", bw_text_get(&found));
	return good;
}

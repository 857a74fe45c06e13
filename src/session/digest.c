/* Digests of beams: whether a session that is loaded came to the same states, bit for bit, and if not, from
 * which decision on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/core.h"

enum { MOST_DIGESTS = 16 };

void bw_session_digests(const struct bw_session *session, struct bw_text *out)
{
	int step = session->cursor / MOST_DIGESTS + 1;
	for (int p = 0; p <= session->cursor; p++)
		if (p == session->cursor || (p && p % step == 0))
			bw_text_printf(out, " %d %016llx", p, (unsigned long long)bw_search_digest(session->search, p));
}

/* One pair of position and digest; *text moves past it. */
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

/* Where the states are others: after the decision at which they were still the same, and up to that where
 * they are not. */
static void describe(const struct bw_session *session, long same, long other, struct bw_text *out)
{
	bw_text_printf(out, "states differ from those that were saved, ");
	if (same >= 0)
		bw_text_printf(out, "after decision %ld and ", same);
	bw_text_printf(out, "up to decision %ld, ", other);
	bw_session_decision_name(session, (int)other, out);
}

/* Compares as far as the search went. */
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
	struct bw_text found = {0};
	if (!*rest)
		return bw_fail(call->error, BW_ERROR_USAGE, "assert beams: which? as in a saved session");
	bool good = compare(call, rest, fact, &found);
	if (found.length && own->replays)
		snprintf(own->differs, sizeof own->differs, "%.250s", bw_text_get(&found));
	else if (found.length)
		good = bw_fail(call->error, BW_ERROR_WRONG, "assert beams: %s", bw_text_get(&found));
	bw_text_free(&found);
	return good;
}

/* Where measurements run: the worker, and which of its devices. */
#include "session/session_private.h"

void bw_session_use(struct bw_session *session, const char *command)
{
	bw_bench_drop(session->bench);
	session->bench = bw_bench_new(&session->places, command && *command ? command : NULL, 0);
	session->asks = false;
	session->runs_on = NULL;
	bw_session_touch(session);
}

void bw_session_ask(struct bw_session *session)
{
	if (session->runs_on || session->asks)
		return;
	session->asks = true;
	bw_session_poll_devices(session);
}

bool bw_session_poll_devices(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct bw_presents presents;
	enum bw_asked asked = session->asks ? bw_bench_devices(session->bench, &presents, NULL) : BW_ASKING;
	if (asked == BW_ASKING)
		return false;
	session->asks = false;
	int place = asked == BW_TOLD ? bw_presents_choose(&presents, session->options.device,
							  session->devices, session->n_devices)
				     : -1;
	if (place < 0)
		return false;
	own->runs_on = bw_present_record(&presents.list[place], session->devices, session->n_devices);
	session->runs_on = &own->runs_on;
	bw_session_touch(session);
	return true;
}

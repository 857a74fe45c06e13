/* The place of measurements: the worker, and which of its devices. */
#include "session/core.h"

struct machine {
	struct bw_device runs_on; /* the device; session->runs_on points to it */
};

double bw_session_silence(const struct bw_session *session)
{
	static const double least = 5, most = 60; /* also a local worker needs some time to start */
	double limit = session->time_limit;
	return limit <= 0 ? 0 : limit < least ? least : limit > most ? most : limit;
}

void bw_session_use(struct bw_session *session, const char *command)
{
	struct bw_bench *bench = bw_bench_new(&session->places, command && *command ? command : NULL,
					      bw_session_silence(session));
	bw_bench_drop(session->bench);
	session->bench = bench;
	session->asks = false;
	session->runs_on = NULL;
	bw_session_touch(session);
}

void bw_session_set_up(struct bw_session *session, const struct bw_session_setup *setup)
{
	session->devices = setup->devices;
	session->n_devices = setup->n_devices;
	session->results = setup->results;
	session->ptxas = setup->ptxas;
	session->trusts = setup->trusts;
	session->time_seconds = setup->time_seconds;
	session->time_limit = setup->time_limit;
	bw_session_use(session, bw_bench_command(session->bench));
}

/* Takes the worker's answer about devices, if there is one. */
static void poll(struct bw_session *session)
{
	struct machine *machine = bw_part_data(session, BW_PART_MACHINE);
	struct bw_presents presents;
	enum bw_asked asked = session->asks ? bw_bench_devices(session->bench, &presents, NULL) : BW_ASKING;
	if (asked == BW_ASKING)
		return;
	session->asks = false;
	int place = asked == BW_TOLD ? bw_presents_choose(&presents, session->options.device,
							  session->devices, session->n_devices)
				     : -1;
	if (place < 0)
		return;
	machine->runs_on = bw_present_record(&presents.list[place], session->devices, session->n_devices);
	session->runs_on = &machine->runs_on;
	bw_session_touch(session);
}

void bw_session_ask(struct bw_session *session)
{
	if (session->runs_on || session->asks)
		return;
	session->asks = true;
	poll(session);
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	if (!session->asks || most < 1)
		return 0;
	fds[0] = bw_bench_fd(session->bench);
	return 1;
}

const struct bw_session_part bw_part_machine = {
    .size = sizeof(struct machine),
    .poll = poll,
    .fds = fds,
};

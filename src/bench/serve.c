/* The worker's request loop. It keeps reading requests while an object runs, so that a cancel can arrive.
 * Requests run in the order in which they came. */
#include "bench/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most requests in the queue; further requests stay in the pipe. */
enum { MOST_WAITING = 64 };

static void take_cancel(struct bw_server *server, const struct bw_request *cancel)
{
	if (server->under_way && server->under_way->request.id == cancel->request)
		server->under_way->cancelled = true;
	for (int k = 0; k < server->n_waiting; k++)
		if (server->waiting[k].request.id == cancel->request)
			server->waiting[k].cancelled = true;
	server->unread |= !bw_report_number(server->results, cancel->id, "cancelled", cancel->request);
}

/* Puts a request into the queue. Answers a cancel, or a line that is no valid request, at once. */
static void take_line(struct bw_server *server, const char *line, size_t length)
{
	struct bw_request request;
	struct bw_error error = {0};
	bool good = bw_request_read(line, length, &request, &error);
	if (good && request.id <= server->last_id) {
		bw_fail(&error, BW_ERROR_INPUT,
			"request:1: id: %lld was used before: expected more than %lld", (long long)request.id,
			(long long)server->last_id);
		bw_request_free(&request);
		server->unread |= !bw_report_error(server->results, 0, -1, &error);
		return;
	}
	if (!good) {
		server->unread |= !bw_report_error(server->results, request.id, -1, &error);
		return;
	}
	server->last_id = request.id;
	if (request.what == BW_DO_CANCEL) {
		take_cancel(server, &request);
		bw_request_free(&request);
		return;
	}
	BW_PUSH(server->waiting, server->n_waiting, server->waiting_capacity,
		(struct bw_waiting){.request = request});
}

static void take_lines(struct bw_server *server)
{
	size_t length;
	char *line;
	while (server->n_waiting < MOST_WAITING && (line = bw_lines_next(&server->lines, &length)))
		take_line(server, line, length);
}

/* Reads the input once. At its end, the text after the last newline is a line, too. */
static void read_input(struct bw_server *server)
{
	char buffer[65536];
	ssize_t got = read(server->input, buffer, sizeof buffer);
	if (got > 0)
		bw_lines_add(&server->lines, buffer, (size_t)got);
	else if (got == 0 || errno != EINTR) {
		server->input = -1;
		bw_lines_add(&server->lines, "\n", server->lines.unfinished > 0);
	}
}

/* Waits until the child of the descriptor `child` (-1: none) ends, a request arrives, or the client stops
 * reading the results. */
static void wait_for_events(struct bw_server *server, int child, double seconds)
{
	bool room = server->n_waiting < MOST_WAITING;
	struct pollfd files[] = {
	    {child, POLLIN, 0}, {room ? server->input : -1, POLLIN, 0}, {server->results, 0, 0}};
	if (poll(files, 3, seconds < 0 ? -1 : (int)(seconds * 1e3) + 1) <= 0)
		return;
	if (files[1].revents)
		read_input(server);
	server->unread |= (files[2].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
	take_lines(server);
}

/* Callback of bw_supervise: waits for the child's end and reads requests meanwhile. Returns false if the
 * child is to be killed. of: the server. */
static bool server_watch(void *of, int child, double seconds)
{
	struct bw_server *server = of;
	wait_for_events(server, child, seconds);
	return !server->unread && !(server->under_way && server->under_way->cancelled);
}

/* Callback of bw_supervise: tells the client that the current object waits for its turn. seconds: in this
 * run. */
static void server_waits(void *of, double seconds, const char *holder)
{
	struct bw_server *server = of;
	const struct bw_request *request = &server->under_way->request;
	server->unread |= !bw_report_begin(server->results, request->id, server->object, request->n_objects,
					     server->waited + seconds, holder);
}

static bool put(struct bw_server *server, const struct bw_request *request)
{
	size_t length = strlen(request->bytes);
	unsigned char *bytes = malloc(length / 4 * 3 + 3);
	struct bw_error error = {0};
	int64_t received = 0;
	long n = bytes ? bw_base64_decode(request->bytes, length, bytes) : -1;
	bool good = n >= 0 ? bw_store_put(&server->store, request->content, request->size, request->at, bytes,
					  n, &received, &error)
			   : bw_fail(&error, BW_ERROR_INPUT, "request:1: bytes: expected base64");
	free(bytes);
	return good ? bw_report_number(server->results, request->id, "put", received)
		    : bw_report_error(server->results, request->id, -1, &error);
}

static bool tell_devices(struct bw_server *server, const struct bw_request *request)
{
	struct bw_error error = {0};
	if (!bw_server_devices(server, &error))
		return bw_report_error(server->results, request->id, -1, &error);
	return bw_report_devices(server->results, request->id, &server->devices);
}

/* Runs the request. Returns false if its results cannot be written. */
static bool serve(struct bw_server *server, const struct bw_request *request)
{
	switch (request->what) {
	case BW_DO_HELLO:
		return bw_report_hello(server->results, request->id);
	case BW_DO_DEVICES:
		return tell_devices(server, request);
	case BW_DO_HAVE:
		return bw_report_have(server->results, request, &server->store);
	case BW_DO_PUT:
		return put(server, request);
	case BW_DO_MEASURE:
		return bw_server_measure(server);
	case BW_DO_RATES:
		return bw_server_rates(server);
	case BW_DO_CANCEL:
		break;
	}
	return true;
}

bool bw_serve(struct bw_server *server)
{
	server->watch = (struct bw_watch){server_watch, server_waits, server};
	while (!server->unread) {
		take_lines(server);
		if (!server->n_waiting) {
			if (server->input < 0)
				break;
			wait_for_events(server, -1, -1);
			continue;
		}
		struct bw_waiting now = server->waiting[0];
		BW_REMOVE(server->waiting, server->n_waiting, 0);
		server->under_way = &now;
		server->unread |= !serve(server, &now.request);
		server->under_way = NULL;
		bw_request_free(&now.request);
	}
	for (int k = 0; k < server->n_waiting; k++)
		bw_request_free(&server->waiting[k].request);
	free(server->waiting);
	bw_lines_free(&server->lines);
	bw_store_free(&server->store);
	bw_references_free(&server->references);
	return !server->unread;
}

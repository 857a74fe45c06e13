/* Serves a session to another program by JSON-RPC 2.0, one JSON text per line (beamwalk-serve(5)). A thread
 * reads the input, so that requests can arrive and be cancelled while another request runs. Requests run in
 * the order in which they came, as commands of the session. */
#include "command/commands.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "bench/protocol.h"
#include "command/figure.h"
#include "command/report.h"

enum { PROTOCOL = 1, LONGEST = 1 << 20, PIECE = 1 << 16 };
enum { MOST_QUEUED = 1024, MOST_BYTES = 1 << 20, MOST_BATCHED = 1024 };
enum { NOT_JSON = -32700, INVALID = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602, CANCELLED = -32800 };
static const double told_every = 0.2; /* seconds between notifications */

/* A request that waits for its turn. */
struct item {
	json_t *request;    /* the request, owned; a JSON string says why the line was not JSON */
	bool batched, last; /* part of a batch; the last one. The answers of a batch are sent together after
			       its last request */
	bool cancelled;
	size_t bytes; /* bytes of its line, or its share of a batch's line */
};

struct server {
	struct bw_session *session;
	int in, out;
	int patience; /* seconds for which the client may read nothing while an answer is being written */
	int wake, stop, look; /* eventfds. wake: a request waits. stop: the running request is to stop. look:
				 the reader is to check the state */
	pthread_mutex_t lock; /* protects the fields up to `over` */
	struct item *items;   /* the queue; the waiting requests begin at `first` */
	int first, n, capacity;
	size_t bytes; /* bytes of all waiting requests */
	const json_t *running; /* id of the running request; NULL: it has no id */
	bool cancelled;        /* the running request was cancelled */
	bool ended, dead;      /* ended: nothing more is read. dead: the client is gone, or reads nothing */
	bool over;             /* the reader thread is to end */
	json_t *told;          /* content of the last notification; NULL: there was none */
	double told_at;
	json_t *batch; /* answers of the present batch so far; NULL: none */
	bool unread;   /* the client has read nothing for too long */
};

static void raise_flag(int file)
{
	(void)!write(file, &(uint64_t){1}, sizeof(uint64_t));
}

static void lower_flag(int file)
{
	(void)!read(file, &(uint64_t){0}, sizeof(uint64_t));
}

/* The reader thread. */

/* Marks the request with this id as cancelled; stops it if it is running. The caller holds the lock. */
static void cancel(struct server *server, const json_t *id)
{
	if (id && server->running && json_equal(server->running, id)) {
		server->cancelled = true;
		raise_flag(server->stop);
	}
	for (int i = server->first; id && i < server->n; i++)
		server->items[i].cancelled |= json_equal(json_object_get(server->items[i].request, "id"), id);
}

static const char *method_of(const json_t *request)
{
	const char *method = json_string_value(json_object_get(request, "method"));
	return method ? method : "";
}

static void queue(struct server *server, const struct item *item)
{
	pthread_mutex_lock(&server->lock);
	if (!strcmp(method_of(item->request), "$/cancel"))
		cancel(server, json_object_get(json_object_get(item->request, "params"), "id"));
	BW_PUSH(server->items, server->n, server->capacity, *item);
	server->bytes += item->bytes;
	pthread_mutex_unlock(&server->lock);
	raise_flag(server->wake);
}

static void take_line(struct server *server, const char *line, size_t length)
{
	json_error_t why;
	if (strspn(line, " \t\r") == length)
		return;
	json_auto_t *value = length > LONGEST ? NULL : json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
	BW_SCOPED_TEXT words = {0};
	size_t n = json_array_size(value);
	if (length > LONGEST)
		bw_text_printf(&words, "the line has more than %d bytes", LONGEST);
	else if (!value)
		bw_text_printf(&words, "not JSON: column %d: %s", why.column, why.text);
	if (!value)
		value = bw_json_words(bw_text_get(&words));
	for (size_t i = 0; n <= MOST_BATCHED && i < n; i++)
		queue(server, &(struct item){json_incref(json_array_get(value, i)), true, i + 1 == n, false, length / n});
	if (!n || n > MOST_BATCHED)
		queue(server, &(struct item){json_incref(value), false, false, false, length});
}

/* Reads the input that has arrived. Returns false at the end of the input. */
static bool read_piece(struct server *server, struct bw_lines *lines, char *piece)
{
	size_t length;
	ssize_t n = read(server->in, piece, PIECE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n > 0)
		bw_lines_add(lines, piece, (size_t)n);
	for (const char *line; (line = bw_lines_next(lines, &length));)
		take_line(server, line, length);
	const char *rest = n > 0 ? NULL : bw_lines_rest(lines, &length);
	if (rest)
		take_line(server, rest, length);
	return n > 0;
}

/* Notes that nothing more is read. If the client is gone, stops the running request. */
static void end_reading(struct server *server, bool dead)
{
	pthread_mutex_lock(&server->lock);
	server->ended = true;
	server->dead |= dead;
	pthread_mutex_unlock(&server->lock);
	if (dead)
		raise_flag(server->stop);
	raise_flag(server->wake);
}

/* The thread: reads until the server ends. While too many requests wait, only checks if the client is still
 * connected. */
static void *read_all(void *data)
{
	struct server *server = data;
	struct bw_lines lines = {0};
	BW_SCOPED_MEMORY char *piece = bw_new_array(PIECE, 1);
	for (;;) {
		pthread_mutex_lock(&server->lock);
		bool full = server->ended || server->n - server->first >= MOST_QUEUED || server->bytes >= MOST_BYTES,
		     over = server->over, dead = server->dead;
		pthread_mutex_unlock(&server->lock);
		if (over)
			break;
		struct pollfd polls[] = {{full ? -1 : server->in, POLLIN, 0},
					 {dead ? -1 : server->out, 0, 0},
					 {server->look, POLLIN, 0}};
		if (poll(polls, 3, -1) < 0)
			continue;
		if (polls[2].revents)
			lower_flag(server->look);
		if (polls[1].revents)
			end_reading(server, true);
		else if (polls[0].revents && !read_piece(server, &lines, piece))
			end_reading(server, false);
	}
	bw_lines_free(&lines);
	return NULL;
}

/* Answers and notifications. */

/* Writes to the client, in pieces that a pipe with room accepts at once. Returns false with errno; ETIMEDOUT
 * if the client has read nothing for too long. */
static bool write_out(const struct server *server, const char *bytes, size_t length)
{
	while (length) {
		int ready = poll(&(struct pollfd){server->out, POLLOUT, 0}, 1, server->patience * 1000);
		size_t n = length < PIPE_BUF ? length : PIPE_BUF;
		if (ready > 0 ? !bw_write_all(server->out, bytes, n) : ready == 0 || errno != EINTR) {
			errno = ready == 0 ? ETIMEDOUT : errno;
			return false;
		}
		bytes += ready > 0 ? n : 0;
		length -= ready > 0 ? n : 0;
	}
	return true;
}

/* Writes a JSON text on one line, and drops the reference to it. */
static void put(struct server *server, json_t *value)
{
	BW_SCOPED_TEXT line = {0};
	bw_json_put_line(&line, value, JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (!write_out(server, line.bytes, line.length)) {
		server->unread = errno == ETIMEDOUT;
		end_reading(server, true);
	}
}

/* Returns the session's state for notifications: a new reference. */
static json_t *state_of(struct bw_session *session)
{
	const struct bw_state *const *states;
	const struct bw_selection *selection = &session->selection;
	int n = bw_search_beam(session->search, session->cursor, &states);
	BW_SCOPED_TEXT decision = {0}, doing = {0};
	bw_session_decision_name(session, session->cursor, &decision);
	if (bw_session_busy(session))
		bw_session_background(session, &doing);
	return json_pack("{s:b, s:o, s:i, s:i, s:o, s:i, s:o, s:s, s:o, s:i, s:s?, s:i, s:s, s:o}", "busy",
			 bw_session_busy(session), "doing", bw_json_words(bw_text_get(&doing)), "position",
			 session->cursor, "decisions", bw_search_n_decisions(session->search), "decision",
			 bw_json_words(bw_text_get(&decision)), "states", n, "best",
			 n ? bw_json_real(states[0]->cost) : json_null(), "unit", session->options.model->said,
			 "complete", json_boolean(bw_nest_complete(bw_session_state(session)->nest)), "state",
			 selection->state + 1, "func",
			 selection->func < 0 ? NULL : session->pipeline->funcs[selection->func].name, "point",
			 bw_session_point(session), "view", session->view, "message", bw_json_words(session->message));
}

/* Sends a notification with the session's state if that has changed. While work is in progress, does so a few
 * times per second, and only if the client can read at once, so that nothing is delayed. */
static void tell(struct bw_session *session, void *data)
{
	struct server *server = data;
	struct pollfd reads = {server->out, POLLOUT, 0};
	bool busy = bw_session_busy(session);
	if ((busy && bw_clock() < server->told_at + told_every) || poll(&reads, 1, 0) <= 0 ||
	    !(reads.revents & POLLOUT))
		return;
	json_t *now = state_of(session);
	bool same = server->told && json_equal(now, server->told);
	json_decref(server->told);
	server->told = now;
	server->told_at = bw_clock();
	if (!same)
		put(server, json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", busy ? "progress" : "changed",
				      "params", now));
}

/* The methods. Each returns a new reference to its result, or NULL with an error. *code is the JSON-RPC code
 * of the error, if it is not that of the error's kind. */

struct request {
	struct server *server;
	const json_t *params; /* NULL, an array or an object */
	int code;
	json_t *data; /* owned: additional data of the error */
	struct bw_error error;
};

static json_t *bad(struct request *request, int code, const char *why)
{
	request->code = code;
	bw_fail(&request->error, BW_ERROR_USAGE, "%s", why);
	return NULL;
}

static json_t *initialize(struct request *request)
{
	const struct bw_session *session = request->server->session;
	const json_t *protocol = json_object_get(request->params, "protocol");
	json_t *commands = json_array(), *views = json_array();
	int n;
	const struct bw_command *command = bw_commands(&n);
	for (int i = 0; i < n; i++, command++)
		json_array_append_new(commands, json_pack("{s:s, s:s, s:s, s:b}", "name", command->name, "arguments",
							  command->arguments, "help", command->help, "changes",
							  command->journaled));
	const struct bw_view_info *view = bw_view_infos(&n);
	for (int i = 0; i < n; i++, view++)
		json_array_append_new(views, json_pack("{s:s, s:s}", "name", view->name, "meaning", view->meaning));
	json_t *result = json_pack("{s:i, s:s, s:s, s:s, s:s?, s:s, s:o, s:o, s:o}", "protocol", PROTOCOL, "program",
				   PACKAGE_NAME, "version", PACKAGE_VERSION, "pipeline", session->pipeline->name, "size",
				   session->source.size, "device", session->options.device->name, "commands", commands,
				   "views", views, "state", state_of(request->server->session));
	if (!protocol || json_integer_value(protocol) == PROTOCOL)
		return result;
	json_decref(result);
	return bad(request, BAD_PARAMS, "this is protocol 1");
}

static json_t *state(struct request *request)
{
	return state_of(request->server->session);
}

/* Returns the selected state as `beamwalk schedule --json` writes it. */
static json_t *schedule(struct request *request)
{
	struct bw_session *session = request->server->session;
	const struct bw_state *selected = bw_session_state(session);
	BW_SCOPED_TEXT text = {0};
	if (!bw_nest_complete(selected->nest)) {
		bw_fail(&request->error, BW_ERROR_FAILED, "the selected state is not complete; `run` completes it");
		return NULL;
	}
	bw_report_json(session, selected, &(struct bw_text){0}, &text);
	return json_loadb(text.bytes, text.length, 0, NULL);
}

static json_t *figure(struct request *request)
{
	struct bw_session *session = request->server->session;
	const char *name = json_string_value(json_array_get(request->params, 0));
	struct bw_figure value;
	BW_SCOPED_TEXT text = {0};
	if (!name || json_array_size(request->params) != 1)
		return bad(request, BAD_PARAMS, "figure takes one text, as in \"occupancy of Ix\"");
	if (!bw_figure_read(session, name, &value, &request->error))
		return NULL;
	bw_figure_print(session, &value, false, &text);
	return json_pack("{s:o, s:o}", "value",
			 value.kind == BW_FIGURE_WORDS ? bw_json_words(value.words) : bw_json_real(value.value), "text",
			 bw_json_words(bw_text_get(&text)));
}

/* Handles a cancellation: nothing is left to do, because the reader has already cancelled the request. */
static json_t *cancel_told(struct request *request)
{
	(void)request;
	return json_null();
}

/* Appends the arguments of a command after its name. */
static bool put_line(struct request *request, const char *method, const json_t *arguments,
		     struct bw_text *line)
{
	bw_text_puts(line, method);
	for (size_t i = 0; i < json_array_size(arguments); i++) {
		const json_t *value = json_array_get(arguments, i);
		BW_SCOPED_MEMORY char *number = json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
		const char *word = number ? number : json_string_value(value);
		if (!word || (!number && json_string_length(value) != strlen(word)) || word[strcspn(word, "\r\n")])
			return bad(request, BAD_PARAMS, "arguments are texts of one line, or numbers");
		bw_text_printf(line, " %s", word);
	}
	return true;
}

/* Runs a command and waits for the work that it starts. Does not wait if the client asks for that, or if
 * earlier work that was not waited for is still in progress. */
static json_t *command(struct request *request, const char *method)
{
	struct bw_session *session = request->server->session;
	const json_t *arguments = json_object_get(request->params, "arguments"),
		     *wait = json_object_get(request->params, "wait");
	bool keyed = json_is_object(request->params);
	BW_SCOPED_TEXT line = {0}, out = {0};
	if (keyed && ((arguments && !json_is_array(arguments)) || (wait && !json_is_boolean(wait)) ||
		      json_object_size(request->params) != (size_t)!!arguments + (size_t)!!wait))
		return bad(request, BAD_PARAMS, "a command takes an array, or {\"arguments\": ARRAY, \"wait\": false}");
	if (!put_line(request, method, keyed ? arguments : request->params, &line))
		return NULL;
	bool good = (wait && json_is_false(wait)) || bw_session_busy(session)
			? bw_session_run(session, bw_text_get(&line), &out, &request->error)
			: bw_session_do(session, bw_text_get(&line), request->server->stop, &out, &request->error);
	json_t *result = json_pack("{s:o, s:o}", "message", bw_json_words(session->message), "output",
				   bw_json_words(bw_text_get(&out)));
	json_t *figures = out.length && *out.bytes == '{' ? json_loadb(out.bytes, out.length, 0, NULL) : NULL;
	if (figures)
		json_object_set_new(result, "figures", figures);
	if (*session->warning)
		json_object_set_new(result, "warning", bw_json_words(session->warning));
	if (!good)
		request->data = result;
	return good ? result : NULL;
}

static json_t *call(struct request *request, const char *method)
{
	static const struct {
		const char *name;
		json_t *(*call)(struct request *request);
	} methods[] = {{"initialize", initialize}, {"state", state}, {"schedule", schedule}, {"figure", figure},
		       {"$/cancel", cancel_told}};
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (!strcmp(method, methods[i].name))
			return methods[i].call(request);
	const struct bw_command *known = bw_command_find(method, strlen(method));
	if (known && !strcmp(known->name, method))
		return command(request, method);
	return bad(request, NO_METHOD, "there is no such method; `initialize` lists the commands");
}

/* Returns true if a JSON value has the form of a request. */
static bool is_request(const json_t *value)
{
	const char *version = json_string_value(json_object_get(value, "jsonrpc"));
	const json_t *params = json_object_get(value, "params"), *id = json_object_get(value, "id");
	return version && !strcmp(version, "2.0") && json_is_string(json_object_get(value, "method")) &&
	       (!params || json_is_array(params) || json_is_object(params)) &&
	       (!id || json_is_string(id) || json_is_number(id) || json_is_null(id));
}

/* Runs one request. Returns its answer, a new reference, or NULL if it wants no answer. */
static json_t *answer(struct server *server, const struct item *item)
{
	const json_t *value = item->request;
	bool valid = is_request(value);
	json_t *id = valid ? json_object_get(value, "id") : json_null();
	struct request request = {server, json_object_get(value, "params"), 0, NULL, {0}};
	json_t *result = json_is_string(value) ? bad(&request, NOT_JSON, json_string_value(value))
			 : !valid              ? bad(&request, INVALID, "not a request of JSON-RPC 2.0")
			 : item->cancelled     ? bad(&request, CANCELLED, "cancelled before it began")
					       : call(&request, method_of(value));
	pthread_mutex_lock(&server->lock);
	bool cancelled = server->cancelled;
	server->running = NULL;
	pthread_mutex_unlock(&server->lock);
	if (cancelled && result) {
		request.data = result;
		result = bad(&request, CANCELLED, *server->session->message ? server->session->message : "cancelled");
	}
	tell(server->session, server);
	json_t *error = NULL;
	if (!result) {
		int code = request.code ? request.code : bw_error_status(request.error.kind);
		error = json_pack("{s:i, s:o}", "code", code, "message", bw_json_words(request.error.text));
		json_object_set_new(error, "data", request.data ? request.data : json_object());
		if (!request.code)
			json_object_set_new(json_object_get(error, "data"), "kind",
					    json_string(bw_error_name(request.error.kind)));
	}
	if (id)
		return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, error ? "error" : "result",
				 error ? error : result);
	json_decref(error ? error : result);
	return NULL;
}

/* Takes the next request out of the queue. Returns false if no request waits. *over: no request will come. */
static bool next(struct server *server, struct item *item, bool *over)
{
	pthread_mutex_lock(&server->lock);
	bool found = server->first < server->n && !server->dead;
	*over = !found && (server->dead || server->ended);
	if (found) {
		*item = server->items[server->first++];
		server->bytes -= item->bytes;
		lower_flag(server->stop);
		server->cancelled = false;
		server->running = json_object_get(item->request, "id");
	}
	if (server->first == server->n) {
		server->first = server->n = 0;
		lower_flag(server->wake);
	}
	pthread_mutex_unlock(&server->lock);
	if (found)
		raise_flag(server->look);
	return found;
}

static void take_item(struct server *server, const struct item *item)
{
	json_t *answered = answer(server, item);
	json_decref(item->request);
	if (!item->batched) {
		if (answered)
			put(server, answered);
		return;
	}
	if (answered && !server->batch)
		server->batch = json_array();
	if (answered)
		json_array_append_new(server->batch, answered);
	if (item->last && server->batch)
		put(server, server->batch);
	if (item->last)
		server->batch = NULL;
}

/* Runs requests as they come. In between, continues work that they started without waiting for it. */
static void serve(struct server *server)
{
	struct item item;
	for (bool over = false; !over && !server->session->quit;) {
		if (next(server, &item, &over)) {
			take_item(server, &item);
		} else if (!over && bw_session_settle(server->session, server->wake, tell, server)) {
			tell(server->session, server);
			poll(&(struct pollfd){server->wake, POLLIN, 0}, 1, -1);
		}
	}
	if (!server->dead)
		bw_session_quit(server->session);
}

bool bw_serve(struct bw_session *session, int in, int out, int patience, struct bw_error *error)
{
	pthread_t reader;
	struct server server = {.session = session, .in = in, .out = out, .patience = patience};
	pthread_mutex_init(&server.lock, NULL);
	server.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server.stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server.look = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bool good = server.wake >= 0 && server.stop >= 0 && server.look >= 0 &&
		    bw_thread_begin(&reader, read_all, &server) == 0;
	if (good) {
		struct bw_hooks *hooks = bw_session_hooks(session);
		hooks->look = tell;
		hooks->look_data = &server;
		serve(&server);
		hooks->look = NULL;
		pthread_mutex_lock(&server.lock);
		server.over = true;
		pthread_mutex_unlock(&server.lock);
		raise_flag(server.look);
		pthread_join(reader, NULL);
	}
	for (int i = server.first; i < server.n; i++)
		json_decref(server.items[i].request);
	free(server.items);
	json_decref(server.told);
	json_decref(server.batch);
	close(server.wake);
	close(server.stop);
	close(server.look);
	pthread_mutex_destroy(&server.lock);
	if (good && server.unread)
		return bw_fail(error, BW_ERROR_IO, "the client has read nothing for %d s", patience);
	return good ? !server.dead || bw_fail(error, BW_ERROR_IO, "the client is gone")
		    : bw_fail(error, BW_ERROR_FAILED, "no thread can be begun: %s", strerror(errno));
}

/* The worker's server. */
#ifndef BW_BENCH_SERVE_H
#define BW_BENCH_SERVE_H
#include "bench/lines.h"
#include "bench/references.h"
#include "bench/worker.h"

/* A request that was read. */
struct bw_waiting {
	struct bw_request request;
	bool cancelled;
};

struct bw_server {
	int input, results; /* file descriptors; input -1: at its end */
	bool unread;        /* nobody reads the results any more */
	struct bw_lines lines;
	int n_waiting, waiting_capacity;
	struct bw_waiting *waiting;   /* read and not begun, in their order */
	struct bw_waiting *under_way; /* NULL: none */
	struct bw_store store;
	struct bw_references references;
	int object;      /* of the request under way; -1: its reference */
	double waited;   /* seconds that it waited for its turn in the runs of it that are over */
	int64_t last_id; /* of the requests that were read */
	bool asked;      /* devices holds what the drivers tell */
	struct bw_presents devices;
	const char *emulator; /* file of the emulated device's driver; NULL: none */
};

/* Serves requests to the end of the input, or until nobody reads the results: then false. server: zeros but
 * for input, results, emulator and the folder of references. */
bool bw_serve(struct bw_server *server);
/* For bw_supervise: waits for the child's end and takes requests meanwhile; false when the child is to be
 * killed. context: the server. */
bool bw_server_watch(void *context, int child, double seconds);
/* For bw_supervise: tells the client that the object under way waits for its turn, `seconds` in this run. */
void bw_server_waits(void *context, double seconds, const char *holder);
/* Returns both of them for the server. */
struct bw_watch bw_server_watching(struct bw_server *server);
/* Does the measuring that is under way; false when results cannot be written. */
bool bw_server_measure(struct bw_server *server);
/* Takes the rates that the request under way asks for; false when results cannot be written. */
bool bw_server_rates(struct bw_server *server);
/* Asks the drivers, in a process of its own, unless that was done before. */
bool bw_server_devices(struct bw_server *server, struct bw_error *error);
#endif

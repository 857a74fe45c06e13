/* The inside of beamwalk-bench. A request is read (request.c), its reference and each of its objects run in
 * processes of their own (serve.c, batch.c, supervise.c, object.c) on a loaded filter (filter.c) with buffers
 * of the shapes that it asks for (arguments.c, buffer.c); outputs are compared (compare.c), runs timed
 * (timing.c) and each of their kernels (launch_times.c), in turn with other workers of the device (turn.c),
 * and the result is written as one line (report.c). */
#pragma once

#include "bench/halide_abi.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/protocol.h"
#include "bench/rates.h"

/* The contents that a client has sent: files in memory, so that nothing is left behind, whatever ends the
 * worker. */

struct bw_store {
	int n, capacity;
	struct bw_stored *list;
	int64_t bytes; /* of all of them */
	uint64_t uses; /* counts calls, so that the one that was not used for longest is known */
};
/* Takes the next piece of a content, which begins at `at`; *received is what there is of it then. One that is
 * whole has the hash that it is named by, or it is thrown away with an error. What was not used for longest
 * makes room. */
bool bw_store_put(struct bw_store *store, const char *name, int64_t size, int64_t at,
		  const unsigned char *bytes, int64_t n, int64_t *received, struct bw_error *error);
/* The path of a whole content; NULL if it is not there. Valid until the next bw_store_put. */
const char *bw_store_path(struct bw_store *store, const char *name);
void bw_store_free(struct bw_store *store);

/* A shared object that a request names: a file of this machine, or a content that was sent. */
struct bw_object_name {
	const char *path, *content; /* content NULL: none; path NULL: not there (yet) */
};

/* A request as PROTOCOL says; strings belong to the JSON document. */
struct bw_request {
	struct bw_json *json;
	int64_t id; /* 0: not readable */
	enum bw_do what;
	int n_objects; /* measure, to bound; limits and times in seconds */
	struct bw_object_name *objects, reference; /* reference: with neither path nor content there is none */
	const char *function;
	uint64_t seed;
	struct bw_bound_of_error bound;
	double seconds, limit; /* rates, too */
	double slow;           /* ms; 0: nothing is slow */
	int registers; /* that CUDA kernels are compiled for; 0: as many as Halide's runtime takes by itself
			*/
	bool unasked; /* no filter is asked for bounds: one crashed, since it reads an input to know them */
	int device; /* number in the list of devices; -1: the one that Halide's runtime chooses */
	struct bw_emulation emulation; /* for the emulated device */
	int n_contents; /* have */
	const char **contents;
	const char *content, *bytes; /* put, to at */
	int64_t size, at;
	int64_t request; /* cancel */
};
/* Returns false with an error; request->id is then what could be read of it. */
bool bw_request_read(const char *line, size_t length, struct bw_request *request, struct bw_error *error);
void bw_request_free(struct bw_request *request);
/* The estimate that a request gives for dimension d of an argument, which is the output of this number (from
 * 0; -1: an input): false without an error if it gives none. */
bool bw_request_box(const struct bw_request *request, const char *argument, int output, int d, int64_t *min,
		    int64_t *extent);
bool bw_request_scalar(const struct bw_request *request, const char *argument, double *value);
/* Returns true if the request tells how an object launches its kernel `entry`: threads per block, and bytes
 * of shared memory that a block asks for. */
bool bw_request_launch(const struct bw_request *request, int object, const char *entry, int *threads,
		       int *shared);

/* Functions of the Halide runtime inside a shared object; any may be missing. */
#define BW_RUNTIME_TABLE(X) \
	X(set_error_handler, "halide_set_error_handler", void *(*)(void (*)(void *, const char *))) \
	X(set_load_library, "halide_set_custom_load_library", void *(*)(void *(*)(const char *))) \
	X(set_library_symbol, "halide_set_custom_get_library_symbol", void *(*)(void *(*)(void *, const char *))) \
	X(device_sync, "halide_device_sync", int (*)(void *, struct bw_halide_buffer *)) \
	X(device_free, "halide_device_free", int (*)(void *, struct bw_halide_buffer *)) \
	X(copy_to_host, "halide_copy_to_host", int (*)(void *, struct bw_halide_buffer *)) \
	X(copy_to_device, "halide_copy_to_device", int (*)(void *, struct bw_halide_buffer *, const void *)) \
	X(device_crop, "halide_device_crop", int (*)(void *, const struct bw_halide_buffer *, struct bw_halide_buffer *)) \
	X(device_release_crop, "halide_device_release_crop", int (*)(void *, struct bw_halide_buffer *)) \
	X(acquire_cl_context, "halide_acquire_cl_context", int (*)(void *, void **, void **, bool)) \
	X(release_cl_context, "halide_release_cl_context", int (*)(void *)) \
	X(acquire_cuda_context, "halide_cuda_acquire_context", int (*)(void *, void **, bool)) \
	X(release_cuda_context, "halide_cuda_release_context", int (*)(void *)) \
	X(reuse_allocations, "halide_reuse_device_allocations", int (*)(void *, bool))

/* A loaded filter. It stays loaded until the process ends: drivers keep threads and exit handlers in what
 * they loaded. */
struct bw_filter {
	void *handle;
	const struct bw_halide_metadata *metadata;
	int (*call)(void **);
	const void *device_interface; /* of the device that it was compiled for; NULL: the CPU */
	enum bw_api api;              /* of that device */
	bool answers; /* called without memory for its buffers, it returns the regions and strides that it
			 wants */
#define X(field, name, type) __typeof__((type)0) field;
	BW_RUNTIME_TABLE(X)
#undef X
};
bool bw_filter_load(const char *path, const char *function, struct bw_filter *filter, struct bw_error *error);
/* Calls the filter; an error carries the message of Halide's runtime. */
bool bw_filter_call(const struct bw_filter *filter, void **arguments, struct bw_error *error);
/* Checks what a runtime function that moves or frees buffers returned. */
bool bw_filter_did(int result, const char *what, struct bw_error *error);
/* Sets device, cpu and driver by what the filter's runtime uses; to be asked after a first run, but for CUDA,
 * whose context is made if there is none yet. */
void bw_filter_device(const struct bw_filter *filter, struct bw_measurement *measurement);

/* The most dimensions of a buffer. Halide's runtime knows no limit; its device copies end at 16. */
enum { BW_BUFFER_DIMS = 16 };

/* A buffer with its memory. `view` is what the filter sees; `whole` is the allocation around it: they differ
 * only for guarded buffers, where `whole` has room on both sides of each dimension whose stride is free. */
struct bw_buffer {
	struct bw_halide_buffer whole, view;
	struct bw_halide_dim whole_dim[BW_BUFFER_DIMS], view_dim[BW_BUFFER_DIMS];
	uint8_t *memory;
	int64_t elements; /* of whole */
};
/* Allocates for the shape (min, extent, stride) in dim; guarded: with room around it. false when there is no
 * memory. */
bool bw_buffer_make(struct bw_buffer *buffer, const struct bw_halide_buffer *shape, bool guarded,
		    struct bw_error *error);
void bw_buffer_free(struct bw_buffer *buffer);
/* Fills an input's view on the host from the seed. */
void bw_buffer_fill(struct bw_buffer *buffer, uint64_t seed, const char *name);
/* Sets every byte of the whole, on the host. */
void bw_buffer_poison(struct bw_buffer *buffer, uint8_t poison);
/* Copies all points on the host to a buffer of the same box and type. */
void bw_buffer_copy(const struct bw_halide_buffer *to, const struct bw_halide_buffer *from);
/* Returns true if all bytes of whole that do not belong to view are still poison; where they are
 * not, the point of one, relative to the view's coordinates, in `point`. */
bool bw_buffer_guarded(const struct bw_buffer *buffer, uint8_t poison, int64_t *point);
/* Gives the dimensions whose stride was not `fixed` by the filter a dense layout around those whose stride
 * was. */
void bw_strides_lay(struct bw_halide_dim *dim, int n, const bool *fixed);

/* The arguments of a filter: for each of its metadata's a scalar's value or a buffer. */
struct bw_argument {
	uint64_t scalar;               /* its bytes, first ones used */
	struct bw_halide_buffer shape; /* of buffers: what to allocate */
	struct bw_halide_dim dim[BW_BUFFER_DIMS];
	bool fixed[BW_BUFFER_DIMS]; /* the stride is one that the filter asks for */
	struct bw_buffer buffer;
};
struct bw_arguments {
	int n;
	struct bw_argument *list;
	void **pointers; /* what the filter is called with */
};
/* Values and shapes: outputs by their estimates, inputs by estimates and what the filter needs. Allocates no
 * buffer. */
bool bw_arguments_shape(const struct bw_filter *filter, const struct bw_request *request,
			struct bw_arguments *arguments, struct bw_error *error);
/* What the reference left behind, in memory that the processes share: the boxes of its inputs and its
 * outputs' contents. */
struct bw_expected {
	double seconds; /* that it took */
	int n;
	struct bw_expected_argument {
		int32_t kind, dimensions;
		struct bw_halide_type type;
		struct bw_halide_dim dim[BW_BUFFER_DIMS];
		int64_t offset; /* of an output's first element, from the begin of this struct */
	} list[];
};
/* Checks that the arguments are those of the reference, and enlarges the inputs' boxes to hold the
 * reference's. *demand says where more was asked for than the reference did. */
bool bw_arguments_join(const struct bw_filter *filter, struct bw_arguments *arguments,
		       const struct bw_expected *expected, char *demand, size_t size, struct bw_error *error);
/* Allocates and fills inputs, allocates outputs. */
bool bw_arguments_make(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
		       struct bw_error *error);
void bw_arguments_free(struct bw_arguments *arguments);

/* What comparing found; starts as zeros, gathers over several outputs and runs. */
struct bw_comparison {
	bool differs; /* some point is not equal */
	bool outside; /* something was written outside of an output, which no bound allows */
	int64_t differing, points; /* that are not equal; all */
	double skipped; /* share of the outputs that was not computed, as struct bw_measurement has it */
	double largest; /* |a - b|; INFINITY where one is no number */
	double steps, integers; /* as struct bw_measurement has them; steps INFINITY: more than can be said */
	char region[sizeof((struct bw_measurement *)0)->region]; /* around the mismatches of the output of the
								    worst */
	double worst;     /* INFINITY where no bound allows it */
	double worst_off; /* |a - b| of the worst; of several as bad, of the one that is farthest off */
	int64_t mismatches;
	char where[sizeof ((struct bw_measurement *)0)->where];
};
/* Compares all points of an output with the reference's, host memory of both. */
/* Adds what another run came to: of each figure the greater. */
void bw_comparison_join(struct bw_comparison *comparison, const struct bw_comparison *other);
/* Returns true if it is more than the bound allows. */
bool bw_comparison_wrong(const struct bw_comparison *comparison, const struct bw_bound_of_error *bound);
void bw_compare(const char *name, const struct bw_halide_buffer *output,
		const struct bw_halide_buffer *reference, const struct bw_bound_of_error *bound,
		struct bw_comparison *comparison);

/* Times of runs, in milliseconds. */
struct bw_timing {
	int runs;
	double minimum, median, spread;
};
/* Summarizes n > 0 times; sorts them. */
struct bw_timing bw_timing_of(double *ms, int n);

/* What a process is doing, told to the one that supervises it through memory that they share. */
#define BW_PHASE_TABLE(X) \
	X(BW_PHASE_LOADING, "loading the shared object") X(BW_PHASE_SHAPING, "asking for bounds") X(BW_PHASE_COMPILING, "compiling kernels") \
	X(BW_PHASE_WAITING, "waiting for its turn on the device") X(BW_PHASE_FIRST, "compiling kernels and running once") \
	X(BW_PHASE_TIMING, "being timed") X(BW_PHASE_CHECKING, "running to check the output again") X(BW_PHASE_RATES, "taking the rates of the device") X(BW_PHASE_ANSWERED, "ending")
enum bw_phase { BW_PHASE_TABLE(BW_FIRST) };
struct bw_progress {
	_Atomic int phase;
	_Atomic double waited; /* seconds of phase WAITING that are over; they do not count for its limit */
	_Atomic double since;  /* bw_clock when the last phase WAITING began */
	char turn[4096];       /* the file that it waits for then */
	int signal;            /* that ended the process; 0: none */
	struct bw_error error; /* why there is no answer, where the kind is not NONE */
	struct bw_measurement measurement;
	struct bw_presents devices;
	struct bw_rates rates;
};

/* How to wait for a child and look after other things meanwhile: wait() returns after about `seconds`, or
 * when the descriptor `child`
 * (-1: there is none) or anything else of its own is ready; false: the child is to be killed. waits() is
 * called about every second while the child waits for its turn, with the seconds that it has waited in all
 * and who has the turn (empty: not known);
 * may be NULL. */
struct bw_watch {
	bool (*wait)(void *context, int child, double seconds);
	void (*waits)(void *context, double seconds, const char *holder);
	void *context;
};

/* Runs job(context, progress) in a process of its own that ends with it, and leaves in *answer what it left
 * in *progress. watch NULL: nothing else is looked after. false with an error: the one that it left; or that
 * it crashed or ended before phase ANSWERED, or was killed after `limit` seconds, or because the watch said
 * so (kind STOPPED). */
typedef void bw_supervised(void *context, struct bw_progress *progress);
bool bw_supervise(bw_supervised *job, void *context, double limit, const struct bw_watch *watch,
		  struct bw_progress *answer, struct bw_error *error);

/* Runs the reference and leaves its outputs in the file, which is empty before. This and the next one end in
 * phase ANSWERED with an error or an answer in *progress. */
void bw_reference_run(const struct bw_request *request, int file, struct bw_progress *progress);
/* Runs, checks and times one object; expected NULL: without checking. */
void bw_object_measure(const struct bw_request *request, int object, const struct bw_expected *expected,
		       struct bw_progress *progress);
/* Runs one call and waits for the device. */
bool bw_run_once(const struct bw_filter *filter, const struct bw_arguments *arguments,
		 struct bw_error *error);
/* Poisons the outputs, runs, compares; guarded: in outputs with room around them. */
bool bw_run_checked(const struct bw_filter *filter, struct bw_arguments *arguments,
		    const struct bw_request *request, const struct bw_expected *expected, bool guarded,
		    struct bw_comparison *comparison, struct bw_error *error);

/* Has the launches of a CUDA filter, which has not run yet, go through bw_launch_symbol. */
void bw_launch_watch(const struct bw_filter *filter);
/* What Halide's runtime is to take for a symbol of the driver; NULL: what it finds itself. */
void *bw_launch_symbol(const char *name);
/* How often it runs the filter. */
enum { BW_LAUNCH_RUNS = 6 };
/* Runs a few times more and sets in `uses`, which lists the kernels of the filter, how often each was
 * launched in a run and how long its launches took together, the median of these runs. Each launch waits
 * for the one before it, as in any run, but not for the host: the device begins when all are queued. Returns
 * false with an error, and *uses as it was, if the times could not be taken. */
bool bw_launch_times(const struct bw_filter *filter, const struct bw_arguments *arguments,
		     struct bw_kernel_uses *uses, struct bw_error *error);

/* All devices that the drivers of this machine know: CUDA's first, last the one that the driver in the file
 * `emulator` (NULL: none) emulates. To be called in a process that ends then: drivers do not outlive a fork.
 */
void bw_drivers_ask(const char *emulator, struct bw_presents *devices);
/* Sets what Halide's runtime reads from the environment: the device to use and the registers that CUDA
 * kernels are compiled for. Loads the driver in the file `emulator` if the device is the one that it
 * emulates, which counts into the file `counts` (-1: it does not). */
void bw_environment_set(const struct bw_request *request, const struct bw_present *device,
			const char *emulator, int counts);

/* Write a line of results. Returns false if it cannot be written. */
bool bw_report_hello(int results, int64_t id);
bool bw_report_number(int results, int64_t id, const char *key, int64_t number);
bool bw_report_have(int results, const struct bw_request *request, struct bw_store *store);
bool bw_report_devices(int results, int64_t id, const struct bw_presents *devices);
bool bw_report_rates(int results, int64_t id, const struct bw_rates *rates);
/* Object k of n (-1: the reference) is begun; or, if `waits` is not 0, it waits for its turn on the device,
 * for so many seconds by now, which `holder` has (empty: not known). */
bool bw_report_begin(int results, int64_t id, int object, int n, double waits, const char *holder);
/* An object has failed; -1: the request as a whole, whose id is 0 if it could not be read. */
bool bw_report_error(int results, int64_t id, int object, const struct bw_error *error);
/* counts: lines of JSON, one for each launch that was counted; NULL: none. */
bool bw_report(int results, int64_t id, int object, const struct bw_measurement *measurement,
	       const char *counts);

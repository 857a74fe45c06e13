/* Internals of beamwalk-bench. A request is read (request.c). Its reference and each of its objects run in
 * child processes (serve.c, batch.c, supervise.c, object.c). A child loads the filter (filter.c), makes
 * buffers with the shapes that the filter needs (filter.c, buffer.c), compares outputs (compare.c), and times
 * runs (object.c) and each kernel of a run (launch_times.c). Workers of one device take turns (turn.c). The
 * result is written as one line (report.c). */
#pragma once

#include "bench/halide_abi.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/protocol.h"
#include "bench/rates.h"

/* The contents that a client has sent. They are files in memory, so that nothing is left behind when the
 * worker ends for any reason. */

struct bw_store {
	int n, capacity;
	struct bw_stored *list;
	int64_t bytes; /* of all contents */
	uint64_t uses; /* counts calls, to find the least recently used content */
};
/* Adds the next piece of a content; the piece begins at offset `at`. Sets *received to the bytes of the
 * content received so far. Drops the least recently used contents to make room. Discards a complete content
 * and returns false with an error if its hash differs from its name. */
bool bw_store_put(struct bw_store *store, const char *name, int64_t size, int64_t at,
		  const unsigned char *bytes, int64_t n, int64_t *received, struct bw_error *error);
/* Returns the path of a complete content. Returns NULL if the content is not in the store. The path is valid
 * until the next bw_store_put. */
const char *bw_store_path(struct bw_store *store, const char *name);
void bw_store_free(struct bw_store *store);

/* A shared object that a request names: a file on this machine, or a content that the client has sent. */
struct bw_object_name {
	const char *path, *content; /* content NULL: it is a file; path NULL: the content is not here yet */
};

/* A request, as described in PROTOCOL. The JSON document owns the strings. */
struct bw_request {
	struct bw_json *json;
	int64_t id; /* 0: could not be read */
	enum bw_do what;
	int n_objects; /* of `measure`: the fields down to bound; limits and times in seconds */
	struct bw_object_name *objects, reference; /* the request has no reference if path and content are
						      NULL */
	const char *function;
	uint64_t seed;
	struct bw_bound_of_error bound;
	double seconds, limit; /* of `measure` and `rates` */
	double slow;           /* ms: an object whose first runs all take longer is not timed further; 0:
				  no limit */
	int registers; /* per thread, the limit for which CUDA kernels are compiled; 0: the default of
			  Halide's runtime */
	bool unasked; /* make no bounds queries: a filter crashed in one, because it reads an input there */
	int device; /* index in the list of devices; -1: Halide's runtime chooses */
	struct bw_emulation emulation; /* for the emulated device */
	int n_contents; /* of `have` */
	const char **contents;
	const char *content, *bytes; /* of `put`: the fields down to at */
	int64_t size, at;
	int64_t request; /* of `cancel`: id of the request to cancel */
};
/* Reads a request from a line. Returns false with an error; then request->id is the id, or 0 if that could
 * not be read. */
bool bw_request_read(const char *line, size_t length, struct bw_request *request, struct bw_error *error);
void bw_request_free(struct bw_request *request);
/* Gets the request's estimate for dimension d of an argument. output: the argument's index among the outputs,
 * from 0; -1: an input. Returns false, without an error, if the request has no such estimate. */
bool bw_request_box(const struct bw_request *request, const char *argument, int output, int d, int64_t *min,
		    int64_t *extent);
bool bw_request_scalar(const struct bw_request *request, const char *argument, double *value);
/* Gets the request's launch data for kernel `entry` of an object: threads per block, and bytes of dynamic
 * shared memory per block. Returns false if the request has no such data. */
bool bw_request_launch(const struct bw_request *request, int object, const char *entry, int *threads,
		       int *shared);

/* Functions of the Halide runtime in a shared object. Each of them may be missing. */
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

/* A loaded filter. It stays loaded until the process ends, because drivers keep threads and exit handlers in
 * the code that they loaded. */
struct bw_filter {
	void *handle;
	const struct bw_halide_metadata *metadata;
	int (*call)(void **);
	const void *device_interface; /* of the device for which it was compiled; NULL: the CPU */
	enum bw_api api;              /* of that device */
	bool answers; /* it supports bounds queries: called without memory for its buffers, it returns the
			 regions and strides that it needs */
#define X(field, name, type) __typeof__((type)0) field;
	BW_RUNTIME_TABLE(X)
#undef X
};
bool bw_filter_load(const char *path, const char *function, struct bw_filter *filter, struct bw_error *error);
/* Calls the filter. Returns false with an error that has the message of Halide's runtime. */
bool bw_filter_call(const struct bw_filter *filter, void **arguments, struct bw_error *error);
/* Checks the return code of a Halide runtime call that copies or frees buffers. Returns false with an error
 * if it failed. */
bool bw_filter_did(int result, const char *what, struct bw_error *error);
/* Sets device, cpu and driver of the measurement from the device that the filter's runtime uses. Call it
 * after a first run. Only for CUDA it may be called before: it then creates the context. */
void bw_filter_device(const struct bw_filter *filter, struct bw_measurement *measurement);

/* The most dimensions of a buffer. Halide's runtime has no limit, but its device copies support at most
 * 16. */
enum { BW_BUFFER_DIMS = 16 };

/* A buffer with its memory. The filter sees `view`; `whole` is the allocation. They differ only for guarded
 * buffers. There, `whole` has room on both sides of each dimension whose stride the filter does not fix. */
struct bw_buffer {
	struct bw_halide_buffer whole, view;
	struct bw_halide_dim whole_dim[BW_BUFFER_DIMS], view_dim[BW_BUFFER_DIMS];
	uint8_t *memory;
	int64_t elements; /* elements of whole */
};
/* Allocates a buffer with the shape's min, extent and stride; guarded: with room around it. Returns false
 * with an error if there is no memory. */
bool bw_buffer_make(struct bw_buffer *buffer, const struct bw_halide_buffer *shape, bool guarded,
		    struct bw_error *error);
void bw_buffer_free(struct bw_buffer *buffer);
/* Fills an input's view on the host from the seed. */
void bw_buffer_fill(struct bw_buffer *buffer, uint64_t seed, const char *name);
/* Sets every byte of whole on the host to `poison`. */
void bw_buffer_poison(struct bw_buffer *buffer, uint8_t poison);
/* Copies all points on the host to a buffer of the same box and type. */
void bw_buffer_copy(const struct bw_halide_buffer *to, const struct bw_halide_buffer *from);
/* Returns true if all bytes of whole outside view are still poison. Otherwise returns false and sets `point`
 * to the coordinates, relative to the view, of a point that was overwritten. */
bool bw_buffer_guarded(const struct bw_buffer *buffer, uint8_t poison, int64_t *point);
/* Sets the strides that the filter does not fix (`fixed`), so that the layout is dense around the fixed
 * strides. */
void bw_strides_lay(struct bw_halide_dim *dim, int n, const bool *fixed);

/* The arguments of a filter: a scalar's value or a buffer for each argument in its metadata. */
struct bw_argument {
	uint64_t scalar;               /* the value, in the first bytes */
	struct bw_halide_buffer shape; /* of a buffer: the shape to allocate */
	struct bw_halide_dim dim[BW_BUFFER_DIMS];
	bool fixed[BW_BUFFER_DIMS]; /* per dimension: the filter requires this stride */
	struct bw_buffer buffer;
};
struct bw_arguments {
	int n;
	struct bw_argument *list;
	void **pointers; /* the pointers with which the filter is called */
};
/* Sets the scalars' values and the buffers' shapes. Outputs have the boxes of their estimates; inputs have
 * boxes that cover their estimates and the filter's needs. Does not allocate buffers. */
bool bw_arguments_shape(const struct bw_filter *filter, const struct bw_request *request,
			struct bw_arguments *arguments, struct bw_error *error);
/* Results of the reference, in memory shared by the processes: the boxes of its inputs, and the boxes and
 * contents of its outputs. */
struct bw_expected {
	double seconds; /* time of the reference */
	int n;
	struct bw_expected_argument {
		int32_t kind, dimensions;
		struct bw_halide_type type;
		struct bw_halide_dim dim[BW_BUFFER_DIMS];
		int64_t offset; /* of an output's first element, in bytes from the begin of this struct */
	} list[];
};
/* Checks that the filter has the same arguments as the reference. Enlarges the inputs' boxes so that they
 * contain the reference's. Writes to demand which input the filter needs more of than the reference; "" if
 * there is none. */
bool bw_arguments_join(const struct bw_filter *filter, struct bw_arguments *arguments,
		       const struct bw_expected *expected, char *demand, size_t size, struct bw_error *error);
/* Allocates all buffers, and fills the inputs. */
bool bw_arguments_make(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
		       struct bw_error *error);
void bw_arguments_free(struct bw_arguments *arguments);

/* Results of comparing outputs. Initialize with zeros; accumulates over several outputs and runs. */
struct bw_comparison {
	bool differs; /* some point is not equal */
	bool outside; /* something was written outside an output, which no bound allows */
	int64_t differing, points; /* points that are not equal; all points */
	double skipped; /* share of the outputs that was not computed, as in struct bw_measurement */
	double largest; /* largest |a - b|; INFINITY: one of the values is no number */
	double steps, integers; /* as in struct bw_measurement; steps INFINITY: too large to state */
	char region[sizeof((struct bw_measurement *)0)->region]; /* around the mismatches of the output
								    with the worst point */
	double worst;     /* INFINITY: no bound would allow the difference */
	double worst_off; /* |a - b| of the worst point; the largest one if several points are equally bad */
	int64_t mismatches;
	char where[sizeof ((struct bw_measurement *)0)->where];
};
/* Joins the results of another run: takes the larger value of each field, and the text of the worse run. */
void bw_comparison_join(struct bw_comparison *comparison, const struct bw_comparison *other);
/* Returns true if the differences exceed the bound. */
bool bw_comparison_wrong(const struct bw_comparison *comparison, const struct bw_bound_of_error *bound);
/* Compares all points of an output with the reference's. Both are in host memory. Adds to *comparison. */
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

/* Phases of a child process. The child tells its phase to its supervisor through shared memory. */
#define BW_PHASE_TABLE(X) \
	X(BW_PHASE_LOADING, "loading the shared object") X(BW_PHASE_SHAPING, "asking for bounds") X(BW_PHASE_COMPILING, "compiling kernels") \
	X(BW_PHASE_WAITING, "waiting for its turn on the device") X(BW_PHASE_FIRST, "compiling kernels and running once") \
	X(BW_PHASE_TIMING, "being timed") X(BW_PHASE_CHECKING, "running to check the output again") X(BW_PHASE_RATES, "taking the rates of the device") X(BW_PHASE_ANSWERED, "ending")
enum bw_phase { BW_PHASE_TABLE(BW_FIRST) };
struct bw_progress {
	_Atomic int phase;
	_Atomic double waited; /* seconds spent in earlier phases WAITING; they do not count towards the
				  limit */
	_Atomic double since;  /* bw_clock at the begin of the last phase WAITING */
	char turn[4096];       /* the lock file for which it waits */
	int signal;            /* signal that ended the process; 0: none */
	struct bw_error error; /* why there is no answer; kind NONE: no error */
	struct bw_measurement measurement;
	struct bw_presents devices;
	struct bw_rates rates;
};

/* Functions that bw_supervise calls while it waits for a child. wait() returns after about `seconds`, or
 * earlier if the descriptor `child` (-1: none) or any other descriptor that it watches is ready. If wait()
 * returns false, the child is killed. waits() is called about every second while the child waits for its
 * turn. seconds: the child's total waiting time; holder: the process that has the turn ("": not known). waits
 * may be NULL. */
struct bw_watch {
	bool (*wait)(void *context, int child, double seconds);
	void (*waits)(void *context, double seconds, const char *holder);
	void *context;
};

/* Runs job(context, progress) in a child process, and copies the child's *progress to *answer. The child is
 * killed when this process ends. watch NULL: only wait for the child. Returns false with an error: the
 * child's own error; or that the child crashed, ended before phase ANSWERED, or was killed after `limit`
 * seconds; or kind STOPPED if watch->wait() returned false. */
typedef void bw_supervised(void *context, struct bw_progress *progress);
bool bw_supervise(bw_supervised *job, void *context, double limit, const struct bw_watch *watch,
		  struct bw_progress *answer, struct bw_error *error);

/* Runs the reference and writes its outputs to the file, which must be empty. This function and
 * bw_object_measure end in phase ANSWERED, with an error or an answer in *progress. */
void bw_reference_run(const struct bw_request *request, int file, struct bw_progress *progress);
/* Runs, checks and times one object; expected NULL: does not check. */
void bw_object_measure(const struct bw_request *request, int object, const struct bw_expected *expected,
		       struct bw_progress *progress);
/* Calls the filter once and waits for the device. */
bool bw_run_once(const struct bw_filter *filter, const struct bw_arguments *arguments,
		 struct bw_error *error);
/* Poisons the outputs, runs the filter and compares the outputs. guarded: the outputs have room around them,
 * and writes into that room are found. */
bool bw_run_checked(const struct bw_filter *filter, struct bw_arguments *arguments,
		    const struct bw_request *request, const struct bw_expected *expected, bool guarded,
		    struct bw_comparison *comparison, struct bw_error *error);

/* Makes Halide's runtime find the CUDA driver's functions through bw_launch_symbol. Call it before the first
 * run of a CUDA filter. */
void bw_launch_watch(const struct bw_filter *filter);
/* Returns the replacement for a symbol of the CUDA driver. Returns NULL if Halide's runtime is to use the
 * driver's own symbol. */
void *bw_launch_symbol(const char *name);
/* Number of runs in bw_launch_times. */
enum { BW_LAUNCH_RUNS = 6 };
/* Runs the filter BW_LAUNCH_RUNS more times. Sets per kernel in `uses`, which already lists the filter's
 * kernels, the number of launches per run and the sum of their times per run, as medians over the runs. Each
 * launch waits for the previous one, as in any run, but not for the host: the device starts only when all
 * launches are queued. Returns false with an error, and leaves *uses unchanged, if the times could not be
 * measured. */
bool bw_launch_times(const struct bw_filter *filter, const struct bw_arguments *arguments,
		     struct bw_kernel_uses *uses, struct bw_error *error);

/* Lists all devices that the drivers of this machine know. CUDA devices come first. The last one is the
 * emulated device of the driver in the file `emulator` (NULL: none). Call it in a child process that ends
 * afterwards, because drivers do not work after a fork. */
void bw_drivers_ask(const char *emulator, struct bw_presents *devices);
/* Sets the environment variables that Halide's runtime reads: the device, and the register limit for CUDA
 * kernels. If the device is the emulated one, loads the driver in the file `emulator`, which writes its
 * counts to the descriptor `counts` (-1: no counts). */
void bw_environment_set(const struct bw_request *request, const struct bw_present *device,
			const char *emulator, int counts);

/* Write a line of results. Returns false if it cannot be written. */
bool bw_report_hello(int results, int64_t id);
bool bw_report_number(int results, int64_t id, const char *key, int64_t number);
bool bw_report_have(int results, const struct bw_request *request, struct bw_store *store);
bool bw_report_devices(int results, int64_t id, const struct bw_presents *devices);
bool bw_report_rates(int results, int64_t id, const struct bw_rates *rates);
/* Reports that object k of n (-1: the reference) begins. If `waits` is not 0, reports that the object has
 * waited `waits` seconds for its turn on the device; holder: the process that has the turn ("": not
 * known). */
bool bw_report_begin(int results, int64_t id, int object, int n, double waits, const char *holder);
/* Reports that an object has failed; -1: the whole request, whose id is 0 if it could not be read. */
bool bw_report_error(int results, int64_t id, int object, const struct bw_error *error);
/* Reports the measurement of an object. counts: lines of JSON, one per counted launch; NULL: none. */
bool bw_report(int results, int64_t id, int object, const struct bw_measurement *measurement,
	       const char *counts);

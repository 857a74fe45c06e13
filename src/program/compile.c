/* Compiles schedules for the device of --gpu, which need not be present, and lists the resources that
 * their kernels use. */

#include "base/file.h"
#include "bench/device_code.h"
#include "bench/ptxas.h"
#include "command/report.h"
#include "program/program.h"
#include "session/comparison.h"

enum { COMPILE_SECONDS = 600 };

/* A compiled schedule. */
struct compiled {
	const char *label;    /* the user's name of it; two of the same schedule share a timing */
	struct bw_nest *nest; /* NULL: unknown, for a schedule that exists in C++ alone */
	int timing;           /* its index among the session's timings; -1: not started */
};

static void add_use(json_t *object, const struct bw_kernel_facts *facts)
{
	static const struct bw_kernel_use unknown = {.registers = -1,
						     .local_bytes = -1,
						     .spill_stores = -1,
						     .spill_loads = -1,
						     .shared_bytes = -1,
						     .barriers = -1};
	const struct bw_kernel_use *use = facts->use ? facts->use : &unknown;
	json_object_set_new(object, "entry", facts->use ? json_string(use->name) : json_null());
	json_object_set_new(object, "registers_per_thread", bw_json_count(use->registers));
	json_object_set_new(object, "stack_bytes_per_thread", bw_json_count(use->local_bytes));
	json_object_set_new(object, "spill_store_bytes_per_thread", bw_json_count(use->spill_stores));
	json_object_set_new(object, "spill_load_bytes_per_thread", bw_json_count(use->spill_loads));
	json_object_set_new(object, "static_shared_bytes_per_block", bw_json_count(use->shared_bytes));
	json_object_set_new(object, "barriers", bw_json_count(use->barriers));
	json_object_set_new(object, "occupancy",
			    facts->use && facts->kernel.n_threads ? json_real(facts->occupancy.occupancy)
								  : json_null());
	json_object_set_new(object, "resident_blocks_per_sm",
			    facts->use && facts->kernel.n_threads
				? json_integer((json_int_t)facts->occupancy.blocks_per_sm)
				: json_null());
	json_object_set_new(object, "limited_by",
			    facts->use && facts->kernel.n_threads
				? json_string(bw_limiter_name(facts->occupancy.limiter))
				: json_null());
}

/* Returns the JSON of a kernel that is known only in compiled form. */
static json_t *bare_json(const struct bw_kernel_facts *facts)
{
	json_t *object = json_object();
	add_use(object, facts);
	return object;
}

static json_t *kernel_json(const struct bw_session *session, const struct bw_kernel_facts *facts)
{
	const struct bw_kernel *kernel = &facts->kernel;
	BW_SCOPED_TEXT why = {0};
	bool fits = bw_kernel_fits(session->pipeline, facts, session->options.device, &why);
	json_t *object = json_pack("{s:s, s:i, s:[I,I,I], s:[I,I,I], s:I, s:I, s:f, s:s, s:b, s:s}", "func", session->pipeline->funcs[kernel->func].name, "stage", kernel->stage,
				   "grid_blocks", (json_int_t)kernel->blocks[0], (json_int_t)kernel->blocks[1], (json_int_t)kernel->blocks[2],
				   "block_threads", (json_int_t)kernel->threads[0], (json_int_t)kernel->threads[1], (json_int_t)kernel->threads[2],
				   "threads_per_block", (json_int_t)kernel->n_threads, "shared_bytes_per_block", (json_int_t)kernel->shared_bytes,
				   "predicted_occupancy", facts->predicted.occupancy, "predicted_limited_by", bw_limiter_name(facts->predicted.limiter), "fits", fits, "problem", bw_text_get(&why));
	add_use(object, facts);
	return object;
}

static void print_json(const struct bw_program *program, const struct compiled *compiled,
		       const struct bw_kernel_facts *facts, int n, json_t *remarks, struct bw_text *out)
{
	const struct bw_session *session = program->session;
	const struct bw_timing *timing = &session->timings[compiled->timing];
	const struct bw_device *device = session->options.device;
	json_t *kernels = json_array();
	bool spills = false;
	for (int k = 0; k < n; k++) {
		json_array_append_new(kernels, facts[k].kernel.n_threads ? kernel_json(session, &facts[k])
									 : bare_json(&facts[k]));
		spills |= facts[k].use && bw_kernel_spills(facts[k].use);
	}
	bool cuda = device->api == BW_API_CUDA;
	json_t *line = json_pack("{s:i, s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "beamwalk-compile", 1, "schedule", compiled->label, "device", device->name, "architecture", device->ptxas,
				 "register_limit_per_thread", cuda ? json_integer(bw_settings_registers(&session->options)) : json_null(), "predicted_ms", timing->predicted > 0 ? json_real(timing->predicted) : json_null(), "spills", spills, "kernels", kernels, "remarks", remarks);
	bw_json_put_line(out, line, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

/* Formats extents as `48x160x1`. */
static void put_extents(const int64_t extents[3], char *text, size_t size)
{
	snprintf(text, size, "%lldx%lldx%lld", (long long)extents[0], (long long)extents[1], (long long)extents[2]);
}

/* Appends a number, or `?` if unknown. */
static void put_known(struct bw_text *out, int width, const struct bw_kernel_use *use, int number)
{
	if (use && number >= 0)
		bw_text_printf(out, "  %*d", width, number);
	else
		bw_text_printf(out, "  %*s", width, "?");
}

static void put_occupancy(struct bw_text *out, const struct bw_occupancy *occupancy)
{
	char text[48];
	snprintf(text, sizeof text, "%.0f%% (%s)", 100 * occupancy->occupancy, bw_limiter_name(occupancy->limiter));
	bw_text_printf(out, "  %-20s", occupancy->blocks_per_sm ? text : "does not fit");
}

/* Appends the kernel's name, grid and block. For a schedule that exists only in C++, appends only the name
 * of the compiled kernel. */
static void put_launch(const struct bw_pipeline *pipeline, const struct bw_kernel_facts *facts,
		       struct bw_text *name, struct bw_text *out)
{
	const struct bw_kernel *kernel = &facts->kernel;
	char grid[64] = "?", block[64] = "?", threads[24] = "?";
	if (kernel->n_threads) {
		bw_kernel_name(pipeline, kernel, name);
		put_extents(kernel->blocks, grid, sizeof grid);
		put_extents(kernel->threads, block, sizeof block);
		snprintf(threads, sizeof threads, "%lld", (long long)kernel->n_threads);
	} else {
		bw_text_puts(name, facts->use->name);
	}
	bw_text_printf(out, "  %-16s %-14s %-10s %5s", bw_text_get(name), grid, block, threads);
}

static void print_kernel(const struct bw_session *session, const struct bw_kernel_facts *facts,
			 struct bw_text *out)
{
	const struct bw_kernel_use *use = facts->use;
	BW_SCOPED_TEXT name = {0};
	put_launch(session->pipeline, facts, &name, out);
	put_known(out, 9, use, use ? use->registers : -1);
	put_known(out, 7, use, use ? use->spill_stores : -1);
	bw_text_printf(out, "  %6lld", (long long)facts->shared_bytes);
	put_known(out, 8, use, use ? use->barriers : -1);
	if (!session->options.device->cpu && facts->kernel.n_threads) {
		put_occupancy(out, &facts->predicted);
		if (use)
			put_occupancy(out, &facts->occupancy);
		else
			bw_text_puts(out, "  ?");
	}
	while (out->length && out->bytes[out->length - 1] == ' ')
		out->bytes[--out->length] = 0;
	bw_text_puts(out, "\n");
	if (use && bw_kernel_spills(use))
		bw_text_printf(
		    out,
		    "  %-16s SPILLS: registers did not suffice; %d bytes a thread stored to local memory, %d loaded\n",
		    "", use->spill_stores, use->spill_loads);
}

static void print_text(const struct bw_program *program, const struct compiled *compiled,
		       const struct bw_kernel_facts *facts, int n, struct bw_text *out)
{
	const struct bw_session *session = program->session;
	const struct bw_device *device = session->options.device;
	bw_text_printf(out, "%s  for %s%s%s", compiled->label, device->name,
		       *device->ptxas ? " " : "", device->ptxas);
	if (device->api == BW_API_CUDA)
		bw_text_printf(out, ", at most %d registers a thread", bw_settings_registers(&session->options));
	bw_text_printf(out, "\n  %-16s %-14s %-10s %5s  %9s  %7s  %6s  %8s%s\n", "kernel", "grid", "block",
		       "thrds", "registers", "spill B", "shared", "barriers",
		       device->cpu ? "" : "  predicted occupancy   with these registers");
	for (int k = 0; k < n; k++)
		print_kernel(session, &facts[k], out);
	if (!n)
		bw_text_printf(out, "  its kernels are not known: %s's driver compiles them\n", device->name);
}

/* Returns the kernels of a schedule that exists only in C++, as far as their compiled form shows them; in
 * the arena. */
static struct bw_kernel_facts *bare_facts(const struct bw_kernel_uses *uses, struct bw_arena *arena, int *n)
{
	*n = uses ? uses->n : 0;
	struct bw_kernel_facts *facts = BW_ARENA_ARRAY(arena, struct bw_kernel_facts, *n + 1);
	for (int k = 0; k < *n; k++)
		facts[k] = (struct bw_kernel_facts){.use = &uses->list[k], .shared_bytes = uses->list[k].shared_bytes};
	return facts;
}

/* Reports one schedule. Returns false if it could not be compiled or cannot be launched. */
static bool report(struct bw_program *program, const struct compiled *compiled, struct bw_text *out,
		   struct bw_error *error)
{
	const struct bw_session *session = program->session;
	const struct bw_timing *timing = &session->timings[compiled->timing];
	bool failed = timing->phase == BW_JOB_FAILED, good = true;
	if (failed && timing->error.kind != BW_ERROR_DEVICE && timing->error.kind != BW_ERROR_MISSING) {
		*error = timing->error;
		return bw_fail_in(error, "%s", compiled->label);
	}
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_TEXT why = {0};
	int n;
	const struct bw_kernel_uses *uses = failed ? NULL : &timing->measurement.kernels;
	struct bw_cost cost = {0};
	if (compiled->nest)
		cost = bw_search_cost(session->search, compiled->nest, arena);
	struct bw_kernel_facts *facts =
	    compiled->nest ? bw_kernel_facts(compiled->nest, session->options.device, uses, &cost, arena, &n)
			   : bare_facts(uses, arena, &n);
	if (program->arguments.json)
		print_json(program, compiled, facts, n,
			   compiled->nest ? bw_report_remarks(compiled->nest, arena) : json_array(), out);
	else
		print_text(program, compiled, facts, n, out);
	for (int k = 0; k < n && good && compiled->nest; k++)
		good =
		    bw_kernel_fits(session->pipeline, &facts[k], session->options.device, &why) ||
		    bw_fail(error, BW_ERROR_DEVICE, "%s: %s", compiled->label, bw_text_get(&why));
	if (failed && (good || timing->error.kind != BW_ERROR_MISSING)) {
		*error = timing->error;
		good = bw_fail_in(error, "%s", compiled->label);
	}
	return good;
}

static bool begin(struct bw_program *program, const char *path, struct compiled *compiled,
		  struct bw_error *error)
{
	struct bw_session *session = program->session;
	*compiled = (struct compiled){.label = path ? path : "best", .timing = -1};
	if (!bw_program_nest(program, path, &compiled->nest, error) ||
	    !bw_program_begin(session, "compile", path, error))
		return false;
	compiled->timing = session->asked;
	return true;
}

static bool compile_all(struct bw_program *program, struct bw_text *out, struct bw_error *error)
{
	enum { MOST_WAITING = 100 };
	int n = program->arguments.n_rest ? program->arguments.n_rest : 1;
	BW_SCOPED_MEMORY struct compiled *list = BW_NEW_ARRAY(struct compiled, n);
	bool good = true;
	for (int i = 0; i < n; i++) {
		struct bw_error one = {0};
		if (bw_session_queued(program->session) >= MOST_WAITING)
			bw_session_settle(program->session, -1, NULL, NULL);
		if (!begin(program, program->arguments.n_rest ? program->arguments.rest[i] : NULL, &list[i], &one)) {
			good = false;
			*error = one;
		}
	}
	bw_session_settle(program->session, -1, NULL, NULL);
	for (int i = 0; i < n; i++) {
		struct bw_error one = {0};
		if (list[i].timing >= 0 && !report(program, &list[i], out, &one)) {
			/* What is wrong with one schedule goes before what is missing for another. */
			if (good || one.kind != BW_ERROR_MISSING)
				*error = one;
			good = false;
		}
		bw_nest_drop(list[i].nest);
	}
	return good;
}

/* What --emit can write: the option's value, and whether this output exists for CUDA only. */
#define EMIT_TABLE(X) \
	X(OBJECT, "object", false) X(FILTER, "filter", false) X(REFERENCE, "reference", false) X(STATEMENT, "statement", false) X(CODE, "code", false) X(CUBIN, "cubin", true)
enum emitted {
#define X(name, word, cuda) name,
	EMIT_TABLE(X)
#undef X
	N_EMITTED
};
static const struct {
	const char *word;
	bool cuda;
} emitted[] = {
	EMIT_TABLE(BW_ROW)
};
enum { MOST_OBJECT = 256 << 20 /* bytes */ };

static bool find_emitted(const struct bw_program *program, enum emitted *kind, struct bw_error *error)
{
	const struct bw_session *session = program->session;
	BW_SCOPED_TEXT words = {0};
	for (*kind = 0; *kind < N_EMITTED && strcmp(program->arguments.emit, emitted[*kind].word); ++*kind)
		bw_text_printf(&words, "%s%s",
			       *kind == 0              ? ""
			       : *kind + 1 < N_EMITTED ? ", "
						       : " or ",
			       emitted[*kind].word);
	bool good = *kind < N_EMITTED || bw_fail(error, BW_ERROR_USAGE, "--emit takes %s, not \"%s\"",
						 bw_text_get(&words), program->arguments.emit);
	if (!good)
		return false;
	if (program->arguments.n_rest > (*kind == REFERENCE ? 0 : 1))
		return bw_fail(error, BW_ERROR_USAGE, "--emit %s takes %s", emitted[*kind].word,
			       *kind == REFERENCE ? "no schedule" : "one schedule");
	if (emitted[*kind].cuda && session->options.device->api != BW_API_CUDA)
		return bw_fail(error, BW_ERROR_USAGE, "--emit %s: %s is not a CUDA device; --gpu names one",
			       emitted[*kind].word, session->options.device->name);
	if (!session->source.compilable)
		return bw_fail(error, BW_ERROR_HALIDE,
			       "%s is only described, there is no generator to compile",
			       session->source.name);
	return true;
}

/* Extracts the requested part of a compiled object. */
static bool take_from(const struct bw_session *session, const char *object, enum emitted kind,
		      struct bw_text *out, struct bw_error *error)
{
	const struct bw_device *device = session->options.device;
	struct bw_patience patience = {COMPILE_SECONDS, NULL};
	struct bw_assembly assembly = {session->ptxas, device->ptxas, bw_settings_registers(&session->options),
				       session->places.cache, false};
	struct bw_kernel_uses uses;
	BW_SCOPED_TEXT code = {0};
	if (kind != CODE && kind != CUBIN)
		return bw_file_read(object, MOST_OBJECT, out, error);
	return bw_device_code_read(object, device->api, kind == CODE ? out : &code, error) &&
	       (kind == CODE || bw_ptxas_run(&assembly, &code, &patience, out, &uses, error));
}

/* Builds what --emit asks for. Returns the path of the cached file that is the requested output or
 * contains it; the caller frees it. directives: the schedule, for BW_BUILD_GPU; NULL for the other builds. */
static char *make_emitted(const struct bw_session *session, enum emitted kind, enum bw_build build,
			  const struct bw_directives *directives, struct bw_error *error)
{
	const struct bw_device *device = build == BW_BUILD_REFERENCE ? NULL : session->options.device;
	struct bw_patience patience = {COMPILE_SECONDS, NULL};
	bool linked = kind != FILTER && kind != REFERENCE;
	return (linked ? bw_generator_compile : bw_generator_filter)(
	    &session->source.generator, &session->places, &patience, build, directives, device, error);
}

static bool emit(struct bw_program *program, struct bw_text *out, struct bw_error *error)
{
	struct bw_session *session = program->session;
	enum emitted kind;
	if (!find_emitted(program, &kind, error))
		return false;
	const char *path = program->arguments.n_rest ? program->arguments.rest[0] : NULL;
	bool hand = path && !strcmp(path, BW_HAND);
	enum bw_build build = kind == REFERENCE ? BW_BUILD_REFERENCE : hand ? BW_BUILD_OWN : BW_BUILD_GPU;
	BW_SCOPED_NEST *nest = NULL;
	struct bw_directives *directives = NULL;
	bool good = build != BW_BUILD_GPU ||
		    (bw_program_nest(program, path, &nest, error) && (directives = bw_lower(nest, error)));
	if (good && *session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", session->warning);
	struct bw_patience patience = {COMPILE_SECONDS, NULL};
	if (kind == STATEMENT)
		good = good && bw_generator_lower(&session->source.generator, &session->places, &patience,
						  directives, session->options.device, out, error);
	BW_SCOPED_MEMORY char *object =
	    good && kind != STATEMENT ? make_emitted(session, kind, build, directives, error) : NULL;
	good = good && (kind == STATEMENT || (object && take_from(session, object, kind, out, error)));
	bw_directives_free(directives);
	return good;
}

bool bw_program_compile(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	if (!(program->arguments.n_rest ? bw_program_open : bw_program_open_parts)(program, error))
		return false;
	bool good = program->arguments.emit ? emit(program, &out, error) : compile_all(program, &out, error);
	struct bw_error ignored;
	if (out.length && (good || !program->arguments.emit))
		good = bw_program_put(program, &out, good ? error : &ignored) && good;
	return good;
}

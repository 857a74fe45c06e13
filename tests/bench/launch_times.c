/* The times of kernels: a filter that asks for functions and launches them as Halide's runtime does, on the
 * emulated device. Each kernel has the number of its launches and a time; one that is not in the list is
 * passed over, and so is one of the list that is not launched; nothing is recorded outside of the runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "bench/cuda.h"

static const char ptx[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry once()\n{\n\tret;\n}\n"
			  ".visible .entry thrice()\n{\n\tret;\n}\n"
			  ".visible .entry hidden()\n{\n\tret;\n}\n";
static struct bw_cuda cuda;
static bw_cuda_context context;
static bw_cuda_module module;
static int calls;

static void launch(const char *name)
{
	bw_cuda_function function;
	int (*find)(bw_cuda_function *, bw_cuda_module, const char *) =
	    (__typeof__(find))bw_launch_symbol("cuModuleGetFunction");
	__typeof__(cuda.launch) start = (__typeof__(cuda.launch))bw_launch_symbol("cuLaunchKernel");
	assert_non_null(find);
	assert_non_null(start);
	assert_int_equal(find(&function, module, name), 0);
	assert_int_equal(start(function, 2, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 0);
}

static int call(void **arguments)
{
	(void)arguments;
	calls++;
	launch("once");
	for (int k = 0; k < 3; k++)
		launch("thrice");
	launch("hidden");
	return 0;
}

static int acquire(void *user, void **to, bool create)
{
	(void)user, (void)create;
	*to = context;
	return 0;
}

static void times(void **state)
{
	struct bw_filter filter = {.call = call, .acquire_cuda_context = acquire};
	struct bw_arguments arguments = {0};
	struct bw_kernel_uses uses = {.n = 3,
				      .list = {BW_KERNEL_UNKNOWN, BW_KERNEL_UNKNOWN, BW_KERNEL_UNKNOWN}};
	struct bw_error error = {0};
	strcpy(uses.list[0].name, "thrice");
	strcpy(uses.list[1].name, "once");
	strcpy(uses.list[2].name, "never");
	call(NULL);
	assert_true(bw_launch_times(&filter, &arguments, &uses, &error));
	assert_in_range(calls, 4, 20);
	assert_int_equal(uses.list[0].launches, 3);
	assert_int_equal(uses.list[1].launches, 1);
	assert_int_equal(uses.list[2].launches, 0);
	assert_true(uses.list[0].ms > 0 && uses.list[1].ms > 0 && uses.list[0].ms < 1e4);
	assert_true(uses.list[2].ms < 0);
}

static int many(void **arguments)
{
	(void)arguments;
	for (int k = 0; k < 1025; k++)
		launch("once");
	return 0;
}

static int none(void **arguments)
{
	return !arguments;
}

/* More launches than are kept, none, and two kernels of one name: nothing is told, rather than too little. */
static void what_cannot_be_told(void **state)
{
	struct bw_filter filter = {.call = many, .acquire_cuda_context = acquire};
	void *list[1] = {NULL};
	struct bw_arguments arguments = {.pointers = list};
	struct bw_kernel_uses uses = {.n = 2, .list = {BW_KERNEL_UNKNOWN, BW_KERNEL_UNKNOWN}};
	struct bw_error error = {0};
	strcpy(uses.list[0].name, "once");
	strcpy(uses.list[1].name, "once");
	assert_false(bw_launch_times(&filter, &arguments, &uses, &error));
	assert_non_null(strstr(error.text, "more than 1024 launches"));
	filter.call = none;
	error = (struct bw_error){0};
	assert_false(bw_launch_times(&filter, &arguments, &uses, &error));
	assert_non_null(strstr(error.text, "no launch"));
	filter.call = call;
	assert_true(bw_launch_times(&filter, &arguments, &uses, &error));
	assert_int_equal(uses.list[0].launches, 0);
	assert_int_equal(uses.list[1].launches, 0);
}

static void fails(void **state)
{
	struct bw_filter filter = {.call = call, .acquire_cuda_context = acquire};
	struct bw_arguments arguments = {0};
	struct bw_kernel_uses uses = {0};
	struct bw_error error = {0};
	bw_cuda_context kept = context;
	context = NULL;
	assert_false(bw_launch_times(&filter, &arguments, &uses, &error));
	assert_non_null(strstr(error.text, "no CUDA context"));
	context = kept;
}

static int begin(void **state)
{
	char path[4096], trouble[256];
	bw_cuda_context popped;
	setenv("BEAMWALK_EMULATOR_QUIET", "1", 1);
	snprintf(path, sizeof path, "%s/emulator/libcuda.so.1",
		 getenv("BW_BUILD") ? getenv("BW_BUILD") : ".");
	bw_cuda_emulate(path);
	return !bw_cuda_open(&cuda, NULL, trouble, sizeof trouble) || cuda.create(&context, 0, 0) ||
	       cuda.load(&module, ptx, 0, NULL, NULL) || cuda.pop(&popped);
}

/* Halide's runtime has its context current while it launches. */
static int enter(void **state)
{
	return cuda.push(context);
}

/* A schedule that Halide has compiled: the kernels of the object, the number of launches of each, and whether
 * it has a time. */
static int of_schedule(const char *path)
{
	struct bw_request request;
	char line[4096];
	int length =
	    snprintf(line, sizeof line,
		     "{\"beamwalk-bench\":2,\"id\":1,\"do\":\"measure\",\"objects\":[\"%s\"]}", path);
	struct bw_filter filter;
	struct bw_arguments arguments = {0};
	struct bw_kernel_uses uses = {0};
	struct bw_error error = {0};
	if (!bw_request_read(line, (size_t)length, &request, &error) ||
	    !bw_filter_load(path, "bw_filter", &filter, &error) ||
	    (bw_launch_watch(&filter), !bw_arguments_shape(&filter, &request, &arguments, &error)) ||
	    !bw_arguments_make(&filter, &arguments, 0, &error) ||
	    !bw_cuda_kernels(&filter, &request, 0, &uses, &error) ||
	    !bw_run_once(&filter, &arguments, &error) ||
	    !bw_launch_times(&filter, &arguments, &uses, &error)) {
		printf("%s\n", error.text);
		return 1;
	}
	for (int k = 0; k < uses.n; k++)
		printf("%s %d %s\n", uses.list[k].name, uses.list[k].launches,
		       uses.list[k].ms > 0 ? "timed" : "not timed");
	bw_arguments_free(&arguments);
	bw_request_free(&request);
	return 0;
}

int main(int n, char **arguments)
{
	if (n > 1)
		return begin(NULL) || of_schedule(arguments[1]);
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(times, enter),
					   cmocka_unit_test_setup(what_cannot_be_told, enter),
					   cmocka_unit_test(fails)};
	return cmocka_run_group_tests(tests, begin, NULL);
}

/* A worker that runs nothing: standin MODE SEED [GPU]. It takes each content as if it was there, and says of it a time that follows from its name, so that
 * its client can tell one outcome from another. What MODE says happens to one object in eight, by the seed and the number of the process; with
 * STANDIN_OWNERS, a folder, each object has one SEED at most with which it happens, since what fails with two workers has failed. Modes: none, die,
 * hang, close, garbage, twice, lose, slow; mixed (each of these in turn); and of all objects: zero, negative, long (times that cannot be), fast (a hundredth),
 * fail (as a device that is gone); absent (ends at once). */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

static const char *mode, *number, *gpu = "NVIDIA T4";
static uint64_t seed;

static bool is(const char *name)
{
	return !strcmp(mode, name);
}

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static void say(json_t *answer, json_int_t id)
{
	json_t *line = json_pack("{s:i,s:I}", "beamwalk-bench", 2, "id", id);
	json_object_update(line, answer);
	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(line);
	json_decref(answer);
}

/* The milliseconds of a content: 0.1 to 0.2 by the first digits of its name. */
static double time_of(const char *name)
{
	char digits[9] = "";
	memcpy(digits, name, 8);
	return 0.1 + 0.1 * (double)strtoul(digits, NULL, 16) / 4294967296.;
}

static json_t *result_of(double ms)
{
	json_t *result = json_pack("{s:s,s:f,s:s,s:i,s:s,s:i,s:i,s:s}", "verdict", "right", "worst", 0., "where", "", "mismatches", 0, "demand", "", "runs", 1, "warm_ups", 1,
				   "method", "said");
	json_t *rest = json_pack("{s:f,s:f,s:f,s:s,s:b,s:s,s:f,s:i,s:[]}", "minimum", ms, "median", ms, "spread", 0., "device", gpu, "cpu", 0, "driver", "none", "clock", 0.,
				 "registers", 0, "kernels");
	json_object_update(result, rest);
	json_decref(rest);
	return result;
}

static void misbehave(const char *what)
{
	if (!strcmp(what, "die"))
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "hang"))
		pause();
	if (!strcmp(what, "slow"))
		usleep(300000);
	if (!strcmp(what, "garbage"))
		puts("\xff\xfe{]");
	if (!strcmp(what, "close")) {
		fflush(stdout);
		close(STDOUT_FILENO);
		pause();
	}
}

/* Whether a content may have trouble here: it has had none with another seed. */
static bool is_ours(const char *name)
{
	const char *folder = getenv("STANDIN_OWNERS");
	char path[512], owner[32] = "";
	snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
	return !folder || !symlink(number, path) || (readlink(path, owner, sizeof owner - 1) > 0 && !strcmp(owner, number));
}

static void run(json_int_t id, int k, const char *name)
{
	static const char *const modes[] = {"die", "hang", "close", "garbage", "twice", "lose", "slow"};
	double ms = time_of(name);
	bool moment = draw() % 8 == 0 && is_ours(name);
	const char *what = !moment ? "none" : is("mixed") ? modes[draw() % 7] : mode;
	misbehave(what);
	if (!strcmp(what, "lose"))
		return;
	ms = is("zero") ? 0 : is("negative") ? -ms : is("long") ? 1e9 : is("fast") ? ms / 100 : ms;
	if (is("fail")) {
		say(json_pack("{s:i,s:{s:s,s:s}}", "object", k, "error", "kind", "HALIDE", "text", "CUDA: the device is lost"), id);
		return;
	}
	usleep(200);
	say(json_pack("{s:i,s:o}", "object", k, "result", result_of(ms)), id);
	if (!strcmp(what, "twice"))
		say(json_pack("{s:i,s:o}", "object", k, "result", result_of(7)), id);
}

static void measure(const json_t *request, json_int_t id)
{
	const json_t *objects = json_object_get(request, "objects");
	int n = (int)json_array_size(objects);
	for (int k = 0; k < n; k++) {
		say(json_pack("{s:[i,i]}", "begin", k, n), id);
		run(id, k, json_string_value(json_object_get(json_array_get(objects, (size_t)k), "content")));
	}
	say(json_pack("{s:i}", "done", n), id);
}

static void have(const json_t *request, json_int_t id)
{
	json_t *list = json_array();
	for (size_t k = 0; k < json_array_size(json_object_get(request, "contents")); k++)
		json_array_append_new(list, json_true());
	say(json_pack("{s:o}", "have", list), id);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	mode = argv[1];
	number = argv[2];
	seed = strtoull(number, NULL, 10) * 1000003 + (uint64_t)getpid() * 2654435761 + 88172645463325252;
	gpu = argc > 3 ? argv[3] : gpu;
	char *line = NULL;
	size_t size = 0;
	while (!is("absent") && getline(&line, &size, stdin) > 0) {
		json_t *request = json_loads(line, 0, NULL);
		const char *what = json_string_value(json_object_get(request, "do"));
		json_int_t id = json_integer_value(json_object_get(request, "id"));
		if (!what)
			return 1;
		if (!strcmp(what, "hello"))
			say(json_pack("{s:{s:s,s:[]}}", "hello", "version", "0", "does"), id);
		else if (!strcmp(what, "devices"))
			say(json_pack("{s:[{s:s,s:s,s:b,s:s,s:s,s:i,s:f}],s:s}", "devices", "name", gpu, "api", argc > 4 ? "opencl" : "cuda", "cpu", argc > 4, "driver", "none", "platform", "", "ordinal", 0, "memory",
				      1e9, "trouble", ""),
			    id);
		else if (!strcmp(what, "have"))
			have(request, id);
		else if (!strcmp(what, "measure"))
			measure(request, id);
		else if (!strcmp(what, "cancel"))
			say(json_pack("{s:O}", "cancelled", json_object_get(request, "request")), id);
		json_decref(request);
	}
	free(line);
	return is("absent") ? 127 : 0;
}

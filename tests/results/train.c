/* `beamwalk train` on stored measurements, made here: random schedules of two bundled descriptions, whose times are what the roofline predicts. Features
 * are computed again from what is stored; weights and report are written; what is interrupted goes on to the same weights; a pipeline is held out; what
 * was measured on several devices, or cannot be trained on, is told apart. */
#include "made.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/learned.h"
#include "gpu/device.h"
#include "schedulers/scheduler.h"
#include "schedule/schedule.h"

enum { EACH = 24 };

struct trained {
	struct made made;
	struct bw_text out, err;
};

static const char *const names[] = {"blur", "unsharp"};

/* One measurement on a device, as `time` stores it. */
static void store(struct made *made, struct bw_results *results, const struct bw_pipeline *pipeline, const char *text, const struct bw_schedule *schedule, const char *device, double ms)
{
	struct bw_result result = made_result(made);
	struct bw_text words = {0};
	char description[BW_UID_SIZE], hash[BW_UID_SIZE];
	snprintf(description, sizeof description, "%016llx", (unsigned long long)pipeline->content);
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)bw_schedule_hash(schedule));
	bw_schedule_print(pipeline, schedule, &words);
	result.pipeline = pipeline->name;
	result.description = description;
	result.description_text = text;
	result.schedule = hash;
	result.schedule_text = bw_text_get(&words);
	result.minimum_ms = ms;
	result.target = device;
	made_add(results, &result);
	bw_text_free(&words);
}

static void store_pipeline(struct made *made, struct bw_results *results, const char *name, const struct bw_device *device)
{
	struct bw_text path = {0}, text = {0};
	struct bw_error error = {0};
	struct bw_arena *arena = bw_arena_new();
	struct bw_settings options = bw_settings_default(device);
	bw_text_printf(&path, "%s/data/descriptions/%s.json", getenv("BW_SRC"), name);
	assert_true(bw_file_read(bw_text_get(&path), 1 << 24, &text, &error));
	struct bw_pipeline *pipeline = bw_pipeline_parse(name, bw_text_get(&text), text.length, &error);
	assert_non_null(pipeline);
	options.random = options.beam = 1;
	for (int i = 0; i < EACH; i++) {
		struct bw_batch batch;
		options.seed = (uint64_t)i;
		assert_true(bw_batch_run(pipeline, &options, NULL, &batch, &error));
		struct bw_nest *nest = bw_schedule_nest(pipeline, batch.schedule, &error);
		assert_non_null(nest);
		store(made, results, pipeline, bw_text_get(&text), batch.schedule, "A100", bw_cost_of(&bw_roofline, nest, device, arena).total);
		bw_nest_drop(nest);
		bw_batch_free(&batch);
	}
	bw_pipeline_free(pipeline);
	bw_arena_free(arena);
	bw_text_free(&path);
	bw_text_free(&text);
}

static int open_trained(void **state)
{
	struct trained *trained = BW_NEW(struct trained);
	struct bw_text path = {0};
	struct bw_error error = {0};
	int n;
	strcpy(trained->made.folder, "/tmp/beamwalk-train-XXXXXX");
	if (!mkdtemp(trained->made.folder))
		return -1;
	setenv("XDG_DATA_HOME", trained->made.folder, 1);
	setenv("XDG_CONFIG_HOME", trained->made.folder, 1);
	snprintf(trained->made.path, sizeof trained->made.path, "%s/beamwalk", trained->made.folder);
	mkdir(trained->made.path, 0700);
	strcat(trained->made.path, "/results.db");
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n, &error);
	struct bw_results *results = made_file(&trained->made);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		store_pipeline(&trained->made, results, names[i], bw_device_find(devices, n, "A100"));
	bw_results_close(results);
	bw_text_free(&path);
	free(devices);
	*state = trained;
	return 0;
}

static int close_trained(void **state)
{
	struct trained *trained = *state;
	char command[128];
	bw_text_free(&trained->out);
	bw_text_free(&trained->err);
	snprintf(command, sizeof command, "rm -rf %s", trained->made.folder);
	free(trained);
	return system(command);
}

/* Runs `beamwalk train` in the folder; what it writes is in out and err. Returns its exit status. */
static int train(struct trained *trained, const char *arguments)
{
	struct bw_text command = {0}, path = {0};
	struct bw_error error = {0};
	bw_text_printf(&command, "cd %s && %s/beamwalk train %s >out 2>err </dev/null", trained->made.folder, getenv("BW_BUILD"), arguments);
	int status = system(bw_text_get(&command));
	bw_text_free(&trained->out);
	bw_text_free(&trained->err);
	bw_text_printf(&path, "%s/out", trained->made.folder);
	assert_true(bw_file_read(bw_text_get(&path), 1 << 20, &trained->out, &error));
	bw_text_clear(&path);
	bw_text_printf(&path, "%s/err", trained->made.folder);
	assert_true(bw_file_read(bw_text_get(&path), 1 << 20, &trained->err, &error));
	bw_text_free(&command);
	bw_text_free(&path);
	return WEXITSTATUS(status);
}

static void expect(struct trained *trained, const char *arguments, int status, const char *said)
{
	int found = train(trained, arguments);
	if (found != status || (!strstr(bw_text_get(&trained->out), said) && !strstr(bw_text_get(&trained->err), said)))
		fail_msg("train %s: status %d, expected %d and \"%s\", in\n%s%s", arguments, found, status, said, bw_text_get(&trained->out), bw_text_get(&trained->err));
}

static struct bw_weights read_weights(struct trained *trained, const char *name)
{
	struct bw_weights weights;
	struct bw_error error = {0};
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s", trained->made.folder, name);
	if (!bw_weights_read(bw_text_get(&path), &weights, &error))
		fail_msg("%s", error.text);
	bw_text_free(&path);
	return weights;
}

static void test_train(void **state)
{
	struct trained *trained = *state;
	expect(trained, "-o a.weights --epochs 60 --rate 0.02", 0, "schedules of 2 pipelines, measured on A100; 60 epochs; kept: epoch ");
	assert_non_null(strstr(bw_text_get(&trained->out), "\nmean "));
	struct bw_weights weights = read_weights(trained, "a.weights");
	assert_true(weights.origin.known && !weights.origin.cpu);
	assert_string_equal(weights.origin.device, "A100");
	assert_int_equal(weights.origin.pipelines, 2);
	assert_true(weights.origin.samples > EACH);
}

/* The features are those of the schedules: otherwise next to nothing of the variance is explained. So many epochs make up for what a seed begins with. */
static void test_learns(void **state)
{
	struct trained *trained = *state;
	expect(trained, "-o learned.weights --epochs 1500 --json", 0, "\"beamwalk-training\": 1");
	json_t *report = json_loads(bw_text_get(&trained->out), 0, NULL), *rows = json_object_get(report, "pipelines"), *row;
	size_t i;
	assert_int_equal(json_array_size(rows), 3);
	json_array_foreach(rows, i, row) if (json_real_value(json_object_get(row, "r2")) < 0.6 || json_real_value(json_object_get(row, "wrong_pairs")) > 0.25)
		fail_msg("%s", bw_text_get(&trained->out));
	json_decref(report);
}

/* At this rate the loss of so few samples leaps: what is written is never worse than it was some epochs before. */
static void test_keeps_best(void **state)
{
	struct trained *trained = *state;
	double best = -INFINITY;
	for (int epochs = 20; epochs <= 300; epochs += 20) {
		char arguments[128];
		snprintf(arguments, sizeof arguments, "blur -o best.weights --rate 0.02 --epochs %d --resume --json", epochs);
		expect(trained, arguments, 0, "\"beamwalk-training\": 1");
		json_t *report = json_loads(bw_text_get(&trained->out), 0, NULL);
		double r2 = json_real_value(json_object_get(json_array_get(json_object_get(report, "pipelines"), 0), "r2"));
		if (r2 < best)
			fail_msg("after %d epochs R2 is %.3f; it was %.3f before", epochs, r2, best);
		best = r2;
		json_decref(report);
	}
}

/* As interrupted after 30 epochs: from the checkpoint it goes on to the weights that training without a break has. */
static void test_resume(void **state)
{
	struct trained *trained = *state;
	expect(trained, "-o whole.weights --epochs 50 --rate 0.05", 0, "50 epochs");
	expect(trained, "-o part.weights --epochs 30 --rate 0.05", 0, "30 epochs");
	expect(trained, "-o part.weights --epochs 50 --rate 0.05 --resume", 0, "continuing after epoch 30");
	struct bw_weights whole = read_weights(trained, "whole.weights"), part = read_weights(trained, "part.weights");
	assert_memory_equal(whole.all, part.all, sizeof whole.all);
	assert_int_equal(whole.origin.steps, part.origin.steps);
	expect(trained, "-o part.weights --epochs 60 --rate 0.03 --resume", 3, "part.weights.training: a checkpoint of other samples, or with another seed, rate, batch");
	expect(trained, "-o from.weights --weights whole.weights --epochs 1", 0, "1 epochs");
}

static void test_hold_out(void **state)
{
	struct trained *trained = *state;
	expect(trained, "-o held.weights --epochs 3 --hold-out unsharp", 0, " held out ");
	assert_int_equal(read_weights(trained, "held.weights").origin.pipelines, 1);
	expect(trained, "-o held.weights --epochs 3 --hold-out each", 0, "mean                             held out ");
	expect(trained, "-o held.weights --hold-out harris", 3, "there are no measurements of a pipeline \"harris\"");
	expect(trained, "blur -o held.weights --hold-out each", 3, "nothing is left to train on without blur");
}

static void test_refused(void **state)
{
	struct trained *trained = *state;
	struct bw_results *results = made_file(&trained->made);
	struct bw_result result = made_result(&trained->made);
	expect(trained, "", 2, "train: no file for the weights; give --output FILE");
	expect(trained, "-o no.weights --rate 0", 2, "--rate takes a number above 0");
	expect(trained, "-o no.weights --weights err", 3, "err: ");
	result.target = "PoCL";
	made_add(results, &result);
	bw_results_close(results);
	expect(trained, "-o no.weights", 2, "; select one with --device");
	expect(trained, "-o no.weights --device pocl", 3, "none of 1 measurements can be trained on: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_train), cmocka_unit_test(test_learns), cmocka_unit_test(test_keeps_best), cmocka_unit_test(test_resume), cmocka_unit_test(test_hold_out), cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, open_trained, close_trained);
}

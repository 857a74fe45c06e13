/* Turns of several workers on one device: shared ones at once, one alone after and before all others, none of
 * them for ever, and waiting does not count for the limit of what waits. */
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/test.h"
#include "bench/turn.h"

static char folder[] = "/tmp/bw-turn-test.XXXXXX", path[64];

/* What the processes of a test share. */
static struct shared {
	struct bw_progress progress[2];
	_Atomic int holds, order, first, second;
} * shared;

static int begin(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/turn", folder);
	bw_turn_use(path);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED;
}

static int end(void **state)
{
	unlink(path);
	strcat(path, ".door");
	unlink(path);
	return rmdir(folder);
}

static void without_others(void **state)
{
	struct bw_turn one = {0}, other = {0};
	struct bw_progress progress = {0};
	bw_turn_take(&one, false, BW_PHASE_FIRST, &progress);
	bw_turn_take(&other, false, BW_PHASE_FIRST, &progress);
	assert_int_equal(progress.phase, BW_PHASE_FIRST);
	bw_turn_end(&one);
	bw_turn_end(&other);
	bw_turn_take(&one, true, BW_PHASE_TIMING, &progress);
	assert_int_equal(progress.phase, BW_PHASE_TIMING);
	bw_turn_end(&one);
	bw_turn_end(&one);
	bw_turn_use("/nowhere/turn");
	bw_turn_take(&one, true, BW_PHASE_TIMING, &progress);
	assert_int_equal(progress.phase, BW_PHASE_TIMING);
	assert_false(one.held);
	bw_turn_use("");
	bw_turn_take(&one, true, BW_PHASE_TIMING, &progress);
	assert_false(one.held);
	bw_turn_use(path);
}

/* Takes a turn in a process of its own, and notes in *place as which it had it. */
static pid_t taker(struct bw_turn *held, bool alone, struct bw_progress *progress, _Atomic int *place)
{
	pid_t child = fork();
	if (child)
		return child;
	struct bw_turn turn = {0};
	bw_turn_end(held); /* a lock ends with the last process that has its file */
	bw_turn_take(&turn, alone, BW_PHASE_FIRST, progress);
	*place = ++shared->order;
	bw_turn_end(&turn);
	_exit(0);
}

static void wait_for_phase(const struct bw_progress *progress, int phase)
{
	while (progress->phase != phase)
		usleep(1000);
}

static void alone(void **state)
{
	memset(shared, 0, sizeof *shared);
	struct bw_turn turn = {0};
	struct bw_progress progress = {0};
	bw_turn_take(&turn, false, BW_PHASE_FIRST, &progress);
	pid_t first = taker(&turn, true, &shared->progress[0], &shared->first);
	wait_for_phase(&shared->progress[0], BW_PHASE_WAITING);
	usleep(50000);
	/* One who would share waits behind the one who waits to be alone. */
	pid_t second = taker(&turn, false, &shared->progress[1], &shared->second);
	wait_for_phase(&shared->progress[1], BW_PHASE_WAITING);
	usleep(50000);
	assert_int_equal(shared->order, 0);
	bw_turn_end(&turn);
	waitpid(first, NULL, 0);
	waitpid(second, NULL, 0);
	assert_int_equal(shared->first, 1);
	assert_int_equal(shared->second, 2);
	assert_true(shared->progress[0].waited >= 0.05);
}

static void job(void *context, struct bw_progress *progress)
{
	(void)context;
	struct bw_turn turn = {0};
	bw_turn_take(&turn, true, BW_PHASE_FIRST, progress);
	bw_turn_end(&turn);
	progress->phase = BW_PHASE_ANSWERED;
}

/* Returns a process that has the turn alone, for so many microseconds: its end ends the turn. */
static pid_t holder(useconds_t most)
{
	pid_t child = fork();
	if (!child) {
		struct bw_turn turn = {0};
		bw_turn_take(&turn, true, BW_PHASE_FIRST, &shared->progress[0]);
		shared->holds = 1;
		usleep(most);
		_exit(0);
	}
	while (!shared->holds)
		usleep(1000);
	return child;
}

static void waiting_does_not_count(void **state)
{
	memset(shared, 0, sizeof *shared);
	pid_t process = holder(2500000);
	struct bw_progress answer;
	struct bw_error error = {0};
	assert_true(bw_supervise(job, NULL, 1, NULL, &answer, &error));
	assert_true(answer.waited > 1);
	waitpid(process, NULL, 0);
}

static void a_killed_holder_does_not_block(void **state)
{
	memset(shared, 0, sizeof *shared);
	pid_t process = holder(600000000);
	struct bw_turn none = {0};
	pid_t other = taker(&none, true, &shared->progress[1], &shared->second);
	wait_for_phase(&shared->progress[1], BW_PHASE_WAITING);
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	waitpid(other, NULL, 0);
	assert_int_equal(shared->second, 1);
}

static const struct bw_present
	gpu = {.device.api = BW_API_CUDA, .bus = "ffff:65:00.0", .ordinal = 1},
	same_gpu = {.device.api = BW_API_OPENCL, .bus = "ffff:65:00.0", .platform = "NVIDIA CUDA"},
	gpu_without_bus = {.device.api = BW_API_OPENCL, .platform = "rusticl / X", .ordinal = 2},
	processor = {.device = {.api = BW_API_OPENCL, .cpu = true}, .platform = "Portable Computing Language"},
	emulated = {.device = {.api = BW_API_CUDA, .cpu = true}, .bus = "0000:00:00.0"};

static void names(void **state)
{
	static const struct {
		const struct bw_present *device;
		const char *name;
	} cases[] = {{&gpu, "gpu-ffff:65:00.0"}, {&same_gpu, "gpu-ffff:65:00.0"}, {&gpu_without_bus, "opencl-rusticl---X-2"},
		     {&processor, "cpu"}, {&emulated, ""}, {NULL, "any"}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char name[160];
		bw_turn_name(cases[k].device, name, sizeof name);
		assert_string_equal(name, cases[k].name);
	}
}

/* Returns true if somebody has this file for himself alone. */
static bool is_locked(const char *file)
{
	int other = open(file, O_RDWR | O_CLOEXEC);
	bool locked = other >= 0 && flock(other, LOCK_SH | LOCK_NB) != 0;
	close(other);
	return locked;
}

/* In a folder each device has its file; without one it is in /tmp, in a folder that only this user can write to. */
static void a_file_for_each_device(void **state)
{
	struct bw_turn turn = {0};
	struct bw_progress progress = {0};
	struct stat info;
	char in_tmp[64], file[128];
	snprintf(in_tmp, sizeof in_tmp, "/tmp/beamwalk-%ld", (long)geteuid());
	const char *const named[] = {folder, NULL}, *const folders[] = {folder, in_tmp};
	const struct bw_present *const devices[] = {&gpu, &processor};
	for (int k = 0; k < 4; k++) {
		bw_turn_use(named[k / 2]);
		bw_turn_on(devices[k % 2]);
		bw_turn_take(&turn, true, BW_PHASE_TIMING, &progress);
		snprintf(file, sizeof file, "%s/%s", folders[k / 2], k % 2 ? "cpu" : "gpu-ffff:65:00.0");
		assert_true(is_locked(file));
		bw_turn_on(&emulated);
		struct bw_turn none = {0};
		bw_turn_take(&none, true, BW_PHASE_TIMING, &progress);
		assert_false(none.held);
		bw_turn_end(&turn);
		assert_false(is_locked(file));
	}
	assert_int_equal(stat(in_tmp, &info), 0);
	assert_int_equal(info.st_mode & 077, 0);
	assert_int_equal(info.st_uid, geteuid());
	static const char *const files[] = {"cpu", "cpu.door", "gpu-ffff:65:00.0", "gpu-ffff:65:00.0.door"};
	for (int k = 0; k < 4; k++) {
		snprintf(file, sizeof file, "%s/%s", folder, files[k]);
		assert_int_equal(unlink(file), 0);
		snprintf(file, sizeof file, "%s/%s", in_tmp, files[k]);
		assert_true(k < 2 || unlink(file) == 0); /* a worker may use the processor's */
	}
	bw_turn_use(path);
}

/* Whoever waits can be told who has the turn, unless that has ended. */
static void holders(void **state)
{
	char text[256], expected[32];
	memset(shared, 0, sizeof *shared);
	pid_t child = holder(10000000);
	bw_turn_holder(path, text, sizeof text);
	snprintf(expected, sizeof expected, "pid %ld (", (long)getpid());
	if (strncmp(text, expected, strlen(expected)) || !strstr(text, "turn) since "))
		fail_msg("\"%s\"", text);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	FILE *file = fopen(path, "w");
	fprintf(file, "pid %ld (gone) since 00:00:00\n", (long)child);
	fclose(file);
	bw_turn_holder(path, text, sizeof text);
	assert_string_equal(text, "");
	bw_turn_holder("/nowhere/turn", text, sizeof text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_others), cmocka_unit_test(alone), cmocka_unit_test(holders),
					   cmocka_unit_test(waiting_does_not_count), cmocka_unit_test(a_killed_holder_does_not_block),
					   cmocka_unit_test(names), cmocka_unit_test(a_file_for_each_device)};
	return cmocka_run_group_tests(tests, begin, end);
}

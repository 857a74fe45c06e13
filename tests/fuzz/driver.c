/* Runs a fuzz target without libFuzzer: over each file of its corpus, then over seeded mutations of these. Prints TAP. The runs are
 * made in a child; where that dies, the input that it had is written to NAME.crash. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/file.h"

enum { LONGEST = 1 << 20, SECONDS_FOR_ONE = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

struct corpus {
	struct bw_text *files;
	size_t count, capacity;
};

/* What the child runs now; the parent sees it too. */
struct shared {
	uint64_t runs;
	size_t length;
	uint8_t bytes[LONGEST];
};

struct plan {
	uint64_t seed, runs;
	double seconds;
};

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 10) : otherwise;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_corpus(const char *directory, struct corpus *corpus)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, NULL, by_name);
	for (int i = 0; i < n; i++) {
		struct bw_text path = {0}, file = {0};
		bw_text_printf(&path, "%s/%s", directory, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && bw_file_read(path.bytes, LONGEST, &file, NULL)) {
			BW_GROW(corpus->files, corpus->count, corpus->capacity);
			corpus->files[corpus->count++] = file;
		} else
			bw_text_free(&file);
		bw_text_free(&path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void free_corpus(struct corpus *corpus)
{
	for (size_t i = 0; i < corpus->count; i++)
		bw_text_free(&corpus->files[i]);
	free(corpus->files);
}

/* A stream of draws for one run. */
struct dice {
	uint64_t keys[3];
};

static size_t draw(struct dice *dice, size_t below)
{
	dice->keys[2]++;
	return (size_t)bw_random_below(bw_random(dice->keys, 3), below);
}

/* Puts length bytes in the place of removed ones at `at`, as far as there is room. */
static void splice(struct shared *input, size_t at, size_t removed, const char *bytes, size_t length)
{
	if (input->length - removed + length > LONGEST)
		return;
	memmove(input->bytes + at + length, input->bytes + at + removed, input->length - at - removed);
	if (length)
		memcpy(input->bytes + at, bytes, length);
	input->length += length - removed;
}

static int is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' || (c & 0x80);
}

/* The bounds of the token at or after `at`: a word, or one other byte. */
static size_t token(const char *bytes, size_t length, size_t at, size_t *end)
{
	while (at > 0 && at < length && is_word(bytes[at]) && is_word(bytes[at - 1]))
		at--;
	*end = at;
	while (*end < length && is_word(bytes[*end]))
		++*end;
	if (*end == at && at < length)
		++*end;
	return at;
}

static void change_bytes(struct shared *input, struct dice *dice)
{
	if (input->length == 0)
		return;
	size_t at = draw(dice, input->length);
	if (draw(dice, 2))
		input->bytes[at] ^= (uint8_t)(1u << draw(dice, 8));
	else
		input->bytes[at] = (uint8_t)draw(dice, 256);
}

static void remove_range(struct shared *input, struct dice *dice)
{
	if (input->length == 0)
		return;
	size_t at = draw(dice, input->length), most = input->length - at;
	splice(input, at, 1 + draw(dice, most < 40 ? most : 40), "", 0);
}

static void put_odd_word(struct shared *input, struct dice *dice)
{
	static const char *const odd[] = {
		"0", "-1", "1", "2147483647", "-2147483648", "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "-0.0", "1e-320", "0.5",
		"true", "null", "\"\"", "[]", "{}", "[[[[[[[[", "\\u0000", "\xff", "\xf0\x9f\x98\x80", "\n", "\r\n", "\t", "%s%n", ",", ":", "(", ")", "/", "..", "#",
	};
	size_t end, at = token((const char *)input->bytes, input->length, draw(dice, input->length + 1), &end);
	const char *word = odd[draw(dice, sizeof odd / sizeof *odd)];
	splice(input, at, draw(dice, 3) ? end - at : 0, word, strlen(word));
}

/* A run of tokens from a file of the corpus, in the place of a token or before it. */
static void graft(struct shared *input, struct dice *dice, const struct corpus *corpus)
{
	const struct bw_text *donor = &corpus->files[draw(dice, corpus->count)];
	size_t from_end, to_end, end, reach = (size_t)1 << draw(dice, 9);
	size_t from = token(bw_text_get(donor), donor->length, draw(dice, donor->length + 1), &from_end);
	size_t last = from_end + draw(dice, reach) < donor->length ? from_end + draw(dice, reach) : donor->length;
	token(bw_text_get(donor), donor->length, last, &to_end);
	if (to_end > donor->length || to_end < from)
		return;
	size_t at = token((const char *)input->bytes, input->length, draw(dice, input->length + 1), &end);
	splice(input, at, draw(dice, 2) ? end - at : 0, bw_text_get(donor) + from, to_end - from);
}

static void mutate(struct shared *input, const struct corpus *corpus, struct dice *dice)
{
	const struct bw_text *file = &corpus->files[draw(dice, corpus->count)];
	input->length = file->length;
	memcpy(input->bytes, bw_text_get(file), file->length);
	for (size_t changes = 1 + draw(dice, 4); changes > 0; changes--)
		switch (draw(dice, 5)) {
		case 0:
			change_bytes(input, dice);
			break;
		case 1:
			remove_range(input, dice);
			break;
		case 2:
		case 3:
			put_odd_word(input, dice);
			break;
		default:
			graft(input, dice, corpus);
		}
}

/* One run, on a copy of just the input's size, so that reading past its end is seen. */
static void run_one(const struct shared *input)
{
	uint8_t *copy = bw_new_array(input->length, 1);
	memcpy(copy, input->bytes, input->length);
	alarm(SECONDS_FOR_ONE);
	LLVMFuzzerTestOneInput(copy, input->length);
	alarm(0);
	free(copy);
}

static void run_corpus(const struct corpus *corpus, struct shared *shared, const struct plan *plan)
{
	(void)plan;
	for (size_t i = 0; i < corpus->count; i++, shared->runs++) {
		shared->length = corpus->files[i].length;
		memcpy(shared->bytes, bw_text_get(&corpus->files[i]), shared->length);
		run_one(shared);
	}
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run_mutations(const struct corpus *corpus, struct shared *shared, const struct plan *plan)
{
	double end = now() + plan->seconds;
	for (; shared->runs < plan->runs && now() < end; shared->runs++) {
		struct dice dice = {{plan->seed, shared->runs, 0}};
		mutate(shared, corpus, &dice);
		run_one(shared);
	}
}

static void keep_crash(const struct shared *shared)
{
	struct bw_error error;
	if (bw_file_write(BW_FUZZ_NAME ".crash", (const char *)shared->bytes, shared->length, &error))
		printf("# the input is in %s.crash (%zu bytes)\n", BW_FUZZ_NAME, shared->length);
	else
		printf("# %s\n", error.text);
}

/* Runs one part in a child and prints its line of TAP. */
static bool part(int number, const char *what, void (*run)(const struct corpus *, struct shared *, const struct plan *), const struct corpus *corpus, struct shared *shared, const struct plan *plan)
{
	shared->runs = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		run(corpus, shared, plan);
		exit(0);
	}
	int status = -1;
	bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && shared->runs > 0;
	printf("%s %d - %s %s: %llu runs, seed %llu\n", good ? "ok" : "not ok", number, BW_FUZZ_NAME, what, (unsigned long long)shared->runs, (unsigned long long)plan->seed);
	if (!good)
		keep_crash(shared);
	return good;
}

int main(void)
{
	const char *source = getenv("BW_SRC");
	struct bw_text directory = {0};
	struct corpus corpus = {0};
	bw_text_printf(&directory, "%s/tests/fuzz/corpus/%s", source ? source : ".", BW_FUZZ_NAME);
	read_corpus(directory.bytes, &corpus);
	struct plan plan = {number_from("BW_FUZZ_SEED", 1), number_from("BW_FUZZ_RUNS", 20000), (double)number_from("BW_FUZZ_SECONDS", 3)};
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (corpus.count == 0 || shared == MAP_FAILED) {
		printf("Bail out! no corpus in %s\n", directory.bytes);
		return 1;
	}
	printf("1..2\n");
	bool good = part(1, "corpus", run_corpus, &corpus, shared, &plan);
	good = part(2, "mutations", run_mutations, &corpus, shared, &plan) && good;
	munmap(shared, sizeof *shared);
	free_corpus(&corpus);
	bw_text_free(&directory);
	return good ? 0 : 1;
}

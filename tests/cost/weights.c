/* Weights files: the bytes of Halide's format where its sources put them, what is refused and why, and what a file says of where its weights come from. */
#include <string.h>

#include "../core/test.h"
#include "cost/network.h"

enum { HALIDE_BYTES = 20400 };

static struct bw_text drawn_file(struct bw_weights *weights)
{
	struct bw_text text = {0};
	bw_weights_draw(weights, 5);
	bw_weights_print(weights, &text);
	return text;
}

static uint32_t word_at(const struct bw_text *text, size_t at)
{
	uint32_t word;
	assert_true(at + sizeof word <= text->length);
	memcpy(&word, text->bytes + at, sizeof word);
	return word;
}

static void test_bytes(void **state)
{
	/* Where a buffer's numbers of dimensions and extents stand: after 16 bytes, and all numbers of the buffers before. */
	static const struct {
		size_t at;
		uint32_t words[4];
	} heads[] = {
		{16, {3, 8, 40, 7}}, {16 + 16 + 4 * 2240, {1, 8}}, {9032, {2, 24, 73}}, {9032 + 12 + 4 * 1752, {1, 24}}, {16156, {2, 32, 32}}, {16156 + 12 + 4 * 1024, {1, 32}},
	};
	struct bw_weights weights;
	struct bw_text text = drawn_file(&weights);
	assert_int_equal(text.length, HALIDE_BYTES);
	assert_memory_equal(text.bytes, "1fwh\3\0\0\0\3\0\0\0\6\0\0\0", 16);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		for (uint32_t d = 0; d <= heads[i].words[0]; d++)
			assert_int_equal(word_at(&text, heads[i].at + 4 * d), heads[i].words[d]);
	/* head1_filter[1][2][3]: the first dimension is the innermost. */
	assert_memory_equal(text.bytes + 32 + 4 * (1 + 8 * (2 + 40 * 3)), &weights.by.head1_filter[1 + 8 * (2 + 40 * 3)], 4);
	assert_memory_equal(text.bytes + HALIDE_BYTES - 4, &weights.by.conv1_bias[31], 4);
	bw_text_free(&text);
}

static void test_read_back(void **state)
{
	struct bw_weights weights, read;
	struct bw_text text = drawn_file(&weights);
	struct bw_error error = {0};
	assert_true(bw_weights_parse("w", text.bytes, text.length, &read, &error));
	assert_memory_equal(read.all, weights.all, sizeof read.all);
	assert_false(read.origin.known);
	assert_true(bw_weights_hash(&read) == bw_weights_hash(&weights));
	read.by.conv1_bias[31] += 1;
	assert_true(bw_weights_hash(&read) != bw_weights_hash(&weights));
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		assert_true(weights.all[i] >= -0.5f && weights.all[i] <= 0.5f);
	bw_text_free(&text);
}

static void test_origin(void **state)
{
	struct bw_weights weights, read;
	struct bw_text text = drawn_file(&weights);
	struct bw_error error = {0};
	bw_text_free(&text);
	weights.origin = (struct bw_weights_origin){.known = true, .device = "A \"test\" device", .cpu = true, .pipelines = 3, .samples = 400, .steps = 5000};
	bw_weights_print(&weights, &text);
	assert_true(bw_weights_parse("w", text.bytes, text.length, &read, &error));
	assert_true(read.origin.known && read.origin.cpu);
	assert_string_equal(read.origin.device, "A \"test\" device");
	assert_int_equal(read.origin.pipelines, 3);
	assert_int_equal(read.origin.samples, 400);
	assert_int_equal(read.origin.steps, 5000);
	assert_true(bw_weights_hash(&read) == bw_weights_hash(&weights));
	bw_text_free(&text);
}

static void test_refused(void **state)
{
	static const struct {
		size_t at, length; /* a byte that is set, 0: none; bytes of the file */
		int byte;
		const char *says;
	} cases[] = {
		{0, 0, 0, "w: it ends after 0 bytes, in the signature"},
		{3, HALIDE_BYTES, 'x', "w: no weights file: it begins with 78776631, expected 68776631"},
		{4, HALIDE_BYTES, 2, "w: the version of the pipeline features is 2, expected 3"},
		{8, HALIDE_BYTES, 4, "w: the version of the schedule features is 4, expected 3"},
		{12, HALIDE_BYTES, 5, "w: the number of buffers is 5, expected 6"},
		{16, HALIDE_BYTES, 2, "w: the number of dimensions of head1_filter is 2, expected 3"},
		{24, HALIDE_BYTES, 39, "w: extent 1 of head1_filter is 39, expected 40"},
		{9040, HALIDE_BYTES, 72, "w: extent 1 of head2_filter is 72, expected 73"},
		{0, 20, 0, "w: it ends after 20 bytes, in extent 0 of head1_filter"},
		{0, 20399, 0, "w: it ends after 20399 bytes, in conv1_bias"},
		{0, 20396, 0, "w: it ends after 20396 bytes, in conv1_bias"},
		{0, HALIDE_BYTES + 1, 0, "w: 1 bytes follow the weights, and do not say where these come from"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_weights weights, read;
		struct bw_text text = drawn_file(&weights);
		struct bw_error error = {0};
		bw_text_append(&text, "", 1);
		if (cases[i].at)
			text.bytes[cases[i].at] = (char)cases[i].byte;
		assert_false(bw_weights_parse("w", text.bytes, cases[i].length, &read, &error));
		assert_string_equal(error.text, cases[i].says);
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		bw_text_free(&text);
	}
}

static void test_not_finite(void **state)
{
	struct bw_weights weights, read;
	struct bw_text text = drawn_file(&weights);
	struct bw_error error = {0};
	memcpy(text.bytes + HALIDE_BYTES - 4, "\0\0\xc0\x7f", 4);
	assert_false(bw_weights_parse("w", text.bytes, text.length, &read, &error));
	assert_string_equal(error.text, "w: conv1_bias[31] is not a finite number");
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_read_back), cmocka_unit_test(test_origin), cmocka_unit_test(test_refused), cmocka_unit_test(test_not_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

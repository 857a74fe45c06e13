/* Each opcode against values worked out by hand from the PTX ISA: opcodes.table has a line for each case, "OPCODE SOURCES = RESULTS". Every case runs as a
 * kernel of its own, with a whole warp and with five threads, which take different ways through the interpreter. An opcode of the tables without a
 * line fails. A '#' in an opcode stands for 16, 32 and 64 in turn.
 *
 * Values: decimal or 0x... integers, cut to the register's size; 1.5f, -0f, inff, nanf (PTX's NaN, 0x7fffffff) for 32-bit floats, 1.5d for 64-bit ones; ~1.5f: within
 * 2^-21 of it; predicates are 0 and 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "emulator/launch.h"
#include "emulator/number.h"
#include "emulator/opcode.h"

enum { MOST_VALUES = 8, MOST_NAMES = 2000 };

struct value {
	uint64_t bits;
	char kind; /* i f d */
	bool roughly;
};

struct test_case {
	char name[80];
	struct value from[MOST_VALUES], to[MOST_VALUES];
	int n_from, n_to, line;
};

static char covered[MOST_NAMES][80];
static int n_covered;

static struct value read_value(const char *text, int line)
{
	struct value value = {.kind = 'i', .roughly = *text == '~'};
	text += value.roughly;
	size_t length = strlen(text);
	char last = length ? text[length - 1] : 0, *end;
	bool hexadecimal = strstr(text, "0x") != NULL;
	if (last == 'f' && !hexadecimal) {
		value.kind = 'f';
		float number = strtof(text, &end);
		value.bits = number == number ? bw_bits_of_float(number) : 0x7fffffff;
	} else if (last == 'd' && !hexadecimal) {
		value.kind = 'd';
		value.bits = bw_bits_of_double(strtod(text, &end));
	} else {
		value.bits = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
		if (*end)
			fail_msg("line %d: \"%s\" is no value", line, text);
	}
	return value;
}

/* The letters of the operands before '=' or after it. */
static const char *letters_of(const struct bw_opcode *opcode, bool sources)
{
	const char *equals = strchr(opcode->operands, '=');
	return sources ? equals + 1 : opcode->operands;
}

/* Bytes of an operand's register; 0: a predicate. */
static int bytes_of(const struct bw_opcode *opcode, char letter)
{
	int bytes = letter == 'W' ? opcode->bytes : letter == 'w' ? opcode->from_bytes : letter >= '1' && letter <= '8' ? letter - '0' : 0;
	return bytes == 1 ? 2 : bytes;
}

/* Writes a kernel that loads the sources from memory, runs the opcode and stores what it gives: 8 bytes for each. */
static void write_kernel(const struct bw_opcode *opcode, const struct test_case *one, char *text, size_t size)
{
	static const char *const kinds[] = {"p", NULL, "h", NULL, "r", NULL, NULL, NULL, "d"};
	size_t n = 0;
#define ADD(...) n += (size_t)snprintf(text + n, size - n, __VA_ARGS__)
	ADD(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %%p<20>;\n.reg .b16 %%h<20>;\n.reg .b32 %%r<20>;\n.reg .b64 %%d<20>;\n.reg .b64 %%in, %%out;\n");
	ADD("ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n");
	const char *letter = letters_of(opcode, true);
	for (int k = 0; k < one->n_from; k++) {
		int bytes = bytes_of(opcode, letter[k]);
		if (bytes)
			ADD("ld.global.b%d %%%s%d, [%%in+%d];\n", 8 * bytes, kinds[bytes], k, 8 * k);
		else
			ADD("ld.global.b32 %%r19, [%%in+%d];\nsetp.ne.u32 %%p%d, %%r19, 0;\n", 8 * k, k);
	}
	ADD("%s ", one->name);
	for (int k = 0; k < one->n_to; k++) {
		int bytes = bytes_of(opcode, opcode->operands[k]);
		ADD("%s%%%s%d", k ? "|" : "", kinds[bytes], 10 + k);
	}
	for (int k = 0; k < one->n_from; k++)
		ADD("%s%%%s%d", k || one->n_to ? ", " : "", kinds[bytes_of(opcode, letter[k])], k);
	ADD(";\n");
	for (int k = 0; k < one->n_to; k++) {
		int bytes = bytes_of(opcode, opcode->operands[k]);
		if (bytes)
			ADD("st.global.b%d [%%out+%d], %%%s%d;\n", 8 * bytes, 8 * k, kinds[bytes], 10 + k);
		else
			ADD("selp.b32 %%r19, 1, 0, %%p%d;\nst.global.b32 [%%out+%d], %%r19;\n", 10 + k, 8 * k);
	}
	ADD("ret;\n}\n");
	assert_true(n < size);
#undef ADD
}

static void run_kernel(const char *text, const uint64_t *in, uint64_t *out, unsigned threads, int line)
{
	struct bw_ptx *module;
	char complaint[300];
	struct bw_memory memory = {.most_bytes = 1 << 20};
	if (bw_ptx_read(text, strlen(text), &module, complaint, sizeof complaint) != BW_PTX_GOOD)
		fail_msg("line %d of the table: %s\n%s", line, complaint, text);
	bw_memory_add(&memory, in, MOST_VALUES * sizeof *in, false);
	bw_memory_add(&memory, out, MOST_VALUES * sizeof *out, false);
	uint64_t parameters[] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out};
	struct bw_ptx_launch launch = {.kernel = module->kernels[0], .memory = &memory, .grid = {1, 1, 1}, .threads = {threads, 1, 1}, .parameters = (unsigned char *)parameters, .most_steps = 10000, .host_threads = 1};
	if (bw_launch_run(&launch))
		fail_msg("line %d of the table: %s", line, launch.fault.text);
	bw_memory_end(&memory);
	bw_ptx_free(module);
}

static bool agrees(const struct value *expected, uint64_t found, int bytes)
{
	uint64_t mask = bytes == 0 || bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
	double a = expected->kind == 'f' ? bw_float_of_bits((uint32_t)expected->bits) : bw_double_of_bits(expected->bits), b = expected->kind == 'f' ? bw_float_of_bits((uint32_t)found) : bw_double_of_bits(found);
	if (expected->roughly)
		return fabs(a - b) <= fabs(a) * 0x1p-21;
	return (expected->bits & mask) == (found & mask);
}

static void run_case(const struct test_case *one)
{
	struct bw_opcode opcode;
	char text[4000];
	if (!bw_opcode_find(one->name, &opcode))
		fail_msg("line %d of the table: there is no opcode %s", one->line, one->name);
	snprintf(covered[n_covered++], sizeof covered[0], "%s", one->name);
	assert_true(n_covered < MOST_NAMES);
	write_kernel(&opcode, one, text, sizeof text);
	static const unsigned threads[] = {BW_LANES, 5};
	for (int t = 0; t < 2; t++) {
		uint64_t in[MOST_VALUES] = {0}, out[MOST_VALUES] = {0};
		for (int k = 0; k < one->n_from; k++)
			in[k] = one->from[k].bits;
		run_kernel(text, in, out, threads[t], one->line);
		for (int k = 0; k < one->n_to; k++)
			if (!agrees(&one->to[k], out[k], bytes_of(&opcode, opcode.operands[k])))
				fail_msg("line %d of the table: %s with %u threads: result %d is 0x%llx, not 0x%llx", one->line, one->name, threads[t], k, (unsigned long long)out[k], (unsigned long long)one->to[k].bits);
	}
}

/* Reads a line; false if it has no case. */
static bool read_case(char *text, int line, struct test_case *one)
{
	*one = (struct test_case){.line = line};
	bool results = false;
	int n = 0;
	for (char *word = strtok(text, " \t\n"); word; word = strtok(NULL, " \t\n"), n++) {
		if (*word == '/')
			break;
		if (n == 0)
			snprintf(one->name, sizeof one->name, "%s", word);
		else if (!strcmp(word, "="))
			results = true;
		else if (results)
			one->to[one->n_to++] = read_value(word, line);
		else
			one->from[one->n_from++] = read_value(word, line);
	}
	return n > 0;
}

static void table(void **state)
{
	char path[4096], text[400];
	snprintf(path, sizeof path, "%s/tests/emulator/opcodes.table", getenv("BW_SRC") ? getenv("BW_SRC") : ".");
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	for (int line = 1; fgets(text, sizeof text, file); line++) {
		struct test_case one;
		if (!read_case(text, line, &one))
			continue;
		char *size = strchr(one.name, '#'), rest[80];
		if (!size) {
			run_case(&one);
			continue;
		}
		snprintf(rest, sizeof rest, "%s", size + 1);
		for (int bits = 16; bits <= 64; bits *= 2) {
			snprintf(size, sizeof one.name - (size_t)(size - one.name), "%d%s", bits, rest);
			run_case(&one);
		}
	}
	fclose(file);
}

static bool is_covered(const char *name)
{
	for (int k = 0; k < n_covered; k++)
		if (!strcmp(covered[k], name))
			return true;
	return false;
}

/* Every row of the tables has a case; those between the lanes of a warp have theirs in kernels.c. */
static void complete(void **state)
{
	static const struct bw_opcode_row *const tables[] = {bw_integer_rows, bw_float_rows, bw_half_rows, bw_carry_rows};
	int missing = 0;
	for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
		for (const struct bw_opcode_row *row = tables[k]; row->name; row++)
			if (!is_covered(row->name)) {
				print_message("# no case for %s\n", row->name);
				missing++;
			}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(complete)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "emulator/latency.h"

#include <string.h>

#include "emulator/warp.h"

/* Cycles of an instruction, by the beginning of its opcode; all others take `PLAIN`, or `WIDE` for 64
 * bits. Moves, address casts and parameters cost nothing: the assembler folds them into other
 * instructions' operands. */
enum { PLAIN = 4, WIDE = 8, FUNCTION = 20, DIVISION = 80, WORDS_OF_PLACE = 4 };
static const struct {
	const char *begins;
	uint8_t cycles;
} classes[] = {{"mov.", 0},
	       {"cvta.", 0},
	       {"ld.param", 0},
	       {"st.param", 0},
	       {"div.", DIVISION},
	       {"rem.", DIVISION},
	       {"rcp.", FUNCTION},
	       {"sqrt.", FUNCTION},
	       {"rsqrt.", FUNCTION},
	       {"ex2.", FUNCTION},
	       {"lg2.", FUNCTION},
	       {"sin.", FUNCTION},
	       {"cos.", FUNCTION},
	       {"tanh.", FUNCTION},
	       {"shfl.", BW_LATENCY_SHARED}};

static uint8_t cycles_of(const char *opcode)
{
	for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
		if (!strncmp(opcode, classes[k].begins, strlen(classes[k].begins)))
			return classes[k].cycles;
	return strstr(opcode, "64") ? WIDE : PLAIN;
}

void bw_latency_find(struct bw_ptx *module)
{
	for (int n = 0; n < module->n_kernels; n++)
		for (int k = 0; k < module->kernels[n]->n_code; k++) {
			struct bw_ptx_instruction *instruction = &module->kernels[n]->code[k];
			if (instruction->opcode >= 0)
				instruction->cycles = cycles_of(module->opcodes[instruction->opcode]);
		}
}

void bw_latency_begin(struct bw_warp *warp)
{
	warp->pace.begun = warp->pace.last = warp->block->begun;
	warp->pace.issued = 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void bw_latency_add(const struct bw_ptx_instruction *instruction, struct bw_warp *warp)
{
	struct bw_pace *pace = &warp->pace;
	unsigned loaded = warp->block->loaded, cycles = loaded ? loaded : instruction->cycles;
	uint64_t start = pace->begun;
	for (int k = 0; k < instruction->n_from; k++)
		if (!instruction->from[k].constant)
			start = later(start, pace->ready[instruction->from[k].at / WORDS_OF_PLACE]);
	if (instruction->guard.bytes == 0)
		start = later(start, pace->ready[instruction->guard.at / WORDS_OF_PLACE]);
	for (int k = 0; k < instruction->n_to; k++)
		pace->ready[instruction->to[k].at / WORDS_OF_PLACE] = start + cycles;
	pace->issued += cycles > 0;
	pace->last = later(pace->last, start);
	if (instruction->action == BW_ACTION_RUN)
		return;
	pace->begun = later(pace->begun + pace->issued, pace->last) +
		      (instruction->action == BW_ACTION_BRANCH ? PLAIN : 0);
	pace->issued = 0;
}

uint64_t bw_latency_meet(struct bw_block *block)
{
	uint64_t when = 0;
	for (int w = 0; w < block->n_warps; w++)
		when = later(when, block->warps[w].pace.begun);
	for (int w = 0; w < block->n_warps; w++)
		block->warps[w].pace.begun = when;
	return when;
}

uint64_t bw_latency_end(struct bw_block *block)
{
	uint64_t when = bw_latency_meet(block), cycles = when - block->begun;
	block->begun = when + BW_LATENCY_BEYOND_L1; /* all loads of this block have arrived by then */
	return cycles;
}

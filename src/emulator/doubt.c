#include "emulator/check.h"

#include <stdlib.h>

#include "emulator/warp.h"

/* How an instruction moves bits. */
enum flow {
	FLOW_ALL,
	FLOW_MOVE,
	FLOW_JOIN,
	FLOW_MASK,
	FLOW_CHOOSE,
	FLOW_LEFT,
	FLOW_RIGHT,
	FLOW_INSERT,
	FLOW_EXTRACT,
	FLOW_PERMUTE,
	FLOW_CONVERT
};

static const struct {
	const char *prefix;
	enum flow flow;
} flows[] = {{"mov.", FLOW_MOVE},    {"not.b", FLOW_MOVE},   {"or.b", FLOW_JOIN},     {"xor.b", FLOW_JOIN},
	     {"and.b", FLOW_MASK},   {"selp.", FLOW_CHOOSE}, {"shl.b", FLOW_LEFT},    {"shr.", FLOW_RIGHT},
	     {"bfi.b", FLOW_INSERT}, {"bfe.", FLOW_EXTRACT}, {"cvt.u", FLOW_CONVERT}, {"cvt.s", FLOW_CONVERT}};

/* An instruction in a lane. */
struct move {
	const struct bw_ptx_instruction *instruction;
	struct bw_warp *warp;
	int lane;
	const char *opcode;
};

static uint64_t low_bits(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Returns the low `bits` bits of the number, sign-extended if is_signed, else zero-extended. */
static uint64_t extended(uint64_t number, unsigned bits, bool is_signed)
{
	number &= low_bits(bits);
	return is_signed && bits && number >> (bits - 1) & 1 ? number | ~low_bits(bits) : number;
}

uint64_t bw_doubts_get(const struct bw_warp *warp, const struct bw_operand *operand, int lane)
{
	if (operand->constant || !warp->doubtful)
		return 0;
	const unsigned char *at = warp->doubts + operand->at;
	return operand->bytes ? bw_lane_get(at, operand->bytes, lane)
			      : -(uint64_t)(*(const uint32_t *)at >> lane & 1);
}

void bw_doubts_put(struct bw_warp *warp, const struct bw_operand *operand, int lane, uint64_t bits)
{
	if (operand->constant || (!bits && !warp->doubtful))
		return;
	unsigned char *at = warp->doubts + operand->at;
	uint32_t *word = (uint32_t *)at;
	warp->doubtful = true;
	if (operand->bytes)
		bw_lane_put(at, operand->bytes, lane, bits);
	else
		*word = (*word & ~(1u << lane)) | (bits ? 1u << lane : 0);
}

uint32_t bw_doubts_of(const struct bw_warp *warp, const struct bw_operand *operand)
{
	uint32_t lanes = 0;
	for (int l = 0; l < BW_LANES && warp->doubtful && !operand->constant; l++)
		lanes |= (uint32_t)(bw_doubts_get(warp, operand, l) != 0) << l;
	return lanes;
}

void bw_doubts_set(struct bw_warp *warp, const struct bw_operand *operand, uint32_t mask, uint32_t value)
{
	if (!warp->doubtful && !(mask & value))
		return;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bw_doubts_put(warp, operand, l, -(uint64_t)(value >> l & 1));
	}
}

static enum flow flow_of(const char *opcode)
{
	for (size_t k = 0; k < sizeof flows / sizeof *flows; k++)
		if (!strncmp(opcode, flows[k].prefix, strlen(flows[k].prefix)))
			return flows[k].flow;
	return strcmp(opcode, "prmt.b32") ? FLOW_ALL : FLOW_PERMUTE;
}

static uint64_t doubts(const struct move *move, int k)
{
	return bw_doubts_get(move->warp, &move->instruction->from[k], move->lane);
}

static uint64_t value(const struct move *move, int k)
{
	const struct bw_operand *from = &move->instruction->from[k];
	const unsigned char *lanes = bw_from(move->instruction, move->warp, k);
	return from->bytes ? bw_lane_get(lanes, from->bytes, move->lane)
			   : *(const uint32_t *)lanes >> move->lane & 1;
}

/* Returns the doubts of the result of cvt on an integer: .ATYPE.BTYPE, without saturation. */
static uint64_t converted(const struct move *move)
{
	char *from, *end;
	unsigned to_bits = (unsigned)strtoul(move->opcode + 5, &from, 10), from_bits;
	bool is_signed = move->opcode[4] == 's';
	if (from[0] != '.' || (from[1] != 'u' && from[1] != 's'))
		return -(uint64_t)(doubts(move, 0) != 0);
	from_bits = (unsigned)strtoul(from + 2, &end, 10);
	if (*end)
		return -(uint64_t)(doubts(move, 0) != 0);
	return extended(extended(doubts(move, 0), from_bits, from[1] == 's'), to_bits, is_signed);
}

/* Returns the doubts of the bytes that prmt takes from two registers. If the highest bit of a selector is
 * set, prmt copies the byte's sign bit eight times. */
static uint64_t permuted(const struct move *move)
{
	uint64_t both = doubts(move, 0) | doubts(move, 1) << 32, selectors = value(move, 2), bits = 0;
	for (int b = 0; b < 4; b++) {
		uint64_t byte = both >> 8 * (selectors >> 4 * b & 7) & 255;
		if (selectors >> 4 * b & 8)
			byte = byte & 128 ? 255 : 0;
		bits |= byte << 8 * b;
	}
	return bits;
}

/* Returns the doubts after inserting a bit field into a register, or extracting one from it. */
static uint64_t part_of(const struct move *move, bool inserts)
{
	unsigned width = 8u * move->instruction->to[0].bytes, first = inserts ? 2 : 1;
	unsigned at = value(move, (int)first) & 255, length = value(move, (int)first + 1) & 255;
	at = at < width ? at : width;
	length = length < width - at ? length : width - at;
	if (!inserts)
		return extended(at < 64 ? doubts(move, 0) >> at : 0, length, move->opcode[4] == 's');
	uint64_t window = at < 64 ? low_bits(length) << at : 0;
	return (doubts(move, 1) & ~window) | (at < 64 ? doubts(move, 0) << at & window : 0);
}

static uint64_t shifted(const struct move *move, bool left)
{
	unsigned width = 8u * move->instruction->to[0].bytes, by = (unsigned)value(move, 1);
	bool is_signed = move->opcode[4] == 's';
	uint64_t bits = extended(doubts(move, 0), width, !left && is_signed);
	if (!left && is_signed)
		return (uint64_t)((int64_t)bits >> (by < width ? by : width - 1));
	return by >= width ? 0 : left ? bits << by : bits >> by;
}

/* Returns the doubts of a packing move's sources, concatenated as the move packs their values. */
static uint64_t joined(const struct move *move)
{
	uint64_t bits = 0;
	for (int k = 0, at = 0; k < move->instruction->n_from; at += 8 * move->instruction->from[k++].bytes)
		bits |= at < 64 ? doubts(move, k) << at : 0;
	return bits;
}

/* Returns the doubtful bits of the result; all bits if the operand that selects the bits to move is
 * doubtful. */
static uint64_t moved(const struct move *move, enum flow flow)
{
	int controls = flow == FLOW_CHOOSE || flow == FLOW_INSERT || flow == FLOW_PERMUTE ? 2
		       : flow == FLOW_LEFT || flow == FLOW_RIGHT || flow == FLOW_EXTRACT	 ? 1
												 : BW_MOST_SOURCES;
	for (int k = controls; k < move->instruction->n_from; k++)
		if (doubts(move, k))
			return UINT64_MAX;
	switch (flow) {
	case FLOW_MOVE:
		return joined(move);
	case FLOW_JOIN:
		return doubts(move, 0) | doubts(move, 1);
	case FLOW_MASK:
		return (doubts(move, 0) & (doubts(move, 1) | value(move, 1))) |
		       (doubts(move, 1) & (doubts(move, 0) | value(move, 0)));
	case FLOW_CHOOSE:
		return doubts(move, value(move, 2) ? 0 : 1);
	case FLOW_LEFT:
	case FLOW_RIGHT:
		return shifted(move, flow == FLOW_LEFT);
	case FLOW_INSERT:
	case FLOW_EXTRACT:
		return part_of(move, flow == FLOW_INSERT);
	case FLOW_PERMUTE:
		return permuted(move);
	case FLOW_CONVERT:
		return converted(move);
	case FLOW_ALL:
		break;
	}
	return UINT64_MAX;
}

void bw_check_flow(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask)
{
	if (!warp->doubtful)
		return;
	uint32_t sum = 0;
	for (int k = 0; k < instruction->n_from; k++)
		sum |= bw_doubts_of(warp, &instruction->from[k]);
	const char *opcode =
	    instruction->opcode >= 0 ? warp->block->kernel->module->opcodes[instruction->opcode] : "";
	enum flow flow = sum & mask ? flow_of(opcode) : FLOW_ALL;
	for (uint32_t left = mask; left && flow != FLOW_ALL; left &= left - 1) {
		struct move move = {instruction, warp, __builtin_ctz(left), opcode};
		uint64_t bits = sum >> move.lane & 1 ? moved(&move, flow) : 0;
		for (int k = 0, at = 0; k < instruction->n_to; at += 8 * instruction->to[k++].bytes)
			bw_doubts_put(warp, &instruction->to[k], move.lane, bits >> at);
	}
	for (int k = 0; k < instruction->n_to && flow == FLOW_ALL; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, sum);
}

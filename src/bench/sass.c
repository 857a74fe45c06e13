/* Reads SASS. An instruction has 16 bytes. The first 8 bytes have the opcode in bits 0 to 8, the form of the
 * operands in the bits above, and the predicate in bits 12 to 15 (7: always). The second 8 bytes have the
 * width of a memory access in bits 9 to 11. A branch has the distance from the next instruction in bits 32 to
 * 81; from sm_90 on, in words, with the lowest 8 bits from bit 16 on. An opcode that is not in the table is
 * counted, and execution goes on to the next instruction. */
#include "bench/sass.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/device_code.h"

enum { INSTRUCTION = 16, ALWAYS = 7, MOST_INSTRUCTIONS = 1 << 22 };

/* Mnemonic, opcode, kind, flow. */
#define OPCODE_TABLE(X) \
	X(FMUL, 0x020, FLOAT, ON) X(FADD, 0x021, FLOAT, ON) X(FFMA, 0x023, FLOAT, ON) \
	X(LD, 0x180, GLOBAL_LOAD, ON) X(LDG, 0x181, GLOBAL_LOAD, ON) X(ST, 0x185, GLOBAL_STORE, ON) X(STG, 0x186, GLOBAL_STORE, ON) \
	X(LDS, 0x184, SHARED_LOAD, ON) X(STS, 0x188, SHARED_STORE, ON) X(LDL, 0x183, LOCAL_LOAD, ON) X(STL, 0x187, LOCAL_STORE, ON) \
	X(BRA, 0x147, OTHER, BRANCH) X(EXIT, 0x14d, OTHER, END) X(RET, 0x150, OTHER, END) X(NOP, 0x118, NOTHING, ON)

static struct bw_sass_instruction instruction_of(uint64_t low, uint64_t high)
{
	static const uint8_t widths[] = {1, 1, 2, 2, 4, 8, 16, 0};
	struct bw_sass_instruction it = {
	    .kind = BW_SASS_OTHER, .target = -1, .predicated = (low >> 12 & 15) != ALWAYS, .opcode = low & 0x1ff};
	switch (low & 0x1ff) {
#define X(name, opcode, of, to) \
	case opcode: \
		it.kind = BW_SASS_##of; \
		it.flow = BW_SASS_##to; \
		break;
		OPCODE_TABLE(X)
#undef X
	}
	if (it.kind >= BW_SASS_GLOBAL_LOAD && it.kind <= BW_SASS_LOCAL_STORE)
		it.bytes = widths[high >> 9 & 7];
	return it;
}

/* Names of further opcodes, which are only counted. */
#define NAME_TABLE(X) \
	X(0x002, MOV) X(0x005, CS2R) X(0x006, VOTE) X(0x007, SEL) X(0x008, FSEL) X(0x009, FMNMX) X(0x00b, FSETP) X(0x00c, ISETP) \
	X(0x010, IADD3) X(0x011, LEA) X(0x012, LOP3) X(0x013, IABS) X(0x016, PRMT) X(0x017, IMNMX) X(0x019, SHF) X(0x01c, PLOP3) \
	X(0x024, IMAD) X(0x025, IMAD.WIDE) X(0x027, IMAD.HI) X(0x028, DMUL) X(0x029, DADD) X(0x02a, DSETP) X(0x02b, DFMA) \
	X(0x104, F2F) X(0x105, F2I) X(0x106, I2F) X(0x108, MUFU) X(0x119, S2R) X(0x11d, BAR) X(0x141, BSYNC) X(0x145, BSSY) \
	X(0x082, UMOV) X(0x087, USEL) X(0x08c, UISETP) X(0x090, UIADD3) X(0x091, ULEA) X(0x092, ULOP3) X(0x099, USHF) X(0x0a4, UIMAD) \
	X(0x0b9, ULDC) X(0x182, LDC) X(0x1c2, R2UR) X(0x1c3, S2UR) X(0x01a, SGXT) X(0x035, HFMA2.MMA) X(0x100, FLO) \
	X(0x102, FCHK) X(0x142, BREAK) X(0x144, CALL) X(0x148, WARPSYNC) X(0x189, SHFL) X(0x18c, ATOMS) X(0x1a8, ATOMG)

void bw_sass_words(const struct bw_sass_instruction *it, char *text, size_t size)
{
	static const struct {
		uint16_t opcode;
		const char *name;
	} names[] = {
#define X(name, opcode, of, to) {opcode, #name},
	    OPCODE_TABLE(X)
#undef X
#define X(opcode, name) {opcode, #name},
	    NAME_TABLE(X)
#undef X
	};
	size_t k = 0;
	while (k < sizeof names / sizeof *names && names[k].opcode != it->opcode)
		k++;
	const char *predicate = it->predicated ? "@P " : "";
	if (k == sizeof names / sizeof *names)
		snprintf(text, size, "%sopcode 0x%03x", predicate, it->opcode);
	else if (it->bytes)
		snprintf(text, size, "%s%s.%d", predicate, names[k].name, 8 * it->bytes);
	else
		snprintf(text, size, "%s%s", predicate, names[k].name);
}

/* Returns the bytes from the next instruction to the target of a branch. */
static int64_t distance_of(uint64_t low, uint64_t high, int sm)
{
	uint64_t field = low >> 32 | (high & 0x3ffff) << 32;
	if (sm >= 90)
		field = (field >> 2 << 8 | (low >> 16 & 0xff)) << 2;
	enum { BITS = 50 }; /* bits of the distance in both forms */
	unsigned unused = 64 - BITS - (sm >= 90 ? 8 : 0);
	return (int64_t)(field << unused) >> unused;
}

/* State of reading a cubin. */
struct reading {
	const char *name, *bytes;
	size_t length;
	int sm;
	Elf64_Ehdr header;
	struct bw_sass *sass;
	int *kernel_of; /* per section: index of its kernel; -1: none */
};

static bool fail(const struct reading *reading, struct bw_error *error, const char *why)
{
	return bw_fail(error, BW_ERROR_INPUT, "%s: %s", reading->name, why);
}

static bool section_at(const struct reading *reading, unsigned k, Elf64_Shdr *section)
{
	const unsigned char *bytes = (const unsigned char *)reading->bytes;
	return bw_object_section(bytes, reading->length, &reading->header, k, section) &&
	       section->sh_type != SHT_NOBITS;
}

/* Returns a section's name, or "" if it has none. The name is terminated, because a 0 follows the file. */
static const char *name_of(const struct reading *reading, const Elf64_Shdr *section)
{
	Elf64_Shdr names;
	if (!section_at(reading, reading->header.e_shstrndx, &names) || section->sh_name >= names.sh_size)
		return "";
	return reading->bytes + names.sh_offset + section->sh_name;
}

/* Finds the section of a name. */
static bool find_section(const struct reading *reading, const char *name, Elf64_Shdr *section)
{
	for (unsigned k = 0; k < reading->header.e_shnum; k++)
		if (section_at(reading, k, section) && !strcmp(name_of(reading, section), name))
			return true;
	return false;
}

static void read_code(const struct reading *reading, const Elf64_Shdr *section, struct bw_sass_kernel *kernel)
{
	kernel->n = (int)(section->sh_size / INSTRUCTION);
	kernel->code = BW_NEW_ARRAY(struct bw_sass_instruction, kernel->n + 1);
	for (int k = 0; k < kernel->n; k++) {
		uint64_t words[2];
		memcpy(words, reading->bytes + section->sh_offset + (size_t)k * INSTRUCTION, sizeof words);
		kernel->code[k] = instruction_of(words[0], words[1]);
		if (kernel->code[k].flow != BW_SASS_BRANCH)
			continue;
		int64_t to = k + 1 + distance_of(words[0], words[1], reading->sm) / INSTRUCTION;
		kernel->code[k].target = to >= 0 && to < kernel->n ? (int)to : -1;
	}
}

static bool read_kernels(struct reading *reading, struct bw_error *error)
{
	static const char text[] = ".text.";
	struct bw_sass *sass = reading->sass;
	size_t n = 0;
	reading->kernel_of = BW_NEW_ARRAY(int, reading->header.e_shnum + 1);
	sass->kernels = BW_NEW_ARRAY(struct bw_sass_kernel, reading->header.e_shnum + 1);
	for (unsigned k = 0; k < reading->header.e_shnum; k++) {
		Elf64_Shdr section;
		reading->kernel_of[k] = -1;
		if (!section_at(reading, k, &section))
			continue;
		const char *name = name_of(reading, &section);
		if (strncmp(name, text, sizeof text - 1) != 0)
			continue;
		n += section.sh_size / INSTRUCTION;
		if (n > MOST_INSTRUCTIONS)
			return fail(reading, error, "it has more instructions than are read");
		reading->kernel_of[k] = sass->n;
		sass->kernels[sass->n].name = name + sizeof text - 1;
		read_code(reading, &section, &sass->kernels[sass->n++]);
	}
	return sass->n || fail(reading, error, "it has no code");
}

/* Line numbers: a DWARF 2 line program. Relocations give its addresses. */

struct lines {
	const struct reading *reading;
	const unsigned char *at, *end, *begin; /* begin: of the section; relocations are offsets from it */
	const char *relocations, *symbols;
	size_t n_relocations, n_symbols, relocation_size;
	struct bw_sass_kernel *kernel; /* kernel that contains the address; NULL: none */
	uint64_t address;
	int64_t line;
	int last; /* index of the first instruction whose line is not set */
};

static uint64_t take(struct lines *lines, size_t bytes)
{
	uint64_t value = 0;
	size_t left = (size_t)(lines->end - lines->at), n = bytes < left ? bytes : left;
	memcpy(&value, lines->at, n < sizeof value ? n : sizeof value);
	lines->at += n;
	return value;
}

static uint64_t take_leb(struct lines *lines, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0, byte;
	do {
		byte = (unsigned)take(lines, 1);
		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80 && lines->at < lines->end);
	return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

/* Handles a row of the line table: sets the line of the instructions up to the address, where the row
 * begins. */
static void put_row(struct lines *lines, int line)
{
	int to = lines->kernel && lines->address / INSTRUCTION < (uint64_t)lines->kernel->n
			 ? (int)(lines->address / INSTRUCTION)
			 : lines->kernel ? lines->kernel->n
					 : 0;
	for (; lines->last < to; lines->last++)
		lines->kernel->code[lines->last].line = line;
}

/* Returns the kernel of the relocation at this place, and adds the relocation's addend to *address. Returns
 * NULL if there is no such relocation. */
static struct bw_sass_kernel *relocated(const struct lines *lines, uint64_t place, uint64_t *address)
{
	for (size_t k = 0; k < lines->n_relocations; k++) {
		Elf64_Rela relocation = {0};
		Elf64_Sym symbol;
		memcpy(&relocation, lines->relocations + k * lines->relocation_size, lines->relocation_size);
		uint64_t which = ELF64_R_SYM(relocation.r_info);
		if (relocation.r_offset != place || which >= lines->n_symbols)
			continue;
		memcpy(&symbol, lines->symbols + which * sizeof symbol, sizeof symbol);
		*address += (uint64_t)relocation.r_addend;
		const struct reading *reading = lines->reading;
		int kernel = symbol.st_shndx < reading->header.e_shnum ? reading->kernel_of[symbol.st_shndx] : -1;
		return kernel < 0 ? NULL : &reading->sass->kernels[kernel];
	}
	return NULL;
}

static void begin_sequence(struct lines *lines)
{
	lines->kernel = NULL;
	lines->address = 0;
	lines->line = 1;
	lines->last = INT32_MAX;
}

static void run_extended(struct lines *lines)
{
	enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
	uint64_t length = take_leb(lines, false), place;
	if (!length || length > (uint64_t)(lines->end - lines->at)) {
		lines->at = lines->end;
		return;
	}
	const unsigned char *next = lines->at + length;
	switch (take(lines, 1)) {
	case END_SEQUENCE:
		begin_sequence(lines);
		break;
	case SET_ADDRESS:
		place = (uint64_t)(lines->at - lines->begin);
		lines->address = take(lines, 8);
		lines->kernel = relocated(lines, place, &lines->address);
		lines->last = lines->kernel && lines->address / INSTRUCTION < (uint64_t)lines->kernel->n
				  ? (int)(lines->address / INSTRUCTION)
				  : INT32_MAX;
		break;
	}
	lines->at = next;
}

/* Runs the line program of one unit. lengths: number of arguments per standard opcode. */
static void run_lines(struct lines *lines, const unsigned char *lengths, int base, int range, int first,
		      int least)
{
	enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
	int line = 0; /* line of the previous row */
	begin_sequence(lines);
	while (lines->at < lines->end) {
		int opcode = (int)take(lines, 1);
		bool row = opcode == COPY || opcode >= first;
		uint64_t step = 0;
		if (opcode >= first) {
			step = (uint64_t)((opcode - first) / range * least);
			lines->line = (int64_t)((uint64_t)lines->line + (uint64_t)(base + (opcode - first) % range));
		} else if (opcode == 0) {
			run_extended(lines);
		} else if (opcode == ADVANCE_PC) {
			step = take_leb(lines, false) * (uint64_t)least;
		} else if (opcode == ADVANCE_LINE) {
			lines->line = (int64_t)((uint64_t)lines->line + take_leb(lines, true));
		} else if (opcode == CONST_ADD_PC) {
			step = (uint64_t)((255 - first) / range * least);
		} else if (opcode == FIXED_ADVANCE_PC) {
			step = take(lines, 2);
		} else {
			for (int k = 0; k < lengths[opcode - 1] && opcode != COPY; k++)
				take_leb(lines, false);
		}
		lines->address += step;
		if (step)
			put_row(lines, line);
		if (row)
			line = lines->line > 0 && lines->line < INT32_MAX ? (int)lines->line : 0;
	}
}

/* Reads the header of a unit and runs it. */
static void read_unit(struct lines *all)
{
	struct lines lines = *all;
	uint64_t length = take(&lines, 4);
	if (length > (uint64_t)(all->end - lines.at))
		length = (uint64_t)(all->end - lines.at);
	all->at = lines.end = lines.at + length;
	take(&lines, 2);
	uint64_t header = take(&lines, 4);
	uint64_t left = (uint64_t)(lines.end - lines.at);
	const unsigned char *program = lines.at + (header < left ? header : left);
	int least = (int)take(&lines, 1);
	take(&lines, 1);
	int base = (int8_t)take(&lines, 1), range = (int)take(&lines, 1), first = (int)take(&lines, 1);
	const unsigned char *lengths = lines.at;
	if (range < 1 || first < 10 || lines.end - lengths < first - 1)
		return;
	lines.at = program;
	run_lines(&lines, lengths, base, range, first, least);
}

static void read_lines(const struct reading *reading)
{
	Elf64_Shdr section, relocations, symbols;
	bool adds = find_section(reading, ".rela.nv_debug_line_sass", &relocations);
	if (!find_section(reading, ".nv_debug_line_sass", &section) || !find_section(reading, ".symtab", &symbols) ||
	    (!adds && !find_section(reading, ".rel.nv_debug_line_sass", &relocations)))
		return;
	size_t size = adds ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	struct lines lines = {.reading = reading,
	                      .at = (const unsigned char *)reading->bytes + section.sh_offset,
	                      .relocations = reading->bytes + relocations.sh_offset,
	                      .n_relocations = relocations.sh_size / size,
	                      .relocation_size = size,
	                      .symbols = reading->bytes + symbols.sh_offset,
	                      .n_symbols = symbols.sh_size / sizeof(Elf64_Sym)};
	lines.begin = lines.at;
	lines.end = lines.at + section.sh_size;
	while (lines.end - lines.at > 4)
		read_unit(&lines);
}

struct bw_sass *bw_sass_read(const char *name, const char *cubin, size_t length, int sm,
			     struct bw_error *error)
{
	enum { OLDEST = 70, NEWEST = 90, MACHINE = 190 };
	struct reading reading = {.name = name, .bytes = cubin, .length = length, .sm = sm};
	if (sm < OLDEST || sm > NEWEST)
		return bw_fail(error, BW_ERROR_INPUT, "%s: instructions of sm_%d are not known: sm_%d to sm_%d are", name, sm,
		               OLDEST, NEWEST), NULL;
	memcpy(&reading.header, cubin, length < sizeof reading.header ? length : sizeof reading.header);
	if (length < sizeof reading.header || memcmp(cubin, ELFMAG, SELFMAG) != 0 ||
	    reading.header.e_machine != MACHINE || cubin[EI_CLASS] != ELFCLASS64)
		return fail(&reading, error, "expected a cubin"), NULL;
	reading.sass = BW_NEW(struct bw_sass);
	*reading.sass = (struct bw_sass){0};
	bool good = read_kernels(&reading, error);
	if (good)
		read_lines(&reading);
	else
		bw_sass_free(reading.sass);
	free(reading.kernel_of);
	return good ? reading.sass : NULL;
}

void bw_sass_free(struct bw_sass *sass)
{
	for (int k = 0; sass && k < sass->n; k++)
		free(sass->kernels[k].code);
	if (sass)
		free(sass->kernels);
	free(sass);
}

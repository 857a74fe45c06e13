/* A PTX module in the form in which it runs: for each kernel a flat array of decoded instructions. A register
 * is an array of one element per lane of a warp, so an instruction is one function call for the whole warp.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stage of a Func that each line of PTX computes, if LLVM's comments in the text tell it: LLVM names
 * basic blocks after Halide's loops. */

/* A stage, as the names of Halide's loops identify it. */
struct bw_stage_name {
	char *func;
	int stage; /* 0: the pure definition, k: update k - 1 */
};

/* The stage of the lines from `line` up to the next place. stage: index in bw_places_of_text.stages; -1:
 * unknown. */
struct bw_place {
	int line, stage;
};

/* All places of a text, sorted by line. All zeros if nothing is known. */
struct bw_places_of_text {
	struct bw_stage_name *stages;
	struct bw_place *list;
	int n_stages, n;
};

/* Finds the places in a module's text. Returns false if out of memory. Free with bw_places_end(). */
bool bw_places_read(struct bw_places_of_text *places, const char *text, size_t length);
void bw_places_end(struct bw_places_of_text *places);


/* Number of lanes (threads) of a warp, and the mask of all lanes. */
#define BW_LANES 32
#define BW_ALL_LANES UINT32_MAX
/* The newest supported PTX version (major * 10 + minor), and the supported targets (sm_NN). */
enum { BW_PTX_NEWEST = 90, BW_SM_OLDEST = 30, BW_SM_NEWEST = 90 };
/* The most destinations and sources of an instruction. */
enum { BW_MOST_DESTINATIONS = 4, BW_MOST_SOURCES = 6 };

struct bw_warp;
struct bw_ptx_instruction;

/* Runs an instruction for the lanes of `mask`. Returns false after a fault, which it has recorded in the
 * warp's block. */
typedef bool bw_execute(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask);

/* An operand. at: offset of its lanes' values, in bytes from the start of the warp's registers or of the
 * kernel's constants. */
struct bw_operand {
	uint32_t at;
	uint8_t bytes; /* per lane; 0: a predicate, one word with a bit per lane */
	bool constant;
	uint8_t made_of; /* kind of the stored value: bits of enum bw_made */
};

/* The kind of a value: a floating-point number, or an integer converted from one, perhaps clamped or
 * truncated afterwards. */
enum bw_made { BW_MADE_FLOAT = 1, BW_MADE_ROUNDED = 2 };

enum bw_space {
	BW_SPACE_GENERIC,
	BW_SPACE_GLOBAL,
	BW_SPACE_SHARED,
	BW_SPACE_LOCAL,
	BW_SPACE_CONST,
	BW_SPACE_PARAM
};

/* The interpreter loop's action for an instruction. */
enum bw_action {
	BW_ACTION_RUN,
	BW_ACTION_BRANCH,
	BW_ACTION_EXIT,
	BW_ACTION_BARRIER,
	BW_ACTION_TRAP,
	BW_ACTION_CALL,
	BW_ACTION_RETURN, /* the end of a function's body */
	BW_ACTION_SWITCH  /* while parsing; replaced by branches */
};

/* Why an instruction ends the launch; stored in the instruction's offset. */
enum bw_trap { BW_TRAP_NONE, BW_TRAP_ASSERT, BW_TRAP_PRINTF, BW_TRAP_MALLOC };

struct bw_ptx_instruction {
	bw_execute *execute;
	struct bw_operand to[BW_MOST_DESTINATIONS], from[BW_MOST_SOURCES];
	struct bw_operand guard; /* the instruction's predicate; guard.bytes 1: none */
	bool guard_not, is_signed;
	uint8_t n_to, n_from;
	uint8_t action, space;
	uint8_t bytes;    /* per element of a memory access; for a shuffle, its mode */
	uint8_t order;    /* of a memory access: bits of enum bw_order (emulator/order.h) */
	/* cycles until the result can be used, unless the instruction loads (emulator/count.h) */
	uint8_t cycles;
	int64_t offset;   /* added to the address of a memory access, in bytes */
	/* of a branch or call: the instruction to continue at, and the instruction at which the lanes
	 * reconverge; of an instruction that ends threads inside of a function: the function's end */
	int target, join;
	uint16_t part;    /* index in the kernel's parts */
	/* index in struct bw_counts of the counter that the instruction's threads add to; -1: none */
	int8_t counter;
	/* index in the module's list of opcodes; -1: an instruction that the parser inserted */
	int opcode;
	int line;         /* of the PTX, from 1 */
};

/* A variable of the module or of a kernel, or a parameter of a kernel. */
struct bw_variable {
	char *name;
	enum bw_space space;
	uint64_t at, bytes;    /* offset in its space; of a global or const variable its address */
	unsigned char *memory; /* storage of a global or const variable; else NULL */
};

/* Special registers that vary from block to block or from thread to thread. */
#define BW_SPECIAL_TABLE(X) \
	X(TID_X, "%tid.x") X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y") X(NTID_Z, "%ntid.z") \
	X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z") X(NCTAID_X, "%nctaid.x") X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") \
	X(LANEID, "%laneid") X(WARPID, "%warpid") X(NWARPID, "%nwarpid") X(SMID, "%smid") X(NSMID, "%nsmid") X(DYNAMIC_SHARED, "%dynamic_smem_size") X(TOTAL_SHARED, "%total_smem_size") \
	X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LT, "%lanemask_lt") X(LANEMASK_LE, "%lanemask_le") X(LANEMASK_GT, "%lanemask_gt") X(LANEMASK_GE, "%lanemask_ge")
enum bw_special {
#define X(name, text) BW_SPECIAL_##name,
	BW_SPECIAL_TABLE(X)
#undef X
	BW_SPECIALS
};

/* A basic block of a kernel: instructions that run in sequence. */
struct bw_ptx_part {
	int stage;    /* index in the stages of the module's places; -1: unknown */
	int interval; /* number of barriers before the part in the text */
	int line;     /* line of its first instruction, from 1 */
	int length;   /* number of its counted instructions */
	int group;    /* number of the first part of the same stage and interval */
};

struct bw_ptx_kernel {
	char *name;
	const struct bw_ptx *module;
	struct bw_ptx_instruction *code;
	int n_code, line;
	struct bw_ptx_part *parts;
	int n_parts;
	struct bw_variable *parameters;
	int n_parameters;
	uint32_t parameter_bytes;
	unsigned char *constants; /* values of immediate operands, one for each lane */
	uint32_t constant_bytes, register_bytes; /* register_bytes: of one warp */
	uint32_t shared_bytes, local_bytes; /* per block; per thread */
	uint32_t local_stride; /* bytes from one lane's local memory to the next lane's; a multiple of 16 */
	/* offset of each special register in the warp's registers; 0: unused */
	uint32_t special[BW_SPECIALS];
	int most_threads; /* per block, by .maxntid and .reqntid; 0: unspecified */
	int registers; /* largest number of 32-bit registers that are live at once */
};

struct bw_ptx {
	int version, sm;
	struct bw_ptx_kernel **kernels;
	int n_kernels;
	struct bw_variable *variables;
	int n_variables;
	struct bw_places_of_text places;
	char **opcodes; /* each opcode once, in the order of appearance */
	int n_opcodes;
};

enum bw_ptx_result { BW_PTX_GOOD, BW_PTX_INVALID, BW_PTX_TOO_NEW, BW_PTX_NO_MEMORY };

/* Reads PTX text of `length` bytes. Line 1 is the first line that is neither a comment nor empty. Free the
 * module with bw_ptx_free(). Unless the result is BW_PTX_GOOD, *module is NULL, and `complaint` is a
 * message of one line that tells the line of the text. */
enum bw_ptx_result bw_ptx_read(const char *text, size_t length, struct bw_ptx **module, char *complaint,
			       size_t size);
void bw_ptx_free(struct bw_ptx *module);
/* Divides the instructions of each kernel into parts, and finds each part's stage in the module's places.
 * Returns false if out of memory. */
bool bw_parts_find(struct bw_ptx *module);
/* Writes `, Func gray` or `, Func hist, update 0`: the stage that a line of the kernel computes. If no loop
 * name tells the stage, writes the stage in the kernel's name, unless the kernel has tiles in shared
 * memory, which may be of other stages. Writes nothing if the stage is unknown. */
void bw_kernel_tell_stage(const struct bw_ptx_kernel *kernel, int line, char *text, size_t size);
/* Returns the kernel, or NULL if the module has none of this name. */
struct bw_ptx_kernel *bw_ptx_find(const struct bw_ptx *module, const char *name);

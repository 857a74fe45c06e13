/* A PTX module in the form in which it runs: for each kernel a flat array of decoded instructions. A register
 * is an array of one element per lane of a warp, so an instruction is one function call for the whole warp.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which Func's stage a line of PTX computes, as far as the comments tell that LLVM leaves: it names basic
 * blocks after Halide's loops. */

/* A stage, as loops name it. */
struct bw_stage_name {
	char *func;
	int stage; /* 0: the pure definition, k: update k - 1 */
};

/* The stage of the lines from `line` up to the next place, by number; -1: unknown. */
struct bw_place {
	int line, stage;
};

/* Sorted by line; zeros: nothing is known. */
struct bw_places_of_text {
	struct bw_stage_name *stages;
	struct bw_place *list;
	int n_stages, n;
};

/* Finds the places in a module's text. Returns false if out of memory. Free with bw_places_end(). */
bool bw_places_read(struct bw_places_of_text *places, const char *text, size_t length);
void bw_places_end(struct bw_places_of_text *places);


/* Threads of a warp, and the mask of all of them. */
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

/* The position of an operand's lanes: bytes from the start of the warp's registers or of the kernel's
 * constants. */
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

/* Why an instruction ends the launch, in its offset. */
enum bw_trap { BW_TRAP_NONE, BW_TRAP_ASSERT, BW_TRAP_PRINTF, BW_TRAP_MALLOC };

struct bw_ptx_instruction {
	bw_execute *execute;
	struct bw_operand to[BW_MOST_DESTINATIONS], from[BW_MOST_SOURCES];
	struct bw_operand guard; /* its predicate; bytes 1: none */
	bool guard_not, is_signed;
	uint8_t n_to, n_from;
	uint8_t action, space;
	uint8_t bytes;    /* of each element of a memory access; of shuffles: the mode */
	uint8_t order;    /* of accesses: bits of enum bw_order (emulator/order.h) */
	uint8_t cycles;   /* until its result can be used, unless it loads (emulator/count.h) */
	int64_t offset;   /* added to the address of a memory access, in bytes */
	int target, join; /* of branches and calls: instruction to go to, and where the lanes meet again; of what
			     ends threads in a function: its end */
	uint16_t part;    /* of the kernel's parts */
	int8_t counter;   /* place of the one that its threads go to in struct bw_counts; -1: none */
	int opcode;       /* number in the module's list of opcodes */
	int line;         /* of the PTX, from 1 */
};

/* A variable of the module or of a kernel, or a parameter of a kernel. */
struct bw_variable {
	char *name;
	enum bw_space space;
	uint64_t at, bytes;    /* offset in its space; of global and const ones the address */
	unsigned char *memory; /* of global and const variables; else NULL */
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
	int stage;    /* number in the module's places, as far as the text tells; -1: not told */
	int interval; /* barriers before it in the text */
	int line;     /* of its first instruction, from 1 */
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
	uint32_t constant_bytes, register_bytes; /* of a warp */
	uint32_t shared_bytes, local_bytes; /* of a block, of a thread */
	uint32_t local_stride; /* from one lane's local memory to the next one's: a multiple of 16 */
	uint32_t special[BW_SPECIALS]; /* offset among the warp's registers; 0: unused */
	int most_threads; /* per block, by .maxntid and .reqntid; 0: unspecified */
	int registers; /* 32-bit registers that are live at once, at most */
};

struct bw_ptx {
	int version, sm;
	struct bw_ptx_kernel **kernels;
	int n_kernels;
	struct bw_variable *variables;
	int n_variables;
	struct bw_places_of_text places;
	char **opcodes; /* each once, in the order of appearance */
	int n_opcodes;
};

enum bw_ptx_result { BW_PTX_GOOD, BW_PTX_INVALID, BW_PTX_TOO_NEW, BW_PTX_NO_MEMORY };

/* Reads PTX text of `length` bytes, whose lines count from the first one that is neither a comment nor
 * empty. Unless the result is GOOD, `complaint` is one line that names the line of the text, and *module
 * is NULL. A module is freed by bw_ptx_free(). */
enum bw_ptx_result bw_ptx_read(const char *text, size_t length, struct bw_ptx **module, char *complaint,
			       size_t size);
void bw_ptx_free(struct bw_ptx *module);
/* Divides the kernels' instructions into parts, with the stages of the module's places. Returns false if
 * no memory is left. */
bool bw_parts_find(struct bw_ptx *module);
/* Writes `, Func gray` or `, Func hist, update 0`: the stage that a line of the kernel computes. If no
 * loop tells, writes the stage in the kernel's name, unless the kernel has tiles in shared memory,
 * perhaps of other stages. Writes nothing if it is unknown. */
void bw_kernel_tell_stage(const struct bw_ptx_kernel *kernel, int line, char *text, size_t size);
/* Returns the kernel, or NULL if the module has none of this name. */
struct bw_ptx_kernel *bw_ptx_find(const struct bw_ptx *module, const char *name);

/* The attributes of the device and the texts of errors, as the driver reports them. */
#include "emulator/launch.h"

#include <stdarg.h>
#include <stdio.h>

#include "emulator/warp.h"

/* An A100 of 40 GB, as its driver reports it. */
static const struct {
	int attribute, value;
} attributes[] = {{1, BW_DEVICE_BLOCK_THREADS},
		  {2, 1024},
		  {3, 1024},
		  {4, 64},
		  {5, 2147483647},
		  {6, 65535},
		  {7, 65535},
		  {8, BW_DEVICE_BLOCK_SHARED},
		  {9, 65536},
		  {10, 32},
		  {12, 65536},
		  {13, 1410000},
		  {16, 108},
		  {36, 1215000},
		  {37, 5120},
		  {38, 41943040},
		  {39, 2048},
		  {41, 1},
		  {75, 8},
		  {76, 0},
		  {81, 167936},
		  {82, 65536},
		  {97, 166912},
		  {106, 32},
		  {111, 1024}};

bool bw_device_attribute(int attribute, int *value)
{
	for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
		if (attributes[k].attribute == attribute)
			return *value = attributes[k].value, true;
	return false;
}

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}};

const char *bw_code_name(int code)
{
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].code == code)
			return errors[k].name;
	return NULL;
}

const char *bw_code_text(int code)
{
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].code == code)
			return errors[k].text;
	return NULL;
}

/* Why a launch failed. */

static void tell_thread(const struct bw_block *block, const struct bw_warp *warp, int lane, char *text,
			size_t size)
{
	const unsigned *threads = block->launch->threads;
	unsigned thread = (unsigned)warp->index * BW_LANES + (unsigned)(lane < 0 ? 0 : lane);
	if (lane < 0)
		snprintf(text, size, "warp %d", warp->index);
	else
		snprintf(text, size, "thread (%u, %u, %u)", thread % threads[0],
			 thread / threads[0] % threads[1], thread / threads[0] / threads[1]);
}

bool bw_warp_fail(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int code,
		  const char *format, ...)
{
	struct bw_block *block = warp->block;
	struct bw_ptx_launch *launch = (struct bw_ptx_launch *)block->launch;
	uint64_t number =
	    block->index[0] +
	    (uint64_t)launch->grid[0] * (block->index[1] + (uint64_t)launch->grid[1] * block->index[2]);
	char what[300], thread[80], stage[120];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	tell_thread(block, warp, lane, thread, sizeof thread);
	bw_kernel_tell_stage(block->kernel, instruction->line, stage, sizeof stage);
	const char *opcode =
	    instruction->opcode >= 0 ? block->kernel->module->opcodes[instruction->opcode] : "the end";
	block->failed = true;
	launch->stopped = true;
	pthread_mutex_lock(&launch->lock);
	if (!launch->fault.code || number < launch->fault.block) {
		launch->fault.code = code;
		launch->fault.block = number;
		snprintf(launch->fault.text, sizeof launch->fault.text,
			 "kernel %s%s, block (%u, %u, %u), %s, line %d of the PTX, %s: %s",
			 block->kernel->name, stage, block->index[0], block->index[1], block->index[2],
			 thread, instruction->line, opcode, what);
	}
	pthread_mutex_unlock(&launch->lock);
	return false;
}

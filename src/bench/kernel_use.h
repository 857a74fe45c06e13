/* What compiled kernels take of the device: as the driver that compiled them tells it, or as ptxas does. */
#ifndef BW_BENCH_KERNEL_USE_H
#define BW_BENCH_KERNEL_USE_H

/* The most kernels of a schedule of which it is kept. */
enum { BW_MOST_KERNELS = 128 };

/* One kernel; -1: not known. */
struct bw_kernel_use {
	char name[96];                 /* of the entry, as in the object */
	int registers;                 /* a thread, of 32 bits each */
	int local_bytes;               /* a thread: its stack, spilled registers among it, in local memory */
	int spill_stores, spill_loads; /* bytes a thread that are moved because registers did not suffice */
	int shared_bytes; /* a block, fixed in the kernel; Halide asks for shared memory at the launch instead
			   */
	int barriers;      /* of the hardware's named barriers */
	int block_threads; /* the most threads of a block that can be launched */
	int blocks_per_sm; /* resident at once, as launched: the driver's occupancy */
	int launches;      /* in a run */
	double ms;         /* of a run, all its launches together */
};
/* A kernel of which nothing is known but its name. */
#define BW_KERNEL_UNKNOWN \
	(struct bw_kernel_use) \
	{ \
		.registers = -1, .local_bytes = -1, .spill_stores = -1, .spill_loads = -1, \
		.shared_bytes = -1, .barriers = -1, .block_threads = -1, .blocks_per_sm = -1, .launches = -1, .ms = -1 \
	}

/* The kernels of an object, in the order of their launch where that is known, else of their text. */
struct bw_kernel_uses {
	int n;              /* 0: not known */
	int register_limit; /* registers a thread that they were compiled for; 0: none, or not known */
	struct bw_kernel_use list[BW_MOST_KERNELS];
};
#endif

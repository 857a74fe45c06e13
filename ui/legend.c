#include "ui/legend.h"

static const struct bw_legend legends[] = {
	{"start", "kernels", "the launches of the best schedule found, the most expensive first, with blocks, threads of a block, and share of the cost"},
	{"main", "line 2", "the Funcs in the order in which the search decides them, consumers before producers; [ ] is where you stand"},
	{"main", "line 3", "where the selected state computes each: K a kernel of its own, b once for each block, t in a thread, s in a serial loop, i inlined, ? decided now, . not yet"},
	{"main", "BEAM", "the partial schedules that the search keeps at this point, cheapest first; `told apart by` is the newest choice in which one differs from the best"},
	{"main", "LOOP NEST", "the kernels of the selected state: grid, block, loops from outside in, and what is computed inside each loop with the memory that it takes"},
	{"main", "STAGES", "the predicted cost of each Func and its share; `inside X`: inlined, its cost is part of X. {sort} changes the order"},
	{"main", "DECISION", "what can be chosen for the Func at the cursor, and what became of each choice"},
	{"decision", "A3, #30", "an option by bucket and member, or by number. A bucket is a group of options that make the same structure"},
	{"decision", "FATE", "kept, 5th: the 5th state of the next beam. dropped, 40th: 39 others cost less. not sampled: of its bucket others were drawn, its cost is unknown"},
	{"decision", "pruned", "a rule refuses the option before it is costed; the figure and the limit are beside it"},
	{"decision", "second choice", "an option that counts only if no other makes a child"},
	{"decision", "recompute", "points computed over points needed: what neighbouring blocks or threads compute again"},
	{"decision", "idle lanes", "threads of the block's warps that have nothing to do"},
	{"graph", "boxes", "kernels with their share of the cost; what is read flows down. A box with + has more Funcs inside: select it to open it"},
	{"graph", "names", "in a box: Funcs with a share are computed and stored, the others are inlined where they are read. Beside boxes: inputs, and Funcs not placed yet"},
	{"graph", "keys", "{do earlier} goes to a Func that the selected one reads, {do later} to one that reads it; {do up} and {do down} go through the list"},
	{"tile", "picture", "the region that one block computes of each Func, one in the other as they lie; the selected Func's is marked"},
	{"tile", "░", "points of the selected Func that the blocks beside need, too: a block that computes them computes them again"},
	{"tile", "▓", "the points of one thread"},
	{"tile", "kernel, inside", "the Func that the kernel stores in global memory, and those computed in its blocks or threads"},
	{"tile", "inlined, read", "computed at each use and never stored; and what the block reads from global memory"},
	{"tile", "shared", "part of the block's points that other blocks need, too"},
	{"tile", "computed", "points computed over points needed, over the whole image"},
	{"statistics", "PASS", "options enumerated, legal, in buckets, costed and kept, summed over the decisions of a pass"},
	{"statistics", "PRUNED BY", "options that each rule refused"},
	{"override", "rows", "the selected Func with one property changed and all else as it is, with the cost of the whole state"},
	{"compare", "rows", "two schedules Func by Func, and the terms of the cost that differ"},
	{"features", "rows", "the figures from which both cost models predict the selected Func's stages"},
	{"history", "rows", "the commands that changed the search; moving to one shows the search as it was then"},
	{"timings", "rows", "what was compiled or run: registers and spills, whether the output is right, and the time with the device"},
	{"", "Func, stage", "a function of the pipeline over a grid of points; its definition and each update are stages"},
	{"", "schedule", "where each Func is computed and how its loops are split over blocks, threads and unrolled iterations"},
	{"", "kernel", "one launch on the GPU: a Func in global memory, with all that is computed inside its blocks"},
	{"", "block, thread", "a kernel's points are divided among blocks; the threads of a block share its shared memory"},
	{"", "warp, lane", "threads that execute together, 32 on NVIDIA's GPUs; a lane is one of them"},
	{"", "SM, occupancy", "a multiprocessor holds several blocks; occupancy is its resident warps over the most that it can hold"},
	{"", "wave", "as many blocks as the whole device holds at once; 8.9 waves: eight full ones and one nearly full"},
	{"", "state, beam", "a state is a schedule of some Funcs; the beam is the set of states that the search keeps after each decision"},
	{"", "inline", "computed where it is read, again for each reader and never stored"},
	{"", "tiling 1x4/64x1", "1x4 points a thread (x, y), 64x1 threads a block"},
	{"", "cost", "predicted, by the model named in line 1; measured times name their device"},
	{"", "roofline", "a cost model: the time that the busiest of arithmetic, global and shared memory takes, and a part of the others'"},
	{"", "freeze, accept", "hold a Func, or a choice; the search goes on around what is held"},
	{"", "penalty", "with several passes: states whose structure was seen before count as more expensive, so that others get a chance"},
};

const struct bw_legend *bw_legends(int *n)
{
	*n = sizeof legends / sizeof *legends;
	return legends;
}

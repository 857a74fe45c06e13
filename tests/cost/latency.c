/* The latency model: times worked out by hand on the device with round numbers of tests/core (10 SMs at 1
 * GHz), and what it tells apart that the roofline does not. */
#include <math.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "cost/latency.h"

enum { ARITHMETIC, UNITS, CACHE, MEMORY, LATENCY, SPILLED, STRAGGLING, BARRIER, LAUNCH, N_TERMS };

/* The constants, which `make fit-latency` finds; what is worked out here holds for any. */
static const struct bw_latency_constants *const with = &bw_latency_fitted;

#define TWO "'add':{'float32':2}"
#define READ_SAME READ("in", SAME_XY, "1", EYE2)
#define G640(reads) FUNC_XY("g", "1", "float32", TWO, reads, OUTPUT("[0,640],[0,64]"))
static const char copy[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"), G640(READ_SAME));
static const char large[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,6400],[0,640]"),
		FUNC_XY("g", "1", "float32", TWO, READ_SAME, OUTPUT("[0,6400],[0,640]")));
static const char constant[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"), G640(""));
/* f is a copy of in, g reads three rows of it. */
static const char fused[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[-1,66]"),
					FUNC_XY("f", "0", "float32", TWO, READ_SAME, "") "," G640(
					    READ("f", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)));
/* The same of a broader g. */
static const char broad[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,6400],[-1,66]"),
		FUNC_XY("f", "0", "float32", TWO, READ_SAME, "") "," FUNC_XY(
		    "g", "1", "float32", TWO, READ("f", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2),
		    OUTPUT("[0,6400],[0,64]")));
/* g reads one point of in, of which only the whole image is known to hold it. */
static const char clamped[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"),
					  G640(READ("in", BOUND("0", "639") "," BOUND("0", "63"), "1", EYE2)));
/* s adds up 16 rows of in. */
#define SUM_LOOPS LOOP_XY "," RLOOP("r", "0", "15", "")
#define SUM_READS \
	READ("s", SAME_XY, "1", "[[1,0,0],[0,1,0]]") \
	"," READ("in", \
		 SAME("x") "," BOUND("['+'," MIN("y") "," MIN("r") "]", "['+'," MAX("y") "," MAX("r") "]"), \
		 "1", "[[1,0,0],[0,1,1]]")
static const char atomic[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,80]"),
		FUNC("s", "0", "int32", XY,
		     STAGE(LOOP_XY, EYE2, "'const':{'int32':1}", "") ",{'associative':true,'atomic':true,'loops':[" SUM_LOOPS
			"],'store':[[1,0,0],[0,1,0]],'ops':{'add':{'int32':1}},'reads':[" SUM_READS "]}",
		     "") "," G640(READ("s", SAME_XY, "1", EYE2)));
static const char sum[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,80]"),
		FUNC("s", "0", "float32", XY,
		     STAGE(LOOP_XY, EYE2, "'const':{'float32':1}",
			   "") "," STAGE(SUM_LOOPS, "[[1,0,0],[0,1,0]]", "'add':{'float32':1}", SUM_READS),
		     "") "," G640(READ("s", SAME_XY, "1", EYE2)));

/* f is a copy of in, g reads both. */
static const char both[] = DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"),
				       FUNC_XY("f", "0", "float32", TWO, READ_SAME, "") "," G640(
					   READ("f", SAME_XY, "1", EYE2) "," READ_SAME));
/* f is a copy of in, h one of f, and g reads three rows of h. */
static const char chain[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[-1,66]"),
		FUNC_XY("f", "0", "float32", TWO, READ_SAME, "") "," FUNC_XY(
		    "h", "1", "float32", TWO, READ("f", SAME_XY, "1", EYE2), "") "," FUNC_XY(
		    "g", "2", "float32", TWO, READ("h", SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2),
		    OUTPUT("[0,640],[0,64]")));
/* Each point of c is its upper neighbour and a point of in. */
#define SCAN_READS \
	READ("c", SAME("x") "," BOUND("['+'," MIN("r") ",-1]", "['+'," MAX("r") ",-1]"), "1", EYE2) \
	"," READ("in", SAME("x") "," BOUND(MIN("r"), MAX("r")), "1", EYE2)
static const char scan[] =
    DESCRIPTION(INPUT("in", "float32", XY, "[0,640],[0,64]"),
		FUNC("c", "0", "float32", XY,
		     STAGE(LOOP_XY, EYE2, "'const':{'float32':1}", READ_SAME) "," STAGE(
			 LOOP("x") "," RLOOP("r", "1", "63", ""), EYE2, "'add':{'float32':1}", SCAN_READS),
		     "") "," G640(READ("c", SAME_XY, "1", EYE2)));

static void assert_near(const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%s %.12g, expected %.12g", what, value, expected);
}

/* The stages' costs of a nest, in the arena. */
static struct bw_cost cost_of(const char *text, const char *const *entries, struct bw_arena *arena)
{
	struct bw_pipeline *pipeline = description_read(text);
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_cost cost = bw_cost_of(&bw_latency_model, nest, &round_device, arena);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
	return cost;
}

/* Microseconds of each term alone; of what does not bind a part shows. */
static void expect_terms(const struct bw_stage_cost *stage, int binds, const double *alone)
{
	for (int t = 0; t < N_TERMS; t++)
		assert_near(bw_latency_model.terms[t].name, 1e3 * stage->terms[t],
			    alone[t] * (t == binds || t > LATENCY ? 1 : with->exposed));
}

/* 20 x 8 blocks of 32 x 8 threads. A thread of one point, with a load and a store in two dimensions, has 22
 * registers, so that eight blocks of 8 warps are on each SM, its 64: the 160 blocks are two full waves. */
static void a_copy_is_as_worked_out_by_hand(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(copy, entries, arena);
	/* Two operations a point, and those for the address of a load and of a store, at 1e13 a second. */
	double operations = 2 + 2 * with->address, arithmetic = 40960 * operations / 1e13;
	/* 1,280 warps load and store 128 bytes. */
	double units = 2 * 1280 * with->wavefront / 1e10;
	/* Each block reads 8 rows of 5 sectors, and stores four of them; memory brings each byte once. */
	double cache = (204800 + 163840) / 4e12, memory = (163840 + with->store * 163840) / 1e12;
	/* Nothing is loaded twice: all comes from L2 (260 clocks) and that in the ratio of the times from
	 * memory (480). A warp issues the operations and two accesses, or waits for each operation, and waits
	 * once for the load. 64 warps wait at a time. */
	double from_memory = 0.16384 / (0.16384 + 0.0512);
	double issue = fmax(with->issue * (operations + 2), with->operation * operations);
	double clocks = issue + (1 - from_memory) * with->l2 * 260 + from_memory * with->memory * 480;
	double latency = 1280 * clocks / (1e10 * 64);
	/* That takes longest, and the rest of the launch's 5 us shows. 160 blocks begin in 0.16 us. Of the
	 * eight warps of a block the slowest keeps its place. */
	double launch = 5e-6 - latency;
	double work = latency + with->exposed * (arithmetic + units + cache + memory);
	expect_terms(&cost.stages[0], LATENCY,
		     (double[]){1e6 * arithmetic, 1e6 * units, 1e6 * cache, 1e6 * memory, 1e6 * latency, 0,
				1e6 * with->straggling * (sqrt(8) - 1) * work, 0, 1e6 * launch});
	assert_int_equal(cost.stages[0].bound, LAUNCH);
	bw_arena_free(arena);
}

/* Loads touch two sectors for one at most, however large the box that holds what they load: 160 blocks of 8 warps
 * load 4 sectors each. */
static void boxes_are_no_traffic(void **state)
{
	(void)state;
	static const char *const entries[] = {"g root 1x1/32x8", NULL};
	struct bw_arena *arena = bw_arena_new();
	assert_near("L2", 1e-3 * cost_of(clamped, entries, arena).stages[0].terms[CACHE],
		    with->exposed * (2 * 163840 + 163840) / 4e12);
	bw_arena_free(arena);
}

/* A thread of 4 x 8 points with 32 loads and 32 stores has 14.5 + 3.3 x 8 + 2 x 1.75 registers, 44, given as
 * 48: 1,536 a warp, so five blocks of 8 warps on an SM. */
static void registers_limit_the_blocks_of_an_sm(void **state)
{
	static const char *const entries[] = {"g root; block y, x; thread y 8, x 32; unrolled y 8, x 4", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(large, entries, arena);
	assert_near("occupancy", cost.stages[0].occupancy, 40 / 64.);
	bw_arena_free(arena);
}

/* 40,960 blocks of one thread that loads nothing begin in 1 ns each, 41 us, although they do little:
 * what they do is hidden behind that. */
static void blocks_begin_one_after_the_other(void **state)
{
	static const char *const entries[] = {"g root 1x1/1x1", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(constant, entries, arena);
	double binds = 0;
	for (int t = 0; t <= LATENCY; t++)
		binds = fmax(binds, 1e3 * cost.stages[0].terms[t]);
	assert_near("launch", 1e3 * cost.stages[0].terms[LAUNCH] + binds, 40960 / 1e3 + 0.7);
	bw_arena_free(arena);
}

/* What a Func of 32 x 10 points of a block takes if each of 320 threads computes a point, and if 32 threads
 * compute ten each: then one of the block's warps is at work, and has few of its ten loads underway at once.
 */
static void idle_warps_hide_nothing(void **state)
{
	static const char *const entries[][3] = {{"g root 1x1/32x8", "f at g.block 1x1", NULL},
						 {"g root 1x1/32x8", "f at g.block 1x10", NULL}};
	double ms[2];
	for (int k = 0; k < 2; k++) {
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(fused, entries[k], arena);
		ms[k] = cost.stages[0].terms[LATENCY];
		bw_arena_free(arena);
	}
	assert_true(ms[1] > 1.5 * ms[0]);
}

/* Unrolled along x a sum stays in registers; along y its addresses lie apart by a stride that is known only
 * when it runs, and it is loaded and stored 16 times. */
static void sums_with_unknown_strides_are_stored_each_time(void **state)
{
	static const char *const entries[][3] = {
	    {"g root 1x1/32x8",
	     "s root; block y, x; thread y 8, x 32; unrolled x 4; update 0: block y, x; thread y 8, x 32; "
	     "serial r; unrolled x 4",
	     NULL},
	    {"g root 1x1/32x8",
	     "s root; block y, x; thread y 8, x 32; unrolled y 4; update 0: block y, x; thread y 8, x 32; "
	     "serial r; unrolled y 4",
	     NULL}};
	double stored[2];
	for (int k = 0; k < 2; k++) {
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(sum, entries[k], arena);
		stored[k] = cost.stages[1].global_store_bytes;
		bw_arena_free(arena);
	}
	assert_true(stored[1] > 3 * stored[0]);
}

/* In registers inside of an unrolled loop of eight rows of g, f computes three rows each time: of 24 points
 * the compiler computes ten. Where the loop is not unrolled, it computes all of them. */
static void unrolled_iterations_share_what_they_compute(void **state)
{
	static const char *const entries[][3] = {
	    {"g root; block y, x; thread y 1, x 32; unrolled y 8", "f at g.serial0", NULL},
	    {"g root; block y, x; thread y 1, x 32; serial y 8", "f at g.serial0", NULL}};
	for (int k = 0; k < 2; k++) {
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(fused, entries[k], arena);
		assert_near("points of f", cost.stages[0].points, 640 * 64 / 8 * (k ? 24 : 10));
		bw_arena_free(arena);
	}
}

/* The same if f is inlined: eight points of g call it 24 times, for ten points. With two operations each,
 * ten loads and eight stores, each with an address, and two for the pass, a point takes seven. */
static void unrolled_points_share_what_is_inlined(void **state)
{
	static const char *const entries[] = {"g root; block y, x; thread y 1, x 32; unrolled y 8", "f inline", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(fused, entries, arena);
	assert_near("operations", cost.stages[1].operations, (8 * 2 + 10 * 2 + 10 + 8 + 2) / 8.);
	bw_arena_free(arena);
}

/* Each lane stores two points next to each other, one after the other: each store touches every sector, but
 * the memory gets them whole. */
static void sectors_are_stored_whole(void **state)
{
	static const char *const entries[] = {"g root; block y, x; thread y 8, x 32; unrolled x 2", NULL};
	struct bw_arena *arena = bw_arena_new();
	const struct bw_stage_cost stage = cost_of(copy, entries, arena).stages[0];
	assert_near("stored", stage.global_store_bytes, 2 * 163840);
	assert_near("memory", 1e-3 * stage.terms[MEMORY], with->exposed * (163840 + with->store * 163840) / 1e12 / stage.busy_sms);
	bw_arena_free(arena);
}

/* Three rows of h in a thread, which are unrolled and call f once each, share nothing: with two operations each
 * of h and f, three loads and two for the pass, a point takes 5 2/3. */
static void what_is_not_shared_counts_whole_inside_of_threads(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", "h at g.thread; unrolled y, x", "f inline", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(chain, entries, arena);
	assert_near("operations", cost.stages[1].operations, 4 + 5 / 3.);
	bw_arena_free(arena);
}

/* f and g are computed in one kernel and read the same points, which come from memory for one of them. */
static void a_kernel_loads_each_byte_from_memory_once(void **state)
{
	static const char *const entries[] = {"g root 1x1/32x8", "f at g.block 1x1", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(both, entries, arena);
	double stored = with->store * 163840;
	assert_near("memory of f", cost.stages[0].terms[MEMORY], 0);
	assert_near("memory of g", 1e-3 * cost.stages[1].terms[MEMORY],
		    with->exposed * (163840 + stored) / 1e12 / cost.stages[1].busy_sms);
	bw_arena_free(arena);
}

/* Two columns of a thread wait for their upper neighbours one after the other, since the compiler cannot
 * tell the address that one stores from the one that the other loads. */
static void unrolled_columns_of_a_scan_wait_in_turn(void **state)
{
	static const char *const entries[][3] = {
	    {"g root 1x1/32x8",
	     "c root; block y, x; thread y 8, x 32; update 0: block x; thread x 32; serial r", NULL},
	    {"g root 1x1/32x8",
	     "c root; block y, x; thread y 8, x 32; update 0: block x; thread x 32; serial r; unrolled x 2", NULL}};
	double ms[2];
	for (int k = 0; k < 2; k++) {
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(scan, entries[k], arena);
		ms[k] = cost.stages[1].terms[LATENCY];
		bw_arena_free(arena);
	}
	/* Half the passes, but in each twice the wait for a neighbour: a half if they waited together. */
	assert_true(ms[1] > 0.9 * ms[0]);
}

/* f and g are in one kernel: the resource that takes longest over both binds for both. */
static void resources_add_up_over_a_kernel(void **state)
{
	(void)state;
	static const char *const entries[] = {"g root 1x1/32x8", "f at g.block 1x1", NULL};
	struct bw_arena *arena = bw_arena_new();
	struct bw_cost cost = cost_of(both, entries, arena);
	double sums[N_TERMS] = {0};
	int binds = 0;
	for (int t = 0; t < N_TERMS; t++)
		sums[t] = cost.stages[0].terms[t] + cost.stages[1].terms[t];
	for (int t = 1; t <= LATENCY; t++)
		if (sums[t] > sums[binds])
			binds = t;
	double work = 0;
	for (int t = 0; t <= LATENCY; t++)
		work += sums[t];
	assert_int_equal(binds, LATENCY);
	assert_near("slowest warp", sums[STRAGGLING], with->straggling * (sqrt(8) - 1) * work);
	assert_near("launch", sums[LAUNCH], 5e-3 - sums[binds]);
	bw_arena_free(arena);
}

/* The sum with atomic additions: 20,480 warps add to 4 sectors each if their lanes are beside each other, and to one place 32 times
 * if they share a sum. Each sector is loaded and stored, and 16 or 128 operations follow one another in each of 5,120. A block loads
 * 5 sectors, or 2 of each of 16 rows. */
static void atomic_additions_pass_the_cache_in_turn(void **state)
{
	(void)state;
	static const char *const entries[][3] = {
	    {"g root 1x1/32x8", "s root; block y, x; thread x 32; update 0: atomic; block r, y, x; thread x 32", NULL},
	    {"g root 1x1/32x8", "s root; block y, x; thread x 32; update 0: atomic; block y, x; thread x 2, r", NULL}};
	static const double each[] = {4, 32}, in_turn[] = {16e-9, 128e-9}, loaded[] = {3276800, 20971520};
	for (int k = 0; k < 2; k++) {
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = cost_of(atomic, entries[k], arena);
		const struct bw_stage_cost *update = &cost.stages[1];
		assert_near("stored", update->global_store_bytes, 2 * 20480 * each[k] * 32);
		assert_near("L2", 1e-3 * update->terms[CACHE] / with->exposed,
			    (loaded[k] + update->global_store_bytes) / 4e12 + in_turn[k]);
		bw_arena_free(arena);
	}
}

/* A thread of 10 x 64 points of g computes 66 rows of the inlined f for each of its ten columns, 660 points: a
 * third of them is alive at once, 220 words, 156 more than the 64 registers of a thread. The 20 warps of the
 * only block store these 32 x 4 bytes wide and load them again. Of the block's 4 x 156 x 640 = 399,360 bytes a
 * part does not fit into the L1 cache of 64 KiB; of ten SMs' a part does not fit into the L2 cache of 1 MiB.
 * One of ten SMs is at work. With eight rows of a column ten points are computed; what only loads keeps none,
 * not even beside the 66 x 2 words of f in registers. */
static void what_registers_do_not_hold_goes_to_local_memory(void **state)
{
	(void)state;
	static const char *const entries[][3] = {
	    {"g root; block y, x; thread y 1, x 640; unrolled y 64, x 10", "f inline", NULL},
	    {"g root; block y, x; thread y 1, x 32; unrolled y 8", "f inline", NULL},
	    {"g root; block y, x; thread y 1, x 32; unrolled y 64, x 10", NULL},
	    {"g root; block y, x; thread y 1, x 32; unrolled y 64, x 2", "f at g.thread", NULL}};
	struct bw_arena *arena = bw_arena_new();
	double accesses = 2 * 156 * 20, passed = accesses * 128;
	double units = accesses * with->wavefront / 1e10, cache = passed * (1 - 65536 / 399360.) / 4e12;
	double memory = passed * (1 - 1048576 / 3993600.) / 1e12;
	assert_near("spilled", 1e-3 * cost_of(broad, entries[0], arena).stages[1].terms[SPILLED],
		    (units + cache + memory) / 0.1);
	assert_true(cost_of(fused, entries[1], arena).stages[1].terms[SPILLED] == 0);
	assert_true(cost_of(copy, entries[2], arena).stages[0].terms[SPILLED] == 0);
	for (int s = 0; s < 2; s++)
		assert_true(cost_of(fused, entries[3], arena).stages[s].terms[SPILLED] == 0);
	bw_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_copy_is_as_worked_out_by_hand),
					   cmocka_unit_test(registers_limit_the_blocks_of_an_sm),
					   cmocka_unit_test(boxes_are_no_traffic),
					   cmocka_unit_test(what_registers_do_not_hold_goes_to_local_memory),
					   cmocka_unit_test(blocks_begin_one_after_the_other),
					   cmocka_unit_test(resources_add_up_over_a_kernel),
					   cmocka_unit_test(idle_warps_hide_nothing),
					   cmocka_unit_test(sums_with_unknown_strides_are_stored_each_time),
					   cmocka_unit_test(unrolled_iterations_share_what_they_compute),
					   cmocka_unit_test(unrolled_points_share_what_is_inlined),
					   cmocka_unit_test(what_is_not_shared_counts_whole_inside_of_threads),
					   cmocka_unit_test(sectors_are_stored_whole),
					   cmocka_unit_test(a_kernel_loads_each_byte_from_memory_once),
					   cmocka_unit_test(unrolled_columns_of_a_scan_wait_in_turn),
					   cmocka_unit_test(atomic_additions_pass_the_cache_in_turn)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

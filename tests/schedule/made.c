#include "made.h"

#define VAR(name_, dim_) {.name = name_, .pure = true, .parallel = true, .dim = dim_, .axis = dim_}
#define RVAR(name_, axis_) {.name = name_, .parallel = (axis_) >= 0, .dim = -1, .axis = axis_}
#define LOOPS(array) .n_loops = sizeof array / sizeof *array, .loops = array
/* The loops with an axis: n of them, from one on. */
#define ACROSS(n, from) .n_across = n, .across = &up[from]
#define READS(array) .n_reads = sizeof array / sizeof *array, .reads = array
#define DIMS(array) .n_dims = sizeof array / sizeof *array, .n_axes = sizeof array / sizeof *array, .dims = array
#define STAGES(array) .n_stages = sizeof array / sizeof *array, .stages = array

static const int up[] = {0, 1, 2, 3};
static const char *const x_y[] = {"x", "y"}, *const x[] = {"x"}, *const x_y_c[] = {"x", "y", "c"}, *const x_y_z_w[] = {"x", "y", "z", "w"},
		       *const keywords[] = {"in", "y:1"};
static const struct bw_stage_loop over_x_y[] = {VAR("x", 0), VAR("y", 1)}, over_x[] = {VAR("x", 0)}, over_x_y_c[] = {VAR("x", 0), VAR("y", 1), VAR("c", 2)},
				  over_x_y_z_w[] = {VAR("x", 0), VAR("y", 1), VAR("z", 2), VAR("w", 3)}, over_keywords[] = {VAR("in", 0), VAR("y:1", 1)},
				  over_r[] = {RVAR("r$x", 1), RVAR("r$y", -1)}, over_rz_x[] = {RVAR("r$z", -1), VAR("x", 0)},
				  over_rx[] = {RVAR("r$x", -1)};

static const struct bw_read of_input[] = {{.producer = MADE_INPUT}}, of_y[] = {{.producer = MADE_Y}}, of_ix[] = {{.producer = MADE_IX}},
			    of_y_hist[] = {{.producer = MADE_Y}, {.producer = MADE_HIST}}, of_hist[] = {{.producer = MADE_HIST}},
			    of_a_b[] = {{.producer = MADE_A_B}}, of_f[] = {{.producer = MADE_F}}, of_hist_sum[] = {{.producer = MADE_HIST}, {.producer = MADE_SUM}},
			    of_all[] = {{.producer = MADE_Y}, {.producer = MADE_IX}, {.producer = MADE_HIST}, {.producer = MADE_A_B}, {.producer = MADE_F}, {.producer = MADE_SUM}, {.producer = MADE_ROOT}};

static const struct bw_stage y_stages[] = {{.func = MADE_Y, LOOPS(over_x_y), ACROSS(2, 0), READS(of_input)}};
static const struct bw_stage ix_stages[] = {{.func = MADE_IX, LOOPS(over_x_y), ACROSS(2, 0), READS(of_y)}};
static const struct bw_stage hist_stages[] = {
	{.func = MADE_HIST, LOOPS(over_x), ACROSS(1, 0)},
	{.func = MADE_HIST, .index = 1, LOOPS(over_r), ACROSS(1, 0), READS(of_y_hist)},
	{.func = MADE_HIST, .index = 2, LOOPS(over_rz_x), ACROSS(1, 1), READS(of_hist)},
};
static const struct bw_stage a_b_stages[] = {{.func = MADE_A_B, LOOPS(over_x_y_c), ACROSS(3, 0), READS(of_ix)}};
static const struct bw_stage f_stages[] = {{.func = MADE_F, LOOPS(over_x_y_z_w), ACROSS(4, 0), READS(of_a_b)}};
static const struct bw_stage sum_stages[] = {{.func = MADE_SUM}, {.func = MADE_SUM, .index = 1, LOOPS(over_rx), ACROSS(0, 0), READS(of_hist_sum)}};
static const struct bw_stage root_stages[] = {{.func = MADE_ROOT, LOOPS(over_keywords), ACROSS(2, 0), READS(of_f)}};
static const struct bw_stage output_stages[] = {{.func = MADE_OUTPUT, LOOPS(over_x_y), ACROSS(2, 0), READS(of_all)}};

static const struct bw_func funcs[MADE_FUNCS] = {
	[MADE_INPUT] = {.name = "input", .handle = -1, .input = true, DIMS(x_y)},
	[MADE_Y] = {.name = "Y", .handle = 0, DIMS(x_y), STAGES(y_stages), .first_stage = 0},
	[MADE_IX] = {.name = "Ix", .handle = 1, DIMS(x_y), STAGES(ix_stages), .first_stage = 1},
	[MADE_HIST] = {.name = "hist", .handle = 2, .n_dims = 1, .n_axes = 2, .dims = x, STAGES(hist_stages), .first_stage = 2},
	[MADE_A_B] = {.name = "a b", .handle = 3, DIMS(x_y_c), STAGES(a_b_stages), .first_stage = 5},
	[MADE_F] = {.name = "f.update0", .handle = 4, DIMS(x_y_z_w), STAGES(f_stages), .first_stage = 6},
	[MADE_SUM] = {.name = "sum", .handle = 5, STAGES(sum_stages), .first_stage = 7},
	[MADE_ROOT] = {.name = "root", .handle = 6, DIMS(keywords), STAGES(root_stages), .first_stage = 9},
	[MADE_OUTPUT] = {.name = "output", .handle = 7, .output = true, DIMS(x_y), STAGES(output_stages), .first_stage = 10},
};

const struct bw_pipeline made = {.name = "made", .algorithm = 0x0123456789abcdef, .n_funcs = MADE_FUNCS, .funcs = funcs, .n_stages = 11};

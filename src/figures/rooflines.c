#include "figures/rooflines.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "figures/attribution.h"
#include "figures/tile.h"

static double occupancy_of(const struct bw_device *device, const struct bw_block_needs *needs)
{
	return bw_occupancy(device, needs).occupancy;
}

struct bw_occupancy_step bw_step_threads(const struct bw_device *device, const struct bw_block_needs *needs)
{
	int64_t warp = (int64_t)device->warp_size, most = (int64_t)device->threads_per_block,
		now = (needs->threads + warp - 1) / warp * warp;
	double present = occupancy_of(device, needs);
	for (int64_t by = warp; by < most; by += warp)
		for (int up = 1; up >= 0; up--) {
			struct bw_block_needs other = *needs;
			other.threads = up ? now + by : now - by;
			if (other.threads < warp || other.threads > most)
				continue;
			double occupancy = occupancy_of(device, &other);
			if (occupancy > present)
				return (struct bw_occupancy_step){other.threads, occupancy};
		}
	return (struct bw_occupancy_step){-1, 0};
}

struct bw_occupancy_step bw_step_registers(const struct bw_device *device, const struct bw_block_needs *needs)
{
	enum { FEW = 16 };
	struct bw_block_needs other = *needs;
	double present = occupancy_of(device, needs);
	for (other.registers--; other.registers >= FEW; other.registers--)
		if (occupancy_of(device, &other) > present)
			return (struct bw_occupancy_step){other.registers, occupancy_of(device, &other)};
	return (struct bw_occupancy_step){-1, 0};
}

/* The occupancy changes when the bytes, including reserved bytes, reach a multiple of the allocation
 * unit. */
struct bw_occupancy_step bw_step_shared(const struct bw_device *device, const struct bw_block_needs *needs)
{
	struct bw_block_needs other = *needs;
	int64_t unit = (int64_t)device->shared_unit > 0 ? (int64_t)device->shared_unit : 1,
		reserved = (int64_t)device->shared_reserved;
	double present = occupancy_of(device, needs);
	if (needs->shared_bytes > 0)
		for (other.shared_bytes = (needs->shared_bytes + reserved - 1) / unit * unit - reserved;
		     other.shared_bytes >= 0; other.shared_bytes -= unit)
			if (occupancy_of(device, &other) > present)
				return (struct bw_occupancy_step){other.shared_bytes, occupancy_of(device, &other)};
	return (struct bw_occupancy_step){-1, 0};
}

/* Sums over the stages of a kernel. */
struct sums {
	double terms[BW_MOST_TERMS], used_bytes, load_bytes, lanes, ms;
};

/* Adds a stage. work: by the roofline model; cost: by the model that steers the search. */
static void add_stage(struct bw_roofline_kernel *kernel, const struct bw_stage_cost *work,
		      const struct bw_stage_cost *cost, struct sums *sums)
{
	if (!work->placed)
		return;
	kernel->ms += cost->ms;
	kernel->operations += work->points * work->operations;
	kernel->bytes[BW_ROOF_SHARED] += work->shared_load_bytes + work->shared_store_bytes;
	kernel->recompute = work->recompute > kernel->recompute ? work->recompute : kernel->recompute;
	kernel->busy_sms = work->busy_sms;
	for (int t = 0; t < BW_MOST_TERMS; t++)
		sums->terms[t] += cost->terms[t];
	sums->load_bytes += work->global_load_bytes;
	sums->used_bytes += work->global_load_bytes * work->global_load_efficiency;
	sums->lanes += work->ms * work->busy_lanes;
	sums->ms += work->ms;
}

/* Returns the bytes of a whole Func in global memory. */
static double whole_bytes(const struct bw_nest *nest, int func)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	if (!about->input)
		return nest->placed[func] ? nest->placed[func]->bytes : 0;
	return bw_box_points(about->estimate, about->n_dims) * about->bytes;
}

/* Adds the bytes that a kernel moves from and to global memory. All reads by blocks go through the L2
 * cache. Each byte comes from DRAM once, unless an earlier kernel left it in the cache. */
static void add_traffic(struct bw_roofline_kernel *kernel, const struct bw_nest *nest,
			const struct bw_device *device, struct bw_arena *arena)
{
	struct bw_block_tile tile;
	bw_tile_of_kernel(nest, kernel->func, kernel->stage, arena, &tile);
	for (int i = 0; i < tile.n; i++) {
		const struct bw_tile_part *part = &tile.parts[i];
		double whole = whole_bytes(nest, part->func), blocks = part->bounded ? part->bytes * tile.n_blocks : whole;
		bool small = whole < device->l2_bytes / 2;
		if (part->kind != BW_TILE_READ && part->kind != BW_TILE_HOST)
			continue;
		if (part->kind == BW_TILE_HOST)
			blocks = whole;
		kernel->bytes[BW_ROOF_L2] += blocks;
		if (part->kind == BW_TILE_READ ? !small || nest->pipeline->funcs[part->func].input
					       : !small || nest->pipeline->funcs[part->func].output)
			kernel->bytes[BW_ROOF_DRAM] += blocks < whole ? blocks : whole;
	}
}

BW_WORDS(bw_roof_word, enum bw_roof, BW_ROOF_TABLE(BW_SECOND))

/* Returns the bandwidth of a memory in bytes per second. */
static double roof_bandwidth(const struct bw_device *device, enum bw_roof roof)
{
	const double bandwidths[] = {
#define X(name, word, key, field) device->field,
		BW_ROOF_TABLE(X)
#undef X
	};
	return bandwidths[roof];
}

/* Computes the intensities, and the rate that the rooflines allow. */
static void find_ceiling(struct bw_roofline_kernel *kernel, const struct bw_device *device)
{
	kernel->ceiling = device->float_rate;
	for (int roof = 0; roof < BW_N_ROOFS; roof++) {
		kernel->intensity[roof] = kernel->bytes[roof] > 0 ? kernel->operations / kernel->bytes[roof] : 0;
		double allowed = kernel->intensity[roof] * roof_bandwidth(device, (enum bw_roof)roof);
		if (kernel->bytes[roof] > 0 && allowed < kernel->ceiling)
			kernel->ceiling = allowed;
	}
}

static void finish(struct bw_roofline_kernel *kernel, const struct bw_rooflines *all, const struct sums *sums,
		   double total)
{
	kernel->share = total > 0 ? kernel->ms / total : 0;
	kernel->rate = sums->ms > 0 ? kernel->operations / (sums->ms * 1e-3) : 0;
	find_ceiling(kernel, all->device);
	kernel->load_efficiency = sums->load_bytes > 0 ? sums->used_bytes / sums->load_bytes : 1;
	kernel->busy_lanes = sums->ms > 0 ? sums->lanes / sums->ms : 0;
	for (int t = 1; t < all->model->n_terms; t++)
		if (sums->terms[t] > sums->terms[kernel->bound])
			kernel->bound = t;
	kernel->bound_share = kernel->ms > 0 ? sums->terms[kernel->bound] / kernel->ms : 0;
	kernel->threads = bw_step_threads(all->device, &kernel->needs);
	kernel->registers = bw_step_registers(all->device, &kernel->needs);
	kernel->shared = bw_step_shared(all->device, &kernel->needs);
}

BW_ORDER(by_cost, struct bw_roofline_kernel,
	  4 * BW_COMPARE(b->ms, a->ms) + 2 * BW_COMPARE(a->func, b->func) + BW_COMPARE(a->stage, b->stage))

/* Finds the inlined Func whose recomputed points take most of the kernel's time. costs: by Func, the cost
 * in the kernel of the Func where it is inlined. */
static void find_inlined(struct bw_roofline_kernel *kernel, const struct bw_nest *nest, const double *costs)
{
	double most = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		double needed = costs[f] > 0 ? nest->placed[f]->minimum_points : 0,
		       again = needed > 0 ? bw_busy_points(nest, f) / needed : 1, wasted = costs[f] * (1 - 1 / again);
		if (!(wasted > most))
			continue;
		most = wasted;
		kernel->inlined = f;
		kernel->inlined_again = again;
		kernel->inlined_share = kernel->ms > 0 ? costs[f] / kernel->ms : 0;
	}
}

/* Adds the cost of each Func that is inlined into a stage to `costs`, by Func. */
static void add_parts(double *costs, const struct bw_nest *nest, int func, int stage,
		      const struct bw_rooflines *all, const struct bw_cost *cost, struct bw_arena *arena)
{
	int n;
	const struct bw_part *parts = bw_parts_of(nest, func, stage, all->model,
		&cost->stages[nest->pipeline->funcs[func].first_stage + stage], all->device, arena, &n);
	for (int i = 0; i < n; i++)
		if (parts[i].func != func)
			costs[parts[i].func] += parts[i].ms;
}

struct bw_rooflines bw_rooflines_of(const struct bw_nest *nest, const struct bw_device *device,
				    const struct bw_cost_model *model, const struct bw_kernel_uses *uses,
				    struct bw_arena *arena)
{
	struct bw_rooflines all = {.device = device, .model = *model->unit ? model : &bw_roofline};
	struct bw_cost cost = bw_cost_of(all.model, nest, device, arena),
		       work = all.model == &bw_roofline ? cost : bw_cost_of(&bw_roofline, nest, device, arena);
	struct bw_kernel_facts *facts = bw_kernel_facts(nest, device, uses, &cost, arena, &all.n);
	all.kernels = BW_ARENA_ARRAY(arena, struct bw_roofline_kernel, all.n + 1);
	for (int k = 0; k < all.n; k++) {
		const struct bw_kernel *kernel = &facts[k].kernel;
		struct bw_roofline_kernel *made = &all.kernels[k];
		struct sums sums = {0};
		double *inlined = BW_ARENA_ARRAY(arena, double, nest->pipeline->n_funcs);
		*made = (struct bw_roofline_kernel){
		    .func = kernel->func,
		    .stage = kernel->stage,
		    .inlined = -1,
		    .compiled = facts[k].use,
		    .occupancy = facts[k].occupancy,
		    .needs = {kernel->n_threads, facts[k].registers, facts[k].shared_bytes}};
		int first = nest->pipeline->funcs[kernel->func].first_stage + kernel->stage;
		add_stage(made, &work.stages[first], &cost.stages[first], &sums);
		add_parts(inlined, nest, kernel->func, kernel->stage, &all, &cost, arena);
		for (int m = 0; m < kernel->n_members; m++) {
			const struct bw_func *member = &nest->pipeline->funcs[kernel->members[m]];
			for (int s = member->first_stage;
			     s < member->first_stage + member->n_stages && kernel->members[m] != kernel->func; s++) {
				add_stage(made, &work.stages[s], &cost.stages[s], &sums);
				add_parts(inlined, nest, kernel->members[m], s - member->first_stage, &all, &cost, arena);
			}
		}
		find_inlined(made, nest, inlined);
		add_traffic(made, nest, device, arena);
		finish(made, &all, &sums, cost.total);
	}
	qsort(all.kernels, (size_t)all.n, sizeof *all.kernels, by_cost);
	return all;
}

static bool is_bound_by(const struct bw_rooflines *rooflines, const struct bw_roofline_kernel *kernel,
			const char *keys)
{
	return strstr(keys, rooflines->model->terms[kernel->bound].key);
}

static const char operations[] = "arithmetic_ms", loads[] = "global_load_ms l2_ms load_store_ms";

int bw_roofline_again(const struct bw_rooflines *rooflines, const struct bw_roofline_kernel *kernel)
{
	static const double least = 0.1;
	bool binds = is_bound_by(rooflines, kernel, operations) || is_bound_by(rooflines, kernel, loads);
	return binds && kernel->inlined >= 0 && kernel->inlined_share * (1 - 1 / kernel->inlined_again) >= least
		   ? kernel->inlined
		   : -1;
}

void bw_roofline_cause(const struct bw_pipeline *pipeline, const struct bw_rooflines *rooflines,
		       const struct bw_roofline_kernel *kernel, struct bw_text *out)
{
	static const double wasteful = 0.8, again = 1.2;
	bool computes = is_bound_by(rooflines, kernel, operations);
	int inlined = bw_roofline_again(rooflines, kernel);
	bw_text_printf(out, "bound by %s: %s of its time", rooflines->model->terms[kernel->bound].name,
		       bw_say_percent(kernel->bound_share).text);
	if (inlined >= 0)
		bw_text_printf(out, "; %s, inlined, takes %s of its time, computed %s", pipeline->funcs[inlined].name,
			       bw_say_percent(kernel->inlined_share).text, bw_say_times(kernel->inlined_again).text);
	else if (computes && kernel->recompute >= again)
		bw_text_printf(out, "; stored points are computed up to %s", bw_say_times(kernel->recompute).text);
	else if (computes && (kernel->busy_sms < wasteful || kernel->busy_lanes < wasteful))
		bw_text_printf(out, "; %s of SMs and %s of lanes are busy", bw_say_percent(kernel->busy_sms).text,
			       bw_say_percent(kernel->busy_lanes).text);
	else if (is_bound_by(rooflines, kernel, loads) && kernel->load_efficiency < wasteful)
		bw_text_printf(out, "; %s of the loaded bytes are used", bw_say_percent(kernel->load_efficiency).text);
}

static json_t *step_json(const struct bw_occupancy_step *step)
{
	return step->value < 0 ? json_null() : json_pack("{s:I, s:f}", "value", (json_int_t)step->value, "occupancy", step->occupancy);
}

static json_t *kernel_json(const struct bw_pipeline *pipeline, const struct bw_cost_model *model,
			   const struct bw_roofline_kernel *kernel)
{
	json_t *object = json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f}", "kernel", pipeline->funcs[kernel->func].name, "stage", kernel->stage, "share", kernel->share, "ms", kernel->ms, "operations", kernel->operations,
		"operations_per_second", kernel->rate, "ceiling", kernel->ceiling);
#define X(name, word, key, field) \
	json_object_set_new(object, key "_bytes", json_real(kernel->bytes[name]));
	BW_ROOF_TABLE(X)
#undef X
	json_object_set_new(object, "bound", json_string(model->terms[kernel->bound].name));
	json_object_set_new(object, "bound_share", json_real(kernel->bound_share));
	if (kernel->inlined >= 0)
		json_object_set_new(object, "inlined", json_pack("{s:s, s:f, s:f}", "func", pipeline->funcs[kernel->inlined].name, "computed", kernel->inlined_again, "share", kernel->inlined_share));
	json_object_set_new(object, "threads", json_integer(kernel->needs.threads));
	json_object_set_new(object, "registers",
			    kernel->needs.registers ? json_integer(kernel->needs.registers) : json_null());
	json_object_set_new(object, "compiled", json_boolean(kernel->compiled));
	json_object_set_new(object, "shared_bytes", json_integer(kernel->needs.shared_bytes));
	json_object_set_new(object, "occupancy", json_real(kernel->occupancy.occupancy));
	json_object_set_new(object, "limiter", json_string(bw_limiter_name(kernel->occupancy.limiter)));
	json_object_set_new(object, "step_threads", step_json(&kernel->threads));
	json_object_set_new(object, "step_registers", step_json(&kernel->registers));
	json_object_set_new(object, "step_shared", step_json(&kernel->shared));
	return object;
}

json_t *bw_rooflines_json(const struct bw_pipeline *pipeline, const struct bw_rooflines *rooflines)
{
	json_t *kernels = json_array();
	const struct bw_device *device = rooflines->device;
	for (int k = 0; k < rooflines->n; k++)
		json_array_append_new(kernels, kernel_json(pipeline, rooflines->model, &rooflines->kernels[k]));
	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:o}", "device", device->name, "model", rooflines->model->name, "global_bandwidth", device->global_bandwidth, "l2_bandwidth", device->l2_bandwidth, "shared_bandwidth", device->shared_bandwidth, "float_rate", device->float_rate, "kernels", kernels);
}

/* The picture: kernels under the ceilings, both axes logarithmic. */

double bw_roofline_intensity(const struct bw_roofline_kernel *kernel)
{
	return kernel->intensity[kernel->bytes[BW_ROOF_DRAM] > 0 ? BW_ROOF_DRAM : BW_ROOF_L2];
}

static bool is_drawn(const struct bw_roofline_kernel *kernel)
{
	return bw_roofline_intensity(kernel) > 0 && kernel->rate > 0;
}

static void set_axes(struct bw_picture *picture, const struct bw_rooflines *all)
{
	const struct bw_device *device = all->device;
	double ridge = device->float_rate / device->global_bandwidth, low = ridge / 16, high = ridge * 4,
	       bottom = device->float_rate / 256;
	for (int k = 0; k < all->n; k++) {
		const struct bw_roofline_kernel *kernel = &all->kernels[k];
		if (!is_drawn(kernel))
			continue;
		low = fmin(low, bw_roofline_intensity(kernel) / 1.5);
		high = fmax(high, bw_roofline_intensity(kernel) * 1.5);
		bottom = fmin(bottom, kernel->rate / 2);
	}
	picture->x = bw_axis_x(low, high, true, "operations a byte");
	picture->y = bw_axis_y(bottom, device->float_rate * 2, true, "op/s");
	for (int power = (int)ceil(log2(low)); power <= (int)log2(high); power++)
		if (power % 2 == 0)
			bw_picture_tick(
			    picture, &picture->x, exp2(power),
			    bw_arena_format(picture->arena, power < 0 ? "1/%.0f" : "%.0f", exp2(abs(power))));
	for (double rate = pow(10, ceil(log10(bottom))); rate <= picture->y.high; rate *= 10)
		bw_picture_tick(picture, &picture->y, rate, bw_say_prefixed(rate).text);
}

/* Adds a line between two intensities: the ceiling of a bandwidth or, if the bandwidth is 0, a horizontal
 * line at a rate. */
static struct bw_mark *add_line(struct bw_picture *picture, double from, double to, double bandwidth,
				double rate)
{
	return bw_picture_span(picture, bw_mark_line(BW_TINT_SOFT), from,
			       bandwidth > 0 ? from * bandwidth : rate, to,
			       bandwidth > 0 ? to * bandwidth : rate);
}

static void add_roofs(struct bw_picture *picture, const struct bw_device *device)
{
	double peak = device->float_rate;
	struct bw_mark *line = add_line(picture, fmax(picture->x.low, peak / device->shared_bandwidth),
					picture->x.high, 0, peak);
	line->text = bw_arena_format(picture->arena, "float %sop/s", bw_say_prefixed(peak).text);
	line->brief = "float";
	for (int roof = 0; roof < BW_N_ROOFS; roof++) {
		double bandwidth = roof_bandwidth(device, (enum bw_roof)roof),
		       from = fmax(picture->x.low, picture->y.low / bandwidth);
		if (!(from < peak / bandwidth))
			continue;
		line = add_line(picture, from, peak / bandwidth, bandwidth, 0);
		line->brief = bw_roof_word((enum bw_roof)roof);
		line->text =
		    bw_arena_format(picture->arena, "%s %sB/s", line->brief, bw_say_prefixed(bandwidth).text);
	}
}

/* Adds a kernel's operations per byte of every memory, on a horizontal line. */
static void add_intensities(struct bw_picture *picture, const struct bw_roofline_kernel *kernel)
{
	double own = bw_roofline_intensity(kernel), low = own, high = own;
	for (int roof = 0; roof < BW_N_ROOFS; roof++) {
		double intensity = kernel->intensity[roof];
		struct bw_mark dot =
		    bw_mark_dot(BW_TINT_CHOSEN, roof == BW_ROOF_L2 ? BW_SYMBOL_RING : BW_SYMBOL_CROSS);
		if (!(intensity >= picture->x.low && intensity <= picture->x.high) || intensity == own)
			continue;
		low = fmin(low, intensity);
		high = fmax(high, intensity);
		bw_picture_at(picture, dot, intensity, kernel->rate);
	}
	if (low < high) {
		struct bw_mark *line = add_line(picture, low, high, 0, kernel->rate);
		line->tint = BW_TINT_CHOSEN;
		line->dashed = true;
	}
}

static void add_kernel(struct bw_picture *picture, const struct bw_pipeline *pipeline,
		       const struct bw_roofline_kernel *kernel, int k, bool selected)
{
	double intensity = bw_roofline_intensity(kernel);
	struct bw_mark *leader = add_line(picture, intensity, intensity, 0, kernel->rate);
	leader->at[3] = bw_axis_at(&picture->y, fmax(kernel->ceiling, kernel->rate));
	leader->dashed = leader->fine = true;
	struct bw_mark letter = bw_mark_dot(selected ? BW_TINT_CHOSEN : BW_TINT_HEAT, BW_SYMBOL_DISC);
	letter.heat = kernel->share;
	letter.size = sqrt(kernel->share);
	letter.text = bw_arena_strdup(picture->arena, bw_say_letter(k).text);
	letter.says = bw_arena_format(picture->arena, "%s: %sop/s of %sop/s that the ceilings allow",
				      pipeline->funcs[kernel->func].name, bw_say_prefixed(kernel->rate).text,
				      bw_say_prefixed(kernel->ceiling).text);
	bw_picture_at(picture, letter, intensity, kernel->rate);
}

struct bw_picture bw_roofline_picture(const struct bw_pipeline *pipeline,
				      const struct bw_rooflines *rooflines, int selected,
				      struct bw_arena *arena)
{
	struct bw_picture picture =
	    bw_picture_new(arena, 620, 330, "the kernels under the ceilings of the device");
	set_axes(&picture, rooflines);
	add_roofs(&picture, rooflines->device);
	for (int k = rooflines->n - 1; k >= -1; k--) {
		int at = k < 0 ? selected : k;
		if (at < rooflines->n && is_drawn(&rooflines->kernels[at]) && (k < 0) == (at == selected))
			add_kernel(&picture, pipeline, &rooflines->kernels[at], at, k < 0);
	}
	if (selected < rooflines->n && is_drawn(&rooflines->kernels[selected]))
		add_intensities(&picture, &rooflines->kernels[selected]);
	struct bw_mark dot = bw_mark_dot(BW_TINT_CHOSEN, BW_SYMBOL_RING);
	dot.text = bw_arena_strdup(arena, bw_say_letter(selected).text);
	bw_picture_legend(&picture, dot, "kernel, by DRAM");
	dot.text = NULL;
	bw_picture_legend(&picture, dot, "L2");
	dot.symbol = BW_SYMBOL_CROSS;
	bw_picture_legend(&picture, dot, "shared");
	bw_picture_legend(&picture, bw_mark_line(BW_TINT_SOFT), "ceiling");
	return picture;
}

struct bw_picture bw_occupancy_picture(const struct bw_rooflines *rooflines,
				       const struct bw_roofline_kernel *kernel, struct bw_arena *arena)
{
	const struct bw_device *device = rooflines->device;
	int warps = (int)(device->threads_per_block / device->warp_size),
	    present = (int)((kernel->needs.threads + device->warp_size - 1) / device->warp_size);
	struct bw_picture picture = bw_picture_new(arena, 320, 120, "occupancy by warps of a block");
	picture.x = bw_axis_x(0, warps, false, "warps a block");
	picture.y = bw_axis_y(0, 1, false, "occupancy");
	for (int warp = 1; warp <= warps; warp++) {
		struct bw_block_needs needs = kernel->needs;
		needs.threads = warp * (int64_t)device->warp_size;
		double occupancy = bw_occupancy(device, &needs).occupancy;
		if (occupancy > 0)
			bw_picture_span(
			    &picture,
			    bw_mark_box(warp == present ? BW_TINT_CHOSEN : BW_TINT_SOFT, BW_FILL_FULL),
			    warp - 1, 0, warp, occupancy);
		if (warp == present || warp == 1 || warp == warps)
			bw_picture_tick(&picture, &picture.x, warp - 0.5, bw_say_count(warp).text);
	}
	for (int half = 0; half <= 2; half++)
		bw_picture_tick(&picture, &picture.y, half / 2.0, bw_say_percent(half / 2.0).text);
	return picture;
}

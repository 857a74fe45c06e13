// Required boxes and loops at the inner levels of a nest, worked out once more: from the estimates of the outputs down, by
// Halide's boxes_required and by what splits mean. At each level one iteration of the loops outside of it is looked at: of each
// loop the middle one, or where that one is cut off by a tail the last that is not, or where there is none such the first.
#include "nests.h"

namespace bw_test {

namespace {

class Levels {
	const bw_pipeline *core;
	const bw_nest *nest;
	Described &described;
	const bw::Graph graph;
	std::map<std::tuple<int, bw_level, bool>, Region> known;                                                    // required boxes
	std::map<std::tuple<const bw_stage *, bool, Region>, std::map<std::string, Region>> required_of_halide; // by stage and its loops

public:
	Levels(Described &d, const bw_nest *n)
	    : core(d.core), nest(n), described(d), graph(d.pipeline)
	{
	}

	std::string compare(Coverage *coverage)
	{
		std::string problem;
		for (int f = 0; f < core->n_funcs && problem.empty(); f++)
			if (nest->placed[f])
				problem = compare_func(f, coverage);
		return problem;
	}

private:
	const bw_placed &placed(int f) const
	{
		return *nest->placed[f];
	}

	bool inlined(int f) const
	{
		return placed(f).placement->compute.kind == BW_SITE_INLINE;
	}

	static bool same_stage(bw_level level, const bw_stage *stage)
	{
		return level != BW_LEVEL_ROOT && bw_level_func(level) == stage->func && bw_level_stage(level) == stage->index;
	}

	// Whether a stage has loops inside of a level, its own or others.
	bool inside(const bw_stage *stage, bw_level level)
	{
		return level == BW_LEVEL_ROOT || (same_stage(level, stage) && !inlined(stage->func)) || site_inside(stage->func, level);
	}

	// Whether the site of a Func, or that of one of those that it is inlined into, lies inside of a level.
	bool site_inside(int f, bw_level level)
	{
		const bw_site &site = placed(f).placement->compute;
		if (level == BW_LEVEL_ROOT)
			return true;
		if (site.kind == BW_SITE_AT) {
			const bw_stage *host = &core->funcs[site.func].stages[site.stage];
			return same_stage(level, host) ? piece_of(level) <= piece_of(bw_level_of_site(&site)) : site_inside(site.func, level);
		}
		bool any = false;
		for (int c = 0; c < core->funcs[f].n_consumers && site.kind == BW_SITE_INLINE; c++)
			any |= inside(core->funcs[f].consumers[c], level);
		return any;
	}

	// The loop that a level ends with: blocks before threads before serial loops, these one by one.
	int piece_of(bw_level level) const
	{
		const bw_stage_plan &plan = placed(bw_level_func(level)).placement->stages[bw_level_stage(level)];
		int last[2] = {-1, -1}, serial = 0;
		for (int i = 0; i < plan.n_loops; i++) {
			const bw_loop_kind kind = plan.loops[i].kind;
			if (kind == BW_LOOP_BLOCK || kind == BW_LOOP_THREAD)
				last[kind == BW_LOOP_THREAD] = i;
			else if (bw_level_role(level) == BW_ROLE_SERIAL && serial++ == bw_level_serial(level))
				return i;
		}
		return last[bw_level_role(level) == BW_ROLE_THREAD];
	}

	// What an iteration of the pieces up to `last` covers of one loop that goes over `whole`.
	static std::pair<int64_t, int64_t> covered(const bw_stage_plan &plan, const bw_tail *tails, int loop, int last, std::pair<int64_t, int64_t> whole)
	{
		std::vector<int64_t> pieces; // extents of those with one
		int reached = 0;
		bw_tail tail = BW_TAIL_AUTO;
		for (int i = 0; i < plan.n_loops; i++) {
			if (plan.loops[i].loop != loop)
				continue;
			reached += i <= last;
			if (plan.loops[i].extent && pieces.empty())
				tail = tails[i];
			if (plan.loops[i].extent)
				pieces.push_back(plan.loops[i].extent);
		}
		int64_t size = 1, min = whole.first, max = whole.second;
		for (int64_t extent : pieces)
			size *= extent;
		int64_t iterations = (max - min) / size + 1;
		for (int k = 0; k < reached; k++) {
			int64_t at = iterations / 2, full = (max - min + 1) / size;
			if (k == 0 && tail == BW_TAIL_SHIFT_INWARDS) {
				min = std::min(min + at * size, max + 1 - size);
			} else {
				if (tail != BW_TAIL_ROUND_UP && at >= full)
					at = std::max(full - 1, (int64_t)0);
				min += at * size;
			}
			max = tail == BW_TAIL_ROUND_UP ? min + size - 1 : std::min(max, min + size - 1);
			if (k < (int)pieces.size()) {
				iterations = pieces[k];
				size /= pieces[k];
			}
		}
		return {min, max};
	}

	// The intervals of a stage's loops where its Func is required at a level, before any of its own loops. What its splits round up is not
	// required of others there: the rounded iterations read garbage, and nobody reads what they compute.
	Region loops_over(const bw_stage *stage, bw_level level)
	{
		const Region box = required(stage->func, level, inlined(stage->func));
		Region loops;
		for (int l = 0; l < stage->n_loops; l++)
			if (stage->loops[l].pure)
				loops.push_back(box[stage->loops[l].dim]);
			else
				loops.push_back(reduction(stage, stage->loops[l].name));
		return loops;
	}

	std::pair<int64_t, int64_t> reduction(const bw_stage *stage, const std::string &name)
	{
		const bw::Function func = described.halide(core->funcs[stage->func]);
		for (const auto &rvar : bw::definition_of(func, stage->index).schedule().rvars())
			if (rvar.var == name)
				return {value(rvar.min), value(rvar.min + rvar.extent - 1)};
		throw std::runtime_error("no reduction variable " + name);
	}

	// What one iteration of a stage's own loops down to a level covers.
	Region own_loops(const bw_stage *stage, bw_level level)
	{
		const bw_placement &placement = *placed(stage->func).placement;
		Region loops = loops_over(stage, bw_level_of_site(&placement.compute));
		for (int l = 0; l < stage->n_loops; l++)
			loops[l] = covered(placement.stages[stage->index], placed(stage->func).stages[stage->index].tails, l, piece_of(level), loops[l]);
		return loops;
	}

	// Memoized: many levels ask Halide the same.
	const Region &read_by_halide(const bw_stage *stage, const Region &loops, const char *producer, bool as_inlined)
	{
		const auto key = std::make_tuple(stage, as_inlined, loops);
		auto it = required_of_halide.find(key);
		if (it == required_of_halide.end()) {
			const bw::Function func = described.halide(core->funcs[stage->func]);
			const bw::Definition &definition = bw::definition_of(func, stage->index);
			it = required_of_halide.emplace(key, required_by_halide(*stage, as_inlined ? bw::expressions_of(definition) : bw::guarded_expressions_of(definition), intervals(loops), graph.value_bounds)).first;
		}
		return it->second.at(producer);
	}

	// The required box of a Func at a level: what all consumers inside of it read, and what is an output at root. Of one that is inlined no
	// predicate takes anything away, because Halide evaluates first what an expression with all that is inlined has twice.
	Region required(int f, bw_level level, bool as_inlined)
	{
		const auto key = std::make_tuple(f, level, as_inlined);
		auto it = known.find(key);
		if (it != known.end())
			return it->second;
		const bw_func &func = core->funcs[f];
		Region box;
		if (func.output && level == BW_LEVEL_ROOT)
			box = region(func.estimate, func.n_dims);
		for (int c = 0; c < func.n_consumers; c++) {
			const bw_stage *consumer = func.consumers[c];
			if (inside(consumer, level))
				include(&box, read_by_halide(consumer, same_stage(level, consumer) ? own_loops(consumer, level) : loops_over(consumer, level), func.name, as_inlined));
		}
		known[key] = box;
		return box;
	}

	std::string problem(int f, bw_level level, const char *what, const Region &core_says, const Region &halide_says) const
	{
		std::string at = "root";
		if (level != BW_LEVEL_ROOT) {
			static const char *const roles[] = {"block", "thread", "serial"};
			at = std::string(core->funcs[bw_level_func(level)].name) + "." + std::to_string(bw_level_stage(level)) + "." + roles[bw_level_role(level)] + std::to_string(bw_level_serial(level));
		}
		return std::string(core->funcs[f].name) + " at " + at + ": " + what + " " + shown(core_says) + ", and by Halide " + shown(halide_says);
	}

	std::string compare_func(int f, Coverage *coverage)
	{
		const bw_func &func = core->funcs[f];
		for (int i = 0; i < placed(f).n_regions; i++) {
			const bw_region &at = placed(f).regions[i];
			const Region expected = required(f, at.level, inlined(f)), found = region(at.required, func.n_dims);
			if (found != expected)
				return problem(f, at.level, "required", found, expected);
			coverage->required[kind_of(at.level)]++;
		}
		for (int s = 0; !inlined(f) && s < func.n_stages; s++)
			for (int i = 0; i < placed(f).stages[s].n_levels; i++) {
				const bw_own_level &own = placed(f).stages[s].levels[i];
				const Region expected = own_loops(&func.stages[s], own.level), found = region(own.loops, func.stages[s].n_loops);
				if (found != expected)
					return problem(f, own.level, "loops", found, expected);
				coverage->loops[kind_of(own.level)]++;
			}
		return compare_sites(f, coverage);
	}

	// Where else it could be computed.
	std::string compare_sites(int f, Coverage *coverage)
	{
		const bw_func &func = core->funcs[f];
		bw_site sites[64];
		int n = bw_nest_sites(nest, f, sites, 64);
		for (int i = 0; i < n; i++) {
			const bw_level level = bw_level_of_site(&sites[i]);
			std::vector<bw_interval> box(func.n_dims);
			if (!bw_nest_required(nest, f, level, box.data()))
				return std::string(func.name) + " has a site where it is unbounded";
			const Region expected = required(f, level, false), found = region(box.data(), func.n_dims);
			if (found != expected)
				return problem(f, level, "would be required", found, expected);
			coverage->sites++;
		}
		return "";
	}
};

}

std::string compare_levels(Described &described, const bw_nest *nest, Coverage *coverage)
{
	return Levels(described, nest).compare(coverage);
}

}

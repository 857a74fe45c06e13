#include "cases.h"

namespace bw_test {

using namespace Halide;

namespace {

Var x("x"), y("y"), c("c"), n("n");

// An output with its extents, from 0 on.
void give(Subject *subject, const Func &output, const std::vector<int> &size)
{
	subject->outputs.push_back(output);
	subject->sizes.push_back(size);
}

ImageParam image(Subject *subject, Type type, const std::vector<int> &size)
{
	ImageParam in(type, (int)size.size(), "image" + std::to_string(subject->inputs.size()));
	Halide::Region box;
	for (int extent : size)
		box.push_back({0, extent});
	in.set_estimates(box);
	subject->inputs.push_back(in);
	return in;
}

void done(Subject *subject, const char *name)
{
	subject->name = name;
	subject->pipeline = Pipeline(subject->outputs);
	subject->describe(-1);
}

// One element, of one that is computed in a reduction over many.
void no_dimensions(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {300, 20});
	Func twice("twice"), total("total"), output("output");
	RDom r(0, 300, 0, 20, "r");
	twice(x, y) = in(x, y) * cast<uint16_t>(2);
	total() = cast<uint32_t>(0);
	total() += cast<uint32_t>(twice(r.x, r.y));
	output() = total() + cast<uint32_t>(1);
	give(subject, output, {});
	done(subject, "no_dimensions");
}

void one_element(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {3, 3});
	Func blur("blur"), output("output");
	blur(x, y) = in(x, y) + in(x + 1, y) * cast<uint16_t>(3);
	output(x, y) = blur(x, y) + blur(x + 1, y) + blur(x, y + 2);
	give(subject, output, {1, 1});
	done(subject, "one_element");
}

// An extent in both dimensions, below and around that of a warp.
template<int extent>
void small_extent(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {extent + 4, extent + 4});
	Func down("down"), sum("sum"), output("output");
	RDom r(0, 3, "r");
	down(x, y) = in(x, y) + in(x + 1, y + 2);
	sum(x, y) = cast<uint16_t>(x);
	sum(x, y) += down(x + r, y);
	output(x, y) = sum(x, y) * cast<uint16_t>(3) + down(x + 1, y + 1);
	give(subject, output, {extent, extent});
	done(subject, "small_extent");
}

void thin(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {1, 1031});
	Func blur("blur"), output("output");
	blur(x, y) = in(0, clamp(y, 0, 1030)) + in(0, clamp(y + 3, 0, 1030));
	output(x, y) = blur(x, y) + blur(x, y - 1);
	give(subject, output, {1, 1031});
	done(subject, "thin");
}

void millions(Subject *subject)
{
	const int wide = 16000001;
	ImageParam in = image(subject, UInt(8), {wide});
	Func blur("blur"), output("output");
	blur(x) = in(clamp(x, 0, wide - 1)) + in(clamp(x + 1, 0, wide - 1)) * cast<uint8_t>(3);
	output(x) = blur(x) ^ blur(x + 2);
	give(subject, output, {wide});
	done(subject, "millions");
}

// More rows than a grid has blocks in y.
void tall(Subject *subject)
{
	const int high = 2100000;
	ImageParam in = image(subject, UInt(8), {high});
	Func blur("blur"), output("output");
	blur(x, y) = in(clamp(y, 0, high - 1)) + cast<uint8_t>(x);
	output(x, y) = blur(x, y) + blur(x + 1, y + 1);
	give(subject, output, {3, high});
	done(subject, "tall");
}

void output_between(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {70, 50});
	Func first("first"), second("second"), third("third");
	first(x, y) = in(clamp(x, 0, 69), clamp(y, 0, 49)) + cast<uint16_t>(x);
	second(x, y) = first(x - 1, y) + first(x + 1, y) * cast<uint16_t>(3);
	third(x, y) = second(x, y) + second(x, y + 2) + first(x, y);
	give(subject, third, {61, 37});
	give(subject, second, {67, 41});
	give(subject, first, {70, 41});
	done(subject, "output_between");
}

// Nobody may compute more of `between` than is needed: it would read `first` beyond its buffer.
void small_output_between(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {6, 6});
	Func first("first"), between("between"), last("last");
	first(x, y) = in(clamp(x, 0, 5), clamp(y, 0, 5)) * cast<uint16_t>(5);
	between(x, y) = first(x, y) + first(x + 1, y) * cast<uint16_t>(3);
	last(x, y) = between(x, y) + between(x, y + 1);
	give(subject, last, {3, 4});
	give(subject, first, {2, 2});
	done(subject, "small_output_between");
}

void updated_output_between(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {70, 50});
	Func sums("sums"), last("last");
	RDom r(1, 69, "r");
	sums(x, y) = in(clamp(x, 0, 69), clamp(y, 0, 49));
	sums(r, y) += sums(r - 1, y);
	last(x, y) = sums(clamp(x, 0, 69), y) - sums(clamp(x - 5, 0, 69), y);
	give(subject, last, {70, 50});
	give(subject, sums, {70, 50});
	done(subject, "updated_output_between");
}

void unlike_outputs(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {64, 64});
	Func wide("wide"), total("total"), row("row"), bright("bright");
	RDom r(0, 64, 0, 64, "r");
	wide(x, y, c) = cast<float>(in(x, y)) * (1.0f + cast<float>(c));
	bright(x, y) = Tuple(in(x, y) * cast<uint16_t>(2), cast<uint8_t>(in(x, y)));
	row(x) = cast<uint32_t>(0);
	row(x) += cast<uint32_t>(in(x, r.y)) + cast<uint32_t>(in(r.x, 0));
	total() = cast<uint32_t>(0);
	total() += row(r.x) + cast<uint32_t>(r.y);
	give(subject, wide, {64, 64, 3});
	give(subject, bright, {31, 64});
	give(subject, row, {64});
	give(subject, total, {});
	done(subject, "unlike_outputs");
}

void indirect(Subject *subject)
{
	ImageParam in = image(subject, UInt(8), {97, 61}), table = image(subject, UInt(16), {256});
	Func curve("curve"), index("index"), mapped("mapped"), output("output");
	curve(x) = table(clamp(x, 0, 255)) * cast<uint16_t>(3);
	index(x, y) = cast<uint8_t>(in(x, y) + cast<uint8_t>(y));
	mapped(x, y) = curve(cast<int>(index(x, y)));
	output(x, y) = mapped(clamp(cast<int>(index(x, y)), 0, 96), y) + mapped(x, y);
	give(subject, output, {97, 61});
	done(subject, "indirect");
}

void gather(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {97, 61}), at = image(subject, Int(16), {40, 33});
	Func wide("wide"), output("output");
	wide(x, y) = in(clamp(x, 0, 96), clamp(y, 0, 60)) + in(clamp(x + 1, 0, 96), clamp(y, 0, 60));
	const Expr to = clamp(cast<int>(at(x, y)), 0, 96);
	output(x, y) = wide(to, clamp(to / 2 + y, 0, 60)) + wide(to + 1, clamp(y, 0, 60));
	give(subject, output, {40, 33});
	done(subject, "gather");
}

void histogram(Subject *subject)
{
	ImageParam in = image(subject, UInt(8), {101, 53});
	Func counts("counts"), running("running"), output("output");
	RDom r(0, 101, 0, 53, "r"), k(1, 255, "k");
	counts(x) = cast<uint32_t>(0);
	counts(cast<int>(in(r.x, r.y))) += cast<uint32_t>(1);
	running(x) = counts(x);
	running(k) += running(k - 1);
	output(x, y) = cast<uint8_t>(running(cast<int>(in(x, y))) / cast<uint32_t>(21));
	give(subject, output, {101, 53});
	done(subject, "histogram");
}

// The greatest of 64 x 64 in four dimensions: thousands of tilings, and a reduction that nothing may unroll.
void max_pool(Subject *subject)
{
	ImageParam in = image(subject, UInt(8), {95, 95, 3, 2});
	Func bright("bright"), pool("pool"), output("output");
	RDom r(0, 64, 0, 64, "r");
	bright(x, y, c, n) = in(x, y, c, n) / cast<uint8_t>(2);
	pool(x, y, c, n) = cast<uint8_t>(0);
	pool(x, y, c, n) = max(pool(x, y, c, n), bright(x + r.x, y + r.y, c, n));
	output(x, y, c, n) = pool(x, y, c, n) + bright(x, y, c, n);
	give(subject, output, {32, 32, 3, 2});
	done(subject, "max_pool");
}

// The same, one dimension at a time and written out.
void max_filter(Subject *subject)
{
	ImageParam in = image(subject, UInt(8), {127, 127, 3});
	Func across("across"), down("down");
	Expr wide = in(x, y, c), high;
	for (int i = 1; i < 24; i++)
		wide = max(wide, in(x + i, y, c));
	across(x, y, c) = wide;
	high = across(x, y, c);
	for (int i = 1; i < 24; i++)
		high = max(high, across(x, y + i, c));
	down(x, y, c) = high;
	give(subject, down, {64, 64, 3});
	done(subject, "max_filter");
}

// Beyond what a grid has: the outer ones are fused.
template<int dims>
void many_dimensions(Subject *subject)
{
	static const char *const names[] = {"x", "y", "c", "n", "u", "v"};
	static const int extents[] = {19, 9, 3, 2, 2, 5};
	ImageParam in = image(subject, UInt(16), {20, 9, 3, 2});
	Func spread("spread"), output("output");
	std::vector<Var> vars;
	for (int d = 0; d < dims; d++)
		vars.emplace_back(names[d]);
	Expr sum = in(vars[0], vars[1], vars[2], vars[3]);
	for (int d = 4; d < dims; d++)
		sum = sum * cast<uint16_t>(vars[d] + d);
	std::vector<Expr> next(vars.begin(), vars.end());
	next[0] = x + 1;
	spread(vars) = sum;
	output(vars) = spread(vars) + spread(next);
	give(subject, output, std::vector<int>(extents, extents + dims));
	done(subject, "many_dimensions");
}

// A product whose threads keep pairs of rows of one factor in registers. Of its four loops over blocks two are fused.
void product_of_rows(Subject *subject)
{
	const std::vector<int> extents = {32, 8, 6, 2};
	ImageParam in = image(subject, UInt(16), extents);
	Func factor("factor"), product("product"), output("output");
	RDom k(0, 2, "k");
	factor(x, y, c, n) = in(x, clamp(y, 0, 7), c, n) * cast<uint16_t>(3);
	product(x, y, c, n) = cast<uint16_t>(0);
	product(x, y, c, n) += factor(k, y, c, n) * in(x, k, c, n);
	output(x, y, c, n) = product(x, y - 1, c, n) + product(x, y + 1, c, n);
	give(subject, output, extents);
	done(subject, "product_of_rows");
}

// Pairs behind a guard, of which one reads where the other begins.
void pairs_behind_a_guard(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {70, 50});
	Func bright("bright"), output("output");
	bright(x, y) = in(clamp(x, 0, 69), clamp(y, 0, 49)) * cast<uint16_t>(3);
	Expr sum = cast<uint16_t>(1);
	for (int i = 0; i < 6; i++)
		sum = sum * cast<uint16_t>(5) + bright(x + i % 3 - 1, y + i / 3);
	output(x, y) = sum;
	give(subject, output, {64, 37});
	done(subject, "pairs_behind_a_guard");
}

// Too large to run: extents with as many tilings as there are in three dimensions that can be stored, of thirty-nine warps each.
void many_tilings(Subject *subject)
{
	const int wide = 1248;
	ImageParam in = image(subject, UInt(8), {wide, wide, wide});
	Func across("across"), down("down"), deep("deep");
	across(x, y, c) = in(clamp(x, 0, wide - 1), clamp(y, 0, wide - 1), clamp(c, 0, wide - 1)) + in(clamp(x + 1, 0, wide - 1), clamp(y, 0, wide - 1), clamp(c, 0, wide - 1));
	down(x, y, c) = across(x, y, c) + across(x, y + 1, c) * cast<uint8_t>(3);
	deep(x, y, c) = down(x, y, c) + down(x, y, c + 1) * cast<uint8_t>(3);
	give(subject, deep, {wide, wide, wide});
	done(subject, "many_tilings");
}

// A filter whose size is that of its buffer, and a window whose size a parameter says: no number when Halide compiles, whatever the estimates are.
void unknown_sizes(Subject *subject)
{
	ImageParam in = image(subject, UInt(16), {70, 50, 5}), filter = image(subject, UInt(16), {3, 2, 5});
	static Param<int> wide("wide");
	Func both("both"), sum("sum"), most("most"), output("output");
	RDom r(0, filter.dim(0).extent(), 0, filter.dim(1).extent(), 0, filter.dim(2).extent(), "r"), w(0, wide, "w");
	wide.set(3);
	wide.set_estimate(3);
	both(x, y, c) = in(x, y, c) * filter(0, 0, c);
	sum(x, y) = cast<uint16_t>(0);
	sum(x, y) += both(x + r.x, y + r.y, r.z) * filter(r.x, r.y, r.z);
	most(x, y) = cast<uint16_t>(0);
	most(x, y) = max(most(x, y), sum(x + w, y));
	output(x, y) = most(x, y) + most(x, y + 1) * cast<uint16_t>(3) + sum(clamp(x, 0, in.dim(0).extent() - 7), y);
	give(subject, output, {61, 37});
	done(subject, "unknown_sizes");
}

void constants(Subject *subject)
{
	Func flat("flat"), output("output");
	flat(x, y) = cast<uint16_t>(x * 3 + y);
	output(x, y) = flat(x + 1, y) + flat(x, 2);
	give(subject, output, {50, 20});
	done(subject, "constants");
}

/* An update for each of many elements, as an elimination written out has. */
void many_updates(Subject *subject)
{
	Func line("line"), output("output");
	line(x, y) = cast<uint16_t>(x * 3 + y);
	for (int k = 1; k <= 70; k++)
		line(k, y) += cast<uint16_t>(k) * line(k - 1, y);
	output(x, y) = line(x, y) + cast<uint16_t>(1);
	give(subject, output, {80, 37});
	done(subject, "many_updates");
}

}

const std::vector<Case> edge_cases = {
	{"no dimensions", no_dimensions},
	{"one element", one_element},
	{"extents of 2", small_extent<2>},
	{"extents of 13", small_extent<13>},
	{"extents of 37", small_extent<37>},
	{"one column", thin},
	{"millions in x", millions},
	{"millions in y", tall},
	{"outputs that are read", output_between},
	{"a small output that is read", small_output_between, "first root 1x1/16x8\nbetween root 1x1/16x4\nlast root 1x1/16x4\n"},
	{"an updated output that is read", updated_output_between},
	{"outputs of other shapes and types", unlike_outputs},
	{"indirect loads", indirect},
	{"a gather", gather},
	{"a histogram and a scan", histogram},
	{"max pooling, 64 x 64", max_pool},
	{"max filter, written out", max_filter},
	{"four dimensions", many_dimensions<4>, "output root 1x1x1x1/16x2x1x1\nspread at output.thread\n"},
	{"a product of rows in four dimensions", product_of_rows, "output root 1x1x1x1/16x2x1x1\nproduct root; block n, c, y, x; thread c 4, x 16; update 0: block n, c, y, x; thread c 4, x 16; serial k$x; unrolled y 2, x 2\nfactor root 1x1x1x1/16x2x1x1\n"},
	{"pairs behind a guard", pairs_behind_a_guard, "output root; block y, x; thread y 4, x 16 guard_with_if; unrolled x 2\nbright root 1x1/16x4\n"},
	{"six dimensions", many_dimensions<6>, "output root 1x2x2x1x1x1/32x2x2x1x1x1\nspread at output.serial0\n"},
	{"no input", constants},
	{"a filter of unknown size", unknown_sizes},
};

const std::vector<Case> large_cases = {
	{"thousands of tilings", many_tilings},
	{"70 updates", many_updates},
};

}

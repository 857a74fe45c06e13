#include "growing.h"

#include <algorithm>

namespace bw_test {

using namespace Halide;

Expr number(Type type, int value)
{
	return type.is_float() ? cast(type, Expr(0.25f * (float)value)) : cast(type, Expr(value));
}

Type common(Type a, Type b)
{
	if (a.is_float() || b.is_float())
		return a.is_float() && (!b.is_float() || a.bits() > b.bits()) ? a : b.is_float() ? b : a;
	return a.bits() >= b.bits() ? a : b;
}

Expr converted(const Expr &e, Type to)
{
	if (to.is_float() && !e.type().is_float())
		return cast(to, cast(UInt(8), e)) * cast(to, Expr(1.0f / 16));
	return cast(to, e);
}

std::vector<Var> Growing::vars(int dims)
{
	static const char *const names[] = {"x", "y", "c", "n"};
	std::vector<Var> list;
	for (int d = 0; d < dims; d++)
		list.emplace_back(names[d]);
	return list;
}

Args Growing::here(int dims)
{
	Args list;
	for (const Var &var : vars(dims))
		list.push_back(var);
	return list;
}

Func Growing::fresh(const std::string &what)
{
	return Func(what + std::to_string(n_names++));
}

Made Growing::like(int index, const char *what)
{
	return {fresh(what), made[index].type, made[index].size, {index}, ""};
}

int Growing::any()
{
	int recent = below(3), all = below((int)made.size());
	return recent ? (int)made.size() - 1 - std::min(below(2), (int)made.size() - 1) : all;
}

int Growing::any_integer()
{
	int start = any();
	for (int i = 0; i < (int)made.size(); i++) {
		int at = (start + (int)made.size() - i) % (int)made.size();
		if (!made[at].type.is_float())
			return at;
	}
	return -1;
}

int Growing::any_of_dims(int least)
{
	int start = any();
	for (int i = 0; i < (int)made.size(); i++) {
		int at = (start + (int)made.size() - i) % (int)made.size();
		if ((int)made[at].size.size() >= least)
			return at;
	}
	return -1;
}

Expr Growing::resampled(const Made &of, const std::vector<int> &size, const Args &at) const
{
	Args args;
	for (int d = 0; d < (int)of.size.size(); d++) {
		if (d >= (int)size.size())
			args.push_back(0);
		else if (of.size[d] >= 2 * size[d])
			args.push_back(at[d] * (of.size[d] / size[d]));
		else if (of.size[d] >= size[d])
			args.push_back(at[d]);
		else
			args.push_back(at[d] / ((size[d] + of.size[d] - 1) / of.size[d]));
	}
	return of.func(args);
}

// Extents of all kinds: one, below a warp, primes, powers of two.
static const int extents[] = {1, 2, 5, 13, 16, 31, 40, 64, 75, 97, 128};

// Extents of the buffer that has nothing else to read.
static const int shape_extents[] = {5, 7};

Expr Growing::param(int number)
{
	Param<int> param("said" + std::to_string(n_names++));
	param.set(number);
	param.set_estimate(number);
	return param;
}

Expr Growing::said(float number)
{
	if (!unknown)
		return number;
	Param<float> param("said" + std::to_string(n_names++));
	param.set(number);
	param.set_estimate(number);
	return param;
}

Expr Growing::said(int number)
{
	if (!unknown)
		return number;
	const int way = (int)(ways() % 9), dim = (int)(ways() % 2);
	switch (way) {
	case 0: return shape.dim(dim).extent() + (number - shape_extents[dim]);
	case 1: return cast<int>(floor(said(0.5f * (float)number) * 2.0f));
	case 2: return cast<int>(floor(cast<float>(param(number + 1)) / 1.0f)) - 1;
	case 3: return clamp(param(number), number - 2, number + 3);
	case 4: return param(3 * number + 2) / param(3);
	case 5: return cast<int>(ceil(cast<float>(param(2 * number - 1)) * said(0.5f)));
	case 6: return max(param(number), param(number - 1));
	case 7:
		if (!input_size.empty())
			return input.dim(dim).extent() + (number - input_size[dim]);
	}
	return param(number);
}

Growing::Growing(unsigned seed, bool no_numbers)
    : random(seed * 2654435761u + 77), ways(seed), unknown(no_numbers)
{
	static const Type types[] = {UInt(8), UInt(16), UInt(32), Int(16), Float(32), Float(32), Float(64)};
	const Type type = types[below(7)];
	const int kind = below(10), dims = kind < 4 ? 2 : kind < 8 ? 3 : 4;
	Made first;
	first.type = type;
	first.block = "input";
	first.size.push_back(extents[below(dims > 3 ? 8 : 11)]);
	first.size.push_back(extents[below(dims > 3 ? 8 : 11)]);
	for (int d = 2; d < dims; d++)
		first.size.push_back(between(1, d == 2 ? 6 : 3));
	input = ImageParam(type, dims, "input");
	weights = ImageParam(UInt(8), 2, "weights");
	padded = dims > 2 || below(3) != 0;
	if (padded)
		input_size = first.size;
	first.func = fresh("in");
	Args at = here(dims);
	const int boundary = below(4);
	Func whole("whole");
	whole(vars(dims)) = input(at);
	Region bounds = {{0, said(first.size[0])}, {0, said(first.size[1])}};
	for (int d = 2; d < dims; d++)
		bounds.push_back({Expr(), Expr()});
	if (padded && boundary == 0)
		first.func(vars(dims)) = BoundaryConditions::repeat_edge(whole, bounds)(at);
	else if (padded && boundary == 1)
		first.func(vars(dims)) = BoundaryConditions::constant_exterior(whole, number(type, 3), bounds)(at);
	else if (padded && boundary == 2)
		first.func(vars(dims)) = BoundaryConditions::mirror_image(whole, bounds)(at);
	else if (padded)
		first.func(vars(dims)) = whole(put(put(at, 0, clamp(at[0], 0, said(first.size[0]) - 1)), 1, clamp(at[1], 0, said(first.size[1]) - 1)));
	else
		first.func(vars(dims)) = whole(at);
	made.push_back(first);
}

std::vector<std::string> block_names()
{
	std::vector<std::string> names = {"input"};
	for (const auto *list : {&shape_blocks, &filter_blocks, &point_blocks})
		for (const Block &block : *list)
			names.emplace_back(block.name);
	return names;
}

// The work that a Func may be: what the tests run is small.
static bool small(const Made &made)
{
	double points = 1;
	for (int extent : made.size)
		points *= extent;
	return points <= 150000;
}

BlockPipeline::BlockPipeline(unsigned seed, bool no_numbers)
    : Growing(seed, no_numbers)
{
	std::vector<Block> blocks;
	for (const auto *list : {&shape_blocks, &filter_blocks, &point_blocks})
		blocks.insert(blocks.end(), list->begin(), list->end());
	if (no_numbers)
		blocks.insert(blocks.end(), symbolic_blocks.begin(), symbolic_blocks.end());
	const int wanted = 2 + below(11);
	for (int tries = 0; (int)made.size() <= wanted && tries < 100; tries++) {
		const Block &block = blocks[below((int)blocks.size())];
		Made one = block.make(*this);
		one.block = block.name;
		if (one.func.defined() && small(one))
			made.push_back(one);
	}
	finish();
}

void BlockPipeline::count(int index, std::vector<bool> *reached)
{
	if ((*reached)[index])
		return;
	(*reached)[index] = true;
	used.emplace_back(made[index].block);
	for (int from : made[index].from)
		count(from, reached);
}

// The last Func is an output; in two of three there is one more, an intermediate or something beside. The input itself is none.
void BlockPipeline::finish()
{
	std::vector<int> chosen = {(int)made.size() - 1};
	const int more = below(3), other = between(1, std::max((int)made.size() - 1, 1));
	if (more && other < (int)made.size() - 1)
		chosen.push_back(other);
	std::vector<bool> reached(made.size(), false);
	for (int index : chosen) {
		count(index, &reached);
		outputs.push_back(made[index].func);
		sizes.push_back(made[index].size);
	}
	weights.set_estimates({{0, 16}, {0, 16}});
	shape.set_estimates({{0, shape_extents[0]}, {0, shape_extents[1]}});
	shift.set_estimate(1);
	Region box;
	for (int d = 0; d < (int)made[0].size.size(); d++)
		box.push_back({0, made[0].size[d]});
	if (!padded)
		box = {{-100000, 200000}, {-100000, 200000}};
	input.set_estimates(box);
}

}

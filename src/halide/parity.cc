// The work of a stage where its loops are known modulo a number, as in unrolled squares of 2 x 2 points. A
// select whose condition follows from the known values has only one branch.
#include <algorithm>
#include <numeric>

#include "halide/loads.h"

namespace bw
{

namespace
{

constexpr int64_t most_modulus = 4;
constexpr size_t most_values = 4, most_loops = 3, most_classes = 48;

using Folds = std::map<std::string, ParityLoop>;

// Finds the loops of which conditions of selects compute a remainder, or which they compare with a
// constant.
class Asked : public Internal::IRVisitor
{
	const std::vector<std::string> &loops;
	std::map<std::string, Expr> lets;
	bool condition = false;
	int64_t modulus = 0; // divisor of the remainder whose operand is being visited; 0: none

      public:
	Folds found;

	explicit Asked(const std::vector<std::string> &l) : loops(l)
	{
	}

      private:
	using IRVisitor::visit;

	void visit(const Internal::Select *op) override
	{
		const bool before = condition;
		condition = true;
		op->condition.accept(this);
		condition = before;
		op->true_value.accept(this);
		op->false_value.accept(this);
	}
	void visit(const Internal::Let *op) override
	{
		op->value.accept(this);
		lets[op->name] = op->value;
		op->body.accept(this);
	}
	void visit(const Internal::Mod *op) override
	{
		const int64_t before = modulus;
		const auto constant = Internal::as_const_int(op->b);
		modulus = constant && *constant > 1 && *constant <= most_modulus ? *constant : 0;
		op->a.accept(this);
		modulus = before;
	}
	void visit(const Internal::Variable *op) override
	{
		const auto let = lets.find(op->name);
		if (condition && let != lets.end())
			let->second.accept(this);
		if (condition && modulus && is_loop(op)) {
			ParityLoop &loop = found[op->name];
			loop.modulus = std::lcm(std::max(loop.modulus, (int64_t)1), modulus);
		}
	}
	void visit(const Internal::EQ *op) override
	{
		compare(op->a, op->b);
		IRVisitor::visit(op);
	}
	void visit(const Internal::NE *op) override
	{
		compare(op->a, op->b);
		IRVisitor::visit(op);
	}

	bool is_loop(const Internal::Variable *op) const
	{
		return std::find(loops.begin(), loops.end(), op->name) != loops.end();
	}
	void compare(const Expr &a, const Expr &b)
	{
		const Internal::Variable *loop = a.as<Internal::Variable>();
		const auto value = Internal::as_const_int(b);
		if (!condition || !loop || !value || !is_loop(loop))
			return;
		std::vector<int64_t> &values = found[loop->name].values;
		if (std::find(values.begin(), values.end(), *value) == values.end())
			values.push_back(*value);
	}
};

size_t classes_of(const ParityLoop &loop)
{
	return loop.modulus ? (size_t)loop.modulus : loop.values.size() + 1;
}

// Folds the selects of one class of points.
class Folder : public Internal::IRMutator
{
	std::map<std::string, Expr> known;                        // expressions that replace loops (and lets)
	std::map<std::string, const std::vector<int64_t> *> none; // values that a loop is known not to have

      public:
	// Makes the folder of the class with this number. The first loop's class varies fastest.
	Folder(const std::vector<ParityLoop> &loops, size_t number)
	{
		for (const ParityLoop &loop : loops) {
			const size_t at = number % classes_of(loop);
			number /= classes_of(loop);
			const Expr var = Internal::Variable::make(Halide::Int(32), loop.name);
			if (loop.modulus)
				known[loop.name] = var * (int)loop.modulus + (int)at;
			else if (at < loop.values.size())
				known[loop.name] = (int)loop.values[at];
			else
				none[loop.name] = &loop.values;
		}
	}

      private:
	using IRMutator::visit;

	bool is_none(const Expr &a, const Expr &b) const
	{
		const Internal::Variable *loop = a.as<Internal::Variable>();
		const auto value = Internal::as_const_int(b);
		const auto found = loop ? none.find(loop->name) : none.end();
		return value && found != none.end() &&
		       std::find(found->second->begin(), found->second->end(), *value) !=
			   found->second->end();
	}
	Expr visit(const Internal::EQ *op) override
	{
		return is_none(op->a, op->b) ? Internal::const_false() : IRMutator::visit(op);
	}
	Expr visit(const Internal::NE *op) override
	{
		return is_none(op->a, op->b) ? Internal::const_true() : IRMutator::visit(op);
	}
	Expr visit(const Internal::Let *op) override
	{
		const Expr value = mutate(op->value);
		if (value.type().is_bool() || value.type().is_int())
			known[op->name] = Internal::simplify(Internal::substitute(known, value));
		const Expr body = mutate(op->body);
		known.erase(op->name);
		return Internal::expr_uses_var(body, op->name) ? Internal::Let::make(op->name, value, body)
							       : body;
	}
	Expr visit(const Internal::Select *op) override
	{
		const Expr condition = Internal::simplify(Internal::substitute(known, mutate(op->condition)));
		if (Internal::is_const_one(condition))
			return mutate(op->true_value);
		if (Internal::is_const_zero(condition))
			return mutate(op->false_value);
		return IRMutator::visit(op);
	}
};

// Finds the work of a class. Its loads have the same entries as those of the whole stage, with equal or
// smaller counts, perhaps 0. Returns false if this is not possible.
bool work_of_class(const Function &func, int stage, const std::vector<std::string> &loops, const Work &whole,
		   Folder *folder, Work *work)
{
	const Definition &definition = definition_of(func, stage);
	const size_t n_plain = definition.values().size() + definition.args().size();
	size_t n = 0;
	Work counted;
	for (const Expr &e : expressions_of(definition)) {
		const bool predicate = n++ >= n_plain;
		const Expr left = predicate ? Internal::simplify(e) : folder->mutate(Internal::simplify(e));
		count_work(func.name(), loops, Internal::common_subexpression_elimination(left), predicate,
			   &counted);
	}
	work->operations = counted.operations;
	for (const auto &from : whole.loads) {
		std::vector<Loads> &list = work->loads[from.first] = from.second;
		for (Loads &loads : list)
			loads.count = 0;
		for (const Loads &loads : counted.loads[from.first]) {
			const auto at = std::find_if(list.begin(), list.end(), [&](const Loads &of) {
				return of.jacobian == loads.jacobian && of.predicate == loads.predicate;
			});
			if (at == list.end() ||
			    loads.count > whole.loads.at(from.first)[at - list.begin()].count)
				return false;
			at->count = loads.count;
		}
	}
	return true;
}

// Returns the mean number of operations and loads per class.
double size_of(const Parity &parity)
{
	double sum = 0;
	for (const Work &work : parity.classes) {
		for (const auto &row : work.operations)
			for (const auto &cell : row.second)
				sum += cell.second;
		for (const auto &from : work.loads)
			for (const Loads &loads : from.second)
				sum += loads.count;
	}
	return sum / (double)parity.classes.size();
}

} // namespace

std::vector<Parity> parities_of(const Function &func, int stage, const std::vector<std::string> &loops,
				const Work &whole)
{
	Asked asked(loops);
	for (const Expr &e : definition_of(func, stage).values())
		Internal::simplify(e).accept(&asked);
	std::vector<ParityLoop> all;
	for (const std::string &loop : loops) {
		const auto it = asked.found.find(loop);
		if (it == asked.found.end() || it->second.modulus > most_modulus ||
		    it->second.values.size() > most_values)
			continue;
		all.push_back(ParityLoop{loop, it->second.modulus,
					 it->second.modulus ? std::vector<int64_t>() : it->second.values});
	}
	if (all.size() > most_loops)
		all.resize(most_loops);
	std::map<unsigned, double> sizes; // by set of loops, one bit per loop
	sizes[0] = size_of(Parity{{}, {whole}});
	std::vector<Parity> list;
	for (unsigned set = 1; set < 1u << all.size(); set++) {
		Parity parity;
		size_t n = 1;
		double least = sizes[0];
		for (size_t i = 0; i < all.size(); i++)
			if (set >> i & 1) {
				parity.loops.push_back(all[i]);
				n *= classes_of(all[i]);
				least = std::min(least, sizes[set & ~(1u << i)]);
			}
		for (size_t i = 0; i < n && n <= most_classes; i++) {
			Folder folder(parity.loops, i);
			Work work;
			if (!work_of_class(func, stage, loops, whole, &folder, &work))
				break;
			parity.classes.push_back(work);
		}
		const bool whole_list = parity.classes.size() == n;
		sizes[set] = whole_list ? std::min(least, size_of(parity)) : least;
		if (whole_list && size_of(parity) < least)
			list.push_back(parity);
	}
	std::stable_sort(list.begin(), list.end(),
			 [](const Parity &a, const Parity &b) { return a.loops.size() < b.loops.size(); });
	return list;
}

} // namespace bw

// Predicates of updates that read Funcs at a place which no loop of the update, or not all, decides: Halide takes them for the whole of an update's loops.
#include <Halide.h>

namespace {

using namespace Halide;

class Predicates : public Generator<Predicates> {
public:
	enum class Kind { Fixed, Row, Own, Still, Far, Pair };
	GeneratorParam<Kind> kind{"kind", Kind::Fixed, {{"fixed", Kind::Fixed}, {"row", Kind::Row}, {"own", Kind::Own}, {"still", Kind::Still}, {"far", Kind::Far}, {"pair", Kind::Pair}}};
	Input<Buffer<int32_t>> input{"input", 2};
	Output<Buffer<int32_t>> output{"output", 2};

	void generate()
	{
		Var x("x"), y("y");
		Func flag("flag"), chosen("chosen"), marked("marked");
		RDom r(0, 48, "r"), q(0, 12, "q");
		const Kind k = kind;
		if (k == Kind::Far) {
			// Rows that a block makes longer by what only the run decides, between them one value: vectors are cut off, or not aligned.
			Func count("count"), row("row"), late("late");
			RDom s(0, 41, "s");
			count(y) = input(3, y) & 1;
			s.where(count(y) != 0);
			chosen(x, y) = input(x, y) * 5 + input(x + 1, y);
			row(x, y) = x;
			row(clamp(input(s, y), 0, 40), y) += chosen(s, y);
			late(x, y) = row(x, y) * 2;
			output(x, y) = late(x, y) + chosen(x, y);
			output.set_estimates({{0, 48}, {0, 32}});
			return;
		}
		if (k == Kind::Pair) {
			// It stops by its own second value, and reads a tuple.
			Func both("both"), pair("pair");
			both(x, y) = {input(x, y) * 2, input(x, y) & 3};
			both(x, y) = {both(x, y)[0] + 1, both(x, y)[1]};
			pair(x, y) = {0, 0};
			q.where(pair(x, y)[1] < 9);
			pair(x, y) = {pair(x, y)[0] + both(x + q, y)[0], pair(x, y)[1] + both(x + q, y)[1]};
			output(x, y) = pair(x, y)[0];
			output.set_estimates({{0, 48}, {0, 32}});
			return;
		}
		flag(x, y) = input(x, y) & 3;
		chosen(x, y) = flag(x, y) + 1;
		marked(x, y) = chosen(x, y) * 2;
		if (k == Kind::Fixed)
			r.where(chosen(0, 3) >= 2);
		else if (k != Kind::Own)
			r.where(chosen(0, y) >= 2);
		else
			r.where(marked(0, y) >= 2);
		q.where(flag(q, y) != 0);
		marked(r, y) = 2 + r;
		marked(q, y) += 7;
		if (k == Kind::Still) {
			// It reads itself where it is stored, wherever the loop is.
			RDom s(0, 48, "s");
			s.where(marked(x, y) < 20);
			marked(x, y) += flag(s, y);
		}
		output(x, y) = marked(x, y) + flag(x, y);
		output.set_estimates({{0, 48}, {0, 32}});
	}
};

}

HALIDE_REGISTER_GENERATOR(Predicates, predicates)

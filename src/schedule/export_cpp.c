/* The exported schedule as C++ for Halide 14 and later, which uses public calls only. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/export_private.h"

enum { WIDTH = 120 }; /* columns per line; a tab counts as one */

static BW_WORDS(tail_of, enum bw_tail, BW_TAIL_TABLE(BW_THIRD))

static BW_WORDS(memory_of, enum bw_memory, BW_MEMORY_TABLE(BW_THIRD))

/* Appends the function that finds Funcs by name. It cannot sort by name alone: if an algorithm is built
 * twice in one process, for example for several targets, Halide adds other numbers to the names the second
 * time. */
static void print_finder(const struct exporter *exporter)
{
	struct bw_text *out = exporter->out;
	bw_text_puts(
	    out,
	    "\t// Funcs are found by name: their places in get_func() change with their names and with Halide's version. A number that\n"
	    "\t// Halide adds (f12, blur$1) is no part of the name here: of Funcs that differ in it alone, n counts in the order of it.\n"
	    "\tstd::map<std::string, std::multimap<std::pair<size_t, std::string>, Func>> found;\n"
	    "\tsize_t n_funcs = 0;\n"
	    "\tfor (size_t outputs = 0; outputs < pipeline.outputs().size(); n_funcs++) {\n"
	    "\t\tconst Func f = pipeline.get_func(n_funcs);\n"
	    "\t\tfor (const Func &output : pipeline.outputs())\n"
	    "\t\t\toutputs += output.name() == f.name();\n"
	    "\t\tconst std::string name = f.name();\n"
	    "\t\tconst size_t digits = name.find_last_not_of(\"0123456789\") + 1;\n"
	    "\t\tconst bool made = digits > 1 && digits < name.size() && name[digits - 1] == '$';\n"
	    "\t\tconst std::string base = made ? name.substr(0, digits - 1) : digits == 1 ? name.substr(0, 1) : name;\n"
	    "\t\tfound[base].emplace(std::make_pair(name.size() - digits, name.substr(digits)), f);\n"
	    "\t}\n");
	bw_text_printf(
	    out,
	    "\t_halide_user_assert(n_funcs == %d)\n\t\t<< \"this schedule was exported for an algorithm of %d Funcs, this one has \" << n_funcs << \"; export it again\\n\";\n",
	    exporter->n_reached, exporter->n_reached);
	bw_text_puts(out, "\tconst auto func = [&](const std::string &name, size_t n = 0, size_t of = 1) {\n"
			  "\t\t_halide_user_assert(found.count(name) && found.at(name).size() == of)\n"
			  "\t\t\t<< \"this schedule was exported for an algorithm that has \" << of << \" Func\" << (of == 1 ? \"\" : \"s\") << \" called \" << name\n"
			  "\t\t\t<< \", this one has \" << (found.count(name) ? found.at(name).size() : 0) << \"; export it again\\n\";\n"
			  "\t\treturn std::next(found.at(name).begin(), n)->second;\n"
			  "\t};\n\n");
}

/* Returns true if a directive makes a copy of a Func in host memory for an extern stage to read. */
static bool copies_to_host(const struct exporter *exporter, const struct bw_directive *directive)
{
	return directive->op == BW_DIRECTIVE_IN && exporter->funcs[directive->at_func].external;
}

/* Appends the function that copies a Func to host memory, if an exported directive needs it: Halide
 * refuses in() wrappers for extern stages. */
static void print_copier(const struct exporter *exporter)
{
	bool any = false;
	for (int i = 0; i < exporter->export->directives->n; i++)
		any |= exporter->chosen[i] && copies_to_host(exporter, &exporter->export->directives->list[i]);
	if (any)
		bw_text_puts(
		    exporter->out,
		    "\t// An extern stage looks for what it reads in host memory: it gets copies, computed there.\n"
		    "\tconst auto copy_for_extern = [](Func of, Func reader) {\n"
		    "\t\tstd::vector<Func> copies;\n"
		    "\t\tstd::vector<ExternFuncArgument> arguments;\n"
		    "\t\tfor (const ExternFuncArgument &argument : reader.function().extern_arguments()) {\n"
		    "\t\t\tconst bool copied = argument.is_func() && argument.func.same_as(of.function().get_contents());\n"
		    "\t\t\tif (!copied)\n"
		    "\t\t\t\targuments.push_back(argument);\n"
		    "\t\t\tfor (int i = 0; copied && i < of.outputs(); i++) {\n"
		    "\t\t\t\tFunc copy(of.name() + \"_for_\" + reader.name());\n"
		    "\t\t\t\tcopy(of.args()) = of.outputs() == 1 ? Expr(of(of.args())) : Expr(of(of.args())[i]);\n"
		    "\t\t\t\tcopy.compute_root();\n"
		    "\t\t\t\targuments.emplace_back(copy.function().get_contents());\n"
		    "\t\t\t\tcopies.push_back(copy);\n"
		    "\t\t\t}\n"
		    "\t\t}\n"
		    "\t\treader.function().extern_arguments() = arguments;\n"
		    "\t\treturn copies.at(0);\n"
		    "\t};\n\n");
}

/* Appends the consumers of a wrapper in brackets. */
static void print_consumers(struct exporter *exporter, const struct bw_directive *directive)
{
	bw_text_printf(exporter->out, directive->n_also ? "(std::vector<Func>{%s" : "(%s",
		       exporter->funcs[directive->at_func].id);
	for (int i = 0; i < directive->n_also; i++)
		bw_text_printf(exporter->out, ", %s", exporter->funcs[directive->also[i]].id);
	bw_text_puts(exporter->out, directive->n_also ? "})" : ")");
}

static void print_derived(struct exporter *exporter, const struct func_symbol *func)
{
	bw_text_printf(exporter->out, "\tFunc %s = %s.%s", func->id, exporter->funcs[func->parent].id,
		       func->clone ? "clone_in" : "in");
	if (func->made_by >= 0)
		print_consumers(exporter, &exporter->export->directives->list[func->made_by]);
	else
		bw_text_printf(exporter->out, "(%s)", func->consumer < 0 ? "" : exporter->funcs[func->consumer].id);
	bw_text_puts(exporter->out, ";\n");
}

/* Appends the call that finds a Func by name. Returns true if several Funcs differ only in the number that
 * Halide added, so that this number decides. */
static bool print_find(struct exporter *exporter, int index, struct bw_text *out)
{
	const char *number, *base = bw_export_base(exporter->arena, exporter->funcs[index].name, &number);
	int alike, rank = bw_export_rank(exporter, index, &alike);
	bw_text_puts(out, "func(");
	bw_export_literal(base, out);
	if (alike > 1)
		bw_text_printf(out, ", %d, %d", rank, alike);
	bw_text_puts(out, ")");
	return alike > 1;
}

static void print_reached(struct exporter *exporter, int index)
{
	const struct func_symbol *func = &exporter->funcs[index];
	bw_text_printf(exporter->out, "\tFunc %s = ", func->id);
	bool numbered = print_find(exporter, index, exporter->out);
	bw_text_puts(exporter->out, numbered ? "; // " : ";");
	if (numbered)
		bw_export_comment(func->name, exporter->out);
	bw_text_puts(exporter->out, "\n");
}

/* Declares a Func that exists before the first exported directive. Declares the Funcs through which it is
 * found before it. */
static void declare_func(struct exporter *exporter, int index)
{
	struct func_symbol *func = &exporter->funcs[index];
	if (func->declared || (func->made_by >= 0 && exporter->chosen[func->made_by]))
		return;
	func->declared = true;
	if (func->parent < 0) {
		if (!exporter->given)
			print_reached(exporter, index);
		return;
	}
	declare_func(exporter, func->parent);
	if (func->consumer >= 0)
		declare_func(exporter, func->consumer);
	for (int i = 0; func->made_by >= 0 && i < exporter->export->directives->list[func->made_by].n_also; i++)
		declare_func(exporter, exporter->export->directives->list[func->made_by].also[i]);
	print_derived(exporter, func);
}

/* Returns true if Halide chose the name of a Var or RVar. The name may differ when the algorithm is built
 * again. */
static bool named_by_halide(struct exporter *exporter, const struct loop_symbol *loop)
{
	const char *number, *base = bw_export_base(exporter->arena, loop->name, &number);
	return loop->loop >= 0 && (loop->rvar || (strcmp(base, loop->name) != 0 && *base != '_'));
}

static void print_loop(struct exporter *exporter, const struct loop_symbol *loop)
{
	struct bw_text *out = exporter->out;
	bw_text_printf(out, "%s(", loop->id);
	if (named_by_halide(exporter, loop)) {
		const char *id = exporter->funcs[loop->func].id;
		if (loop->stage)
			bw_text_printf(out, "%s.update(%d)", id, loop->stage - 1);
		else
			bw_text_printf(out, "Stage(%s)", id);
		bw_text_printf(out, ".get_schedule().dims()[%d].var", loop->loop);
	} else {
		bw_export_literal(loop->name, out);
	}
	bw_text_printf(out, ", %s)", loop->rvar ? "true" : "false");
}

/* Declares loops from `begin` up to `end`. */
static void declare_loops(struct exporter *exporter, int begin, int end)
{
	struct bw_text *out = exporter->out;
	if (begin == end)
		return;
	if (!begin)
		bw_text_puts(
		    out,
		    "\n\t// No Var and RVar: made a VarOrRVar, as calls do with them, they take a unique name, and names taken can change kernels.");
	bw_text_puts(out, "\n\tconst VarOrRVar ");
	size_t start = out->length;
	for (int i = begin; i < end; i++) {
		size_t before = out->length;
		bw_text_puts(out, i > begin ? ", " : "");
		print_loop(exporter, &exporter->loops[i]);
		if (i == begin || out->length - start <= WIDTH)
			continue;
		BW_SCOPED_MEMORY char *last = bw_strdup(out->bytes + before + 2);
		out->bytes[out->length = before] = 0;
		bw_text_printf(out, ",\n\t\t");
		start = out->length;
		bw_text_puts(out, last);
	}
	bw_text_puts(out, ";\n");
}

static const char *loop_id(const struct exporter *exporter, int i, int v)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	bool at = directive->op == BW_DIRECTIVE_COMPUTE_AT || directive->op == BW_DIRECTIVE_STORE_AT;
	bool made = (directive->op == BW_DIRECTIVE_SPLIT && v > 0) || (directive->op == BW_DIRECTIVE_FUSE && v == 2);
	return bw_export_loop(exporter, made ? i + 1 : i, at ? directive->at_func : directive->func,
			      at ? directive->at_stage : directive->stage, directive->vars[v])
	    ->id;
}

static void print_loops(struct exporter *exporter, int i, const char *format)
{
	for (int v = 0; v < exporter->export->directives->list[i].n_vars; v++) {
		bw_text_puts(exporter->out, v ? ", " : "");
		bw_text_printf(exporter->out, *format == 'V' ? "Var(%s.name())" : "%s", loop_id(exporter, i, v));
	}
}

static void print_rfactor(struct exporter *exporter, int i)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	bw_text_puts(exporter->out, "({");
	for (int v = 0; v + 1 < directive->n_vars; v += 2) {
		bw_text_printf(exporter->out, "%s{RVar(%s.name()), Var(", v ? ", " : "", loop_id(exporter, i, v));
		bw_export_literal(directive->vars[v + 1], exporter->out);
		bw_text_puts(exporter->out, ")}");
	}
	bw_text_puts(exporter->out, "})");
}

/* Appends the arguments of a directive's call. */
static void print_arguments(struct exporter *exporter, int i)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	struct bw_text *out = exporter->out;
	switch (directive->op) {
	case BW_DIRECTIVE_COMPUTE_AT:
	case BW_DIRECTIVE_STORE_AT:
		bw_text_printf(out, "(LoopLevel(%s, %s))", exporter->funcs[directive->at_func].id, loop_id(exporter, i, 0));
		break;
	case BW_DIRECTIVE_STORE_IN:
		bw_text_printf(out, "(MemoryType::%s)", memory_of(directive->memory));
		break;
	case BW_DIRECTIVE_REORDER_STORAGE:
		bw_text_puts(out, "({");
		print_loops(exporter, i, "V");
		bw_text_puts(out, "})");
		break;
	case BW_DIRECTIVE_ALIGN_STORAGE:
	case BW_DIRECTIVE_ALIGN_BOUNDS:
		bw_text_puts(out, "(");
		print_loops(exporter, i, "V");
		bw_text_printf(out, ", %lld)", (long long)directive->factor);
		break;
	case BW_DIRECTIVE_IN:
	case BW_DIRECTIVE_CLONE_IN:
		print_consumers(exporter, directive);
		break;
	case BW_DIRECTIVE_RFACTOR:
		print_rfactor(exporter, i);
		break;
	default:
		bw_text_puts(out, directive->op == BW_DIRECTIVE_REORDER && directive->n_vars == 1 ? "({" : "(");
		print_loops(exporter, i, "");
		if (directive->op == BW_DIRECTIVE_SPLIT)
			bw_text_printf(out, ", %" PRId64, directive->factor);
		if (directive->op == BW_DIRECTIVE_SPLIT && directive->tail != BW_TAIL_AUTO)
			bw_text_printf(out, ", TailStrategy::%s", tail_of(directive->tail));
		bw_text_puts(out, directive->op == BW_DIRECTIVE_REORDER && directive->n_vars == 1 ? "})" : ")");
		break;
	}
}

/* Returns the stage that a directive is called on. Directives with the same number can be chained in one
 * statement. */
static int stage_of(const struct bw_directive *directive)
{
	return directive->op < BW_DIRECTIVE_RFACTOR ? 0 : directive->stage;
}

static void print_subject(struct exporter *exporter, const struct bw_directive *directive)
{
	bw_text_puts(exporter->out, exporter->funcs[directive->func].id);
	if (stage_of(directive))
		bw_text_printf(exporter->out, ".update(%d)", stage_of(directive) - 1);
}

/* Prints the directives from `begin` up to `end` as calls. */
static void print_calls(struct exporter *exporter, int begin, int end)
{
	const struct bw_directives *directives = exporter->export->directives;
	struct bw_text *out = exporter->out;
	const struct bw_directive *open = NULL;
	for (int i = begin; i < end; i++) {
		const struct bw_directive *directive = &directives->list[i];
		if (!exporter->chosen[i])
			continue;
		bool same = open && open->func == directive->func && stage_of(open) == stage_of(directive) &&
			    directive->result < 0;
		if (!same) {
			bw_text_puts(out, open ? ";\n\n\t" : "\n\t");
			if (directive->result >= 0)
				bw_text_printf(out, "Func %s = ", exporter->funcs[directive->result].id);
			if (copies_to_host(exporter, directive)) {
				bw_text_printf(out, "copy_for_extern(%s, %s);\n", exporter->funcs[directive->func].id,
					       exporter->funcs[directive->at_func].id);
				open = NULL;
				continue;
			}
			print_subject(exporter, directive);
		}
		bw_text_printf(out, directive->result >= 0 ? ".%s" : "\n\t\t.%s", bw_directive_name(directive->op));
		print_arguments(exporter, i);
		open = directive;
		if (directive->result >= 0) {
			bw_text_puts(out, ";\n");
			open = NULL;
		}
	}
	bw_text_puts(out, open ? ";\n" : "");
}

/* Appends the scheduled Funcs of the pipeline, separated by commas: as parameters, or as calls that find
 * them. */
static void print_given(struct exporter *exporter, bool calls)
{
	struct bw_text *out = exporter->out;
	size_t line = out->length - 40; /* the function's name before them */
	for (int i = 0, n = 0; i < exporter->n_funcs; i++) {
		const struct func_symbol *func = &exporter->funcs[i];
		if (!func->used || func->parent >= 0 || func->made_by >= 0)
			continue;
		BW_SCOPED_TEXT one = {0};
		if (calls)
			print_find(exporter, i, &one);
		else
			bw_text_printf(&one, "Halide::Func %s", func->id);
		bool wraps = n && out->length + one.length - line > WIDTH;
		bw_text_puts(out, !n++ ? "" : wraps ? ",\n\t\t" : ", ");
		line = wraps ? out->length : line;
		bw_text_puts(out, bw_text_get(&one));
	}
}

void bw_export_print_given(struct exporter *exporter, const char *function)
{
	exporter->given = true;
	bw_text_printf(exporter->out, "inline void %s(", function);
	print_given(exporter, false);
	bw_text_puts(exporter->out, ")\n{\n\tusing namespace Halide;\n");
	bw_export_print(exporter);
	bw_text_puts(exporter->out, "}\n");
}

void bw_export_print_found(struct exporter *exporter, const char *function)
{
	bw_text_puts(exporter->out, "\tusing namespace Halide;\n\n");
	print_finder(exporter);
	bw_text_printf(exporter->out, "\t%s(", function);
	print_given(exporter, true);
	bw_text_puts(exporter->out, ");\n");
}

/* Prints the directives from `begin` up to `end`. Before them, declares the loops that they name first,
 * including those of Funcs that an earlier rfactor made. */
static void print_piece(struct exporter *exporter, int begin, int end)
{
	int from = 0, to;
	while (from < exporter->n_loops && exporter->loops[from].first < begin)
		from++;
	for (to = from; to < exporter->n_loops && exporter->loops[to].first < end;)
		to++;
	declare_loops(exporter, from, to);
	print_calls(exporter, begin, end);
}

void bw_export_print(struct exporter *exporter)
{
	const struct bw_directives *directives = exporter->export->directives;
	if (!exporter->given)
		print_finder(exporter);
	print_copier(exporter);
	for (int i = 0; i < directives->n; i++) {
		const struct bw_directive *directive = &directives->list[i];
		if (exporter->chosen[i])
			declare_func(exporter, directive->func);
		if (exporter->chosen[i] && directive->at_func >= 0)
			declare_func(exporter, directive->at_func);
		for (int k = 0; exporter->chosen[i] && k < directive->n_also; k++)
			declare_func(exporter, directive->also[k]);
	}
	int begin = 0;
	for (int i = 1; i <= exporter->n_factoring; i++)
		if (i == exporter->n_factoring || exporter->funcs[directives->list[i].func].made_by >= begin) {
			print_piece(exporter, begin, i);
			begin = i;
		}
	print_piece(exporter, begin, directives->n);
}

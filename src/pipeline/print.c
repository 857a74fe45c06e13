/* Prints expressions in infix form, with only the necessary parentheses. */
#include <inttypes.h>

#include "pipeline/expr_private.h"

/* The form of an operator: binding strength, 0 for operators printed like a call; the text between the
 * operands. */
struct infix {
	int strength;
	const char *between;
};

static struct infix infix_of(enum bw_operator op)
{
	switch (op) {
	case BW_OPERATOR_OR: return (struct infix){1, " || "};
	case BW_OPERATOR_AND: return (struct infix){2, " && "};
	case BW_OPERATOR_EQ: return (struct infix){3, " == "};
	case BW_OPERATOR_NE: return (struct infix){3, " != "};
	case BW_OPERATOR_LT: return (struct infix){3, " < "};
	case BW_OPERATOR_LE: return (struct infix){3, " <= "};
	case BW_OPERATOR_BIT_AND: return (struct infix){4, " & "};
	case BW_OPERATOR_SHIFT_LEFT: return (struct infix){5, " << "};
	case BW_OPERATOR_SHIFT_RIGHT: return (struct infix){5, " >> "};
	case BW_OPERATOR_ADD: return (struct infix){6, " + "};
	case BW_OPERATOR_SUB: return (struct infix){6, " - "};
	case BW_OPERATOR_MUL: return (struct infix){7, "*"};
	case BW_OPERATOR_DIV: return (struct infix){7, "/"};
	case BW_OPERATOR_MOD: return (struct infix){7, "%"};
	default: return (struct infix){0, ", "};
	}
}

struct printer {
	const struct bw_expr *expr;
	const struct bw_scope *scope;
	struct bw_text *out;
};

static void print_at(const struct printer *printer, int at, int strength);

static void print_operation(const struct printer *printer, int at, int strength)
{
	enum bw_operator op = (enum bw_operator)printer->expr->program[at].operand;
	struct infix infix = infix_of(op);
	int operands = bw_operators[op].operands, ends[3];
	for (int i = operands - 1, end = at - 1; i >= 0; i--) {
		ends[i] = end;
		end = printer->expr->program[end].begin - 1;
	}
	if (!infix.strength)
		bw_text_puts(printer->out, bw_operators[op].text);
	bool parentheses = !infix.strength || infix.strength < strength;
	if (parentheses)
		bw_text_puts(printer->out, "(");
	for (int i = 0; i < operands; i++) {
		if (i)
			bw_text_puts(printer->out, infix.between);
		print_at(printer, ends[i], infix.strength ? infix.strength + (i > 0) : 0);
	}
	if (parentheses)
		bw_text_puts(printer->out, ")");
}

static void print_number(const struct printer *printer, int64_t value, int strength)
{
	bw_text_printf(printer->out, value < 0 && strength ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* Prints the subexpression that ends at `at`, in parentheses if it binds less than strength. */
static void print_at(const struct printer *printer, int at, int strength)
{
	const struct bw_instruction *instruction = &printer->expr->program[at];
	const struct bw_scope *scope = printer->scope;
	switch (instruction->code) {
	case BW_CODE_CONST: print_number(printer, instruction->value, strength); break;
	case BW_CODE_PARAM:
		if (instruction->operand < 0)
			print_number(printer, instruction->value, strength);
		else
			bw_text_puts(printer->out, scope->params[instruction->operand]);
		break;
	case BW_CODE_MIN: bw_text_printf(printer->out, "%s.min", scope->names[instruction->operand]); break;
	case BW_CODE_MAX: bw_text_printf(printer->out, "%s.max", scope->names[instruction->operand]); break;
	case BW_CODE_APPLY: print_operation(printer, at, strength); break;
	}
}

void bw_expr_print(const struct bw_expr *expr, const struct bw_scope *scope, struct bw_text *out)
{
	if (expr->unbounded)
		bw_text_puts(out, "unbounded");
	else
		print_at(&(struct printer){expr, scope, out}, expr->n - 1, 0);
}

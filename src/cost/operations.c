#include "cost/operations.h"

static double operation_cost(enum bw_operation operation)
{
	switch (operation) {
	case BW_OPERATION_DIV:
	case BW_OPERATION_MOD:
		return 4;
	case BW_OPERATION_EXTERN_CALL:
		return 8;
	case BW_OPERATION_CONST:
	case BW_OPERATION_CAST:
	case BW_OPERATION_VARIABLE:
	case BW_OPERATION_PARAM:
	case BW_OPERATION_IMAGE_CALL:
	case BW_OPERATION_FUNC_CALL:
	case BW_OPERATION_SELF_CALL:
	case BW_OPERATION_LET:
		return 0;
	default:
		return 1;
	}
}

double bw_operations_of(const struct bw_stage *stage)
{
	double sum = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			sum += operation_cost((enum bw_operation)o) * stage->ops[o][t];
	return sum;
}

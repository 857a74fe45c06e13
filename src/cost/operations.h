/* Arithmetic as the analytical models count it: Mullapudi et al. 2016, and Sioutas et al. 2020 after it. */
#ifndef BW_COST_OPERATIONS_H
#define BW_COST_OPERATIONS_H
#include "pipeline/pipeline.h"

/* Returns the operations of a point of a stage. Divisions and remainders cost 4 operations, calls of
 * functions such as exp 8, constants, variables and casts nothing. Loads, and what is inlined, are not among
 * them. */
double bw_operations_of(const struct bw_stage *stage);
#endif

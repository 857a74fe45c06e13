/* The latency model: the roofline with what it leaves out, as measured on a GPU. */
#ifndef BW_COST_LATENCY_H
#define BW_COST_LATENCY_H
#include "cost/cost.h"

extern const struct bw_cost_model bw_latency_model;
#endif

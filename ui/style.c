#include "ui/style.h"

static const struct bw_look looks[] = {
#define X(name, colour256, lit256, colour16, attributes, svg) \
	{#name, colour256, lit256, colour16, attributes, svg},
    BW_STYLE_TABLE(X)
#undef X
};

const struct bw_look *bw_style_look(enum bw_style style)
{
	return &looks[style];
}

enum bw_style bw_style_heat(double share)
{
	static const double bounds[] = {0.10, 0.25, 0.40, 0.60};
	int heat = 0;
	while (heat < 4 && share >= bounds[heat])
		heat++;
	return BW_STYLE_HEAT_1 + heat;
}

#include "bench/measurement.h"

const char *bw_verdict_name(enum bw_verdict verdict)
{
	static const char *const names[] = {
#define X(name, text) text,
		BW_VERDICT_TABLE(X)
#undef X
	};
	return names[verdict];
}

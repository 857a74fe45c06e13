/* What other tools and the runner say of a campaign. */
#ifndef BW_TESTS_GPU_UNPACK_REMARKS_H
#define BW_TESTS_GPU_UNPACK_REMARKS_H
#include "unpack.h"

/* Whether compute-sanitizer ended well and its summary tells of nothing. */
bool sanitized_clean(const struct remark *remark);
#endif

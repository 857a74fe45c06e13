/* What other tools and the runner say of a campaign. */
#pragma once
#include "unpack.h"

/* Whether compute-sanitizer ended well and its summary tells of nothing. */
bool sanitized_clean(const struct remark *remark);

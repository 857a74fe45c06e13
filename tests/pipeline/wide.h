#pragma once
#include "base/text.h"

/* Appends a description: n inputs without dimensions, then `readers` Funcs that read each of them and the Func before; the last is the output. */
void bw_put_wide(struct bw_text *text, int n, int readers);

/* What all generators and tests of Halide include: compiled once for all, since it takes seconds to read. */
#include <Halide.h>

// The main program of every generator, as Halide ships it.
#include BW_GENGEN

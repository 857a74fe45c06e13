/* A pipeline made by hand, with the kinds of Func that the text form must cope with: names that need quotes, updates, four
 * dimensions, none.
 *
 *   input              x y          input
 *   Y                  x y          reads input
 *   Ix                 x y          reads Y
 *   hist               x            reads Y; update 0 over r$x (parallel), r$y; update 1 over r$z and x
 *   a b                x y c        reads Ix
 *   f.update0          x y z w      reads "a b"
 *   sum                none         reads hist; update 0 over r$x
 *   root               in "y:1"     reads f.update0; a keyword, with a keyword and a colon as dimensions
 *   output             x y          reads all of these but input; output */
#pragma once
#include "pipeline/pipeline.h"

enum { MADE_INPUT, MADE_Y, MADE_IX, MADE_HIST, MADE_A_B, MADE_F, MADE_SUM, MADE_ROOT, MADE_OUTPUT, MADE_FUNCS };
extern const struct bw_pipeline made;

/* Every command of the table, with right and wrong arguments; how lines find their command; what they say of a decision. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "session_test.h"

/* Lines in turn on one session; the last says what it says, or is refused with an error that begins so. */
struct line_case {
	const char *lines[8];
	const char *says, *refused;
	int cursor; /* where it stands then */
};

static const struct line_case cases[] = {
	/* output, blur_x, input_im: where and tile of each. */
	{{"step"}, "at 1 of 6: output.tile\n", NULL, 1},
	{{"step 2"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"sort name"}, "stages by name\n", NULL, 0},
	{{"sort", "sort"}, "stages in the order in which they are decided\n", NULL, 0},
	{{"freze blur_x"}, NULL, "no command \"freze\"; did you mean \"freeze\"? `help` lists them", 0},
	{{"help freze"}, NULL, "no command \"freze\"; did you mean \"freeze\"?", 0},
	{{"freeze blurx"}, NULL, "no Func \"blurx\"; did you mean \"blur_x\"?", 0},
	{{"view roofine"}, NULL, "no view \"roofine\"; did you mean \"roofline\"?", 0},
	{{"set bem=3"}, NULL, "no option \"bem\"; did you mean \"beam\"? `set` lists them", 0},
	{{"sort size"}, NULL, "no order \"size\"; there are cost, name, order", 0},
	{{"step 100"}, "at 6 of 6: end\n", NULL, 6},
	{{"step func"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"step decision"}, "at 1 of 6: output.tile\n", NULL, 1},
	{{"step 0"}, NULL, "step takes decision, func, pass, option or a number of decisions from 1 on, not \"0\"", 0},
	{{"step -1"}, NULL, "step takes decision, func, pass, option or a number of decisions from 1 on, not \"-1\"", 0},
	{{"step 2x"}, NULL, "step takes", 0},
	{{"step sideways"}, NULL, "step takes", 0},
	{{"run", "step"}, NULL, "this is the end of the search", 6},
	{{"back"}, NULL, "this is the start of the search", 0},
	{{"run", "back 2"}, "at 4 of 6: input_im.where\n", NULL, 4},
	{{"run", "back 100"}, "at 0 of 6: output.where\n", NULL, 0},
	{{"run 3", "back func"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"run 3", "back up"}, NULL, "back takes", 3},
	{{"run"}, "at 6 of 6: end\n", NULL, 6},
	{{"run end"}, "at 6 of 6: end\n", NULL, 6},
	{{"run 3"}, "at 3 of 6: blur_x.tile\n", NULL, 3},
	{{"run blur_x"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"run blur_x.tile"}, "at 3 of 6: blur_x.tile\n", NULL, 3},
	{{"run blur_x.tile@1"}, "at 3 of 6: blur_x.tile\n", NULL, 3},
	/* Two passes of 6 decisions, and one between them. */
	{{"set freezing=off", "set passes=2", "run"}, "at 13 of 13: end\n", NULL, 13},
	{{"set freezing=off", "set passes=2", "run blur_x@2"}, "at 9 of 13: blur_x.where@2\n", NULL, 9},
	{{"set freezing=off", "set passes=2", "run", "run blur_x.tile"}, "at 10 of 13: blur_x.tile@2\n", NULL, 10},
	{{"set freezing=off", "set passes=2", "run blur_x@3"}, NULL, "no Func \"blur_x@3\"", 0},
	{{"set freezing=off", "set passes=2", "step pass"}, "at 6 of 13: end of pass 1\n", NULL, 6},
	{{"set freezing=off", "set passes=2", "run 6", "step pass"}, "at 13 of 13: end\n", NULL, 13},
	{{"set freezing=off", "set passes=2", "run 9", "back pass"}, "at 7 of 13: output.where@2\n", NULL, 7},
	{{"set freezing=off", "set passes=2", "run 7", "back pass"}, "at 0 of 13: output.where@1\n", NULL, 0},
	{{"set freezing=off", "set passes=2", "run 6", "accept"}, NULL, NULL, 7},
	{{"set freezing=off", "run", "set passes=3"}, "passes=3\n", NULL, 20},
	{{"set freezing=off", "set passes=3", "run", "set passes=1"}, "passes=1\n", NULL, 6},
	/* The pre-pass is pass 0, and is there where it freezes; with several passes the first of them does that, and none is left out. */
	{{"set passes=2", "run"}, "at 13 of 13: end\n", NULL, 13},
	{{"set passes=2", "step pass"}, "at 6 of 13: end of pass 1\n", NULL, 6},
	{{"set passes=2", "unfreeze blur_x"}, "blur_x is free\n", NULL, 0},
	{{"set freezing=probed", "run"}, "at 13 of 13: end\n", NULL, 13},
	{{"set freezing=probed", "step pass"}, "at 6 of 13: end of the pre-pass\n", NULL, 6},
	{{"set freezing=paper", "set passes=2", "run"}, "at 20 of 20: end\n", NULL, 20},
	{{"set freezing=paper", "set passes=2", "run", "run blur_x@0"}, "at 2 of 20: blur_x.where@0\n", NULL, 2},
	{{"set freezing=1", "run blur_x"}, "at 2 of 13: blur_x.where@0\n", NULL, 2},
	{{"set freezing=1", "run", "back pass", "back pass"}, "at 0 of 13: output.where@0\n", NULL, 0},
	{{"run blur_x@0"}, NULL, "no Func \"blur_x@0\"", 0},
	{{"unfreeze blur_x"}, NULL, "blur_x is not frozen", 0},
	{{"set freezing=1", "unfreeze blur_x"}, "blur_x is free\n", NULL, 0},
	{{"set freezing=1", "unfreeze blur_x", "unfreeze blur_x"}, NULL, "blur_x is not frozen", 0},
	{{"set freezing=1", "unfreeze all", "unfreeze all"}, NULL, "nothing is frozen", 0},
	{{"run 7"}, NULL, "no decision 7; there are 0 to 6", 0},
	{{"run -1"}, NULL, "no decision -1", 0},
	{{"run 99999999999999999999"}, NULL, "no decision", 0},
	{{"run 4294967296"}, NULL, "no decision 4294967296", 0},
	{{"run input"}, NULL, "no Func \"input\"; there are output, blur_x, input_im", 0},
	{{"run blur_x.where@2"}, NULL, "no ", 0},
	{{"freeze"}, NULL, "freeze which Func? none is selected", 0},
	{{"freeze blur_x"}, NULL, "blur_x is not placed yet in state 1; step on, or say where: freeze blur_x SITE", 0},
	{{"freeze blur_y"}, NULL, "no Func \"blur_y\"; did you mean \"blur_x\"?", 0},
	{{"freeze blur_x nowhere"}, NULL, "column 8: ", 0},
	{{"freeze blur_x inline"}, "freeze blur_x inline\n", NULL, 0},
	{{"freeze blur_x root"}, "freeze blur_x root\n", NULL, 0},
	{{"freeze blur_x root 1x2/32x8"}, "freeze blur_x root 1x2/32x8\n", NULL, 0},
	{{"freeze blur_x at output.block 1x1"}, "freeze blur_x at output.block 1x1\nfrozen inside output, which is free: states without that site die; `freeze output` holds it too\n", NULL, 0},
	{{"freeze output root 1x4/32x8", "freeze blur_x at output.block"}, "freeze blur_x at output.block\n", NULL, 0},
	{{"freeze blur_x in output root; block y, x; thread x 32"}, NULL, "blur_x in output root: derived Funcs can be written and read, but not placed yet", 0},
	{{"accept blur_x in output root; block y, x; thread x 32"}, NULL, "blur_x in output root: derived Funcs", 0},
	{{"accept blur_x nowhere"}, NULL, "column 8: ", 0},
	{{"accept blur_x inline"}, "accept blur_x inline\n", NULL, 3},
	{{"select func blur_x", "run", "freeze"}, NULL, NULL, 6},
	{{"run", "freeze blur_x output"}, "2 Funcs held as state 1 has them\n", NULL, 6},
	{{"run blur_x", "freeze blur_x output"}, NULL, "blur_x is not placed yet in state 1", 2},
	{{"freeze {blur_x inline | output root 1x4/32x8}"}, "2 Funcs held as written\n", NULL, 0},
	{{"freeze {blur_x at output.block}"}, "1 Func held as written, some inside output, which is free: states without that site die\n", NULL, 0},
	{{"freeze {blur_x inline | blur_x root}"}, NULL, "\"blur_x root\": blur_x stands twice", 0},
	{{"freeze {}"}, NULL, "expected an entry between the braces", 0},
	{{"freeze {blur_x inline"}, NULL, "expected entries with | between them and } behind the last", 0},
	/* One thing of a Func changed: the rest of it stays. */
	{{"freeze output root 1x4/32x8", "run", "override output serial 2x2"}, "override output root 2x2/32x8\n", NULL, 6},
	{{"freeze output root 1x4/32x8", "run", "override output serial 2"}, "override output root 2x1/32x8\n", NULL, 6},
	{{"freeze output root 1x4/32x8", "run", "override output thread 16x4"}, "override output root 1x4/16x4\n", NULL, 6},
	{{"freeze output root 1x4/32x8", "run", "override output block 64x8"}, "override output root 2x1/32x8\n", NULL, 6},
	{{"freeze output root 1x4/32x8", "run", "override output block 48x8"}, NULL, "output: 48 points in x are no multiple of its 32 threads", 6},
	{{"freeze output root 1x4/32x8", "run", "override output unroll off"}, "override output root; block y, x; thread y 8, x 32; serial y 4\n", NULL, 6},
	{{"freeze output root 1x4/32x8", "run", "override output unroll off", "override output unroll on"}, "override output root 1x4/32x8\n", NULL, 6},
	{{"freeze output root 1x1/32x8", "run", "override output unroll off"}, NULL, "output has no serial iterations in its threads: there is nothing to unroll", 6},
	{{"freeze output root 1x4/32x8", "run", "override output unroll some"}, NULL, "unroll takes on or off, not \"some\"", 6},
	{{"freeze {output root 1x2/32x8 | blur_x at output.block 1x1}", "run", "override blur_x serial 1x2"}, "override blur_x at output.block 1x2\n", NULL, 6},
	{{"freeze {output root 1x2/32x8 | blur_x at output.block 1x2}", "run", "override blur_x memory global"}, "override blur_x at output.block 1x2 in global\n", NULL, 6},
	{{"freeze {output root 1x2/32x8 | blur_x at output.block 1x2}", "run", "override blur_x memory global", "override blur_x serial 1x1"}, "override blur_x at output.block 1x1 in global\n", NULL, 6},
	{{"freeze {output root 1x2/32x8 | blur_x at output.block 1x2}", "run", "override blur_x thread 8x8"}, NULL, "blur_x is computed at a block: its threads follow from its serial sizes; override blur_x serial", 6},
	{{"freeze {output root 1x2/32x8 | blur_x at output.block 1x2}", "run", "override blur_x memory disk"}, NULL, "no memory \"disk\"; there are auto, global, shared, registers, stack", 6},
	{{"freeze {output root 1x4/32x8 | blur_x inline}", "run", "override blur_x site at output.block"}, "override blur_x at output.block\n", NULL, 6},
	{{"freeze {output root 1x4/32x8 | blur_x inline}", "run", "override blur_x site root"}, "override blur_x root\n", NULL, 6},
	{{"freeze {output root 1x4/32x8 | blur_x inline}", "run", "override blur_x serial 2"}, NULL, "blur_x is computed inline: it has no serial sizes of its own", 6},
	{{"freeze {output root 1x4/32x8 | blur_x inline}", "run", "override blur_x memory stack"}, NULL, "blur_x is computed inline: it is not kept", 6},
	{{"run blur_x", "override blur_x serial 2"}, NULL, "blur_x is not placed yet in state 1; step on, or say all of it: override blur_x SITE", 2},
	{{"run 1", "override output serial 2"}, NULL, "output's tiling is not decided here; step on, or say all of it: override output root 1x4/32x8", 1},
	{{"run", "override output serial 2x2x2"}, NULL, "output has 2 dimensions: expected sizes from 1 on with x between, not \"2x2x2\"", 6},
	{{"run", "override output serial 0"}, NULL, "output has 2 dimensions", 6},
	{{"run", "override output serial 2x"}, NULL, "output has 2 dimensions", 6},
	{{"override blur_x root 1x2/32x8"}, "override blur_x root 1x2/32x8\n", NULL, 0},
	{{"override"}, NULL, "override FUNC site, serial, thread, block, unroll or memory VALUE; or FUNC SITE", 0},
	{{"override blur_x"}, NULL, "override FUNC site", 0},
	{{"override blur_x serial"}, NULL, "override FUNC site", 0},
	{{"override blur_y root"}, NULL, "no Func \"blur_y\"", 0},
	{{"override blur_x sizes 2"}, NULL, "column 8: ", 0},
	{{"run", "whatif freeze blur_x inline"}, "searching with freeze blur_x inline\n", NULL, 6},
	{{"run blur_x", "whatif accept B1"}, "searching with accept blur_x root\n", NULL, 2},
	{{"run", "whatif hold except blur_x"}, NULL, NULL, 6},
	{{"whatif"}, NULL, "whatif takes a command that changes the search, as `whatif freeze Ix inline`, not \"\"", 0},
	{{"whatif run"}, NULL, "whatif takes a command that changes the search", 0},
	{{"freeze blur_x inline", "whatif undo"}, NULL, "whatif takes a command that changes the search", 0},
	{{"whatif set on=true"}, NULL, "`set on=true` changes nothing of the search", 0},
	{{"whatif set beam=4"}, NULL, "`set beam=4` changes nothing", 0},
	{{"whatif unfreeze blur_x"}, NULL, "blur_x is not frozen", 0},
	{{"whatif freeze blur_y inline"}, NULL, "column 1: ", 0},
	{{"run", "select func blur_x", "select alternative 1"}, "", NULL, 6},
	{{"run", "select func blur_x", "select alternative 500"}, NULL, "no alternative 500; there are 0 to ", 6},
	{{"run", "select func output", "select next", "unfreeze"}, NULL, "blur_x is not frozen", 6},
	{{"run", "select func blur_x", "select previous", "unfreeze"}, NULL, "output is not frozen", 6},
	{{"run", "select func output", "select previous"}, NULL, "this is the first Func that state 1 places", 6},
	{{"run", "select func blur_x", "select next"}, "", NULL, 6},
	{{"run 1", "select func output", "select next"}, NULL, "this is the last Func that state 1 places", 1},
	{{"run", "select func blur_x", "select alternative one"}, NULL, "no alternative one; there are 0 to ", 6},
	{{"run", "select alternative 1"}, NULL, "there are alternatives for a selected Func that is placed", 6},
	{{"run 0", "select alternative 1"}, NULL, "there are alternatives for a selected Func that is placed", 0},
	{{"freeze {output root 1x2/32x8 | blur_x inline}", "run", "view override", "select func blur_x", "select alternative 1", "override"}, "override blur_x at output.block\n", NULL, 6},
	{{"run", "view override", "select func blur_x", "override"}, NULL, "this row is the Func as it is", 6},
	{{"hold"}, NULL, "state 1 has nothing to hold", 0},
	{{"run", "hold"}, "3 Funcs held as state 1 has them\n", NULL, 6},
	{{"run", "hold except blur_x"}, "2 Funcs held as state 1 has them\n", NULL, 6},
	{{"run", "hold except blur_x input_im"}, "1 Func held as state 1 has them\n", NULL, 6},
	{{"run", "hold except output blur_x input_im"}, NULL, "state 1 has nothing to hold", 6},
	{{"run", "hold except"}, NULL, "hold, or hold except FUNC...: not \"except\"", 6},
	{{"run", "hold blur_x"}, NULL, "hold, or hold except FUNC...: not \"blur_x\"", 6},
	{{"run", "hold except blur_y"}, NULL, "no Func \"blur_y\"", 6},
	{{"run", "hold", "unfreeze blur_x output"}, "blur_x output are free\n", NULL, 6},
	{{"unfreeze blur_x output"}, NULL, "blur_x output are not frozen", 0},
	{{"unfreeze"}, NULL, "unfreeze which Func? none is selected", 0},
	{{"unfreeze blur_x"}, NULL, "blur_x is not frozen", 0},
	{{"unfreeze all"}, NULL, "nothing is frozen", 0},
	{{"run", "assert output right"}, NULL, "assert output right: nothing was measured", 6},
	{{"run pass"}, "at 6 of 6: end\n", NULL, 6},
	{{"set freezing=off", "set passes=2", "run pass"}, "at 6 of 13: end of pass 1\n", NULL, 6},
	{{"set freezing=off", "set passes=2", "run pass", "run pass"}, "at 13 of 13: end\n", NULL, 13},
	{{"set freezing=off", "set passes=2", "run pass 2"}, "at 13 of 13: end\n", NULL, 13},
	{{"run pass 2"}, NULL, "no pass 2; there are 1 to 1", 0},
	{{"run cost<"}, NULL, "run cost<NUMBER stops at a schedule that costs less", 0},
	{{"run cost=3"}, NULL, "no Func \"cost=3\"", 0},
	{{"run cost < x"}, NULL, "run cost<NUMBER stops", 0},
	{{"run cost<100"}, "running\n", NULL, 5},
	{{"run cost>100"}, "running\n", NULL, 6},
	{{"run", "run 0", "run cost<100"}, NULL, NULL, 5},
	{{"run", "run 0", "run cost > 0.0001"}, NULL, NULL, 1},
	{{"run blur_x", "step option"}, NULL, NULL, 2},
	{{"run blur_x", "back option", "step option"}, "at 3 of 6: blur_x.tile\n", NULL, 3},
	{{"run", "time top 2"}, NULL, "blur is only described, there is no generator to compile", 6},
	{{"run", "time top"}, NULL, "top takes a number of states, 1 to 5 here, not \"\"", 6},
	{{"run", "verify 0"}, NULL, "there are 1 to 5 states here, not 0", 6},
	{{"run", "time top -1"}, NULL, "there are 1 to 5 states here, not -1", 6},
	{{"run", "improve hand 0 changes"}, NULL, "improve takes a number of changes from 1 on, not \"0\"", 6},
	{{"time top 2"}, NULL, "states are not complete at decision 0", 0},
	{{"run", "export top 2"}, NULL, "export top 2 to which file?", 6},
	{{"run", "export top 2 /no/such/folder/a.h"}, NULL, "/no/such/folder/a-1.h", 6},
	{{"run", "compare 1 9"}, NULL, "\"9\" is no state here, no option of the decision at the cursor, no scheduler and no file", 6},
	{{"run", "compare"}, NULL, NULL, 6},
	{{"compare"}, NULL, "compare it with what? there is one state here", 0},
	{{"run", "compare /no/such.schedule"}, NULL, "/no/such.schedule: ", 6},
	{{"run", "compare 1 1"}, NULL, NULL, 6},
	{{"run blur_x", "compare A1 Z9"}, NULL, "\"Z9\" is no state here", 2},
	{{"run 3", "back", "freeze output root 1x1/16x4", "run blur_x", "why #1 not Z9"}, NULL, "no option Z9 in this decision", 2},
	{{"unfreeze --forget"}, NULL, "nothing was said of any Func", 0},
	{{"freeze blur_x inline", "unfreeze --forget"}, "nothing is said of any Func\n", NULL, 0},
	{{"set freezing=1", "unfreeze blur_x", "unfreeze --forget", "unfreeze blur_x"}, "blur_x is free\n", NULL, 0},
	{{"unfreeze none"}, NULL, "no Func \"none\"", 0},
	{{"freeze blur_x inline", "unfreeze blur_x"}, "blur_x is free\n", NULL, 0},
	{{"freeze blur_x inline", "select func blur_x", "unfreeze"}, "blur_x is free\n", NULL, 0},
	{{"freeze blur_x inline", "unfreeze all"}, "all Funcs are free\n", NULL, 0},
	{{"run", "accept"}, NULL, "every decision is made here; go back to the one to accept", 6},
	{{"run blur_x", "accept B1"}, "accept blur_x root\n", NULL, 3},
	{{"run blur_x", "accept #0"}, "accept blur_x inline\n", NULL, 3},
	{{"run blur_x", "accept a1"}, "accept blur_x inline\n", NULL, 3},
	{{"run blur_x", "accept Z9"}, NULL, "no option Z9 in this decision; it has ", 2},
	{{"run blur_x", "accept #999"}, NULL, "no option #999", 2},
	{{"run 3", "accept"}, NULL, NULL, 4},
	{{"run blur_x", "accept --here B1"}, "accept --pass 1 blur_x root\n", NULL, 3},
	{{"set freezing=off", "set passes=2", "accept --pass 2 blur_x root"}, "accept --pass 2 blur_x root\n", NULL, 10},
	{{"accept --pass 2 blur_x root"}, NULL, "--pass takes the number of a pass, 1 to 1", 0},
	{{"accept --pass"}, NULL, "--pass takes the number of a pass, 1 to 1", 0},
	{{"accept --there"}, NULL, "--there is neither --here nor --pass N", 0},
	{{"run blur_x", "reject B1"}, "reject blur_x root\n", NULL, 2},
	{{"run blur_x", "reject --here B1"}, "reject --pass 1 blur_x root\n", NULL, 2},
	{{"run blur_x.tile", "reject blur_x inline"}, "reject blur_x inline\n", NULL, 3},
	{{"freeze output root 1x4/32x8", "reject blur_x at output.block"}, "reject blur_x at output.block\n", NULL, 0},
	{{"run", "reject"}, NULL, "every decision is made here; go back to the one to reject", 6},
	{{"run", "pin"}, NULL, "every decision is made here; go back to the one to pin", 6},
	{{"reject"}, NULL, "this is the only option that output has here; without it the search would end", 0},
	{{"run blur_x", "reject Z9"}, NULL, "no option Z9 in this decision; it has ", 2},
	{{"reject blur_x nowhere"}, NULL, "column 8: ", 0},
	{{"freeze blur_x inline", "reject blur_x root"}, NULL, "blur_x is frozen by hand, and nothing else is searched for it; `unfreeze blur_x` lets it go", 0},
	{{"freeze blur_x inline", "pin blur_x root"}, NULL, "blur_x is frozen by hand, and nothing else", 0},
	{{"freeze blur_x inline", "run 3", "pin"}, NULL, "nothing is decided here: there is nothing to pin", 3},
	{{"run output.tile", "pin #255"}, "pin output root 4x4/16x1\n", NULL, 1},
	/* 8 serial iterations of 64 x 16 threads each: one more than 1024 in a block is a limit of the device. */
	{{"freeze output root 1x1/64x32", "undo", "freeze output root 8x1/64x16", "run blur_x", "pin #7"}, NULL, "blur_x cannot be: ", 2},
	{{"accept --here blur_x inline", "pin blur_x root"}, "pin blur_x root\n", NULL, 3},
	{{"accept --here blur_x inline", "pin --here blur_x root"}, NULL, "blur_x is accepted, and nothing else is searched for it", 3},
	{{"reject blur_x root", "unfreeze blur_x"}, "blur_x is free\n", NULL, 0},
	{{"reject blur_x root", "reject blur_x root", "undo", "undo"}, "undone: reject blur_x root\n", NULL, 0},
	{{"undo"}, NULL, "nothing to undo", 0},
	{{"undo 3"}, NULL, "undo takes nothing after it, not \"3\"", 0},
	{{"quit now"}, NULL, "quit takes nothing after it, not \"now\"", 0},
	{{"redo"}, NULL, "nothing to redo", 0},
	{{"freeze blur_x inline", "undo"}, "undone: freeze blur_x inline\n", NULL, 0},
	{{"freeze blur_x inline", "undo", "redo"}, "done again: freeze blur_x inline\n", NULL, 0},
	{{"freeze blur_x inline", "undo", "freeze blur_x root", "redo"}, NULL, "nothing to redo", 0},
	{{"time"}, NULL, "state 1 is not complete at decision 0; `run` goes to the end of the search", 0},
	{{"run", "time"}, NULL, "blur is only described, there is no generator to compile", 6},
	{{"run", "time 9"}, NULL, "no state 9; there are 1 to 5 here", 6},
	{{"run", "time nothing"}, NULL, "\"nothing\" is no state", 6},
	{{"run", "time /no/such.schedule"}, NULL, "/no/such.schedule: ", 6},
	/* Two rows a thread in place of one: with itself before, and with what was there. */
	{{"run", "compare before"}, NULL, "nothing was changed yet", 6},
	{{"freeze output root 1x1/32x8", "run", "override output root 1x4/32x8", "run", "assert output root 1x4/32x8", "compare before 1"}, NULL, NULL, 6},
	{{"run", "compare hand"}, NULL, "blur is only described: what schedule its generator has by hand is not known", 6},
	{{"time hand"}, NULL, "blur is only described, there is no generator to compile", 0},
	{{"apply"}, NULL, "apply which file?", 0},
	{{"scheduler"}, NULL, NULL, 0},
	{{"scheduler greedi"}, NULL, "there is no scheduler \"greedi\"; did you mean \"greedy\"?", 0},
	{{"scheduler greedy", "run", "assert blur_x at output.block", "assert held 3", "unfreeze blur_x", "run", "assert held 2"}, NULL, NULL, 6},
	{{"scheduler greedy", "undo", "assert held 0"}, NULL, NULL, 0},
	{{"scheduler exact", "run", "assert cost < 0.113"}, NULL, NULL, 6},
	{{"scheduler sioutas", "run", "assert cost > 0.113", "undo", "run", "assert cost < 0.113"}, NULL, NULL, 6},
	{{"scheduler exact 3", "walk start", "walk take 2", "assert commands 2", "undo", "undo"}, NULL, NULL, 0},
	{{"compare --all", "unfold dp", "select scheduler sioutas", "compare greedy dp", "view --json opinions"}, NULL, NULL, 0},
	{{"compare --all", "compile dp"}, NULL, "blur is only described, there is no generator to compile", 0},
	{{"compare --all", "set beam=2", "compare greedy dp"}, NULL, "greedy has not scheduled it; `compare --all` has every scheduler do that", 0},
	{{"compare --all", "select scheduler none"}, NULL, "no scheduler \"none\" there, as `scheduler` lists them", 0},
	{{"select scheduler dp"}, NULL, "dp: no schedulers were compared; `compare --all` does", 0},
	{{"run", "time dp"}, NULL, "dp has not scheduled it; `compare --all` has every scheduler do that", 6},
	{{"view --json opinions"}, NULL, "no schedulers were compared; `compare --all` does", 0},
	{{"scheduler exact x"}, NULL, "exact takes the number of states to expand (default 20000; 0: no limit), not \"x\"", 0},
	{{"scheduler greedy 3"}, NULL, "greedy takes nothing after it, not \"3\"", 0},
	{{"walk"}, NULL, "there is no walk: `scheduler greedy` makes one; `scheduler` lists the schedulers", 0},
	{{"scheduler greedy", "walk take 9 none"}, NULL, "which decision? there are 1 to 3; `walk back` goes to the last", 0},
	{{"scheduler greedy", "walk 2", "walk take nothing"}, NULL, "decision 2 has no candidate \"nothing\"; it has 1 to 1, as `view walk` shows, and none", 0},
	{{"scheduler greedy", "walk take 2 inline blur_x", "run", "assert blur_x inline", "undo", "run", "assert blur_x at output.block"}, NULL, NULL, 6},
	{{"scheduler greedy", "walk hold 3 blur_x", "run", "assert blur_x root", "walk forbid 1 inline input_im", "run", "assert input_im root"}, NULL, NULL, 6},
	{{"scheduler greedy", "walk 3", "walk apply", "run", "assert blur_x root", "assert held 3"}, NULL, NULL, 6},
	{{"scheduler greedy", "walk 1", "walk take none", "walk take 2 none", "run", "assert input_im root"}, NULL, NULL, 6},
	{{"scheduler greedy", "scheduler beam", "assert held 0"}, NULL, NULL, 0},
	{{"scheduler dp 0"}, NULL, "dp takes the most stages of a group in the first round, 1 to 512 (default 8), and hybrid, registers or shared, not \"0\"", 0},
	{{"scheduler dp", "walk take 1 {output blur_x}", "run", "assert blur_x at output.block", "assert held 3"}, NULL, NULL, 6},
	{{"apply /no/such.schedule"}, NULL, "/no/such.schedule: ", 0},
	{{"select"}, NULL, "select a Func by its name, next or previous, or func NAME, state NUMBER, option NAME or group NAME", 0},
	{{"select func blur_x"}, "", NULL, 0},
	{{"run", "select blur_x", "override blur_x site inline", "unfreeze"}, NULL, NULL, 6},
	{{"select nosuch"}, NULL, "select a Func by its name, next or previous, or func NAME", 0},
	{{"select func"}, NULL, "no Func \"\"", 0},
	{{"select func input"}, NULL, "no Func \"input\"", 0},
	{{"select state 1"}, "", NULL, 0},
	{{"select state best"}, "", NULL, 0},
	{{"select state 2"}, NULL, "no state 2; there are 1 to 1 here", 0},
	{{"select state two"}, NULL, "\"two\" is no state; states have numbers, 1 to 1 here", 0},
	{{"select state 99999999999999999999"}, NULL, "no state", 0},
	{{"select option #0"}, "", NULL, 0},
	{{"select option B9"}, NULL, "no option B9", 0},
	{{"run", "select option A1"}, NULL, "no decision is left here; go back first", 6},
	{{"select view main"}, NULL, "select a Func by its name, next or previous, or func NAME", 0},
	{{"save"}, NULL, "save which file?", 0},
	{{"save /no/such/folder/file"}, NULL, "/no/such/folder/file", 0},
	{{"save-schedule"}, NULL, "save-schedule which file?", 0},
	{{"save-schedule /no/such/folder/file"}, NULL, "/no/such/folder/file", 0},
	{{"filter blur"}, "stages with blur in their names\n", NULL, 0},
	{{"filter inside nothing"}, NULL, "blur has no Func \"nothing\"", 0},
	{{"filter"}, "all stages\n", NULL, 0},
	{{"sweep x=1"}, NULL, "sweep takes gpus=, bandwidths=, beams=, seeds=, image-sizes= and vary=, not \"x=1\"", 0},
	{{"sweep beams"}, NULL, "sweep takes gpus=", 0},
	{{"sweep beams=0"}, NULL, "beams takes whole numbers from 1 to 100000, not \"0\"", 0},
	{{"sweep bandwidths=-1"}, NULL, "bandwidths takes factors from 0.01 to 100, not \"-1\"", 0},
	{{"sweep gpus=nothing"}, NULL, "gpus: no device \"nothing\"", 0},
	{{"sweep image-sizes=5"}, NULL, "image-sizes takes sizes such as 768x1280, not \"5\"", 0},
	{{"sweep vary=n"}, NULL, "vary takes KEY=VALUE,VALUE..., not \"n\"", 0},
	{{"sweep image-sizes=384x640"}, NULL, "blur is a description: other sizes and parameters need its generator", 0},
	{{"view --json sweep"}, NULL, "nothing was swept yet", 0},
	{{"view --json tune"}, NULL, "there is no tuning; `tune` begins one", 0},
	{{"tune"}, NULL, "blur is only described: tune needs its generator, to compile it", 0},
	{{"tune best"}, NULL, "tune takes bandit, top, batch, `N samples`, `N minutes`, `N patience`, `replay FILE` or `take N`, not \"best\"", 0},
	{{"tune 10"}, NULL, "10 of what? `tune 10 samples`, `10 minutes` or `10 patience`", 0},
	{{"tune 5 apples"}, NULL, "5 of what?", 0},
	{{"tune 0 samples"}, NULL, "tune takes numbers from 1 to 1000000, not \"0\"", 0},
	{{"tune top replay"}, NULL, "replay takes a file of measurements", 0},
	{{"tune replay nowhere.csv"}, NULL, "nowhere.csv: No such file", 0},
	{{"tune take"}, NULL, "nothing was measured by a tuning yet; `tune` begins one", 0},
	{{"select sample 1"}, NULL, "nothing was measured by a tuning yet; `tune` begins one", 0},
	{{"sweep gpus=A100,V100 beams=1"}, "sweeping: 2 searches\n", NULL, 0},
	{{"export"}, NULL, "export to which file?", 0},
	{{"run", "export a.py"}, NULL, "a.py: this writes Halide C++, or JSON, so the file's name ends in one of h ", 6},
	{{"run", "export top 2 a.py"}, NULL, "a.py: this writes Halide C++, or JSON", 6},
	{{"report a.pdf"}, NULL, "a.pdf: this writes a page for browsers, so the file's name ends in one of html htm", 0},
	{{"export a.h"}, NULL, "state 1 is not complete at decision 0; `run` goes to the end of the search", 0},
	{{"run", "export /no/such/folder/a.h"}, NULL, "/no/such/folder/a.h", 6},
	{{"run", "export /no/such/folder/a.h blur_x"}, NULL, "/no/such/folder/a.h: ", 6},
	{{"run", "export /no/such/folder/a.h blur_y"}, NULL, "/no/such/folder/a.h blur_y: ", 6},
	{{"run", "export a.h input"}, NULL, "blur has no Func \"input\"", 6},
	{{"load"}, NULL, "load which file?", 0},
	{{"run", "load /no/such/session"}, NULL, "/no/such/session: ", 6},
	{{"script"}, NULL, "script which file?", 0},
	{{"script /no/such/script"}, NULL, "/no/such/script: ", 0},
	{{"screenshot"}, NULL, "screenshot which file?", 0},
	{{"screenshot a.txt"}, NULL, "this program was built without a screen", 0},
	{{"set beam=8"}, "beam=8\n", NULL, 0},
	{{"set beam=0"}, NULL, "beam takes a whole number from 1 to 10000 (states), not \"0\"", 0},
	{{"set beam=2.5"}, NULL, "beam takes a whole number", 0},
	{{"set beam=nan"}, NULL, "beam takes a whole number", 0},
	{{"set beam="}, NULL, "beam takes a whole number", 0},
	{{"set beam"}, NULL, "beam=VALUE: states kept at each decision", 0},
	{{"set bean=3"}, NULL, "no option \"bean\"; did you mean \"beam\"? `set` lists them, in a shell `beamwalk --set help`", 0},
	{{"set seed=18446744073709551615"}, "seed=18446744073709551615\n", NULL, 0},
	{{"set seed=-1"}, NULL, "seed takes a whole number from 0 on, of at most 64 bits, not \"-1\"", 0},
	{{"set seed=99999999999999999999"}, NULL, "seed takes a whole number", 0},
	{{"set idle_lanes_limit=0.25"}, "idle_lanes_limit=0.25\n", NULL, 0},
	{{"set idle-lanes-limit=.25"}, "idle_lanes_limit=0.25\n", NULL, 0},
	{{"set beam_size=8"}, "beam=8\n", NULL, 0},
	{{"set partial_schedule="}, NULL, "apply which file?", 0},
	{{"set weights_path=a.weights"}, NULL, "weights: no files are read here", 0},
	{{"set idle-lanes-limit=2"}, NULL, "idle_lanes_limit takes a number from 0 to 1 (0..1), not \"2\"", 0},
	{{"set gpu=h100"}, "gpu=H100\n", NULL, 0},
	{{"set gpu=none"}, NULL, "no device \"none\"; there are A100, H100, ", 0},
	{{"set cost-model=roofline"}, "cost_model=roofline\n", NULL, 0},
	{{"set cost-model=oracle"}, NULL, "no cost model \"oracle\"; there are roofline", 0},
	{{"run", "set threads=3"}, "threads has no effect: a search runs in one thread\n", NULL, 6},
	{{"run", "set beam=2"}, "beam=2\n", NULL, 6},
	{{"view decision"}, "", NULL, 0},
	{{"view nowhere"}, NULL, "no view \"nowhere\"; there are main, beam, nest, stages, options, decision, graph, tile, access, roofline, search, sweep, statistics, timings, counters, code, override, walk, opinions, tune, features, compare, history, start, views, glossary, help", 0},
	{{"view"}, "", NULL, 0},
	{{"view dec"}, "", NULL, 0},
	{{"view st"}, NULL, "view \"st\" could be stages statistics", 0},
	{{"select st 1"}, "", NULL, 0},
	{{"step fu"}, NULL, NULL, 2},
	{{"replay leg"}, NULL, NULL, 0},
	{{"assert"}, NULL, "assert what? as in: assert cost < 0.05", 0},
	{{"assert nothing"}, NULL, "no fact \"nothing\"; there are cost, states,", 0},
	{{"assert cost"}, NULL, "assert cost: expected a number, with <, <=, >, >=, = or != before it, found \"\"", 0},
	{{"assert position 0"}, "", NULL, 0},
	{{"assert pos = 0"}, "", NULL, 0},
	{{"assert position=0"}, "", NULL, 0},
	{{"assert position < 0"}, NULL, "assert position < 0: it is 0", 0},
	{{"assert decisions 6"}, "", NULL, 0},
	{{"assert states != 1"}, NULL, "assert states != 1: it is 1", 0},
	{{"run", "assert states >= 4"}, "", NULL, 6},
	{{"run", "assert cost > 1"}, NULL, "assert cost > 1: it is 0.", 6},
	{{"run", "assert legal 3"}, NULL, "assert legal 3: no such figure: the decision at the cursor is not asked, or not made yet", 6},
	{{"run", "run blur_x", "assert legal 7"}, NULL, "assert legal 7: it is ", 2},
	{{"run blur_x", "assert kept 1"}, NULL, "assert kept 1: no such figure", 2},
	{{"assert decision output.where"}, "", NULL, 0},
	{{"assert decision 0"}, "", NULL, 0},
	{{"assert decision blur_x"}, NULL, "assert decision blur_x: the cursor is at 0: output.where", 0},
	{{"assert decision nobody"}, NULL, "assert decision nobody: no Func \"nobody\"", 0},
	{{"run", "assert decision end"}, "", NULL, 6},
	{{"freeze blur_x at output.block", "assert blur_x held"}, "", NULL, 0},
	{{"freeze blur_x at output.block", "assert held 1"}, "", NULL, 0},
	{{"freeze blur_x at output.block", "assert blur_x free"}, NULL, "assert blur_x free: a constraint holds it", 0},
	{{"assert blur_x held"}, NULL, "assert blur_x held: no constraint holds it", 0},
	{{"assert blur_x unplaced"}, "", NULL, 0},
	{{"assert blur_x inline"}, NULL, "assert blur_x inline: state 1 has blur_x not placed yet", 0},
	{{"freeze blur_x inline", "run", "assert blur_x inline"}, "", NULL, 6},
	{{"freeze blur_x inline", "run", "assert best blur_x inline"}, "", NULL, 6},
	{{"freeze blur_x inline", "run", "assert blur_x root"}, NULL, "assert blur_x root: state 1 has blur_x inline", 6},
	{{"freeze blur_x at output.block 1x4", "run", "assert blur_x at output.block"}, "", NULL, 6},
	{{"freeze blur_x at output.block 1x4", "run", "assert blur_x at output.block 1x4"}, "", NULL, 6},
	{{"freeze blur_x at output.block 1x4", "run", "assert blur_x at output.block 1x2"}, NULL, "assert blur_x at output.block 1x2: state 1 has blur_x at output.block 1x4", 6},
	{{"assert blur_x at nowhere"}, NULL, "assert blur_x at nowhere: column ", 0},
	{{"run", "run 0", "assert option A1 kept"}, "", NULL, 0},
	{{"run", "run blur_x", "assert option A1 kept"}, NULL, "assert option A1 kept: it is dropped", 2},
	{{"run blur_x", "assert option Z9 kept"}, NULL, "assert option Z9 kept: no option Z9", 2},
	{{"assert output right"}, NULL, "assert output right: ", 0},
	{{"assert beams 0 0000000000000000"}, NULL, "assert beams: states differ from those that were saved, up to decision 0, output.where", 0},
	{{"assert beams 9 0000000000000000"}, NULL, "assert beams: the search has come to decision 0, not to 9", 0},
	{{"assert beams 0"}, NULL, "assert beams 0: expected positions, each with a digest", 0},
	{{"assert beams"}, NULL, "assert beams: which? as in a saved session", 0},
	{{"help undo"}, "u      undo \n           take back the last command that changed the search\n", NULL, 0},
	{{"help nothing"}, NULL, "no command \"nothing\"; `help` lists them", 0},
	{{"why blurx"}, NULL, "\"blurx\" is no Func, no state here and no option of the decision at the cursor; did you mean \"blur_x\"?", 0},
	{{"why serch"}, NULL, "\"serch\" is no Func, no state here and no option of the decision at the cursor; did you mean \"search\"?", 0},
	{{"compare hnd"}, NULL, "\"hnd\" is no state here, no option of the decision at the cursor, no scheduler and no file; did you mean \"hand\"?", 0},
	{{"compare greedi"}, NULL, "\"greedi\" is no state here, no option of the decision at the cursor, no scheduler and no file; did you mean \"greedy\"?", 0},
	{{"bookmark here", "jump her"}, NULL, "no bookmark and no command \"her\" in the history; did you mean \"here\"? there are 0, the beginning, to 0", 0},
	{{"beam 64"}, NULL, "no command \"beam\", but an option: set beam=64", 0},
	{{"gpu A100"}, NULL, "no command \"gpu\", but an option: set gpu=A100", 0},
	{{"seed"}, NULL, "no command \"seed\", but an option: set seed=VALUE", 0},
	{{"why nobody"}, NULL, "\"nobody\" is no Func, no state here and no option of the decision at the cursor", 0},
	/* How lines find their command. */
	{{""}, "", NULL, 0},
	{{"  # nothing but a comment"}, "", NULL, 0},
	{{"   run   blur_x  "}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"\trun\tblur_x\t"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"ru blur_x"}, "at 2 of 6: blur_x.where\n", NULL, 2},
	{{"save /no/such/folder/file"}, NULL, "/no/such/folder/file", 0},
	{{"sa file"}, NULL, "\"sa\" could be save save-schedule", 0},
	{{"s"}, NULL, "\"s\" could be step scheduler sweep select save save-schedule script screenshot set", 0},
	{{"fly"}, NULL, "no command \"fly\"; `help` lists them", 0},
	{{"Run"}, NULL, "no command \"Run\"", 0},
};

static void commands_do_and_say(void **state)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_session *session = session_open();
		const char *const *line = cases[i].lines;
		for (; line[1]; line++)
			free(session_do(session, *line));
		if (cases[i].refused) {
			struct bw_error error;
			char *before = session_fingerprint(session);
			session_refuses(session, *line, &error);
			char *after = session_fingerprint(session);
			if (strncmp(error.text, cases[i].refused, strlen(cases[i].refused)))
				fail_msg("%s: \"%s\", expected \"%s\"", *line, error.text, cases[i].refused);
			if (strcmp(before, after))
				fail_msg("%s: refused, and something changed", *line);
			free(before);
			free(after);
		} else {
			char *said = session_do(session, *line);
			if (cases[i].says && strcmp(said, cases[i].says))
				fail_msg("%s: says \"%s\"", *line, said);
			free(said);
		}
		if (session->cursor != cases[i].cursor)
			fail_msg("%s: stands at %d", *line, session->cursor);
		session_close(session);
	}
}

/* What is journaled, and what is not; taken from the table. */
static void journaled_commands_are_those_that_change_the_search(void **state)
{
	static const char *const lines[] = {"freeze blur_x inline", "accept A1", "unfreeze all", "set seed=3"}, *const others[] = {"step", "back", "run 2", "select func output", "why", "view help", "help", "set"};
	struct bw_session *session = session_open();
	for (int i = 0; i < 4; i++) {
		free(session_do(session, lines[i]));
		assert_int_equal(session->n_journal, i + 1);
	}
	for (int i = 0; i < 8; i++) {
		free(session_do(session, others[i]));
		assert_int_equal(session->n_journal, 4);
	}
	assert_string_equal(session->journal[0].line, "freeze blur_x inline");
	assert_string_equal(session->journal[3].line, "set seed=3");
	assert_false(session->journal[3].undone);
	free(session_do(session, "undo"));
	assert_true(session->journal[3].undone);
	free(session_do(session, "quit"));
	assert_true(session->quit);
	session_close(session);
}

static void settings_are_listed_with_their_meaning(void **state)
{
	struct bw_session *session = session_open();
	char *said = session_do(session, "set");
	assert_non_null(strstr(said, "\nbeam                      4        states     32       states kept at each decision; 1: a greedy search (Halide:\n                                                       beam_size)\n"));
	assert_non_null(strstr(said, "\ngpu                       A100                A100     device to search"));
	assert_non_null(strstr(said, "\ncost_model                roofline            latency  model that predicts"));
	free(said);
	said = session_do(session, "help");
	int n;
	const struct bw_command *commands = bw_commands(&n);
	for (int i = 0; i < n; i++)
		assert_non_null(strstr(said, commands[i].help));
	free(said);
	session_close(session);
}

/* Explanations for every fate, tolerant of figures. */
static void why_says_what_decided(void **state)
{
	static const struct {
		const char *lines[8];
		const char *fragments[8];
	} whys[] = {
		{{"run", "run output.tile", "why"}, {"  output root ", ": kept, 1st of ", " children; the beam keeps 4\n", " ms so far, "}},
		{{"run", "run blur_x", "why"}, {"  blur_x at output.thread", ": dropped, ", " of 45 children; the beam keeps 4\n  Penalty x", ": ranked as ", " ms, hash ", " times before in this beam\n"}},
		{{"run", "run blur_x", "why A1"}, {"A1  blur_x inline: dropped, ", " of 45 children; the beam keeps 4\n"}},
		{{"run output.tile", "why A1"}, {"A1  output root ", ": costed; the decision is not made yet\n", " itself ", "launch"}},
		{{"run", "run output.tile", "why #0"}, {"output root 1x1/16x1: dropped, ", "; the beam keeps 4\n"}},
		/* 5 serial extents in x, 15 thread extents each: 8x4 is the fifth of the fourth. */
		{{"run output.tile", "why #285"}, {"#285  output root 8x4/16x1: pruned by unrolled extent: unrolled 8x4 = 32, limit 16\n  too large to unroll\n"}},
		{{"freeze output root 1x4/32x8", "freeze blur_x inline", "run blur_x", "why #1"}, {"#1  blur_x root: pruned by constraint: a constraint says otherwise\n", "a freeze, an accepted or rejected option or a schedule file says otherwise"}},
		{{"freeze output root 1x1/16x4", "run blur_x", "why #4"}, {"#4  blur_x at output.block 4x1: second choice, idle lanes: 75% of lanes idle, limit 50%\n", "not costed, since other options were left\n"}},
		{{"run 3", "back", "freeze blur_x inline", "run 3", "why #0"}, {"A1  nothing to decide: costed; the decision is not made yet\n"}},
		{{"reject blur_x root", "run blur_x", "why #1"}, {"#1  blur_x root: pruned by constraint: rejected by hand\n"}},
		{{"pin output root 8x4/16x1", "run output", "why #1"}, {"B1  output root 8x4/16x1: costed; the decision is not made yet\n", "  pinned by hand: of the states with it the beam keeps the best\n"}},
		{{"pin output root 4x4/16x1", "reject output root 1x1/16x1", "why output"}, {"  rejected by hand: output root 1x1/16x1; pinned by hand: output root 4x4/16x1\n"}},
		{{"why blur_x"}, {"blur_x: not placed yet; its decisions begin at 2\n"}},
		{{"freeze blur_x inline", "why blur_x"}, {"blur_x: not placed yet", "  constraint: frozen by hand"}},
		/* Serial extents 1 2 4 5 8 in x and 1 2 3 4 5 8 in y, of which 21 pairs have a product of at most 16; 15 thread extents each. */
		{{"set sampling=1", "set beam=1", "run output.tile", "why #2"}, {"A3  output root 1x1/64x1: not sampled: of a bucket of 315 alike 8 were drawn; costed now, outside the search:\n", " ms so far, ", "output itself ", " global store "}},
		/* Of several states of one structure the best is seen first. */
		{{"set freezing=off", "set passes=2", "run", "run output.tile@2", "why"}, {": kept, 1st of ", "  Penalty x1: hash ", " not seen before in this beam, blessed by pass 1\n"}},
		{{"set polish=1", "run", "why best"}, {" ms\ndecided at ", "\nits way here:\n", "\n  polished", ": no ", "single change lowers its cost\n"}},
		{{"set freezing=off", "set passes=2", "run", "run 6", "why"}, {"pass 2 begins here, with nothing placed\n"}},
		{{"set passes=2", "run", "run 6", "why"}, {"pass 2 begins here, with nothing placed; ", " frozen:\n", " in all"}},
		{{"set freezing=paper", "run", "run 6", "why"}, {"pass 1 begins here, with nothing placed; 2 Funcs are frozen:\n", "  input_im inline: cost 0 ms of ", " in all\n"}},
		{{"run", "why output"}, {"output root ", "  computed 1x: ", " points where ", "  costs 0", "% of all, its kernel output 100%: ", " ms\n  bound by ", "output.where: 1 option from all parents, 1 costed\n"}},
		{{"run", "why 2"}, {"state 2 of 5: ", " ms, ~+", "% against the best; its way here:\n", "    1  from state 1  ", "output root"}},
		{{"run", "why 1"}, {"state 1 of 5: ", " ms\ndecided at "}},
	};
	for (size_t i = 0; i < sizeof whys / sizeof *whys; i++) {
		struct bw_session *session = session_open();
		const char *const *line = whys[i].lines;
		for (; line[1]; line++)
			free(session_do(session, *line));
		char *said = session_do(session, *line);
		for (int f = 0; whys[i].fragments[f]; f++)
			if (!strstr(said, whys[i].fragments[f]))
				fail_msg("%s, case %zu: no \"%s\" in\n%s", *line, i, whys[i].fragments[f], said);
		assert_true(!strncmp(said, session->message, strcspn(said, "\n")));
		free(said);
		session_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_do_and_say),
		cmocka_unit_test(journaled_commands_are_those_that_change_the_search),
		cmocka_unit_test(settings_are_listed_with_their_meaning),
		cmocka_unit_test(why_says_what_decided),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}

/* The table of commands. It is not in session.h, so that adding a command recompiles only a few files. */
#pragma once

/* Commands: name, the same in C, arguments, key in the explorer (tig's notation, empty if none), one
 * line of help, whether it is journaled (it changes the search; looking is not journaled). Help screen,
 * completion and manual come from this table. */
#define BW_COMMAND_TABLE(X) \
	X("step", step, "[decision|func|pass|option|N]", "Space", "move one decision forward, or N; to the next Func, the end of the pass, or the next option of the decision", false) \
	X("back", back, "[decision|func|pass|option|N]", "Bksp", "move one decision back, or N; nothing is discarded", false) \
	X("run", run, "[end|FUNC[.PHASE@PASS]|N|cost<N|cost>N] | pass [N]", "r", "move to the end of the search, a decision, the end of a pass, or the first position with such a cost", false) \
	X("freeze", freeze, "[FUNC... | FUNC SITE [SIZES | ; LOOPS...] | {ENTRY | ...}]", "f", "hold Funcs as in the selected state, or as written", true) \
	X("unfreeze", unfreeze, "[FUNC...|all] | --forget", "F", "remove constraints, and keep the search from freezing these Funcs; --forget: remove all, and let it freeze again", true) \
	X("hold", hold, "[except FUNC...]", "", "freeze all Funcs of the selected state, except some", true) \
	X("accept", accept, "[OPTION] | --here [OPTION]", "a", "fix the decision at the cursor to an option, and step; --here: in this pass only", true) \
	X("reject", reject, "[OPTION] | --here [OPTION]", "x", "forbid an option, or a site in words; --here: in this pass only", true) \
	X("pin", pin, "[OPTION] | --here [OPTION]", "p", "keep an option in the beam, whatever sampling, soft rules and costs say; --here: in this pass only", true) \
	X("override", override, "[FUNC site SITE | FUNC serial|thread|block SIZES | FUNC unroll on|off | FUNC memory MEMORY | FUNC SITE [SIZES | ; LOOPS...]]", "", "change one property of a Func in the selected state, and hold the result; alone: the one selected in the override view", true) \
	X("play", play, "[pause|step|back|faster|slower|stop|FILE.svg]", "Z", "show the search decision by decision, as a film, also while it goes on; again: pause or go on; FILE.svg: write it as an animated picture; without a screen, print all frames", false) \
	X("lens", lens, "[wider|narrower|taller|flatter|off|SIZES]", "", "show the block of the selected Func's kernel in another size, with what it costs, loads and computes again, without changing the search; alone: say so; `override` holds it", false) \
	X("minimal", minimal, "[STATE|best|FILE|hand|before|SCHEDULER]", "", "find the fewest Funcs that have to be held for the search to end in a schedule, in the background; again: print them as a schedule file", false) \
	X("improve", improve, "[STATE|best|FILE|hand|before|runner-up|SCHEDULER] [free FUNC...|free all] [N changes]", "i", "better a schedule (alone: the one by hand, else the best) by the changes of polishing, and hold the result: each is a command that undo takes back; free: also what no change can make again", true) \
	X("whatif", whatif, "COMMAND", "", "report how a command would change the best cost, without changing the search", false) \
	X("why", why, "[OPTION|FUNC|STATE] | OPTION not OPTION | search", "w", "say why an option was kept, dropped or pruned, or what distinguishes two options, with figures; search: which decisions mattered, by what their runner-up would have cost at the end", false) \
	X("compare", compare, "[--all|STATE|OPTION|FILE|hand|before|SCHEDULER [STATE|OPTION|FILE|hand|before|SCHEDULER]] | code [STATE|FILE|hand|before|SCHEDULER [STATE|FILE|hand|before|SCHEDULER]]", "c", "show two schedules side by side: states, options, files, the generator's own, the state before the newest command; alone: the selection and the best; --all: have every scheduler schedule it, and show what each finds by every cost model; SCHEDULER: one of these; code: line by line what differs in their loops, PTX and SASS", false) \
	X("undo", undo, "", "u", "take back the last command that changed the search", false) \
	X("redo", redo, "", "^R", "repeat the command that was taken back", false) \
	X("jump", jump, "[NUMBER|start|NAME]", "", "go to a point of the history, also on a branch, or to a bookmark; alone: to the beginning", false) \
	X("bookmark", bookmark, "[NAME | drop NAME]", "X", "name this place, to `jump` back to it; the session's file keeps it; alone: list the bookmarks", false) \
	X("jobs", jobs, "", "J", "list what is under way: searches, schedules that are compiled and measured, with their phases", false) \
	X("replay", replay, "[enumerated|legal|bucketed|sampled|costed|kept|next|back]", "", "show the decision at the cursor at a stage, from all options to those kept", false) \
	X("fold", fold, "[GROUP|all | FUNC | stages | SCHEDULER | loop|loops]", "", "show a group of options (a bucket, or those that a rule pruned) as one line; Funcs whose names differ in numbers alone, as those of a pyramid, as one stage; a scheduler's schedule without its kernels; of the code the loop of the selected line as one line with its sums (loop), or all but the costliest (loops; again: none)", false) \
	X("unfold", unfold, "[GROUP|all | FUNC | stages | SCHEDULER | loop|loops]", "", "show the options of a group again, the Funcs of a family, the kernels of a scheduler's schedule, or the lines of the selected loop of the code, or of all loops", false) \
	X("cost", cost, "[OPTION]", "s", "cost an option that was not sampled, without changing the search", false) \
	X("time", time, "[STATE|best|FILE|hand|before|SCHEDULER] | top N", "t", "compile, check and time a complete schedule, the generator's own (hand), or the best N in turn", false) \
	X("compile", compile, "[STATE|best|FILE|hand|before|SCHEDULER] | top N", "C", "compile a complete schedule for the device, and list what its kernels use", false) \
	X("counters", counters, "[STATE|best|FILE|hand|before|SCHEDULER] | top N", "", "count what a complete schedule does on the emulated device, and show it beside what is predicted", false) \
	X("code", code, "[STATE|best|FILE|hand|before|SCHEDULER] | func [FUNC|all]", "L", "show the code of a complete schedule, from its loop nest to Halide's statement, PTX and SASS, with how often each line runs on the emulated device; func: only the lines of one Func (alone: the one that the selected line belongs to, and again all)", false) \
	X("verify", verify, "[N|best|FILE|hand|before|SCHEDULER]", "Y", "compile the best N (5), count what a sample of their blocks does, and show where the counts contradict the cost model", false) \
	X("measured", measured, "[RESULT]", "", "show stored measurements, without measuring again", false) \
	X("apply", apply, "FILE | {ENTRY | ...}", "", "hold every Func that a schedule file mentions", true) \
	X("scheduler", scheduler, "[SCHEDULER [N]]", "", "hold every Func as another scheduler places it, whose decisions the view walk shows; beam: hold none; alone: list the schedulers", true) \
	X("walk", walk, "[step|back|start|end|N | take|forbid [[N] CANDIDATE] | hold [[N] FUNC] | apply [N] | why [CANDIDATE]]", "", "go through the decisions of another scheduler; take another candidate, forbid one, hold a Func; hold the search to its schedule before decision N; say why", true) \
	X("sweep", sweep, "[gpus=DEVICE,...|bandwidths=N,...|beams=N,...|seeds=N|image-sizes=SIZES,...|vary=TEXT,...]", "", "search for other devices, bandwidths, beams, seeds, sizes (768x1280) and parameters of the generator (vary=levels=4,8) beside, and compare the best schedules", false) \
	X("tune", tune, "[bandit|top|batch] [N samples] [N minutes] [N patience] [replay FILE] | take [N]", "", "measure many schedules beside, each chosen by what was measured so far; again: go on; replay: take the times of a file instead; take: hold the Nth fastest, alone the selected one", false) \
	X("edit", edit, "[new]", "E", "edit the schedule of the selected state in $EDITOR, and hold the result; new: discard the last text if it had errors", true) \
	X("select", select, "FUNC | next | previous | func FUNC | state STATE | option OPTION | group GROUP | alternative N | candidate N | scheduler SCHEDULER | decision DECISION | sample N | line N | column statement|ptx|next", "", "move the selection", false) \
	X("save", save, "FILE", "", "save the session as a script: settings, then the journal", false) \
	X("load", load, "FILE | --trust FILE", "", "start over with a saved session; --trust: let it run commands (set on=) and write files", false) \
	X("save-schedule", save_schedule, "FILE", "", "write the schedule of the selected state", false) \
	X("export", export, "FILE [FUNC] | top N FILE", "", "write the selected state, one Func of it, or the best N, as Halide C++ (FILE.json: as JSON; FILE.dot: the graph for Graphviz)", false) \
	X("report", report, "FILE.html", "", "write a report on the selected state: one page with its schedule, costs, pictures and measurements", false) \
	X("copy", copy, "[line|schedule|export|command]", "y", "copy to the clipboard of the terminal, by OSC 52: the selected Func's line of the schedule; all of it; as Halide C++; a command that opens this schedule again, all of it held; without a screen, print it", false) \
	X("script", script, "FILE", "", "run the commands of a file, up to the first error", false) \
	X("screenshot", screenshot, "FILE.txt|FILE.svg", "", "save the screen as text or SVG", false) \
	X("assert", assert, "FACT", "", "fail unless FACT holds, and print the actual value", false) \
	X("set", set, "[OPTION=VALUE]", "", "show the search options, or change one and start over", true) \
	X("sort", sort, "[cost|name|order]", "o", "order the stages by cost, by name, or as they are decided; alone: the next of these", false) \
	X("filter", filter, "[TEXT | inside FUNC]", "", "list only the stages whose names have TEXT in them, or that are in the kernel of FUNC; alone: all", false) \
	X("view", view, "[VIEW] | --json VIEW", "", "show a view, or a pane of the main one; without a screen, as text; --json: the figures of a picture", false) \
	X("help", help, "[COMMAND]", "?", "list the keys and commands, or describe one", false) \
	X("lesson", lesson, "next|back|hint|answer | answer TEXT", "", "go on in a lesson, reread the step before, ask for a hint, or answer; answer alone: show the answer", false) \
	X("quit", quit, "", "q", "quit", false)

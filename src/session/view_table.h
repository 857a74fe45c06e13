/* The table of views. It is not in session.h, so that adding a view recompiles only a few files. */
#pragma once

/* Views: identifier in C, name, kind, meaning. The panes of the main view come first, in the order that Tab
 * goes through them. */
#define BW_VIEW_TABLE(X) \
	X(BW_SHEET_BEAM, beam, PANE, "the states at the cursor, by cost") \
	X(BW_SHEET_NEST, nest, PANE, "the loop nest of the selected state") \
	X(BW_SHEET_STAGES, stages, PANE, "what each stage is predicted to cost") \
	X(BW_SHEET_OPTIONS, options, PANE, "the options of the decision at the cursor, by cost") \
	X(BW_SHEET_DECISION, decision, WHOLE, "the decision at the cursor in full") \
	X(BW_SHEET_GRAPH, graph, WHOLE, "the pipeline: what reads what, with the kernels as boxes") \
	X(BW_SHEET_TILE, tile, WHOLE, "what a block of the selected Func's kernel computes and needs, and what the blocks beside compute again") \
	X(BW_SHEET_ACCESS, access, WHOLE, "which sectors or banks the lanes of a warp touch with each load and store of the selected Func, and what would mend it") \
	X(BW_SHEET_ROOFLINE, roofline, WHOLE, "the kernels under the ceilings of the device, and what limits their occupancy") \
	X(BW_SHEET_SEARCH, search, WHOLE, "which states have descendants at the end, and how narrow each choice was") \
	X(BW_SHEET_SWEEP, sweep, WHOLE, "what was found for other devices, bandwidths, sizes, beams and seeds, and which schedule is best where") \
	X(BW_SHEET_STATISTICS, statistics, WHOLE, "where the search went: passes, rules, decisions by time") \
	X(BW_SHEET_TIMINGS, timings, WHOLE, "what was compiled and measured") \
	X(BW_SHEET_COUNTERS, counters, WHOLE, "what the emulated device counted of kernels and stages, beside what is predicted") \
	X(BW_SHEET_CODE, code, WHOLE, "the code of a schedule: its loop nest, Halide's statement, PTX and SASS, and how often each line ran on the emulated device") \
	X(BW_SHEET_OVERRIDE, override, WHOLE, "what else the selected Func could be, with costs, to choose from") \
	X(BW_SHEET_WALK, walk, WHOLE, "a decision of another scheduler, with all its candidates, and the schedule after it") \
	X(BW_SHEET_OPINIONS, opinions, WHOLE, "what every scheduler finds and what is by hand, by every cost model, in units of each one's best") \
	X(BW_SHEET_TUNE, tune, WHOLE, "what a tuning has measured: the fastest so far, predictions beside it, and what the fastest share") \
	X(BW_SHEET_FEATURES, features, WHOLE, "the stages of the selected Func in full: features, costs under both models, coefficients") \
	X(BW_SHEET_COMPARE, compare, WHOLE, "two schedules side by side, costs term by term") \
	X(BW_SHEET_HISTORY, history, WHOLE, "the commands that changed the search, those undone and on branches; the way to the selected state") \
	X(BW_SHEET_START, start, WHOLE, "what the pipeline is, how it was scheduled, and what to press") \
	X(BW_SHEET_VIEWS, views, ABOUT, "the views, to choose from, and the keys that open them") \
	X(BW_SHEET_GLOSSARY, glossary, ABOUT, "every word, mark and abbreviation of the screen, in words") \
	X(BW_SHEET_HELP, help, ABOUT, "the keys of the view and what it shows, in words; all keys and commands")

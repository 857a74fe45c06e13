/* Small pipelines for tests of the core, written as descriptions with ' for ", and what is asked of nests made from them. */
#pragma once
#include "gpu/device.h"
#include "nest/nest.h"
#include "pipeline/pipeline.h"

/* Parts of a description. Names and numbers are string literals. */
#define DESCRIPTION(inputs, funcs) "{'beamwalk-pipeline':1,'name':'test','halide':'14.0.0','parameters':[],'inputs':[" inputs "],'funcs':[" funcs "]}"
#define INPUT(name, type, dims, estimate) "{'name':'" name "','types':['" type "'],'dims':[" dims "],'estimate':[" estimate "]}"
/* A Func of one stage; more: further keys, each with a comma before it. */
#define FUNC(name, handle, type, dims, stages, more) \
	"{'name':'" name "','handle':" handle ",'definition':'0123456789abcdef','types':['" type "'],'dims':[" dims "],'stages':[" stages "]" more "}"
#define OUTPUT(estimate) ",'output':true,'estimate':[" estimate "]"
#define STAGE(loops, store, ops, reads) "{'loops':[" loops "],'store':" store ",'ops':{" ops "},'reads':[" reads "]}"
#define LOOP(name) "{'name':'" name "','kind':'pure','min':" MIN(name) ",'max':" MAX(name) "}"
#define RLOOP(name, min, max, more) "{'name':'" name "','kind':'reduction','min':" min ",'max':" max more "}"
#define READ(from, box, count, jacobian) "{'from':'" from "','box':[" box "],'loads':[{'count':" count ",'jacobian':" jacobian "}]}"
#define MIN(name) "{'min':'" name "'}"
#define MAX(name) "{'max':'" name "'}"
#define BOUND(min, max) "{'min':" min ",'max':" max "}"
#define SAME(name) BOUND(MIN(name), MAX(name))
#define SPAN(name, before, after) BOUND("['+'," MIN(name) "," before "]", "['+'," MAX(name) "," after "]")
#define XY "'x','y'"
#define LOOP_XY LOOP("x") "," LOOP("y")
#define SAME_XY SAME("x") "," SAME("y")
#define EYE2 "[[1,0],[0,1]]"
/* A Func over x and y of one pure stage with the loads of `reads`. */
#define FUNC_XY(name, handle, type, ops, reads, more) FUNC(name, handle, type, XY, STAGE(LOOP_XY, EYE2, ops, reads), more)

/* The pipeline; fails the test where it cannot be read. Free it with bw_pipeline_free. */
struct bw_pipeline *description_read(const char *text);
/* The Func of a name; fails the test where there is none. */
int description_func(const struct bw_pipeline *pipeline, const char *name);
/* A device with round numbers: 10 SMs, warps of 32, and rates that make milliseconds easy to work out by hand. */
extern const struct bw_device round_device;

/* The nest of entries of a schedule's text form, one a line of one line each (`f at g.block 1x2`), ended by NULL. With an error in
 * place of a nest NULL is returned where error is not NULL, and else the test fails. */
struct bw_nest *nest_of(const struct bw_pipeline *pipeline, const char *const *entries, struct bw_error *error);
/* A level in words: `root`, `g.block`, `h.update0.serial1`. */
bw_level level_of(const struct bw_pipeline *pipeline, const char *words);
/* A box in words, `0..33 -1..8`; "" for one without dimensions. The words are the caller's, room for 256. */
const char *box_words(const struct bw_interval *box, int n, char *words);

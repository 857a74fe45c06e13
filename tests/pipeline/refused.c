/* What a description may not say: each is an error that names the line, the key and what was expected. And what would take a reader's
 * memory: it is read, or refused. */
#include <string.h>

#include "../core/test.h"
#include "base/json.h"
#include "base/text.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/wide.h"

/* What is changed in the cases below. */
static const char good[] =
	"{\"beamwalk-pipeline\":1,\n"
	"\"name\":\"p\",\"halide\":\"14.0.0\",\n"
	"\"parameters\":[{\"name\":\"k\",\"type\":\"int32\",\"estimate\":2},{\"name\":\"g\",\"type\":\"float32\",\"estimate\":0.5},{\"name\":\"u\",\"type\":\"int32\"}],\n"
	"\"inputs\":[{\"name\":\"in\",\"types\":[\"uint8\"],\"dims\":[\"_0\"],\"estimate\":[[0,10]]}],\n"
	"\"funcs\":[\n"
	" {\"name\":\"f\",\"handle\":0,\"definition\":\"00000000000000f0\",\"types\":[\"int32\"],\"dims\":[\"x\"],\"computed\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\n"
	"  \"stages\":[\n"
	"   {\"loops\":[{\"name\":\"x\",\"kind\":\"pure\",\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"store\":[[1]],\"ops\":{\"add\":{\"int32\":1}},\n"
	"    \"reads\":[{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]}]},\n"
	"   {\"loops\":[{\"name\":\"r$x\",\"kind\":\"reduction\",\"min\":0,\"max\":7}],\"predicated\":true,\"store\":[[null]],\n"
	"    \"reads\":[{\"from\":\"f\",\"box\":[{\"min\":0,\"max\":{\"param\":\"k\"}}],\"loads\":[]}]}]},\n"
	" {\"name\":\"out\",\"handle\":1,\"definition\":\"0000000000000f00\",\"types\":[\"int32\"],\"dims\":[\"x\"],\"output\":true,\"estimate\":[[0,8]],\n"
	"  \"stages\":[\n"
	"   {\"loops\":[{\"name\":\"x\",\"kind\":\"pure\",\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"store\":[[1]],\n"
	"    \"reads\":[{\"from\":\"f\",\"box\":[{\"min\":0,\"max\":7}],\"loads\":[{\"count\":1,\"jacobian\":[[[1,2]]]}]}]}]}]}\n";

static struct bw_pipeline *parse(const struct bw_text *text, struct bw_error *error)
{
	return bw_pipeline_parse("p.json", bw_text_get(text), text->length, error);
}

static void the_unchanged_one_is_read(void **state)
{
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_parse("p.json", good, sizeof good - 1, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	bw_pipeline_free(pipeline);
}

/* Replaces `from`, which stands in the text just once. */
static void change(const char *from, const char *to, struct bw_text *text)
{
	const char *at = strstr(good, from);
	if (!at || strstr(at + 1, from))
		fail_msg("%s stands there %s", from, at ? "twice" : "nowhere");
	bw_text_append(text, good, (size_t)(at - good));
	bw_text_puts(text, to);
	bw_text_puts(text, at + strlen(from));
}

static void what_may_not_be_said(void **state)
{
	static const struct {
		const char *from, *to, *error;
	} cases[] = {
		{"\"parameters\":", "\"rfactor\":7,\"parameters\":", "p.json:3: rfactor: expected an array, found an integer"},
		{"\"parameters\":", "\"rfactor\":[{\"func\":\"g\"}],\"parameters\":", "p.json:3: rfactor[0]: there is no Func \"g\""},
		{"\"parameters\":", "\"rfactor\":[{\"func\":\"f\",\"made\":\"in\"}],\"parameters\":", "p.json:3: rfactor[0]: there is no Func \"in\""},
		{"\"parameters\":", "\"rfactor\":[{\"func\":\"f\",\"made\":\"out\",\"rvar\":\"r$x\",\"outer\":\"o\",\"inner\":\"i\",\"var\":\"x\",\"update\":1,\"loop\":0,\"factor\":8}],\"parameters\":",
		 "p.json:3: rfactor[0].update: expected an integer from 0 to 0, found 1"},
		{"\"parameters\":", "\"rfactor\":[{\"func\":\"f\",\"made\":\"out\",\"rvar\":\"r$x\",\"outer\":\"o\",\"inner\":\"i\",\"var\":\"x\",\"update\":0,\"loop\":0,\"factor\":8}],\"parameters\":",
		 "p.json:3: rfactor[0]: out is not what an rfactor of f makes"},
		{"\"parameters\":", "\"rfactor\":[{\"func\":\"f\",\"made\":\"out\",\"rvar\":\"r$x\",\"outer\":\"o\",\"inner\":\"i\",\"var\":\"x\",\"update\":0,\"loop\":0,\"factor\":8,\"apart\":7}],\"parameters\":",
		 "p.json:3: rfactor[0].apart: expected true or false, found an integer"},
		{"{\"beamwalk-pipeline\":1,", "{", "p.json:1: expected the key \"beamwalk-pipeline\" in this object"},
		{"\"beamwalk-pipeline\":1", "\"beamwalk-pipeline\":2", "p.json:1: beamwalk-pipeline: expected version 1 of the format, found 2"},
		{"\"beamwalk-pipeline\":1", "\"beamwalk-pipeline\":\"1\"", "p.json:1: beamwalk-pipeline: expected an integer, found a string"},
		{"\"name\":\"p\",", "", "p.json:1: expected the key \"name\" in this object"},
		{"\"name\":\"p\"", "\"name\":\"\"", "p.json:2: name: expected a name of 1 to 255 bytes, found 0"},
		{"\"name\":\"p\"", "\"name\":7", "p.json:2: name: expected a string, found an integer"},
		{"\"name\":\"p\"", "\"name\":\"p\\u001b[2J\"", "p.json:2: name: expected a name without control characters"},
		{"\"name\":\"p\"", "\"name\":\"p\\u0085\"", "p.json:2: name: expected a name without control characters"},
		{"\"halide\"", "\"halide14\"", "p.json:2: halide14: unknown key; did you mean \"halide\"?"},
		{",\"halide\":\"14.0.0\"", "", "p.json:1: expected the key \"halide\" in this object"},
		{"[{\"name\":\"k\",\"type\":\"int32\",\"estimate\":2},", "[7,", "p.json:3: parameters[0]: expected an object, found an integer"},
		{"\"name\":\"g\"", "\"name\":\"k\"", "p.json:3: parameters[1]: there are two parameters \"k\""},
		{"\"type\":\"float32\"", "\"type\":\"float31\"", "p.json:3: parameters[1].type: expected a type of Halide's, such as uint8 or float32, found \"float31\""},
		{"\"estimate\":0.5", "\"estimate\":\"0.5\"", "p.json:3: parameters[1].estimate: expected a number, found a string"},
		{"\"estimate\":0.5", "\"estimate\":null", "p.json:3: parameters[1].estimate: expected a number, found null"},
		{"\"estimate\":0.5", "\"estimates\":0.5", "p.json:3: parameters[1].estimates: unknown key; did you mean \"estimate\"?"},
		{"\"inputs\":[", "\"input\":[", "p.json:4: input: unknown key; did you mean \"inputs\"?"},
		{"\"inputs\":[", "\"inputs\":[3,", "p.json:4: inputs[0]: expected an object, found an integer"},
		{",\"estimate\":[[0,10]]", "", "p.json:4: inputs[0]: expected the key \"estimate\" in this object"},
		{"[[0,10]]", "[]", "p.json:4: inputs[0].estimate: expected 1 estimates, one a dimension, found 0"},
		{"[[0,10]]", "[[0]]", "p.json:4: inputs[0].estimate[0]: expected [min, extent], found 1 elements"},
		{"[[0,10]]", "[[0,0]]", "p.json:4: inputs[0].estimate[0][1]: expected an integer from 1 to 2147483647, found 0"},
		{"[[0,10]]", "[[2147483648,1]]", "p.json:4: inputs[0].estimate[0][0]: expected an integer from -2147483648 to 2147483647, found 2147483648"},
		{"[[0,10]]", "[[2147483647,2]]", "p.json:4: inputs[0].estimate[0]: the last coordinate, 2147483648, is none of 32 bits"},
		{"[[0,10]]", "[[0.0,2]]", "p.json:4: inputs[0].estimate[0][0]: expected an integer, found a number with a fraction"},
		{"\"dims\":[\"_0\"]", "\"dims\":[\"_0\",\"_0\"]", "p.json:4: inputs[0].dims[1]: \"_0\" stands here twice"},
		{"\"dims\":[\"_0\"]", "\"dims\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\"]", "p.json:4: inputs[0].dims: expected at most 16 names, found 17"},
		{"\"dims\":[\"_0\"]", "\"dims\":[\"\"]", "p.json:4: inputs[0].dims[0]: expected a name of 1 to 255 bytes, found 0"},
		{"\"types\":[\"uint8\"]", "\"types\":[]", "p.json:4: inputs[0].types: expected 1 to 64 types, one a component of the tuple, found 0"},
		{"\"types\":[\"uint8\"]", "\"types\":[\"uint7\"]", "p.json:4: inputs[0].types[0]: expected a type of Halide's, such as uint8 or float32, found \"uint7\""},
		{"\"types\":[\"uint8\"]", "\"types\":\"uint8\"", "p.json:4: inputs[0].types: expected an array, found a string"},
		{"{\"name\":\"f\"", "{\"name\":\"in\"", "p.json:6: funcs[0]: there are two Funcs or inputs \"in\""},
		{"{\"name\":\"f\",\"handle\":0", "{\"name\":\"f\"", "p.json:6: funcs[0]: expected the key \"handle\" in this object"},
		{"{\"name\":\"f\",\"handle\":0", "{\"name\":\"f\",\"handle\":-1", "p.json:6: funcs[0].handle: expected an integer from 0 to 4096, found -1"},
		{"{\"name\":\"f\",\"handle\":0", "{\"name\":\"f\",\"handle\":4097", "p.json:6: funcs[0].handle: expected an integer from 0 to 4096, found 4097"},
		{"{\"name\":\"f\",\"handle\":0", "{\"name\":\"f\",\"handle\":1", "p.json:12: funcs[1].handle: another Func has this handle"},
		{"\"00000000000000f0\"", "\"0000000000000f0\"", "p.json:6: funcs[0].definition: expected 16 hexadecimal digits in lower case"},
		{"\"00000000000000f0\"", "\"00000000000000F0\"", "p.json:6: funcs[0].definition: expected 16 hexadecimal digits in lower case"},
		{"\"00000000000000f0\"", "\"0x000000000000f0\"", "p.json:6: funcs[0].definition: expected 16 hexadecimal digits in lower case"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"output\":1,\"computed\"", "p.json:6: funcs[0].output: expected true or false, found an integer"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"output\":true,\"computed\"", "p.json:6: funcs[0]: expected the key \"estimate\" in this object"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"estimate\":[[0,1]],\"computed\"", "p.json:6: funcs[0].estimate: only inputs and outputs have estimates"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"fixed\":[\"x\"],\"computed\"",
		 "p.json:6: funcs[0].fixed: only outputs have fixed dimensions"},
		{"\"dims\":[\"x\"],\"computed\"",
		 "\"dims\":[\"x\"],\"output\":true,\"estimate\":[[0,1]],\"fixed\":[\"y\"],\"computed\"",
		 "p.json:6: funcs[0].fixed: \"y\" is no dimension here"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"wraper\":true,\"computed\"", "p.json:6: funcs[0].wraper: unknown key; did you mean \"wrapper\"?"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":-1,\"computed\"", "p.json:6: funcs[0].branching: expected an integer from 0 to 1048576, found -1"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":[],\"computed\"", "p.json:6: funcs[0].branching: expected \"both\", \"each\" or \"most\" first"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":[\"all\",1],\"computed\"", "p.json:6: funcs[0].branching[0]: expected \"both\", \"each\" or \"most\", found \"all\""},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":[\"both\",1],\"computed\"", "p.json:6: funcs[0].branching: expected 2 operands, found 1"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":[\"each\",{\"call\":\"out\",\"else\":1}],\"computed\"", "p.json:6: funcs[0].branching[1].call: no Func or input \"out\" stands before f"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":{\"call\":\"f\",\"else\":1},\"computed\"", "p.json:6: funcs[0].branching.call: no Func or input \"f\" stands before f"},
		{"\"dims\":[\"x\"],\"computed\"", "\"dims\":[\"x\"],\"branching\":{\"call\":\"in\"},\"computed\"", "p.json:6: funcs[0].branching: expected the key \"else\" in this object"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "\"computed\":[]", "p.json:6: funcs[0].computed: expected 1 bounds, one a dimension, found 0"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "\"computed\":[{\"min\":{\"min\":\"x\"}}]", "p.json:6: funcs[0].computed[0]: expected the key \"max\" in this object"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"min\":\"r$x\"}", "p.json:6: funcs[0].computed[0].min.min: \"r$x\" is no loop or dimension here"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"param\":\"x\"}", "p.json:6: funcs[0].computed[0].min.param: \"x\" is no parameter with an integer as its estimate"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"param\":\"u\"}", "p.json:6: funcs[0].computed[0].min.param: \"u\" is no parameter with an integer as its estimate"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"param\":\"g\"}", "p.json:6: funcs[0].computed[0].min.param: \"g\" is no parameter with an integer as its estimate"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"min\":\"x\",\"max\":\"x\"}", "p.json:6: funcs[0].computed[0].min: expected one of \"min\", \"max\", \"param\" and \"estimate\""},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{}", "p.json:6: funcs[0].computed[0].min: expected one of \"min\", \"max\", \"param\" and \"estimate\""},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"mim\":\"x\"}", "p.json:6: funcs[0].computed[0].min.mim: unknown key; did you mean \"min\"?"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":{\"min\":7}", "p.json:6: funcs[0].computed[0].min.min: expected a string, found an integer"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":1.5", "p.json:6: funcs[0].computed[0].min: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":\"x\"", "p.json:6: funcs[0].computed[0].min: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[]", "p.json:6: funcs[0].computed[0].min: expected an operator and its operands, found an empty array"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[7]", "p.json:6: funcs[0].computed[0].min[0]: expected a string, found an integer"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[\"^\",1,2]", "p.json:6: funcs[0].computed[0].min[0]: there is no operator \"^\""},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[\"+\",1]", "p.json:6: funcs[0].computed[0].min: \"+\" takes 2 operands, found 1"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[\"+\",1,2,3]", "p.json:6: funcs[0].computed[0].min: \"+\" takes 2 operands, found 3"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[\"+\",1,true]", "p.json:6: funcs[0].computed[0].min[2]: expected an expression: an integer, {\"min\": NAME}, {\"max\": NAME}, {\"param\": NAME}, {\"estimate\": N}, [OPERATOR, ...] or null"},
		{"\"computed\":[{\"min\":{\"min\":\"x\"}", "\"computed\":[{\"min\":[\"-\",[\"+\",1,2],[\"abs\"]]", "p.json:6: funcs[0].computed[0].min[2]: \"abs\" takes 1 operand, found 0"},
		{"{\"loops\":[{\"name\":\"r$x\"", "{\"loop\":[{\"name\":\"r$x\"", "p.json:10: funcs[0].stages[1].loop: unknown key; did you mean \"loops\"?"},
		{"\"name\":\"r$x\",\"kind\":\"reduction\"", "\"name\":\"r$x\",\"kind\":\"serial\"", "p.json:10: funcs[0].stages[1].loops[0].kind: expected \"pure\" or \"reduction\", found \"serial\""},
		{"\"name\":\"r$x\",\"kind\":\"reduction\"", "\"name\":\"r$x\",\"kind\":\"pure\"", "p.json:10: funcs[0].stages[1].loops[0]: f has no dimension \"r$x\""},
		{"\"name\":\"r$x\",\"kind\":\"reduction\"", "\"name\":\"x\",\"kind\":\"reduction\"", "p.json:10: funcs[0].stages[1].loops[0]: a reduction loop has the name of a dimension, \"x\""},
		{"\"name\":\"r$x\",\"kind\":\"reduction\"", "\"name\":\"x\",\"kind\":\"pure\",\"parallel\":true", "p.json:10: funcs[0].stages[1].loops[0].parallel: a pure loop is always parallel; this key is for reduction loops"},
		{"\"name\":\"r$x\",\"kind\":\"reduction\"", "\"name\":\"r$x\",\"kind\":\"reduction\",\"parallel\":\"yes\"", "p.json:10: funcs[0].stages[1].loops[0].parallel: expected true or false, found a string"},
		{"\"min\":0,\"max\":7}],\"predicated\"", "\"min\":0}],\"predicated\"", "p.json:10: funcs[0].stages[1].loops[0]: expected the key \"max\" in this object"},
		{"\"min\":0,\"max\":7}],\"predicated\"", "\"min\":0,\"max\":{\"max\":\"r$x\"}}],\"predicated\"", "p.json:10: funcs[0].stages[1].loops[0].max.max: \"r$x\" is no loop or dimension here"},
		{"\"min\":0,\"max\":7}],\"predicated\"", "\"min\":0,\"max\":7},{\"name\":\"r$x\",\"kind\":\"reduction\",\"min\":0,\"max\":7}],\"predicated\"", "p.json:10: funcs[0].stages[1].loops[1]: there are two loops \"r$x\""},
		{"{\"loops\":[{\"name\":\"x\",\"kind\":\"pure\",\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"store\":[[1]],\"ops\"", "{\"loops\":[],\"store\":[[]],\"ops\"", "p.json:8: funcs[0].stages[0].loops: the loops of a pure definition are its dimensions, in their order"},
		{"{\"loops\":[{\"name\":\"x\",\"kind\":\"pure\",\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"store\":[[1]],\"ops\"", "{\"loops\":[{\"name\":\"x\",\"kind\":\"reduction\",\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}],\"store\":[[1]],\"ops\"", "p.json:8: funcs[0].stages[0].loops[0].kind: a pure definition has no reduction loops"},
		{"\"predicated\":true", "\"atomic\":true", "p.json:10: funcs[0].stages[1]: only an associative update is atomic"},
		{"\"store\":[[1]],\"ops\"", "\"associative\":true,\"store\":[[1]],\"ops\"", "p.json:8: funcs[0].stages[0]: a pure definition is not associative"},
		{"\"predicated\":true", "\"predicated\":1", "p.json:10: funcs[0].stages[1].predicated: expected true or false, found an integer"},
		{"\"predicated\":true", "\"predicate\":true", "p.json:10: funcs[0].stages[1].predicate: unknown key; did you mean \"predicated\"?"},
		{"\"store\":[[null]]", "\"store\":[]", "p.json:10: funcs[0].stages[1].store: expected 1 rows, one a dimension, found 0"},
		{"\"store\":[[null]]", "\"store\":[[]]", "p.json:10: funcs[0].stages[1].store[0]: expected 1 columns, one a loop of the stage, found 0"},
		{"\"store\":[[null]]", "\"store\":[[1,0]]", "p.json:10: funcs[0].stages[1].store[0]: expected 1 columns, one a loop of the stage, found 2"},
		{"\"store\":[[null]]", "\"store\":[[1.5]]", "p.json:10: funcs[0].stages[1].store[0][0]: expected an integer, [numerator, denominator], [numerator, denominator, \"lost\"] or null"},
		{"\"store\":[[null]]", "\"store\":[[[1]]]", "p.json:10: funcs[0].stages[1].store[0][0]: expected an integer, [numerator, denominator], [numerator, denominator, \"lost\"] or null"},
		{"\"store\":[[null]]", "\"store\":[[[1,2,\"found\"]]]", "p.json:10: funcs[0].stages[1].store[0][0]: expected an integer, [numerator, denominator], [numerator, denominator, \"lost\"] or null"},
		{"\"store\":[[null]]", "\"store\":[[[1,0]]]", "p.json:10: funcs[0].stages[1].store[0][0][1]: expected an integer from 1 to 2147483647, found 0"},
		{"\"store\":[[null]]", "\"store\":[[[1,-2]]]", "p.json:10: funcs[0].stages[1].store[0][0][1]: expected an integer from 1 to 2147483647, found -2"},
		{"\"store\":[[null]]", "\"store\":[[2147483648]]", "p.json:10: funcs[0].stages[1].store[0][0]: expected an integer from -2147483648 to 2147483647, found 2147483648"},
		{"\"store\":[[null]]", "\"store\":[7]", "p.json:10: funcs[0].stages[1].store[0]: expected an array, found an integer"},
		{",\"store\":[[null]]", "", "p.json:10: funcs[0].stages[1]: expected the key \"store\" in this object"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":[]", "p.json:8: funcs[0].stages[0].ops: expected an object, found an array"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":{\"ad\":{\"int32\":1}}", "p.json:8: funcs[0].stages[0].ops.ad: unknown key; did you mean \"add\"?"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":{\"add\":3}", "p.json:8: funcs[0].stages[0].ops.add: expected an object, found an integer"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":{\"add\":{\"uint32\":1}}", "p.json:8: funcs[0].stages[0].ops.add.uint32: unknown key; did you mean \"int32\"?"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":{\"add\":{\"int32\":-1}}", "p.json:8: funcs[0].stages[0].ops.add.int32: expected an integer from 0 to 1048576, found -1"},
		{"\"ops\":{\"add\":{\"int32\":1}}", "\"ops\":{\"add\":{\"int32\":1048577}}", "p.json:8: funcs[0].stages[0].ops.add.int32: expected an integer from 0 to 1048576, found 1048577"},
		{"\"reads\":[{\"from\":\"in\"", "\"reads\":[{\"from\":\"f\"", "p.json:9: funcs[0].stages[0].reads[0].from: the pure definition of f cannot read itself"},
		{"\"reads\":[{\"from\":\"in\"", "\"reads\":[{\"from\":\"out\"", "p.json:9: funcs[0].stages[0].reads[0].from: no Func or input \"out\" stands before f"},
		{"\"reads\":[{\"from\":\"in\"", "\"reads\":[{\"from\":\"nobody\"", "p.json:9: funcs[0].stages[0].reads[0].from: no Func or input \"nobody\" stands before f"},
		{"\"reads\":[{\"from\":\"in\"", "\"reads\":[{\"from\":7", "p.json:9: funcs[0].stages[0].reads[0].from: expected a string, found an integer"},
		{"{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "{\"from\":\"in\",\"box\":[]", "p.json:9: funcs[0].stages[0].reads[0].box: expected 1 bounds, one a dimension, found 0"},
		{"{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "{\"from\":\"in\"", "p.json:9: funcs[0].stages[0].reads[0]: expected the key \"box\" in this object"},
		{"{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"_0\"},\"max\":{\"max\":\"x\"}}]", "p.json:9: funcs[0].stages[0].reads[0].box[0].min.min: \"_0\" is no loop or dimension here"},
		{"{\"from\":\"in\",\"box\":[{\"min\":{\"min\":\"x\"},\"max\":{\"max\":\"x\"}}]", "{\"from\":\"in\",\"box\":[{\"min\":0,\"max\":0}],\"loads\":[]},{\"from\":\"in\",\"box\":[{\"min\":0,\"max\":0}]", "p.json:9: funcs[0].stages[0].reads[1].from: \"in\" is read here already; its loads go together"},
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":7", "p.json:9: funcs[0].stages[0].reads[0].loads: expected an array, found an integer"},
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":[{\"count\":0,\"jacobian\":[[1]]}]", "p.json:9: funcs[0].stages[0].reads[0].loads[0].count: expected an integer from 1 to 1048576, found 0"},
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":[{\"jacobian\":[[1]]}]", "p.json:9: funcs[0].stages[0].reads[0].loads[0]: expected the key \"count\" in this object"},
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":[{\"count\":1}]", "p.json:9: funcs[0].stages[0].reads[0].loads[0]: expected the key \"jacobian\" in this object"},
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":[{\"count\":1,\"jacobian\":[[1],[2]]}]", "p.json:9: funcs[0].stages[0].reads[0].loads[0].jacobian: expected 1 rows, one a dimension, found 2"},
#define PARITY(loop, classes) "\"ops\":{\"add\":{\"int32\":1}},\"parity\":[{\"loops\":[" loop "],\"classes\":[" classes "]}]"
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("", ""), "p.json:8: funcs[0].stages[0].parity[0].loops: expected 1 to 4 loops, found 0"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"y\",\"modulus\":2}", ""), "p.json:8: funcs[0].stages[0].parity[0].loops[0]: expected a loop of the stage, each once, found \"y\""},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"modulus\":1}", ""), "p.json:8: funcs[0].stages[0].parity[0].loops[0].modulus: expected an integer from 2 to 8, found 1"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"values\":[]}", ""), "p.json:8: funcs[0].stages[0].parity[0].loops[0].values: expected 1 to 8 values, found 0"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"values\":[0,1,0]}", ""), "p.json:8: funcs[0].stages[0].parity[0].loops[0].values[2]: 0 stands twice"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"modulus\":2}", "{}"), "p.json:8: funcs[0].stages[0].parity[0].classes: expected 2 classes of points, found 1"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"modulus\":2}", "{},{\"loads\":{\"in\":[2]}}"), "p.json:8: funcs[0].stages[0].parity[0].classes[1].loads.in[0]: expected at most 1, as in the whole stage, found 2"},
		{"\"ops\":{\"add\":{\"int32\":1}}", PARITY("{\"loop\":\"x\",\"modulus\":2}", "{},{\"loads\":{\"in\":[]}}"), "p.json:8: funcs[0].stages[0].parity[0].classes[1].loads.in: expected the counts of 1 loads, found 0"},
#undef PARITY
		{"\"loads\":[{\"count\":1,\"jacobian\":[[1]]}]", "\"loads\":[{\"count\":1,\"jacobian\":[[1]],\"x\":1}]", "p.json:9: funcs[0].stages[0].reads[0].loads[0].x: unknown key; expected one of: count, jacobian, predicate, types"},
		{"\"reads\":[{\"from\":\"f\",\"box\":[{\"min\":0,\"max\":7}],\"loads\":[{\"count\":1,\"jacobian\":[[[1,2]]]}]}]", "\"reads\":[]", "p.json:6: funcs[0]: nothing reads f, and it is no output"},
		{"\"output\":true,\"estimate\":[[0,8]]", "\"output\":false", "p.json:12: funcs[1]: nothing reads out, and it is no output"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text text = {0};
		struct bw_error error = {0};
		change(cases[i].from, cases[i].to, &text);
		if (parse(&text, &error))
			fail_msg("%s for %s is read", cases[i].to, cases[i].from);
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
		assert_null(parse(&text, NULL));
		bw_text_free(&text);
	}
}

/* Whole documents. */
static void what_is_no_description(void **state)
{
#define HEAD "{\"beamwalk-pipeline\":1,\"name\":\"p\",\"halide\":\"14\",\"inputs\":"
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "p.json:1: not JSON: '[' or '{' expected near end of file"},
		{"[]", "p.json:1: expected an object, found an array"},
		{"{}", "p.json:1: expected the key \"beamwalk-pipeline\" in this object"},
		{"{\"beamwalk-pipeline\":9223372036854775808}", "p.json:1: not JSON: too big integer near '9223372036854775808'"},
		{"{\"beamwalk-pipeline\":1,\"name\":\"a\\u0000b\"}", "p.json:1: not JSON: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'"},
		{HEAD "[]}", "p.json:1: expected the key \"funcs\" in this object"},
		{HEAD "{},\"funcs\":[]}", "p.json:1: inputs: expected an array, found an object"},
		{HEAD "[],\"funcs\":7}", "p.json:1: funcs: expected an array, found an integer"},
		{HEAD "[],\n\"funcs\":[]}", "p.json:2: funcs: expected at least one Func"},
		{HEAD "[],\"funcs\":[{\"name\":\"f\",\"handle\":0,\"definition\":\"0000000000000000\",\"types\":[\"bool\"],\"dims\":[],\"stages\":[]}]}", "p.json:1: funcs[0].stages: expected 1 to 1000 stages, found 0"},
		{HEAD "[],\"funcs\":[{\"name\":\"f\",\"handle\":0,\"definition\":\"0000000000000000\",\"types\":[\"bool\"],\"dims\":[],\"stages\":[{\"loops\":[],\"store\":[],\"reads\":{}}]}]}",
			"p.json:1: funcs[0].stages[0].reads: expected an array, found an object"},
	};
#undef HEAD
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(bw_pipeline_parse("p.json", cases[i].text, strlen(cases[i].text), &error));
		assert_string_equal(error.text, cases[i].error);
	}
	struct bw_error error = {0};
	assert_null(bw_pipeline_read("/nowhere/p.json", &error));
	assert_non_null(strstr(error.text, "/nowhere/p.json"));
}

static void names_have_an_end(void **state)
{
	for (int length = 255; length <= 256; length++) {
		struct bw_text name = {0}, text = {0};
		struct bw_error error = {0};
		bw_text_printf(&name, "\"name\":\"%0*d\"", length, 7);
		change("\"name\":\"p\"", bw_text_get(&name), &text);
		struct bw_pipeline *pipeline = parse(&text, &error);
		assert_int_equal(pipeline != NULL, length == 255);
		if (!pipeline)
			assert_string_equal(error.text, "p.json:2: name: expected a name of 1 to 255 bytes, found 256");
		bw_pipeline_free(pipeline);
		bw_text_free(&name);
		bw_text_free(&text);
	}
}

/* As many Funcs as may be, and reads by the hundred thousand, are read; one more Func is not. How long that takes is counted by
 * tests/speed/wide. */
static void as_many_funcs_as_may_be(void **state)
{
	struct bw_text text = {0};
	struct bw_error error = {0};
	bw_put_wide(&text, 4056, 40);
	struct bw_pipeline *pipeline = parse(&text, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	assert_int_equal(pipeline->n_funcs, 4096);
	assert_int_equal(pipeline->funcs[0].n_consumers, 40);
	assert_int_equal(pipeline->funcs[4055].consumers[39]->func, 4095);
	assert_int_equal(pipeline->funcs[4056].n_consumers, 1);
	bw_pipeline_free(pipeline);
	bw_text_clear(&text);
	bw_put_wide(&text, 4095, 2);
	assert_null(parse(&text, &error));
	assert_string_equal(error.text, "p.json:4095: funcs: expected at most 4096 inputs and Funcs, found 4097");
	bw_text_free(&text);
}

/* Brackets by the thousand, where an expression is expected: whoever refuses it, nothing overflows. */
static void deep_nesting_is_refused(void **state)
{
	static const int depths[] = {201, 1000, 2000, 100000};
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		struct bw_text deep = {0}, text = {0};
		struct bw_error error = {0};
		bw_text_puts(&deep, "\"computed\":[{\"min\":");
		for (int d = 0; d < depths[i]; d++)
			bw_text_puts(&deep, "[\"!\",");
		bw_text_puts(&deep, "0");
		for (int d = 0; d < depths[i]; d++)
			bw_text_puts(&deep, "]");
		change("\"computed\":[{\"min\":{\"min\":\"x\"}", bw_text_get(&deep), &text);
		assert_null(parse(&text, &error));
		const char *end = depths[i] <= 2000 ? "an expression is nested deeper than 200" : "not JSON: maximum parsing depth reached";
		if (!strstr(error.text, end))
			fail_msg("%d: %s", depths[i], error.text);
		bw_text_free(&deep);
		bw_text_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_unchanged_one_is_read),
		cmocka_unit_test(what_may_not_be_said),
		cmocka_unit_test(what_is_no_description),
		cmocka_unit_test(names_have_an_end),
		cmocka_unit_test(as_many_funcs_as_may_be),
		cmocka_unit_test(deep_nesting_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

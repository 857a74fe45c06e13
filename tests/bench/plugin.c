/* Which plugin a program takes, by the libHalide that it loads: programs linked with small libraries of Halide's names, one with no
 * library, scripts, and what is no generator; the line that each misfit gives. */
#include "bench_test.h"

#include <sys/stat.h>

#include "bench/cache.h"

static char directory[] = "/tmp/bw-plugin-test.XXXXXX";
static const struct bw_patience patience = {300, NULL};
static const struct bw_plugin both[] = {{14, "/p/libbeamwalk-halide14.so"}, {19, "/p/libbeamwalk-halide19.so"}, {0}};

static char *in_directory(const char *name)
{
	return bw_format("%s/%s", directory, name);
}

static void write_file(const char *name, const char *text, const char *argument)
{
	char *path = in_directory(name);
	FILE *file = fopen(path, "w");
	fprintf(file, text, argument);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

static void shell(const char *script)
{
	assert_int_equal(chdir(directory), 0);
	must_run((const char *const[]){"sh", "-e", "-c", script, NULL});
}

/* debian14, debian19, debian21: linked with libHalideN.so.0. upstream: with libHalide.so.19 in another folder. bare: with libHalide.so, a
 * link to libHalide.so.14.0.0. nameless: with a libHalide.so that is a file. lost: its library is gone. lonely: without any. */
static int open_all(void **state)
{
	assert_non_null(mkdtemp(directory));
	write_file("halide.c", "int halide(void) { return 0; }%s\n", "");
	write_file("main.c", "int halide(void); int main(void) { return %s; }\n", "halide()");
	write_file("lonely.c", "int main(void) { return 0; }%s\n", "");
	shell("make() { mkdir -p $1 && cc -shared -fPIC -Wl,-soname,$3 -o $1/$2 halide.c && cc -o $4 main.c $1/$2 -Wl,-rpath,$PWD/$1; }\n"
	      "make a libHalide14.so.0 libHalide14.so.0 debian14; make a libHalide19.so.0 libHalide19.so.0 debian19; make a libHalide21.so.1 libHalide21.so.1 debian21\n"
	      "make 'b c' libHalide.so.19 libHalide.so.19 upstream || make b libHalide.so.19 libHalide.so.19 upstream\n"
	      "make d libHalide.so.14.0.0 libHalide.so bare; ln -s libHalide.so.14.0.0 d/libHalide.so; make e libHalide.so libHalide.so nameless\n"
	      "make f libHalide14.so.9 libHalide14.so.9 lost; rm -r f; cc -o lonely lonely.c; cc -static -o static lonely.c");
	return 0;
}

static int close_all(void **state)
{
	must_run((const char *const[]){"rm", "-rf", directory, NULL});
	return 0;
}

/* The version of the plugin chosen; 0 where none fits, and then the error has the text in it. */
static void expect(const struct bw_plugin *plugins, const char *program, int version, const char *text)
{
	struct bw_error error = {0};
	char *path = *program == '/' ? bw_strdup(program) : in_directory(program);
	const struct bw_plugin *plugin = bw_plugin_choose(plugins, path, &patience, &error);
	if (plugin ? plugin->halide != version : version != 0)
		fail_msg("%s: plugin %d: %s", program, plugin ? plugin->halide : 0, plugin ? "" : error.text);
	if (!plugin && (error.kind != BW_ERROR_HALIDE || !strstr(error.text, text) || strchr(error.text, '\n')))
		fail_msg("%s: '%s' lacks '%s'", program, error.text, text);
	free(path);
}

static void the_one_that_fits(void **state)
{
	expect(both, "debian14", 14, NULL);
	expect(both, "debian19", 19, NULL);
	expect(both, "upstream", 19, NULL);
	expect(both, "bare", 14, NULL);
}

static void none_that_fits(void **state)
{
	const struct bw_plugin one[] = {both[0], {0}}, none[] = {{0}};
	expect(both, "debian21", 0, "uses Halide 21 (");
	expect(both, "debian21", 0, "/a/libHalide21.so.1), and there are plugins for 14, 19: configure beamwalk --with-halide=DIR, where DIR has Halide 21");
	expect(one, "upstream", 0, "uses Halide 19 (");
	expect(one, "upstream", 0, "there are plugins for 14: configure");
	expect(none, "debian14", 0, "this beamwalk has no plugin for any Halide: configure it --with-halide=DIR");
	expect(both, "nameless", 0, "a name that tells no version: link it with a libHalide.so.N or libHalideN.so");
	expect(both, "lost", 0, "the loader does not find its libHalide14.so.9: put the folder of that file in LD_LIBRARY_PATH");
}

static void no_shared_halide(void **state)
{
	static const char *const programs[] = {"lonely", "static", "/bin/true"};
	for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
		expect(both, programs[k], 0, "loads no shared libHalide, which a plugin needs: is it a Halide generator? Then link it with the shared libHalide (not libHalide.a) of a version that there is a plugin for: 14, 19");
}

static void scripts(void **state)
{
	write_file("script", "#!/bin/sh\nexec %s/debian19 \"$@\"\n", directory);
	write_file("child", "#!/bin/sh\n%s/debian14 \"$@\"\n", directory);
	write_file("empty", "#!/bin/sh\ntrue%s\n", "");
	expect(both, "script", 19, NULL);
	expect(both, "child", 14, NULL);
	expect(both, "empty", 0, "loads no shared libHalide");
}

/* What lies in a folder beside other files, in order of version. */
static void plugins_of_a_folder(void **state)
{
	shell("mkdir plugins && cd plugins && touch libbeamwalk-halide19.so libbeamwalk-halide14.so libbeamwalk-halide.so libbeamwalk-halide15.so.bak libbeamwalk-halide0.so beamwalk");
	char *folder = in_directory("plugins");
	struct bw_plugin *plugins = bw_plugins_find(folder), *none = bw_plugins_find("/nowhere");
	assert_int_equal(plugins[0].halide, 14);
	assert_int_equal(plugins[1].halide, 19);
	assert_int_equal(plugins[2].halide, 0);
	assert_int_equal(none[0].halide, 0);
	assert_non_null(strstr(plugins[1].path, "/plugins/libbeamwalk-halide19.so"));
	bw_plugins_free(plugins);
	bw_plugins_free(none);
	free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_that_fits),
		cmocka_unit_test(none_that_fits),
		cmocka_unit_test(no_shared_halide),
		cmocka_unit_test(scripts),
		cmocka_unit_test(plugins_of_a_folder),
	};
	return cmocka_run_group_tests_name("plugin", tests, open_all, close_all);
}

dnl Halide 14 and later, any number of them. Built and run with 14, 19 and 21; others get a warning. Each gets a plugin of its own, because a process has one Halide; the bundled pipelines and
dnl the tests are built with the first.

dnl What a Halide's folders are called:
dnl   Debian            DIR/include/halideN, DIR/lib/TRIPLET/libHalideN.so, DIR/src/halideN/GenGen.cpp or DIR/lib/TRIPLET/libHalide_GenGenN.a
dnl   upstream release  DIR/include, DIR/lib/libHalide.so -> libHalide.so.N, DIR/share/tools, DIR/share/Halide/tools or DIR/lib/libHalide_GenGen.a
AC_DEFUN([BW_CHECK_HALIDE], [
	AC_ARG_WITH([halide],
		[AS_HELP_STRING([--with-halide=DIR@<:@,DIR@:>@...], [Halides from 14 on, tried with 14, 19 and 21, each an upstream release unpacked in DIR, or Debian packages under DIR (/usr); pipelines are built with the first; --without-halide leaves them out])],
		[], [with_halide=auto])
	bw_halides= HALIDE_MAJOR= HALIDE_CPPFLAGS= HALIDE_LIBS= HALIDE_GENGEN= HALIDE_PLUGINS=
	bw_mend_halide='leave out --without-halide'
	AS_CASE([$with_halide], [no], [bw_folders=], [auto|yes], [bw_folders='/usr /usr/local'], [bw_folders=`AS_ECHO(["$with_halide"]) | tr ',' ' '`])
	AS_IF([test "x$with_halide" != xno], [bw_mend_halide='g++, and libhalide14-0-dev (Debian 12), libhalide19-dev (Debian 13) or libhalide21-dev (sid)'])
	: >bw-halide.mk
	for bw_folder in $bw_folders; do
		BW_CHECK_HALIDES_IN([$bw_folder])
		AS_CASE([$with_halide], [auto|yes], [], [AS_IF([test -z "$bw_found"],
			[AC_MSG_ERROR([--with-halide: no Halide from 14 on in $bw_folder that can be built with (expected its include/Halide.h or include/halideN/Halide.h with its shared library under lib; see config.log)])])])
	done
	AS_IF([test -n "$bw_halides"], [bw_have_halide=yes], [bw_have_halide=no])
	AS_IF([test "x$with_halide" = xyes && test $bw_have_halide = no],
		[AC_MSG_ERROR([Halide was asked for and not found ($bw_mend_halide; see config.log)])])
	AC_SUBST([HALIDE_MAJOR])
	AC_SUBST([HALIDE_CPPFLAGS])
	AC_SUBST([HALIDE_LIBS])
	AC_SUBST([HALIDE_GENGEN])
	AC_SUBST([HALIDE_PLUGINS])
	AC_SUBST([CONFIG_STATUS_DEPENDENCIES], ['$(top_srcdir)/src/halide/plugin.mk $(top_srcdir)/pipelines/pipelines.mk'])
	halide_rules=bw-halide.mk
	AC_SUBST_FILE([halide_rules])
	pipeline_rules=$srcdir/pipelines/pipelines.mk
	AC_SUBST_FILE([pipeline_rules])
	AM_CONDITIONAL([HAVE_HALIDE], [test $bw_have_halide = yes])
	AM_CONDITIONAL([HAVE_GENGEN_SOURCE], [case $HALIDE_GENGEN in *.cpp) :;; *) false;; esac])
])

dnl BW_CHECK_HALIDES_IN(folder): every Halide there, the newest first. Sets bw_found where there is one that can be used.
AC_DEFUN([BW_CHECK_HALIDES_IN], [
	bw_found=
	for bw_major in `cd "$1/include" 2>/dev/null && ls -d halide@<:@0-9@:>@* 2>/dev/null | sed 's/^halide//' | sort -rn`; do
		AS_IF([test -r "$1/include/halide$bw_major/Halide.h"], [BW_TRY_HALIDE([$1], [include/halide$bw_major], [libHalide$bw_major], [$bw_major])])
	done
	AS_IF([test -r "$1/include/Halide.h"], [BW_TRY_HALIDE([$1], [include], [libHalide], [unknown])])
])

dnl The first of these that can be read, in bw_file; else empty.
AC_DEFUN([BW_FIRST_FILE], [
	bw_file=
	for bw_candidate in $1; do
		AS_IF([test -z "$bw_file" && test -r "$bw_candidate"], [bw_file=$bw_candidate])
	done
])

dnl BW_TRY_HALIDE(folder, headers, library, version): a Halide whose headers were seen. Where the version is unknown, the headers
dnl tell it from 17 on, the library's full name before. It counts where a probe for that version can be built.
AC_DEFUN([BW_TRY_HALIDE], [
	AC_MSG_CHECKING([for Halide in $1/$2])
	BW_FIRST_FILE(["$1"/lib/$3.so "$1"/lib64/$3.so "$1"/lib/*/$3.so])
	bw_library=$bw_file
	bw_library_folder=`AS_DIRNAME(["$bw_file"])`
	AS_CASE([$1], [/usr], [bw_libs=-l:$3.so], [bw_libs="-L$bw_library_folder -Wl,-rpath,$bw_library_folder -l:$3.so"])
	bw_cppflags="-isystem $1/$2"
	bw_version=$4
	AS_IF([test $bw_version = unknown], [BW_ASK_HALIDE_VERSION])
	bw_name=`AS_ECHO(["$3"]) | sed 's/libHalide//'`
	BW_FIRST_FILE(["$1/src/halide$bw_name/GenGen.cpp" "$1/share/tools/GenGen.cpp" "$1/share/Halide/tools/GenGen.cpp" "$bw_library_folder/libHalide_GenGen$bw_name.a"])
	bw_cppflags="$bw_cppflags -DBW_HALIDE_MAJOR=$bw_version"
	bw_usable=no
	AS_CASE([" $bw_halides "],
		[*" $bw_version "*], [bw_found=yes
		AC_MSG_RESULT([version $bw_version, which was found before])],
		[AS_IF([test "$bw_version" -ge 14 2>/dev/null], [BW_PROBE_HALIDE])
		AC_MSG_RESULT([version $bw_version, usable: $bw_usable])
		AS_CASE([$bw_usable,$bw_version], [yes,14|yes,19|yes,21], [], [yes,*],
			[AC_MSG_WARN([Halide $bw_version: beamwalk was built and run with Halide 14, 19 and 21 alone; this one is tried])])])
	AS_IF([test $bw_usable = yes], [BW_ADD_HALIDE])
])

dnl Sets bw_version where that can be told.
AC_DEFUN([BW_ASK_HALIDE_VERSION], [
	AS_ECHO(['#include <Halide.h>
bw_halide_version HALIDE_VERSION_MAJOR']) >conftest.cc
	bw_said=`$CXX -std=c++17 -E -P $bw_cppflags conftest.cc 2>&AS_MESSAGE_LOG_FD | sed -n ['s/^bw_halide_version *\([0-9][0-9]*\)$/\1/p']`
	rm -f conftest.cc
	AS_IF([test -z "$bw_said"], [bw_said=`readlink -f "$bw_library" | sed -n -e ['s/.*libHalide\([0-9][0-9]*\)\.so.*/\1/p;t'] -e ['s/.*libHalide\.so\.\([0-9][0-9]*\).*/\1/p']`])
	AS_IF([test -n "$bw_said"], [bw_version=$bw_said])
])

dnl Builds a program as the plugin will be: bw_usable=yes where the headers are of bw_version and the library fits them.
AC_DEFUN([BW_PROBE_HALIDE], [
	bw_saved_CPPFLAGS=$CPPFLAGS
	bw_saved_CXXFLAGS=$CXXFLAGS
	bw_saved_LIBS=$LIBS
	CPPFLAGS="$bw_cppflags $CPPFLAGS"
	CXXFLAGS="-std=c++17 -O0"
	LIBS="$bw_libs $LIBS"
	AC_LANG_PUSH([C++])
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <Halide.h>
#ifdef HALIDE_VERSION_MAJOR
static_assert(HALIDE_VERSION_MAJOR == BW_HALIDE_MAJOR, "the version that its folder says");
#else
static_assert(BW_HALIDE_MAJOR < 17, "the version that its folder says");
#endif
#if BW_HALIDE_MAJOR == 14
using Params = Halide::MachineParams;
#else
using Params = Halide::AutoschedulerParams;
#endif
static void nothing(const Halide::Pipeline &, const Halide::Target &, const Params &, Halide::AutoSchedulerResults *)
{
}
int main()
{
	Halide::Pipeline::add_autoscheduler("probe", nothing);
}
]])], [bw_usable=yes], [bw_usable=no])
	AC_LANG_POP([C++])
	CPPFLAGS=$bw_saved_CPPFLAGS
	CXXFLAGS=$bw_saved_CXXFLAGS
	LIBS=$bw_saved_LIBS
])

dnl Writes the rules for its plugin. The first one that a main program of generators came with builds all else.
AC_DEFUN([BW_ADD_HALIDE], [
	bw_found=yes
	bw_halides="$bw_halides $bw_version"
	HALIDE_PLUGINS="$HALIDE_PLUGINS libbeamwalk-halide$bw_version.so"
	sed -e "s|@HALIDE@|$bw_version|g" -e "s|@HALIDE_CPPFLAGS@|$bw_cppflags|g" "$srcdir/src/halide/plugin.mk" >>bw-halide.mk
	AS_IF([test -z "$HALIDE_MAJOR"], [
		HALIDE_MAJOR=$bw_version
		HALIDE_CPPFLAGS=$bw_cppflags
		HALIDE_LIBS=$bw_libs
		HALIDE_GENGEN=$bw_file
	])
])

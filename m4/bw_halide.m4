dnl Halide 14: in Debian's layout, or in an upstream release's under --with-halide=PREFIX.
dnl Its headers name no version, so that a probe tells by the interface of its autoschedulers.
AC_DEFUN([BW_CHECK_HALIDE], [
	AC_ARG_WITH([halide],
		[AS_HELP_STRING([--with-halide=PREFIX], [Halide 14 as an upstream release unpacked in PREFIX; without PREFIX, Debian's; --without-halide leaves it out])],
		[], [with_halide=auto])
	bw_have_halide=no
	bw_mend_halide='leave out --without-halide'
	AS_IF([test "x$with_halide" != xno], [
		bw_mend_halide='g++ libhalide14-0-dev'
		AS_CASE([$with_halide],
			[auto|yes], [
				HALIDE_CPPFLAGS='-isystem /usr/include/halide14'
				HALIDE_LIBS=-l:libHalide14.so
				HALIDE_GENGEN=/usr/src/halide14/GenGen.cpp
			], [
				HALIDE_CPPFLAGS="-isystem $with_halide/include"
				HALIDE_LIBS="-L$with_halide/lib -Wl,-rpath,$with_halide/lib -lHalide"
				HALIDE_GENGEN=$with_halide/share/tools/GenGen.cpp
			])
		AC_CACHE_CHECK([for Halide 14], [bw_cv_halide14], [BW_PROBE_HALIDE])
		AS_IF([test $bw_cv_halide14 = yes && test -r "$HALIDE_GENGEN"], [bw_have_halide=yes])
	])
	AS_IF([test "x$with_halide" != xno && test "x$with_halide" != xauto && test $bw_have_halide = no],
		[AC_MSG_ERROR([Halide 14 was asked for and not found (Debian: libhalide14-0-dev; see config.log)])])
	AC_SUBST([HALIDE_CPPFLAGS])
	AC_SUBST([HALIDE_LIBS])
	AC_SUBST([HALIDE_GENGEN])
	AM_CONDITIONAL([HAVE_HALIDE], [test $bw_have_halide = yes])
])

AC_DEFUN([BW_PROBE_HALIDE], [
	bw_saved_CPPFLAGS=$CPPFLAGS
	bw_saved_CXXFLAGS=$CXXFLAGS
	bw_saved_LIBS=$LIBS
	CPPFLAGS="$HALIDE_CPPFLAGS $CPPFLAGS"
	CXXFLAGS="-std=c++17 -O0"
	LIBS="$HALIDE_LIBS $LIBS"
	AC_LANG_PUSH([C++])
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <Halide.h>
#ifdef HALIDE_VERSION_MAJOR
#error a later Halide than 14
#endif
static void nothing(const Halide::Pipeline &, const Halide::Target &, const Halide::MachineParams &, Halide::AutoSchedulerResults *)
{
}
int main()
{
	Halide::Pipeline::add_autoscheduler("probe", nothing);
}
]])], [bw_cv_halide14=yes], [bw_cv_halide14=no])
	AC_LANG_POP([C++])
	CPPFLAGS=$bw_saved_CPPFLAGS
	CXXFLAGS=$bw_saved_CXXFLAGS
	LIBS=$bw_saved_LIBS
])

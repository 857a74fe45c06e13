dnl Libraries and tools that may be missing. Each check sets bw_have_X to yes or no, and bw_mend_X to what would bring it.

dnl beamwalk-bench travels to other machines: it takes jansson in itself where there is a static one.
AC_DEFUN([BW_CHECK_STATIC_JANSSON], [
	AC_CACHE_CHECK([for a static jansson], [bw_cv_static_jansson], [
		bw_saved_LIBS=$LIBS
		LIBS="-l:libjansson.a $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <jansson.h>]], [[json_decref(json_object());]])],
			[bw_cv_static_jansson=yes], [bw_cv_static_jansson=no])
		LIBS=$bw_saved_LIBS
	])
	AS_IF([test $bw_cv_static_jansson = yes],
		[JANSSON_STATIC_LIBS=-l:libjansson.a], [JANSSON_STATIC_LIBS=$JANSSON_LIBS])
	AC_SUBST([JANSSON_STATIC_LIBS])
])

AC_DEFUN([BW_CHECK_SCREEN], [
	AC_ARG_WITH([screen],
		[AS_HELP_STRING([--without-screen], [leave out the explorer (ncurses, libedit)])], [], [with_screen=auto])
	bw_have_screen=no
	bw_mend_screen='leave out --without-screen'
	AS_IF([test "x$with_screen" != xno], [
		bw_have_screen=yes
		bw_mend_screen=
		PKG_CHECK_MODULES([NCURSES], [ncursesw], [], [bw_have_screen=no bw_mend_screen=libncurses-dev])
		PKG_CHECK_MODULES([LIBEDIT], [libedit], [], [bw_have_screen=no bw_mend_screen="$bw_mend_screen libedit-dev"])
	])
	AS_IF([test "x$with_screen" = xyes && test $bw_have_screen = no],
		[AC_MSG_ERROR([the explorer cannot be built (Debian: $bw_mend_screen)])])
	AM_CONDITIONAL([HAVE_SCREEN], [test $bw_have_screen = yes])
])

AC_DEFUN([BW_CHECK_TESTS], [
	PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [bw_have_tests=yes], [bw_have_tests=no])
	dnl From 2.0 on assertions have new names, which 1.1 does not know, and warn of their old ones.
	PKG_CHECK_EXISTS([cmocka >= 2], [AC_SUBST([CMOCKA_CPPFLAGS], [-DCMOCKA_DISABLE_DEPRECATION_WARNINGS])])
	bw_mend_tests=libcmocka-dev
	AM_CONDITIONAL([HAVE_CMOCKA], [test $bw_have_tests = yes])
])

dnl Only the tests ask: the program finds devices when it runs.
AC_DEFUN([BW_CHECK_OPENCL], [
	AC_ARG_WITH([opencl],
		[AS_HELP_STRING([--without-opencl], [do not run tests that need an OpenCL device])], [], [with_opencl=auto])
	AC_MSG_CHECKING([for an OpenCL device to run tests on])
	bw_have_opencl=no
	bw_mend_opencl='leave out --without-opencl'
	AS_IF([test "x$with_opencl" != xno], [
		bw_mend_opencl='ocl-icd-libopencl1 pocl-opencl-icd'
		bw_saved_LIBS=$LIBS
		LIBS="-l:libOpenCL.so.1 $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM()], [
			for bw_icd in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
				AS_IF([test -r "$bw_icd"], [bw_have_opencl=yes])
			done
		])
		LIBS=$bw_saved_LIBS
	])
	AC_MSG_RESULT([$bw_have_opencl])
	AM_CONDITIONAL([HAVE_OPENCL], [test $bw_have_opencl = yes])
])

dnl For tests alone: the programs look for ptxas when they run. One that does not assemble what the tests compile is none.
AC_DEFUN([BW_CHECK_CUDA], [
	AC_PATH_PROG([PTXAS], [ptxas], [], [$PATH:/usr/local/cuda/bin:/usr/lib/nvidia-cuda-toolkit/bin])
	bw_mend_ptxas='the CUDA Toolkit'
	AS_IF([test -n "$PTXAS"], [
		AC_MSG_CHECKING([whether $PTXAS assembles for sm_75, sm_80 and sm_90])
		bw_have_ptxas=yes
		AS_ECHO([".version 7.0 .target sm_75 .address_size 64 .visible .entry k() { ret; }"]) >conftest.ptx
		for bw_architecture in sm_75 sm_80 sm_90; do
			AS_IF(["$PTXAS" -arch=$bw_architecture conftest.ptx -o conftest.cubin >&AS_MESSAGE_LOG_FD 2>&1], [], [bw_have_ptxas=no])
		done
		rm -f conftest.ptx conftest.cubin
		AC_MSG_RESULT([$bw_have_ptxas])
		AS_IF([test $bw_have_ptxas = no], [
			NO_PTXAS="$PTXAS does not assemble for sm_75, sm_80 and sm_90"
			bw_mend_ptxas="another CUDA Toolkit: $NO_PTXAS"
			PTXAS=
		])
	], [bw_have_ptxas=no NO_PTXAS='no ptxas'])
	AC_SUBST([NO_PTXAS])
])

AC_DEFUN([BW_CHECK_MAN], [
	AC_PATH_PROG([MANDOC], [mandoc])
	AS_IF([test -n "$MANDOC"], [bw_have_mandoc=yes], [bw_have_mandoc=no])
	bw_mend_mandoc=mandoc
	AM_CONDITIONAL([HAVE_MANDOC], [test $bw_have_mandoc = yes])
])

dnl BW_SUMMARY_LINE(what, have, mend[, more])
AC_DEFUN([BW_SUMMARY_LINE], [
	AS_IF([test "x$2" = xyes],
		[AS_ECHO(["  $1 on$4"])],
		[AS_ECHO(["  $1 off  (to have it: $3)"])])
])

AC_DEFUN([BW_SUMMARY], [
	AS_ECHO([""])
	AS_ECHO(["$PACKAGE_NAME $PACKAGE_VERSION, to be installed in $prefix"])
	AS_ECHO(["  core: pipelines, schedules, search, costs     on"])
	BW_SUMMARY_LINE([explorer on the screen                       ], [$bw_have_screen], [$bw_mend_screen])
	BW_SUMMARY_LINE([plugins for Halide, bundled pipelines        ], [$bw_have_halide], [$bw_mend_halide], [:$bw_halides])
	BW_SUMMARY_LINE([tests in C                                   ], [$bw_have_tests], [$bw_mend_tests])
	BW_SUMMARY_LINE([tests that run schedules on an OpenCL device ], [$bw_have_opencl], [$bw_mend_opencl])
	BW_SUMMARY_LINE([tests of registers against ptxas             ], [$bw_have_ptxas], [$bw_mend_ptxas])
	BW_SUMMARY_LINE([tests of the manual pages                    ], [$bw_have_mandoc], [$bw_mend_mandoc])
	AS_ECHO([""])
])

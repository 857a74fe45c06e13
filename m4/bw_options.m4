dnl Ways to build: warnings as errors, sanitizers, libFuzzer.

AC_DEFUN([BW_ARG_WERROR], [
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror], [treat warnings as errors (for those who work on beamwalk)])],
		[], [enable_werror=no])
	BW_WERROR=
	AS_IF([test "x$enable_werror" != xno], [BW_WERROR=-Werror])
	AC_SUBST([BW_WERROR])
])

AC_DEFUN([BW_ARG_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers], [build with AddressSanitizer and UndefinedBehaviorSanitizer; leaves Halide out])],
		[], [enable_sanitizers=no])
	BW_SANITIZE=
	AS_IF([test "x$enable_sanitizers" != xno], [
		BW_SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
		with_halide=no
		with_opencl=no
	])
	AC_SUBST([BW_SANITIZE])
	AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" != xno])
])

AC_DEFUN([BW_ARG_LIBFUZZER], [
	AC_ARG_ENABLE([libfuzzer],
		[AS_HELP_STRING([--enable-libfuzzer], [link the programs of tests/fuzz with libFuzzer (needs CC=clang); run these by hand])],
		[], [enable_libfuzzer=no])
	BW_FUZZ_FLAGS=
	AS_IF([test "x$enable_libfuzzer" != xno], [
		BW_FUZZ_FLAGS=-fsanitize=fuzzer
		BW_SANITIZE="$BW_SANITIZE -fsanitize=fuzzer-no-link"
	])
	AC_SUBST([BW_FUZZ_FLAGS])
	AM_CONDITIONAL([LIBFUZZER], [test "x$enable_libfuzzer" != xno])
])

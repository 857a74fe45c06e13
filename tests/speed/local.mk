# Benchmarks. A part of Makefile.am.
# The programs are built with all else, so that they are seen to compile, but not once more for the sanitizers.
bench_programs = tests/speed/expr tests/speed/frames tests/speed/keys tests/speed/reaction tests/speed/distinct tests/speed/measure tests/speed/polished tests/speed/wide $(bench_screen)
if SANITIZERS
EXTRA_PROGRAMS += $(bench_programs)
else
noinst_PROGRAMS += $(bench_programs)
endif
# Scripts that measure and compare with a bound: each prints its figures, and fails where the bound is passed.
bench_scripts = tests/speed/expr.sh tests/speed/frames.sh tests/speed/keys.sh tests/speed/program.sh tests/speed/reaction.sh
tests_speed_expr_SOURCES = tests/speed/expr.c
tests_speed_expr_LDADD = $(core_libs)
# It draws without a terminal.
tests_speed_frames_SOURCES = tests/speed/frames.c
tests_speed_frames_LDADD = $(ui_libs)
if HAVE_SCREEN
bench_screen = tests/speed/answers
tests_speed_answers_SOURCES = tests/speed/answers.c ui/rescue.c ui/shorten.c $(terminal_sources)
tests_speed_answers_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS)
tests_speed_answers_LDADD = $(ui_libs) $(NCURSES_LIBS) -lutil
endif
tests_speed_keys_SOURCES = tests/speed/keys.c
tests_speed_keys_LDADD = -lutil
tests_speed_reaction_SOURCES = tests/speed/reaction.c
tests_speed_reaction_LDADD = $(core_libs)
tests_speed_distinct_SOURCES = tests/speed/distinct.c
tests_speed_distinct_LDADD = $(core_libs)
tests_speed_measure_SOURCES = tests/speed/measure.c
tests_speed_measure_LDADD = -lutil
tests_speed_polished_SOURCES = tests/speed/polished.c
tests_speed_polished_LDADD = $(core_libs)
EXTRA_DIST += $(bench_scripts)
bench: all
	@for script in $(bench_scripts); do \
		BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/$$script || exit 1; \
	done
.PHONY: bench

# What polishing leaves, on three devices: fails if a single change betters an outcome. WEIGHTS: options of the search besides, as in weights=FILE.
WEIGHTS =
bench-polished: tests/speed/polished$(EXEEXT)
	@for gpu in A100 V100 'RTX 4090'; do \
		echo "$$gpu" && BW_SRC='$(abs_top_srcdir)' tests/speed/polished 5 gpu="$$gpu" $(WEIGHTS) || exit 1; \
	done
.PHONY: bench-polished

# Beside Halide's own autoscheduler, in a Debian 13 made for it; needs root and debootstrap.
EXTRA_DIST += tests/speed/peer.sh tests/speed/peer-inside.sh
bench-peer:
	$(SHELL) $(srcdir)/tests/speed/peer.sh
.PHONY: bench-peer

# Instructions of searches, compared with those that are kept, and these written anew; takes valgrind, and minutes.
EXTRA_DIST += tests/speed/counts.sh tests/speed/counts.table
counts = BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' CC='$(CC)' CFLAGS='$(CFLAGS)' $(SHELL) $(srcdir)/tests/speed/counts.sh
tests_speed_wide_SOURCES = tests/speed/wide.c tests/pipeline/wide.c tests/pipeline/wide.h
tests_speed_wide_LDADD = $(core_libs)
check-counts: beamwalk$(EXEEXT) tests/speed/wide$(EXEEXT)
	$(counts) check '$(CASE)'
bench-counts-update: beamwalk$(EXEEXT) tests/speed/wide$(EXEEXT)
	$(counts) update
.PHONY: check-counts bench-counts-update

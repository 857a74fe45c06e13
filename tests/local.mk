# Tests. A part of Makefile.am.
# C tests (cmocka) have no extension, shell tests end in .test; both print TAP.
TEST_EXTENSIONS = .test
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
TEST_LOG_DRIVER = $(tap_driver)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/setup/run-test.sh
TEST_LOG_COMPILER = $(LOG_COMPILER) $(SHELL)
EXTRA_DIST += .clang-format tests/core/asks.h tests/core/test.h tests/setup/circles.awk tests/setup/run-test.sh tests/setup/leaks tests/setup/terminal.sh
# Random schedules that are compiled and run of each bundled pipeline: a second of PoCL's, LLVM's or ptxas' time each. check-soak takes 30.
RANDOM_SCHEDULES = 2
# Tests time nothing, so their workers do not wait for each other.
# PoCL makes loops over the threads of a block, and does not try to vectorize them: that takes half the time, and tests time nothing.
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	BW_SRC='$(abs_top_srcdir)'; export BW_SRC; \
	BW_BUILD='$(abs_top_builddir)'; export BW_BUILD; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/setup/leaks:print_suppressions=0'; export LSAN_OPTIONS; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME; \
	XDG_CONFIG_HOME='$(abs_top_builddir)/tests/config'; export XDG_CONFIG_HOME; \
	XDG_DATA_HOME='$(abs_top_builddir)/tests/data'; export XDG_DATA_HOME; \
	XDG_STATE_HOME='$(abs_top_builddir)/tests/state'; export XDG_STATE_HOME; \
	CXX='$(CXX)'; HALIDE_CPPFLAGS='$(HALIDE_CPPFLAGS)'; HALIDE_LIBS='$(HALIDE_LIBS)'; HALIDE_GENGEN='$(HALIDE_GENGEN)'; \
	BW_SANITIZE='$(BW_SANITIZE)'; export BW_SANITIZE; \
	POCL_WORK_GROUP_METHOD=loops; export POCL_WORK_GROUP_METHOD; \
	BEAMWALK_BENCH_TURN=''; export BEAMWALK_BENCH_TURN; \
	PTXAS='$(PTXAS)'; export PTXAS; \
	NO_PTXAS='$(NO_PTXAS)'; export NO_PTXAS; \
	BW_RANDOM='$(RANDOM_SCHEDULES)'; export BW_RANDOM; \
	HALIDE_MAJOR='$(HALIDE_MAJOR)'; export CXX HALIDE_CPPFLAGS HALIDE_LIBS HALIDE_GENGEN HALIDE_MAJOR;
# The scripts that take longest begin first: at the end they would run alone.
long_scripts =
TESTS = $(long_scripts) $(check_PROGRAMS) $(check_SCRIPTS)
# make try T="tests/ui/screens tests/program/usage.test": these alone, programs or scripts; `check` builds all programs first.
try: all
	@for test in $(T); do \
		case $$test in *.test) run='$(SHELL) $(abs_top_srcdir)'/$$test ;; *) run=./$$test; $(MAKE) $(AM_MAKEFLAGS) $$test || exit ;; esac; \
		$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/setup/run-test.sh $$run || exit; \
	done
.PHONY: try
EXTRA_DIST += $(long_scripts) $(check_SCRIPTS)
# Programs that scripts run, besides those of `all`: for a script that is run alone.
tests/gpu/compile.log: tests/bench/launch_times$(EXEEXT)
tests/halide/export.log tests/halide/externs.log tests/halide/searched.log tests/halide/sizes.log: tests/halide/fixtures$(EXEEXT)
tests/program/workers.log: tests/bench/rogue$(EXEEXT)

core_test_libs = $(core_libs) $(CMOCKA_LIBS)
ui_test_libs = $(ui_libs) $(CMOCKA_LIBS)

if HAVE_CMOCKA
# The longest of all, which has the others beside it if it begins first.
if HAVE_HALIDE
if HAVE_OPENCL
check_PROGRAMS += tests/pipelines/pipelines
endif
endif

# tests: base
check_PROGRAMS += tests/base/thread tests/base/error tests/base/file tests/base/hash tests/base/json tests/base/mem tests/base/say tests/base/text
tests_base_thread_SOURCES = tests/base/thread.c
tests_base_thread_LDADD = $(core_test_libs)
tests_base_error_SOURCES = tests/base/error.c
tests_base_error_LDADD = $(core_test_libs)
tests_base_file_SOURCES = tests/base/file.c
tests_base_file_LDADD = $(core_test_libs)
tests_base_hash_SOURCES = tests/base/hash.c
tests_base_hash_LDADD = $(core_test_libs)
tests_base_json_SOURCES = tests/base/json.c
tests_base_json_LDADD = $(core_test_libs)
tests_base_mem_SOURCES = tests/base/mem.c
tests_base_mem_LDADD = $(core_test_libs)
tests_base_say_SOURCES = tests/base/say.c
tests_base_say_LDADD = $(core_test_libs)
tests_base_text_SOURCES = tests/base/text.c
tests_base_text_LDADD = $(core_test_libs)

# tests: pipeline
check_PROGRAMS += tests/pipeline/expr tests/pipeline/expr_random
tests_pipeline_expr_SOURCES = tests/pipeline/expr.c
tests_pipeline_expr_LDADD = $(core_test_libs)
tests_pipeline_expr_random_SOURCES = tests/pipeline/expr_random.c
tests_pipeline_expr_random_LDADD = $(core_test_libs)
check_PROGRAMS += tests/pipeline/examples tests/pipeline/read tests/pipeline/refused
tests_pipeline_examples_SOURCES = tests/pipeline/examples.c
tests_pipeline_examples_LDADD = $(core_test_libs)
tests_pipeline_read_SOURCES = tests/pipeline/read.c
tests_pipeline_read_LDADD = $(core_test_libs)
tests_pipeline_refused_SOURCES = tests/pipeline/refused.c tests/pipeline/wide.c tests/pipeline/wide.h
tests_pipeline_refused_LDADD = $(core_test_libs)
EXTRA_DIST += \
	tests/descriptions/chain.json \
	tests/descriptions/five.json \
	tests/descriptions/histogram.json \
	tests/descriptions/outputs.json \
	tests/descriptions/resample.json \
	tests/descriptions/total.json

# tests: nest
check_PROGRAMS += tests/nest/nests tests/nest/regions tests/nest/remarks tests/nest/staging
description_sources = tests/core/description.c tests/core/description.h
bundled_sources = tests/core/bundled.c tests/core/bundled.h
tests_nest_nests_SOURCES = tests/nest/nests.c $(description_sources)
tests_nest_nests_LDADD = $(core_test_libs)
tests_nest_remarks_SOURCES = tests/nest/remarks.c $(description_sources)
tests_nest_staging_SOURCES = tests/nest/staging.c $(description_sources)
tests_nest_remarks_LDADD = $(core_test_libs)
tests_nest_staging_LDADD = $(core_test_libs)
tests_nest_regions_SOURCES = tests/nest/regions.c $(description_sources)
tests_nest_regions_LDADD = $(core_test_libs)

# tests: emulator
emulator_test_libs = libbwemulator.a -lm $(CMOCKA_LIBS)
check_PROGRAMS += tests/emulator/opcodes tests/emulator/kernels tests/emulator/checks tests/emulator/counts tests/emulator/driver
tests_emulator_opcodes_SOURCES = tests/emulator/opcodes.c
tests_emulator_opcodes_LDADD = $(emulator_test_libs)
tests_emulator_driver_SOURCES = tests/emulator/driver.c
tests_emulator_driver_LDADD = $(CMOCKA_LIBS) -ldl
tests_emulator_kernels_SOURCES = tests/emulator/kernels.c tests/emulator/launched.h
tests_emulator_kernels_LDADD = libbwemulator.a $(core_libs) $(CMOCKA_LIBS)
tests_emulator_checks_SOURCES = tests/emulator/checks.c tests/emulator/launched.h
tests_emulator_checks_LDADD = libbwemulator.a $(core_libs) $(CMOCKA_LIBS)
tests_emulator_counts_SOURCES = tests/emulator/counts.c tests/emulator/launched.h
tests_emulator_counts_LDADD = libbwemulator.a $(core_libs) $(CMOCKA_LIBS)
EXTRA_DIST += tests/emulator/opcodes.table

# tests: gpu
# The first compares with the calculator of the CUDA Toolkit where that is installed in its usual place; tabulate writes its table anew.
check_PROGRAMS += tests/gpu/occupancy tests/gpu/devices
calculator_sources = tests/gpu/calculator.c tests/gpu/calculator.h
calculator_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu -isystem /usr/local/cuda/include
tests_gpu_occupancy_SOURCES = tests/gpu/occupancy.c $(calculator_sources)
tests_gpu_occupancy_CPPFLAGS = $(calculator_cppflags)
tests_gpu_occupancy_LDADD = $(core_test_libs)
EXTRA_PROGRAMS += tests/gpu/tabulate
CLEANFILES += tests/gpu/tabulate
tests_gpu_tabulate_SOURCES = tests/gpu/tabulate.c $(calculator_sources)
tests_gpu_tabulate_CPPFLAGS = $(calculator_cppflags)
tests_gpu_tabulate_LDADD = $(core_libs)
EXTRA_DIST += tests/gpu/README tests/gpu/occupancy.table tests/gpu/pack tests/gpu/campaign tests/gpu/train
check_SCRIPTS += tests/gpu/campaign.test
EXTRA_DIST += tests/gpu/campaign.test
EXTRA_DIST += data/truth data/measured data/held-out tests/gpu/measured-fixture tests/gpu/unpack tests/gpu/unpack.test
check_PROGRAMS += tests/gpu/measured
measured_table = tests/gpu/measured_table.c tests/gpu/measured_table.h tests/gpu/measured_rows.c tests/gpu/measured_rows.h \
	tests/gpu/measured_reached.c tests/gpu/measured_reached.h
tests_gpu_measured_SOURCES = tests/gpu/measured.c tests/gpu/fit.c tests/gpu/fit.h $(measured_table)
tests_gpu_measured_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu
tests_gpu_measured_LDADD = $(session_libs) $(CMOCKA_LIBS)
EXTRA_PROGRAMS += tests/gpu/fit-latency
CLEANFILES += tests/gpu/fit-latency
tests_gpu_fit_latency_SOURCES = tests/gpu/fit_latency.c tests/gpu/fit.c tests/gpu/fit.h $(measured_table)
tests_gpu_fit_latency_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu
tests_gpu_fit_latency_LDADD = $(session_libs)
noinst_PROGRAMS += tests/gpu/unpack-results
unpack_sources = \
	tests/gpu/unpack.h tests/gpu/unpack_pack.c tests/gpu/unpack_results.c tests/gpu/unpack_store.c \
	tests/gpu/unpack_table.c tests/gpu/unpack_report.c tests/gpu/unpack_compare.c tests/gpu/unpack_claims.c \
	tests/gpu/unpack_remarks.c tests/gpu/unpack_remarks.h tests/gpu/unpack_grid.c tests/gpu/unpack_grid.h $(measured_table)
tests_gpu_unpack_results_SOURCES = tests/gpu/unpack_main.c $(unpack_sources)
tests_gpu_unpack_results_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu
tests_gpu_unpack_results_LDADD = $(session_libs) -ldl
check_PROGRAMS += tests/gpu/unpacked
tests_gpu_unpacked_SOURCES = tests/gpu/unpacked.c $(unpack_sources)
tests_gpu_unpacked_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu
tests_gpu_unpacked_LDADD = $(session_libs) $(CMOCKA_LIBS) -ldl
check_SCRIPTS += tests/gpu/own.test
tests_gpu_devices_SOURCES = tests/gpu/devices.c
tests_gpu_devices_LDADD = $(core_test_libs)

# tests: study
check_PROGRAMS += tests/results/agreement
tests_results_agreement_SOURCES = tests/results/agreement.c
tests_results_agreement_LDADD = $(session_libs) $(CMOCKA_LIBS)

# tests: cost
check_PROGRAMS += tests/cost/counted tests/cost/features tests/cost/goodness tests/cost/jangda tests/cost/latency tests/cost/network tests/cost/predicted tests/cost/reading tests/cost/roofline tests/cost/sioutas tests/cost/training tests/cost/weights
tests_cost_counted_SOURCES = tests/cost/counted.c $(description_sources)
tests_cost_counted_LDADD = $(core_test_libs)
tests_cost_goodness_SOURCES = tests/cost/goodness.c
tests_cost_goodness_LDADD = $(core_test_libs)
tests_cost_network_SOURCES = tests/cost/network.c
tests_cost_network_LDADD = $(core_test_libs)
tests_cost_features_SOURCES = tests/cost/features.c $(description_sources)
tests_cost_features_LDADD = $(core_test_libs)
tests_cost_predicted_SOURCES = tests/cost/predicted.c
tests_cost_predicted_LDADD = $(core_test_libs)
tests_cost_reading_SOURCES = tests/cost/reading.c $(description_sources)
tests_cost_reading_LDADD = $(core_test_libs)
tests_cost_jangda_SOURCES = tests/cost/jangda.c $(bundled_sources) $(description_sources)
tests_cost_jangda_LDADD = $(core_test_libs)
tests_cost_latency_SOURCES = tests/cost/latency.c $(description_sources)
tests_cost_latency_LDADD = $(core_test_libs)
tests_cost_sioutas_SOURCES = tests/cost/sioutas.c $(bundled_sources) $(description_sources)
tests_cost_sioutas_LDADD = $(core_test_libs)
tests_cost_roofline_SOURCES = tests/cost/roofline.c $(description_sources)
tests_cost_roofline_LDADD = $(core_test_libs)
tests_cost_training_SOURCES = tests/cost/training.c
tests_cost_training_LDADD = $(core_test_libs)
tests_cost_weights_SOURCES = tests/cost/weights.c
tests_cost_weights_LDADD = $(core_test_libs)

# tests: search
check_PROGRAMS += tests/search/assignments tests/search/beam tests/search/freezing tests/search/held tests/search/marks tests/search/reuse tests/search/options tests/search/passes tests/search/polish tests/search/recompute tests/search/sampling tests/search/space
tests_search_assignments_SOURCES = tests/search/assignments.c
tests_search_assignments_LDADD = $(core_test_libs)
tests_search_beam_SOURCES = tests/search/beam.c $(description_sources) $(bundled_sources)
tests_search_beam_LDADD = $(core_test_libs)
tests_search_reuse_SOURCES = tests/search/reuse.c $(description_sources) $(bundled_sources)
tests_search_reuse_LDADD = $(core_test_libs)
tests_search_options_SOURCES = tests/search/options.c $(description_sources)
tests_search_options_LDADD = $(core_test_libs)
tests_search_recompute_SOURCES = tests/search/recompute.c $(description_sources)
tests_search_recompute_LDADD = $(core_test_libs)
tests_search_freezing_SOURCES = tests/search/freezing.c $(description_sources) $(bundled_sources)
tests_search_freezing_LDADD = $(core_test_libs)
tests_search_held_SOURCES = tests/search/held.c $(bundled_sources)
tests_search_held_LDADD = $(core_test_libs)
tests_search_marks_SOURCES = tests/search/marks.c $(bundled_sources)
tests_search_marks_LDADD = $(core_test_libs)
tests_search_passes_SOURCES = tests/search/passes.c $(bundled_sources)
tests_search_polish_SOURCES = tests/search/polish.c $(bundled_sources)
tests_search_passes_LDADD = $(core_test_libs)
tests_search_polish_LDADD = $(core_test_libs)
tests_search_space_SOURCES = tests/search/space.c $(bundled_sources) $(description_sources)
tests_search_space_LDADD = $(core_test_libs)
tests_search_sampling_SOURCES = tests/search/sampling.c $(description_sources)
tests_search_sampling_LDADD = $(core_test_libs)

# Of random pipelines and edge shapes: those that stand in files. In shares, none of which comes near the limit of run-test.sh under sanitizers.
files_tests = tests/soak/files-1.test tests/soak/files-2.test tests/soak/files-3.test tests/soak/files-4.test tests/soak/files-5.test
check_SCRIPTS += $(files_tests)
$(files_tests:.test=.log): tests/soak/files$(EXEEXT)
EXTRA_PROGRAMS += tests/soak/files
CLEANFILES += tests/soak/files$(EXEEXT)
tests_soak_files_SOURCES = tests/soak/files.c tests/soak/searched.c tests/soak/searched.h
tests_soak_files_LDADD = $(core_libs)
EXTRA_DIST += tests/soak/descriptions/max_pooling.json tests/soak/descriptions/thousands_of_tilings.json

# tests: tune
check_PROGRAMS += tests/schedulers/control tests/schedulers/tune tests/schedulers/tuning
tests_schedulers_tune_SOURCES = tests/schedulers/tune.c $(bundled_sources)
tests_schedulers_tune_LDADD = $(core_test_libs)
tests_schedulers_control_SOURCES = tests/schedulers/control.c $(bundled_sources)
tests_schedulers_control_LDADD = $(core_test_libs)
tests_schedulers_tuning_SOURCES = tests/schedulers/tuning.c $(bundled_sources)
tests_schedulers_tuning_LDADD = $(core_test_libs)

# tests: schedulers
check_PROGRAMS += tests/schedulers/ablate tests/schedulers/cs6120 tests/schedulers/dp tests/schedulers/exact tests/schedulers/greedy tests/schedulers/launched tests/schedulers/opinions tests/schedulers/scheduler tests/schedulers/sioutas
tests_schedulers_ablate_SOURCES = tests/schedulers/ablate.c $(bundled_sources)
tests_schedulers_ablate_LDADD = $(core_test_libs)
tests_schedulers_dp_SOURCES = tests/schedulers/dp.c $(bundled_sources) $(description_sources)
tests_schedulers_dp_LDADD = $(core_test_libs)
tests_schedulers_cs6120_SOURCES = tests/schedulers/cs6120.c $(bundled_sources) $(description_sources)
tests_schedulers_cs6120_LDADD = $(core_test_libs)
tests_schedulers_exact_SOURCES = tests/schedulers/exact.c $(bundled_sources)
tests_schedulers_exact_LDADD = $(core_test_libs)
tests_schedulers_launched_SOURCES = tests/schedulers/launched.c $(bundled_sources)
tests_schedulers_launched_LDADD = $(core_test_libs)
tests_schedulers_greedy_SOURCES = tests/schedulers/greedy.c $(bundled_sources)
tests_schedulers_greedy_LDADD = $(core_test_libs)
tests_schedulers_opinions_SOURCES = tests/schedulers/opinions.c $(bundled_sources)
tests_schedulers_opinions_LDADD = $(core_test_libs)
tests_schedulers_scheduler_SOURCES = tests/schedulers/scheduler.c
tests_schedulers_scheduler_LDADD = $(core_test_libs)
tests_schedulers_sioutas_SOURCES = tests/schedulers/sioutas.c $(bundled_sources)
tests_schedulers_sioutas_LDADD = $(core_test_libs)

# tests: schedule
check_PROGRAMS += tests/schedule/directives tests/schedule/errors tests/schedule/examples tests/schedule/export tests/schedule/halide_nest tests/schedule/hand tests/schedule/lower tests/schedule/random \
	tests/schedule/text tests/schedule/value
made_sources = tests/schedule/made.c tests/schedule/made.h
tests_schedule_directives_SOURCES = tests/schedule/directives.c
tests_schedule_directives_LDADD = $(core_test_libs)
tests_schedule_errors_SOURCES = tests/schedule/errors.c $(made_sources)
tests_schedule_errors_LDADD = $(core_test_libs)
tests_schedule_examples_SOURCES = tests/schedule/examples.c
tests_schedule_examples_LDADD = $(core_test_libs)
tests_schedule_export_SOURCES = tests/schedule/export.c $(description_sources)
tests_schedule_export_LDADD = $(core_test_libs)
tests_schedule_halide_nest_SOURCES = tests/schedule/halide_nest.c $(made_sources)
tests_schedule_halide_nest_LDADD = $(core_test_libs)
tests_schedule_hand_SOURCES = tests/schedule/hand.c
tests_schedule_hand_LDADD = $(core_test_libs)
tests_schedule_lower_SOURCES = tests/schedule/lower.c $(description_sources)
tests_schedule_lower_LDADD = $(core_test_libs)
tests_schedule_random_SOURCES = tests/schedule/random.c $(made_sources)
tests_schedule_random_LDADD = $(core_test_libs)
tests_schedule_text_SOURCES = tests/schedule/text.c $(made_sources)
tests_schedule_text_LDADD = $(core_test_libs)
tests_schedule_value_SOURCES = tests/schedule/value.c $(made_sources)
tests_schedule_value_LDADD = $(core_test_libs)

# tests: bench
bench_test_libs = $(session_libs) $(CMOCKA_LIBS)
check_PROGRAMS += tests/bench/api tests/bench/cache tests/bench/client tests/bench/plugin tests/bench/points tests/bench/present \
	tests/bench/launch_times tests/bench/pool tests/bench/process tests/bench/ptxas tests/bench/rates tests/bench/sass tests/bench/turn tests/bench/worker
tests_bench_api_SOURCES = tests/bench/api.c
tests_bench_api_CPPFLAGS = $(AM_CPPFLAGS) -isystem /usr/local/cuda/include
tests_bench_api_LDADD = $(core_test_libs)
tests_bench_cache_SOURCES = tests/bench/cache.c tests/bench/bench_test.h
tests_bench_cache_LDADD = $(bench_test_libs)
tests_bench_client_SOURCES = tests/bench/client.c tests/bench/bench_test.h
tests_bench_client_LDADD = $(bench_test_libs)
EXTRA_tests_bench_client_DEPENDENCIES = tests/bench/rogue$(EXEEXT) beamwalk-bench$(EXEEXT)
EXTRA_PROGRAMS += tests/bench/rogue
CLEANFILES += tests/bench/rogue
tests_bench_rogue_SOURCES = tests/bench/rogue.c
tests_bench_launch_times_SOURCES = tests/bench/launch_times.c
tests_bench_launch_times_LDADD = libbwworker.a $(bench_test_libs) -ldl
tests_bench_plugin_SOURCES = tests/bench/plugin.c tests/bench/bench_test.h
tests_bench_plugin_LDADD = $(bench_test_libs)
tests_bench_points_SOURCES = tests/bench/points.c
tests_bench_points_LDADD = libbwworker.a $(core_test_libs)
tests_bench_pool_SOURCES = tests/bench/pool.c tests/bench/bench_test.h
tests_bench_pool_LDADD = $(bench_test_libs)
EXTRA_tests_bench_pool_DEPENDENCIES = tests/bench/standin$(EXEEXT)
EXTRA_PROGRAMS += tests/bench/standin
CLEANFILES += tests/bench/standin
tests_bench_standin_SOURCES = tests/bench/standin.c
tests_bench_standin_LDADD = $(JANSSON_LIBS)
tests_bench_present_SOURCES = tests/bench/present.c
tests_bench_present_LDADD = $(bench_test_libs)
tests_bench_process_SOURCES = tests/bench/process.c tests/bench/bench_test.h
tests_bench_process_LDADD = $(bench_test_libs)
tests_bench_ptxas_SOURCES = tests/bench/ptxas.c
tests_bench_ptxas_LDADD = $(bench_test_libs)
tests_bench_sass_SOURCES = tests/bench/sass.c
tests_bench_sass_LDADD = $(bench_test_libs)
tests_bench_rates_SOURCES = tests/bench/rates.c tests/bench/bench_test.h
tests_bench_rates_LDADD = libbwworker.a $(bench_test_libs)
EXTRA_tests_bench_rates_DEPENDENCIES = beamwalk-bench$(EXEEXT) beamwalk$(EXEEXT)
tests_bench_turn_SOURCES = tests/bench/turn.c
tests_bench_turn_LDADD = libbwworker.a $(bench_test_libs)
tests_bench_worker_SOURCES = tests/bench/worker.c tests/bench/bench_test.h
tests_bench_worker_LDADD = $(bench_test_libs)
EXTRA_DIST += tests/bench/filters.c
if HAVE_HALIDE
check_PROGRAMS += tests/bench/abi
tests_bench_abi_SOURCES = tests/bench/abi.c
tests_bench_abi_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_bench_abi_LDADD = $(core_test_libs)
# Generators for these tests, with the runner of Halide's own generators in them.
EXTRA_PROGRAMS += tests/bench/fixture
CLEANFILES += tests/bench/fixture
tests_bench_fixture_SOURCES = tests/bench/fixture.cc
tests_bench_fixture_CPPFLAGS = $(HALIDE_CPPFLAGS)
tests_bench_fixture_CXXFLAGS = $(precompiled_cxxflags)
tests_bench_fixture_LDADD = $(generator_libs)
tests/program/tune.log: tests/bench/fixture$(EXEEXT)
check_PROGRAMS += tests/bench/cuda tests/bench/generator tests/bench/opencl
tests_bench_cuda_SOURCES = tests/bench/cuda.c tests/bench/bench_test.h
tests_bench_cuda_LDADD = $(bench_test_libs)
EXTRA_tests_bench_cuda_DEPENDENCIES = tests/bench/fixture$(EXEEXT)
EXTRA_DIST += tests/bench/stub_cuda.c
tests_bench_generator_SOURCES = tests/bench/generator.c tests/bench/bench_test.h
tests_bench_generator_LDADD = $(bench_test_libs)
EXTRA_tests_bench_generator_DEPENDENCIES = tests/bench/fixture$(EXEEXT)
tests_bench_opencl_SOURCES = tests/bench/opencl.c tests/bench/bench_test.h
tests_bench_opencl_LDADD = $(bench_test_libs)
EXTRA_tests_bench_opencl_DEPENDENCIES = tests/bench/fixture$(EXEEXT)
endif

# tests: results
check_PROGRAMS += tests/results/store tests/results/train tests/results/trouble
tests_results_store_SOURCES = tests/results/store.c tests/results/made.h
tests_results_store_LDADD = $(bench_test_libs)
tests_results_train_SOURCES = tests/results/train.c tests/results/made.h
tests_results_train_LDADD = $(bench_test_libs)
tests_results_trouble_SOURCES = tests/results/trouble.c tests/results/made.h
tests_results_trouble_LDADD = $(bench_test_libs)

# tests: page
check_PROGRAMS += tests/page/page
tests_page_page_SOURCES = tests/page/page.c tests/session/answers.h $(session_test_sources)
tests_page_page_LDADD = $(ui_test_libs)

# tests: session
check_SCRIPTS += tests/session/options.test
EXTRA_DIST += $(seeds)
seeds = \
	tests/session/seeds/blur-inlined.schedule \
	tests/session/seeds/blur-odd.schedule \
	tests/session/seeds/blur-serial.schedule \
	tests/session/seeds/blur-shared.schedule \
	tests/session/seeds/harris-block.schedule \
	tests/session/seeds/harris-brightness.schedule \
	tests/session/seeds/harris-derivatives.schedule \
	tests/session/seeds/stencil_chain-middle.schedule \
	tests/session/seeds/unsharp-gray.schedule \
	tests/session/seeds/unsharp-rows.schedule
check_PROGRAMS += tests/session/commands tests/session/comparison tests/session/completion tests/session/editing tests/session/everything tests/session/graph tests/session/history tests/session/jobs tests/session/kernels tests/session/deferred tests/session/option_list tests/session/replay tests/session/seeds tests/session/tile
session_test_sources = tests/session/session_test.c tests/session/session_test.h
tests_session_commands_SOURCES = tests/session/commands.c $(session_test_sources)
tests_session_commands_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_comparison_SOURCES = tests/session/comparison.c $(session_test_sources)
tests_session_comparison_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_completion_SOURCES = tests/session/completion.c $(session_test_sources)
tests_session_completion_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_editing_SOURCES = tests/session/editing.c $(session_test_sources)
tests_session_editing_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_everything_SOURCES = tests/session/everything.c $(session_test_sources)
tests_session_everything_LDADD = $(ui_test_libs)
tests_session_seeds_SOURCES = tests/session/seeds.c $(session_test_sources)
tests_session_seeds_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_history_SOURCES = tests/session/history.c $(session_test_sources)
tests_session_history_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_jobs_SOURCES = tests/session/jobs.c $(session_test_sources)
tests_session_jobs_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_kernels_SOURCES = tests/session/kernels.c $(description_sources)
tests_session_kernels_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_deferred_SOURCES = tests/session/deferred.c $(session_test_sources)
tests_session_deferred_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_graph_SOURCES = tests/session/graph.c $(session_test_sources)
tests_session_graph_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_tile_SOURCES = tests/session/tile.c $(session_test_sources)
tests_session_tile_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_option_list_SOURCES = tests/session/option_list.c $(session_test_sources)
tests_session_option_list_LDADD = $(session_libs) $(CMOCKA_LIBS)
tests_session_replay_SOURCES = tests/session/replay.c $(description_sources)
tests_session_replay_LDADD = $(session_libs) $(CMOCKA_LIBS)

# tests: faults
# Every write of every command fails in turn.
long_scripts += tests/faults/faults.test
EXTRA_DIST += tests/faults/preload.c
CLEANFILES += tests/faults/preload.so
tests/faults/preload.so: tests/faults/preload.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -O1 -fPIC -shared -o $@ $(srcdir)/tests/faults/preload.c -ldl
tests/faults/faults.log: tests/faults/preload.so beamwalk$(EXEEXT)

# tests: ui
check_PROGRAMS += tests/ui/canvas tests/ui/grid tests/ui/layout
tests_ui_canvas_SOURCES = tests/ui/canvas.c
tests_ui_canvas_LDADD = $(ui_test_libs)
tests_ui_grid_SOURCES = tests/ui/grid.c
tests_ui_grid_LDADD = $(ui_test_libs)
tests_ui_layout_SOURCES = tests/ui/layout.c
tests_ui_layout_LDADD = $(ui_test_libs)
check_PROGRAMS += tests/ui/agree tests/ui/config tests/ui/lesson tests/ui/screens tests/ui/views
tests_ui_lesson_SOURCES = tests/ui/lesson.c tests/ui/made.c tests/ui/made.h $(session_test_sources)
tests_ui_lesson_LDADD = $(ui_test_libs)
tests_ui_config_SOURCES = tests/ui/config.c tests/ui/made.c tests/ui/made.h
tests_ui_config_LDADD = $(ui_test_libs)
tests_ui_screens_SOURCES = tests/ui/made.c tests/ui/made.h tests/ui/screens.c tests/session/answers.h
tests_ui_screens_LDADD = $(ui_test_libs)
tests_ui_views_SOURCES = tests/ui/made.c tests/ui/made.h tests/ui/views.c
tests_ui_agree_SOURCES = tests/ui/agree.c tests/ui/made.c tests/ui/made.h
tests_ui_agree_LDADD = $(ui_test_libs)
tests_ui_views_LDADD = $(ui_test_libs)
EXTRA_DIST += tests/ui/drawn tests/ui/code
if HAVE_SCREEN
check_PROGRAMS += tests/ui/prompt tests/ui/shorten tests/ui/terminal tests/ui/written
tests_ui_shorten_SOURCES = tests/ui/shorten.c ui/shorten.c
tests_ui_shorten_LDADD = $(ui_test_libs)
tests_ui_written_SOURCES = tests/ui/made.c tests/ui/made.h tests/ui/written.c ui/rescue.c ui/shorten.c $(terminal_sources)
tests_ui_written_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS)
tests_ui_written_LDADD = $(ui_test_libs) $(NCURSES_LIBS) -lutil
tests_ui_prompt_SOURCES = tests/ui/prompt.c ui/prompt.c
tests_ui_prompt_CPPFLAGS = $(AM_CPPFLAGS) $(LIBEDIT_CFLAGS)
tests_ui_prompt_LDADD = $(ui_test_libs) $(LIBEDIT_LIBS)
tests_ui_terminal_SOURCES = tests/ui/terminal.c
tests_ui_terminal_LDADD = $(ui_test_libs)
long_scripts += tests/ui/explorer.test
endif

if HAVE_HALIDE
# tests: halide
# One generator executable with all fixtures.
EXTRA_PROGRAMS += tests/halide/fixtures
CLEANFILES += tests/halide/fixtures$(EXEEXT)
tests_halide_fixtures_SOURCES = \
	tests/halide/generators/atomics.cpp \
	tests/halide/generators/awkward.cpp \
	tests/halide/generators/boundary.cpp \
	tests/halide/generators/clamped.cpp \
	tests/halide/generators/clones.cpp \
	tests/halide/generators/constraints.cpp \
	tests/halide/generators/dense.cpp \
	tests/halide/generators/dimensions.cpp \
	tests/halide/generators/displaced.cpp \
	tests/halide/generators/errors.cpp \
	tests/halide/generators/externs.cpp \
	tests/halide/generators/folded.cpp \
	tests/halide/generators/indirect.cpp \
	tests/halide/generators/mathematics.cpp \
	tests/halide/generators/outputs.cpp \
	tests/halide/generators/parts.cpp \
	tests/halide/generators/predicates.cpp \
	tests/halide/generators/random.cpp \
	tests/halide/generators/reductions.cpp \
	tests/halide/generators/refusing.cpp \
	tests/halide/generators/resample.cpp \
	tests/halide/generators/scalars.cpp \
	tests/halide/generators/sizes.cpp \
	tests/halide/generators/tuples.cpp \
	tests/halide/generators/updates.cpp \
	tests/halide/generators/vanishing.cpp \
	tests/halide/generators/wrappers.cpp
tests_halide_fixtures_CPPFLAGS = $(HALIDE_CPPFLAGS)
tests_halide_fixtures_CXXFLAGS = $(precompiled_cxxflags)
tests_halide_fixtures_LDADD = $(generator_libs)
halide_cases = \
	tests/halide/cases/boundary.json \
	tests/halide/cases/clones.json \
	tests/halide/cases/constraints.json \
	tests/halide/cases/dimensions.json \
	tests/halide/cases/folded.json \
	tests/halide/cases/indirect.json \
	tests/halide/cases/outputs.json \
	tests/halide/cases/resample.json \
	tests/halide/cases/scalars.json \
	tests/halide/cases/scatter.json \
	tests/halide/cases/tuples.json \
	tests/halide/cases/updates.json \
	tests/halide/cases/wrappers.json
EXTRA_DIST += tests/program/same.sh tests/program/same.table $(halide_cases) tests/halide/foreign.test tests/program/generators.test tests/program/verdicts.test
noinst_PROGRAMS += tests/program/generators
tests_program_generators_SOURCES = tests/program/generators.cc
tests_program_generators_CPPFLAGS = $(HALIDE_CPPFLAGS) -I$(top_srcdir)/pipelines
tests_program_generators_CXXFLAGS = $(precompiled_cxxflags)
tests_program_generators_LDADD = $(generator_libs)
if HAVE_OPENCL
check_PROGRAMS += tests/halide/launches tests/halide/schedules
check_SCRIPTS += tests/halide/foreign.test tests/program/generators.test tests/program/verdicts.test
endif
tests_halide_launches_SOURCES = tests/halide/launches.c tests/halide/drawn.c tests/halide/drawn.h tests/halide/watched.c tests/halide/watched.h
tests_halide_launches_LDADD = libbwworker.a $(session_libs) $(CMOCKA_LIBS) -ldl
EXTRA_tests_halide_launches_DEPENDENCIES = tests/halide/fixtures $(HALIDE_PLUGINS) beamwalk-bench
tests_halide_schedules_SOURCES = tests/halide/schedules.c
tests_halide_schedules_LDADD = $(session_libs) $(CMOCKA_LIBS)
EXTRA_tests_halide_schedules_DEPENDENCIES = tests/halide/fixtures $(HALIDE_PLUGINS) beamwalk-bench
noinst_PROGRAMS += tests/halide/lists
tests_halide_lists_SOURCES = tests/halide/lists.c
tests_halide_lists_LDADD = $(core_libs)
check_SCRIPTS += tests/halide/export.test
check_PROGRAMS += tests/halide/expressions
tests_halide_expressions_SOURCES = tests/halide/expressions.cc
tests_halide_expressions_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_halide_expressions_CXXFLAGS = $(precompiled_cxxflags)
tests_halide_expressions_LDADD = $(halide_libs)
check_PROGRAMS += tests/halide/regions
tests_halide_regions_SOURCES = tests/halide/regions.cc tests/halide/described.h tests/halide/random_pipeline.h
tests_halide_regions_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_halide_regions_CXXFLAGS = $(precompiled_cxxflags)
tests_halide_regions_LDADD = $(halide_libs)
check_PROGRAMS += tests/halide/nests
tests_halide_nests_SOURCES = tests/halide/nests.cc tests/halide/nests.h tests/halide/levels.cc tests/halide/traces.cc tests/halide/described.h tests/halide/random_pipeline.h
tests_halide_nests_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_halide_nests_CXXFLAGS = $(precompiled_cxxflags)
tests_halide_nests_LDADD = $(halide_libs)

# Random pipelines and edge shapes; many more of them by `make check-soak`.
soak_sources = tests/soak/cases.cc tests/soak/cases.h tests/soak/described.cc tests/soak/described.h tests/soak/filters.cc tests/soak/growing.cc \
	tests/soak/growing.h tests/soak/points.cc tests/soak/searched.c tests/soak/searched.h tests/soak/shapes.cc tests/soak/symbolic.cc
check_LIBRARIES = tests/soak/libbwsoak.a
tests_soak_libbwsoak_a_SOURCES = $(soak_sources)
tests_soak_libbwsoak_a_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_soak_libbwsoak_a_CXXFLAGS = $(precompiled_cxxflags)
check_PROGRAMS += tests/soak/pipelines
tests_soak_pipelines_SOURCES = tests/soak/pipelines.cc
tests_soak_pipelines_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_soak_pipelines_CXXFLAGS = $(precompiled_cxxflags)
tests_soak_pipelines_LDADD = tests/soak/libbwsoak.a $(halide_libs)
if HAVE_OPENCL
check_PROGRAMS += tests/soak/schedules
endif
tests_soak_schedules_SOURCES = tests/soak/schedules.cc
tests_soak_schedules_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_soak_schedules_CXXFLAGS = $(precompiled_cxxflags)
tests_soak_schedules_LDADD = tests/soak/libbwsoak.a $(halide_libs) -ldl

check_PROGRAMS += tests/halide/proofs
tests_halide_proofs_SOURCES = tests/halide/proofs.cc tests/soak/described.h
tests_halide_proofs_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_halide_proofs_CXXFLAGS = $(precompiled_cxxflags)
tests_halide_proofs_LDADD = tests/soak/libbwsoak.a $(halide_libs)

# All these are compiled as Halide.h was.
halide_test_objects = $(tests_program_generators_OBJECTS) $(tests_bench_fixture_OBJECTS) $(tests_halide_fixtures_OBJECTS) $(tests_halide_expressions_OBJECTS) $(tests_halide_regions_OBJECTS) \
	$(tests_halide_nests_OBJECTS) $(tests_soak_libbwsoak_a_OBJECTS) $(tests_soak_pipelines_OBJECTS) $(tests_soak_schedules_OBJECTS) \
	$(tests_halide_proofs_OBJECTS)
$(halide_test_objects): $(precompiled)
$(halide_test_objects): CXXFLAGS += -O0

# tests: pipelines
tests_pipelines_pipelines_SOURCES = \
	tests/pipelines/check.c tests/pipelines/check.h tests/pipelines/integers.c tests/pipelines/integers.h tests/pipelines/tensor.c tests/pipelines/tensor.h tests/pipelines/pipelines.c $(bundled_checks)
tests_pipelines_pipelines_CPPFLAGS = $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS)
tests_pipelines_pipelines_LDADD = $(session_libs) $(CMOCKA_LIBS) -ldl
EXTRA_tests_pipelines_pipelines_DEPENDENCIES = $(bundled) $(HALIDE_PLUGINS) beamwalk-bench
noinst_PROGRAMS += tests/pipelines/draw
tests_pipelines_draw_SOURCES = tests/pipelines/draw.c
tests_pipelines_draw_LDADD = $(core_libs)
check_SCRIPTS += tests/session/launch.test tests/session/remote.test tests/ui/worker.test tests/emulator/time.test tests/emulator/counters.test
check_SCRIPTS += tests/results/program.test tests/gpu/unpack.test
check_SCRIPTS += tests/halide/externs.test tests/halide/in-process.test tests/halide/python.test tests/halide/searched.test tests/halide/sizes.test tests/apps/apps.test
noinst_PROGRAMS += tests/interop/replay
check_SCRIPTS += tests/interop/replay.test
tests_interop_replay_SOURCES = tests/interop/replay.c
tests_interop_replay_LDADD = $(core_libs)
noinst_PROGRAMS += tests/gpu/launches
tests_gpu_launches_SOURCES = tests/gpu/launches.c
tests_gpu_launches_LDADD = libbwworker.a $(core_libs) -ldl
long_scripts += tests/pipelines/cuda.test
check_SCRIPTS += tests/gpu/pack.test tests/gpu/compile.test tests/pipelines/lanes.test tests/pipelines/staging.test
check_SCRIPTS += tests/pipelines/inlined.test tests/pipelines/seeds.test $(bundled_tests)
EXTRA_DIST += tests/halide/externs.c tests/halide/pasted.sh tests/halide/plugin.sh tests/halide/python.py tests/pipelines/conditions.sh tests/pipelines/emulated.sh tests/pipelines/exported.sh tests/pipelines/random.sh tests/pipelines/kept
endif
endif

# tests: fuzz
fuzz_programs = tests/fuzz/bench tests/fuzz/config tests/fuzz/description tests/fuzz/devices tests/fuzz/directives tests/fuzz/json tests/fuzz/lesson tests/fuzz/measurements tests/fuzz/ncu \
	tests/fuzz/options tests/fuzz/ptx tests/fuzz/ptxas tests/fuzz/replay tests/fuzz/results tests/fuzz/schedule tests/fuzz/serve tests/fuzz/session tests/fuzz/slurm tests/fuzz/weights
if LIBFUZZER
EXTRA_PROGRAMS += $(fuzz_programs)
fuzz_driver =
else
check_PROGRAMS += $(fuzz_programs)
fuzz_driver = tests/fuzz/driver.c
endif
EXTRA_DIST += tests/fuzz/README tests/fuzz/corpus
CLEANFILES += *.crash
tests_fuzz_bench_SOURCES = tests/fuzz/bench.c $(fuzz_driver)
tests_fuzz_bench_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"bench"'
tests_fuzz_bench_LDADD = libbwworker.a $(session_libs)
tests_fuzz_bench_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_config_SOURCES = tests/fuzz/config.c $(fuzz_driver)
tests_fuzz_config_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"config"'
tests_fuzz_config_LDADD = $(ui_libs)
tests_fuzz_config_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_description_SOURCES = tests/fuzz/description.c $(fuzz_driver)
tests_fuzz_description_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"description"'
tests_fuzz_description_LDADD = $(core_libs)
tests_fuzz_description_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_devices_SOURCES = tests/fuzz/devices.c $(fuzz_driver)
tests_fuzz_devices_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"devices"'
tests_fuzz_devices_LDADD = $(core_libs)
tests_fuzz_devices_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_directives_SOURCES = tests/fuzz/directives.c $(fuzz_driver)
tests_fuzz_directives_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"directives"'
tests_fuzz_directives_LDADD = $(core_libs)
tests_fuzz_directives_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_json_SOURCES = tests/fuzz/json.c $(fuzz_driver)
tests_fuzz_json_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"json"'
tests_fuzz_json_LDADD = $(core_libs)
tests_fuzz_json_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_options_SOURCES = tests/fuzz/options.c $(fuzz_driver)
tests_fuzz_options_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"options"'
tests_fuzz_options_LDADD = $(core_libs)
tests_fuzz_options_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_ptx_SOURCES = tests/fuzz/ptx.c $(fuzz_driver)
tests_fuzz_ptx_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"ptx"'
tests_fuzz_ptx_LDADD = libbwemulator.a $(core_libs)
tests_fuzz_ptx_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_ncu_SOURCES = tests/fuzz/ncu.c $(fuzz_driver)
tests_fuzz_ncu_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"ncu"'
tests_fuzz_ncu_LDADD = $(session_libs)
tests_fuzz_ncu_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_ptxas_SOURCES = tests/fuzz/ptxas.c $(fuzz_driver)
tests_fuzz_ptxas_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"ptxas"'
tests_fuzz_ptxas_LDADD = $(session_libs)
tests_fuzz_ptxas_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_schedule_SOURCES = tests/fuzz/schedule.c tests/schedule/made.c tests/schedule/made.h $(fuzz_driver)
tests_fuzz_schedule_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"schedule"' -I$(srcdir)/tests/schedule
tests_fuzz_schedule_LDADD = $(core_libs)
tests_fuzz_schedule_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_weights_SOURCES = tests/fuzz/weights.c $(fuzz_driver)
tests_fuzz_weights_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"weights"'
tests_fuzz_weights_LDADD = $(core_libs)
tests_fuzz_weights_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_lesson_SOURCES = tests/fuzz/lesson.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_lesson_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"lesson"'
tests_fuzz_lesson_LDADD = $(ui_libs)
tests_fuzz_lesson_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_measurements_SOURCES = tests/fuzz/measurements.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_measurements_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"measurements"'
tests_fuzz_measurements_LDADD = $(session_libs)
tests_fuzz_measurements_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_replay_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"replay"'
tests_fuzz_replay_LDADD = $(session_libs)
tests_fuzz_replay_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_results_SOURCES = tests/fuzz/results.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_results_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"results"'
tests_fuzz_results_LDADD = $(session_libs)
tests_fuzz_results_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_serve_SOURCES = tests/fuzz/serve.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_serve_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"serve"'
tests_fuzz_serve_LDADD = $(session_libs)
tests_fuzz_serve_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_session_SOURCES = tests/fuzz/session.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_session_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"session"'
tests_fuzz_session_LDADD = $(session_libs)
tests_fuzz_session_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)
tests_fuzz_slurm_SOURCES = tests/fuzz/slurm.c tests/fuzz/fuzz.h tests/fuzz/target.h $(fuzz_driver)
tests_fuzz_slurm_CPPFLAGS = $(AM_CPPFLAGS) -DBW_FUZZ_NAME='"slurm"'
tests_fuzz_slurm_LDADD = $(session_libs)
tests_fuzz_slurm_LDFLAGS = $(AM_LDFLAGS) $(BW_FUZZ_FLAGS)

# tests: program
long_scripts += tests/program/every-command.test
check_SCRIPTS += tests/program/ablate.test tests/program/completion.test tests/program/features.test tests/program/hand.test tests/program/hidden.test tests/program/own.test tests/program/partial.test tests/program/pipelines.test tests/program/repl.test tests/program/resume.test tests/program/same.test tests/program/serve.test tests/program/screenshots.test tests/program/staging.test tests/program/regress.test tests/program/replay.test tests/program/trust.test tests/program/tune.test tests/program/slurm.test tests/program/tuned.test tests/program/workers.test tests/program/sweep.test tests/program/usage.test tests/program/walk.test tests/program/weights.test tests/program/learn.test

# tests: man
check_SCRIPTS += tests/man/pages.test

# tests: set-up
check_SCRIPTS += tests/setup/binaries.test tests/setup/rooms.test tests/setup/ci.test tests/setup/halides.test tests/setup/packages.test tests/setup/quickstart.test
EXTRA_DIST += tests/setup/fresh-root.sh tests/setup/halide19.sh tests/setup/installed.sh tests/setup/packages.sh tests/setup/root.sh tests/halide/side-by-side.sh
if HAVE_HALIDE
with_halide = yes
else
with_halide = no
endif
installcheck-local:
	$(SHELL) $(srcdir)/tests/setup/installed.sh '$(DESTDIR)$(bindir)/beamwalk' '$(DESTDIR)$(mandir)' $(with_halide) '$(DESTDIR)$(datadir)'
EXTRA_DIST += quickstart .ci/run README.md

# The same tests in a second build, under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; Halide left out.
check-sanitize:
	@$(MKDIR_P) sanitize
	@test -f sanitize/Makefile || (cd sanitize && $(abs_top_srcdir)/configure --quiet --enable-sanitizers CFLAGS='-g1 -O1')
	@cd sanitize && $(MAKE) $(AM_MAKEFLAGS) check
.PHONY: check-sanitize

# Random pipelines by the thousand: described and searched, searched once more under the sanitizers, some hundreds of them run on PoCL, and a thousand whose extents
# Halide does not know lowered.
SOAK = 3000
SOAK_RUNS = 300
SOAK_UNKNOWN = 1000
SOAK_FIRST = 1000
check-soak: all tests/soak/pipelines$(EXEEXT) tests/soak/schedules$(EXEEXT)
	@rm -rf soak && $(MKDIR_P) soak sanitize
	@$(AM_TESTS_ENVIRONMENT) tests/soak/pipelines $(SOAK) 2 $(SOAK_FIRST) soak
	@test -f sanitize/Makefile || (cd sanitize && $(abs_top_srcdir)/configure --quiet --enable-sanitizers CFLAGS='-g1 -O1')
	@cd sanitize && $(MAKE) $(AM_MAKEFLAGS) tests/soak/files$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) find soak -name '*.json' -print0 | LC_ALL=C sort -z | xargs -0 -n 500 sanitize/tests/soak/files
	@$(AM_TESTS_ENVIRONMENT) tests/soak/schedules $(SOAK_RUNS) 3 $(SOAK_FIRST)
	@$(AM_TESTS_ENVIRONMENT) tests/soak/schedules $(SOAK_UNKNOWN) 1 $(SOAK_FIRST) unknown
	@$(MAKE) $(AM_MAKEFLAGS) check RANDOM_SCHEDULES=30 TESTS='$(bundled_tests) $(bundled_soak_tests) tests/pipelines/cuda.test'
	@$(MAKE) $(AM_MAKEFLAGS) check-emulated
.PHONY: check-soak

# A thousand random schedules of the bundled pipelines with all moves: on the emulated device with all checks, on PoCL, and assembled. PTXAS=PATH: one that knows sm_70.
EMULATED_SCHEDULES = 42
check-emulated: all tests/pipelines/draw$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/pipelines/emulated.sh $(EMULATED_SCHEDULES)
.PHONY: check-emulated

# Halide's own apps and the generators of its tests, unchanged. Fetches Debian's source package of Halide.
check-apps: all
	$(SHELL) $(srcdir)/tests/apps/apps.sh '$(abs_builddir)'
# The generators of any folder: make check-foreign DIR=FOLDER.
check-foreign: all
	@test -n '$(DIR)' || { echo 'check-foreign: say whose generators to try: make check-foreign DIR=FOLDER' >&2; exit 2; }
	$(SHELL) $(srcdir)/tests/apps/apps.sh -d '$(DIR)' '$(abs_builddir)'
.PHONY: check-apps check-foreign
EXTRA_DIST += tests/apps/apps.sh tests/apps/build.mk tests/apps/one.sh tests/apps/rows.sh tests/apps/source.sh tests/apps/variants.table
# How well each cost model orders what was measured; HOLD_ONE_OUT names a folder of Halide's weights, each trained without the app of its name.
HOLD_ONE_OUT =
bench-trust: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/trust.sh $(HOLD_ONE_OUT)
.PHONY: bench-trust
# The constants of the latency model, fitted to data/measured, and how well it predicts (tests/gpu/fit_latency.c).
fit-latency: tests/gpu/fit-latency
	BW_SRC=$(srcdir) tests/gpu/fit-latency
.PHONY: fit-latency
EXTRA_DIST += tests/results/trust.sh
# The strategies of `beamwalk tune` on the sets of measurements in data/replay.
bench-tune: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/schedulers/bench.sh
.PHONY: bench-tune
# The same on devices that are other cost models.
EXTRA_PROGRAMS += tests/schedulers/models
CLEANFILES += tests/schedulers/models$(EXEEXT)
tests_schedulers_models_SOURCES = tests/schedulers/models.c tests/schedulers/median.h $(bundled_sources)
tests_schedulers_models_LDADD = $(core_test_libs)
bench-tune-models: tests/schedulers/models$(EXEEXT)
	@for model in sioutas dp; do echo "on a device that is $$model"; \
		BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' tests/schedulers/models$(EXEEXT) $$model 200 5 || exit 1; done
.PHONY: bench-tune-models
EXTRA_DIST += tests/schedulers/bench.sh data/replay
# How many schedules are measured on each GPU by which model says what is worth measuring.
EXTRA_PROGRAMS += tests/schedulers/tiers
CLEANFILES += tests/schedulers/tiers$(EXEEXT)
tests_schedulers_tiers_SOURCES = tests/schedulers/tiers.c tests/schedulers/median.h tests/gpu/measured_table.c tests/gpu/measured_table.h
tests_schedulers_tiers_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/gpu
tests_schedulers_tiers_LDADD = $(core_test_libs)
bench-tune-tiers: tests/schedulers/tiers$(EXEEXT)
	@tiers=$$PWD/tests/schedulers/tiers$(EXEEXT); cd $(srcdir) && for device in NVIDIA-H200 NVIDIA-H100-80GB-HBM3; do \
		$$tiers data/measured $$device && $$tiers data/measured $$device latency || exit 1; done
.PHONY: bench-tune-tiers
# How far the cost models agree on the order of random schedules: the table in data/correlations.txt.
EXTRA_PROGRAMS += tests/results/models
EXTRA_DIST += tests/results/opinions.sh
tests_results_models_SOURCES = tests/results/models.c $(bundled_sources)
tests_results_models_LDADD = $(session_libs) $(CMOCKA_LIBS)
bench-models: tests/results/models$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) tests/results/models$(EXEEXT) 50 $$(basename -a $(bundled))
# What each scheduler's schedule costs by each cost model: the tables in data/opinions.txt. COUNT=1: what the emulated device counts of them, too.
bench-opinions: all
	@BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/opinions.sh $$(basename -a $(bundled))
# What the latency model says of the schedules by hand, beside measured times: the tables in doc/measurements/hand.txt.
bench-hand: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/hand.sh $$(basename -a $(bundled))
# What each move brings: a table in data/ablation.txt.
bench-moves: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/moves.sh $$(basename -a $(bundled))
EXTRA_DIST += tests/results/hand.sh tests/results/moves.sh
# How long each scheduler takes, and whether what it finds compiles within the limits of sm_80 and sm_70: the tables in doc/measurements/schedulers.txt.
bench-schedulers: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/schedulers.sh
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/results/compiled.sh
EXTRA_DIST += tests/results/schedulers.sh tests/results/compiled.sh
.PHONY: bench-models bench-opinions bench-hand bench-moves bench-schedulers
# The README's second command in a bare Debian 12, or with SUITE=trixie in a bare Debian 13. Of what is committed; needs root and debootstrap.
SUITE = bookworm
check-bare:
	$(SHELL) $(srcdir)/tests/setup/fresh-root.sh -s '$(SUITE)'
.PHONY: check-bare
# The Debian packages of what is committed, in a bare Debian 12 or SUITE=trixie: built twice, the same bytes; lintian; installed, tried, removed.
check-deb:
	$(SHELL) $(srcdir)/tests/setup/packages.sh -s '$(SUITE)'
.PHONY: check-deb
# Names the tests of what depends on Halide: the plugin, generators, the bundled pipelines.
name-generators:
	@for test in $(TESTS); do \
		case $$test in tests/halide/* | tests/pipelines/* | tests/program/learn.test | tests/bench/generator | tests/bench/plugin | tests/emulator/counters.test | tests/program/generators.test | tests/setup/halides.test) echo $$test ;; esac; \
	done
# These with each Halide that was tried: in a bare Debian 12 (14), 13 (19) and sid (21), or in some of these: SUITES=sid. Needs root and debootstrap.
SUITES = bookworm trixie sid
check-halides:
	$(SHELL) $(srcdir)/tests/setup/check-halides.sh $(SUITES)
.PHONY: name-generators check-halides
EXTRA_DIST += tests/setup/check-halides.sh
# All tests in a Debian 13 made for it, with Halide 19, and Halide 14 beside it. Of what is committed; needs root and debootstrap.
check-halide19:
	$(SHELL) $(srcdir)/tests/setup/halide19.sh
.PHONY: check-halide19

# What Halide's own autoscheduler says of each pipeline, recorded anew and compared with what tests/interop keeps. Of what is committed; needs root and debootstrap.
check-interop:
	$(SHELL) $(srcdir)/tests/interop/interop.sh
.PHONY: check-interop
# Halide's own apps, as that autoscheduler and as the search here schedule them: the last table of data/predicted.txt. Needs root and debootstrap.
bench-apps:
	$(SHELL) $(srcdir)/tests/interop/apps.sh
.PHONY: bench-apps
EXTRA_DIST += tests/interop
distclean-local:
	rm -rf sanitize soak tests/cache tests/data tests/slurm-root tests/state
clean-local:
	rm -rf tests/cache tests/data tests/state
# tune under Slurm, in a root of its own: minutes, and as root.
check-slurm: all
	@BW_SRC='$(abs_top_srcdir)' BW_BUILD='$(abs_top_builddir)' PKGLIBDIR='$(pkglibdir)' $(SHELL) $(srcdir)/tests/slurm/check
.PHONY: check-slurm
EXTRA_DIST += tests/slurm/check tests/slurm/slurm.conf

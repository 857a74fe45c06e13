# The bundled pipelines. A part of Makefile.am.
# The generators that come with beamwalk: build/pipelines/NAME, installed in $(pkglibdir)/pipelines. A new one takes its name in these three lists; its
# files are pipelines/NAME.cpp and .json, data/descriptions/NAME.json, and what checks it: tests/pipelines/NAME.c (and a row in
# tests/pipelines/check.h).
bundled = \
	pipelines/bgu \
	pipelines/bilateral_grid \
	pipelines/blur \
	pipelines/camera_pipe \
	pipelines/conv_layer \
	pipelines/cs6120_blur \
	pipelines/cs6120_roots \
	pipelines/cs6120_sum \
	pipelines/depthwise_separable_conv \
	pipelines/harris \
	pipelines/hist_equalize \
	pipelines/iir_blur \
	pipelines/interpolate \
	pipelines/kwz \
	pipelines/learned_demosaic \
	pipelines/lens_blur \
	pipelines/local_laplacian \
	pipelines/mat_mul \
	pipelines/max_filter \
	pipelines/nl_means \
	pipelines/pyramid_blend \
	pipelines/stencil_chain \
	pipelines/two_stencils \
	pipelines/unsharp
bundled_tests = \
	tests/pipelines/blur-schedules.test \
	tests/pipelines/cs6120_blur-schedules.test \
	tests/pipelines/cs6120_roots-schedules.test \
	tests/pipelines/cs6120_sum-schedules.test \
	tests/pipelines/harris-schedules.test \
	tests/pipelines/stencil_chain-schedules.test \
	tests/pipelines/unsharp-schedules.test
# Those of which many kernels take minutes to compile on PoCL: run by check-soak.
bundled_soak_tests = \
	tests/pipelines/bgu-schedules.test \
	tests/pipelines/bilateral_grid-schedules.test \
	tests/pipelines/camera_pipe-schedules.test \
	tests/pipelines/kwz-schedules.test \
	tests/pipelines/two_stencils-schedules.test \
	tests/pipelines/conv_layer-schedules.test \
	tests/pipelines/depthwise_separable_conv-schedules.test \
	tests/pipelines/hist_equalize-schedules.test \
	tests/pipelines/iir_blur-schedules.test \
	tests/pipelines/interpolate-schedules.test \
	tests/pipelines/learned_demosaic-schedules.test \
	tests/pipelines/lens_blur-schedules.test \
	tests/pipelines/local_laplacian-schedules.test \
	tests/pipelines/mat_mul-schedules.test \
	tests/pipelines/pyramid_blend-schedules.test \
	tests/pipelines/max_filter-schedules.test \
	tests/pipelines/nl_means-schedules.test
bundled_checks = \
	tests/pipelines/bgu.c \
	tests/pipelines/bilateral_grid.c \
	tests/pipelines/blur.c \
	tests/pipelines/camera_pipe.c \
	tests/pipelines/conv_layer.c \
	tests/pipelines/cs6120.c \
	tests/pipelines/depthwise_separable_conv.c \
	tests/pipelines/harris.c \
	tests/pipelines/hist_equalize.c \
	tests/pipelines/iir_blur.c \
	tests/pipelines/interpolate.c \
	tests/pipelines/kwz.c \
	tests/pipelines/learned_demosaic.c \
	tests/pipelines/lens_blur.c \
	tests/pipelines/local_laplacian.c \
	tests/pipelines/mat_mul.c \
	tests/pipelines/max_filter.c \
	tests/pipelines/pyramid_blend.c \
	tests/pipelines/nl_means.c \
	tests/pipelines/stencil_chain.c \
	tests/pipelines/two_stencils.c \
	tests/pipelines/unsharp.c
bundled_headers = pipelines/guard.h pipelines/precompiled.h pipelines/pyramid.h
EXTRA_DIST += $(bundled_soak_tests) $(bundled:=.cpp) $(bundled_headers) pipelines/pipelines.mk pipelines/gengen.cpp
if HAVE_HALIDE
if HAVE_GENGEN_SOURCE
noinst_LIBRARIES += libbwgengen.a
libbwgengen_a_SOURCES = pipelines/gengen.cpp
libbwgengen_a_CXXFLAGS = $(precompiled_cxxflags)
libbwgengen_a_CPPFLAGS = $(HALIDE_CPPFLAGS) -DBW_GENGEN='"$(HALIDE_GENGEN)"'
generator_archive = libbwgengen.a
generator_libs = libbwgengen.a $(HALIDE_LIBS)
else
generator_archive =
generator_libs = $(HALIDE_GENGEN) $(HALIDE_LIBS)
endif
pipelines_SCRIPTS = $(bundled)
CLEANFILES += $(bundled)
# Halide.h, compiled once for the generators and the tests of Halide, which are not optimized. Where the compiler cannot use that, it reads precompiled.h.
precompiled = pipelines/precompiled.h.gch
precompiled_cxxflags = $(AM_CXXFLAGS) -include pipelines/precompiled.h
$(precompiled): pipelines/precompiled.h
	$(AM_V_CXX)$(MKDIR_P) $(@D) && $(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -O0 \
		-MD -MP -MT $@ -MF pipelines/precompiled.d -x c++-header -o $@.new $< && mv $@.new $@
-include pipelines/precompiled.d
$(libbwgengen_a_OBJECTS): $(precompiled)
$(libbwgengen_a_OBJECTS): CXXFLAGS += -O0
CLEANFILES += $(precompiled) pipelines/precompiled.d
endif
@pipeline_rules@

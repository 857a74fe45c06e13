# The bundled pipelines' rules, which configure copies into the Makefile: $(bundled) is the one list of them, pipelines/NAME each. A generator
# only writes a pipeline down, so that it is not optimized.

bundled_descriptions = $(bundled:pipelines/%=data/descriptions/%.json)

$(bundled): pipelines/%: pipelines/%.cpp $(bundled_headers) $(precompiled) $(generator_archive)
	$(AM_V_CXXLD)$(MKDIR_P) $(@D) && $(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(HALIDE_CPPFLAGS) $(CPPFLAGS) $(precompiled_cxxflags) $(CXXFLAGS) -O0 \
		$(AM_LDFLAGS) $(LDFLAGS) -o $@ $< $(generator_libs) $(LIBS)

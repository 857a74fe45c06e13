# The plugin for Halide @HALIDE@: configure copies these rules into the Makefile once for each Halide. Objects of different Halides
# lie in different folders, since their headers differ. What is left open is Halide's: the generator that loads the plugin has it.

halide@HALIDE@_objects = $(halide_sources:src/halide/%.cc=src/halide/@HALIDE@/%.o)
halide@HALIDE@_plugin = src/halide/@HALIDE@/plugin.o

$(halide@HALIDE@_objects) $(halide@HALIDE@_plugin): src/halide/@HALIDE@/%.o: src/halide/%.cc
	$(AM_V_CXX)$(MKDIR_P) $(@D) && $(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) @HALIDE_CPPFLAGS@ $(places) \
		$(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

libbwhalide@HALIDE@.a: $(halide@HALIDE@_objects)
	$(AM_V_AR)rm -f $@ && $(AR) $(ARFLAGS) $@ $(halide@HALIDE@_objects) && $(RANLIB) $@

libbeamwalk-halide@HALIDE@.so: $(halide@HALIDE@_plugin) libbwhalide@HALIDE@.a libbwcore.a
	$(AM_V_CXXLD)$(CXX) $(AM_CXXFLAGS) $(CXXFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -shared -Wl,-z,now -Wl,--exclude-libs,ALL \
		-o $@ $(halide@HALIDE@_plugin) libbwhalide@HALIDE@.a $(core_libs) $(LIBS)

-include $(halide@HALIDE@_objects:.o=.d) $(halide@HALIDE@_plugin:.o=.d)


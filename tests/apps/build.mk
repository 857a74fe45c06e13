# Builds the generators in SOURCE, each source unchanged, into FOLDER/generators/.
# A source is one that registers a generator; its program is named after its path, with dots for slashes.
# Wants SOURCE (a tree of sources), UNDER (the folders of it with generators), FOLDER, CXX, HALIDE_CPPFLAGS, HALIDE_LIBS and HALIDE_GENGEN.
# What a source needs beside itself stands at the end; a source that needs what is not here is not built, and
# FOLDER/generators/NAME.log ends with the reason.
sources := $(patsubst ./%,%,$(shell cd $(SOURCE) && grep -rl HALIDE_REGISTER_GENERATOR --include=*.cpp --include=*.cc --include=*.cxx $(UNDER)))
name = $(subst /,.,$(basename $(1)))
programs := $(foreach source,$(sources),$(FOLDER)/generators/$(call name,$(source)))

all: $(programs)
.DELETE_ON_ERROR:
flags = -std=c++17 -O0 -w -I$(FOLDER) -include halide_once.h $(HALIDE_CPPFLAGS)

# Halide.h takes seconds to read: it is compiled once for all.
$(FOLDER)/halide_once.h.gch:
	echo '#include <Halide.h>' > $(FOLDER)/halide_once.h
	$(CXX) $(subst -include halide_once.h,,$(flags)) -x c++-header -o $@ $(FOLDER)/halide_once.h

main := $(FOLDER)/gengen.$(if $(filter %.a,$(HALIDE_GENGEN)),a,o)
$(FOLDER)/gengen.o: $(FOLDER)/halide_once.h.gch
	$(CXX) $(flags) -c -o $@ $(HALIDE_GENGEN)
$(FOLDER)/gengen.a:
	ln -sf $(HALIDE_GENGEN) $@

stubs = $(addprefix $(FOLDER)/stubs/,$(addsuffix .stub.h,$(1)))
needs.apps.linear_blur.linear_blur_generator = $(call stubs,linear_to_srgb srgb_to_linear simple_blur)
more.apps.linear_blur.linear_blur_generator = $(addprefix $(SOURCE)/apps/linear_blur/,linear_to_srgb_generator.cpp srgb_to_linear_generator.cpp simple_blur_generator.cpp)
needs.test.generator.stubuser_generator = $(call stubs,stubtest configure)
more.test.generator.stubuser_generator = $(addprefix $(SOURCE)/test/generator/,stubtest_generator.cpp configure_generator.cpp)

# $(call program,SOURCE): its folder, the one above, the tree's include, and Halide's tools are searched for headers.
define program
$(FOLDER)/generators/$(call name,$(1)): $(SOURCE)/$(1) $(main) $(FOLDER)/halide_once.h.gch $$(needs.$(call name,$(1)))
	@mkdir -p $$(@D)
	$(CXX) $(flags) $$(flags.$(call name,$(1))) -I$(SOURCE)/$(dir $(1)) -I$(SOURCE)/$(dir $(1)).. -I$(SOURCE)/include -I$(SOURCE)/tools -I$(FOLDER)/stubs \
		-o $$@ $(SOURCE)/$(1) $$(more.$(call name,$(1))) $(main) $(HALIDE_LIBS) -ldl -lpthread > $$@.log 2>&1
endef
$(foreach source,$(sources),$(eval $(call program,$(source))))

hannk := $(filter apps/hannk/%,$(sources))
$(foreach source,$(hannk),$(eval more.$(call name,$(source)) = $(SOURCE)/apps/hannk/halide/common_halide.cpp))
more.apps.hannk.halide.elementwise_generator += $(SOURCE)/apps/hannk/interpreter/elementwise_program.cpp
more.apps.fft.fft_generator = $(SOURCE)/apps/fft/fft.cpp

# Generators that call others through stubs, which these others write, and are linked with them.
# $(call stub,GENERATOR,CLASS,SOURCE)
define stub
$(FOLDER)/stubs/$(1).stub.h: $(FOLDER)/generators/$(call name,$(3))
	@mkdir -p $$(@D)
	$$< -g $(1) -n $(1) -o $$(@D) -e cpp_stub target=host
endef
$(eval $(call stub,linear_to_srgb,linear_to_srgb,apps/linear_blur/linear_to_srgb_generator.cpp))
$(eval $(call stub,srgb_to_linear,srgb_to_linear,apps/linear_blur/srgb_to_linear_generator.cpp))
$(eval $(call stub,simple_blur,simple_blur,apps/linear_blur/simple_blur_generator.cpp))
$(eval $(call stub,stubtest,StubNS1::StubNS2::StubTest,test/generator/stubtest_generator.cpp))
$(eval $(call stub,configure,configure,test/generator/configure_generator.cpp))

// Funcs for the levels of a pyramid: NAME0, NAME1, ...
#ifndef BW_PIPELINES_PYRAMID_H
#define BW_PIPELINES_PYRAMID_H
#include <Halide.h>

#include <string>
#include <vector>

inline std::vector<Halide::Func> pyramid_of(const std::string &name, int levels)
{
	std::vector<Halide::Func> funcs;
	for (int j = 0; j < levels; j++)
		funcs.push_back(Halide::Func(name + std::to_string(j)));
	return funcs;
}
#endif

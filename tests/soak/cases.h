// Pipelines of edge shapes.
#pragma once
#include "described.h"

namespace bw_test {

struct Case {
	const char *name;
	void (*make)(Subject *subject);
	const char *schedule = nullptr; // that was wrong once, with plain names of Funcs

	// The name with underscores.
	std::string file_name() const
	{
		std::string file = name;
		for (char &sign : file)
			sign = isalnum((unsigned char)sign) ? sign : '_';
		return file;
	}
};
extern const std::vector<Case> edge_cases;
extern const std::vector<Case> large_cases; // not to be run

}

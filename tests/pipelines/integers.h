/* Pipelines from one image of 32-bit integers to another, against a function that says what each pixel is. */
#pragma once
#include "check.h"

struct integers_case {
	int width, height; /* of the input, which begins at (0, 0) */
	int out[4];	   /* the output: where it begins, and its width and height */
	int is_signed;	   /* whether both are int32_t */
	uint32_t (*right)(const void *of, int x, int y); /* of the input */
};

/* A pixel of the input; a failed test where it is outside. Values are below 2^20. */
uint32_t integers_at(const void *of, int x, int y);
/* Every pixel of the output is what it should be, or the test fails. */
void integers_check(const struct compiled *compiled, const struct integers_case *one);

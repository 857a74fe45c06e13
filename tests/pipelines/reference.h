/* The bundled pipelines in plain C: what each is to compute, written from its definition and not from its Halide source. */
#ifndef BW_TESTS_PIPELINES_REFERENCE_H
#define BW_TESTS_PIPELINES_REFERENCE_H
#include <stdint.h>

/* The blurred pixel at (x, y) of an image of 16-bit pixels, `stride` of them a row. */
uint16_t reference_blur(const uint16_t *image, int stride, int x, int y);
/* The response of Harris' detector at (x, y) of a colour image of three planes, exact but for rounding to double. */
double reference_harris(const uint8_t *image, int stride, int plane, int x, int y);
#endif

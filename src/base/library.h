/* Names of shared libraries. */
#ifndef BW_BASE_LIBRARY_H
#define BW_BASE_LIBRARY_H

enum { BW_LIBRARY_OTHER = -1, BW_LIBRARY_UNNUMBERED = 0 };
/* The version that the file name of the shared library `stem` tells: 19 for libHalide19.so.0 and for libHalide.so.19.0.0 (stem Halide).
 * BW_LIBRARY_UNNUMBERED for libHalide.so, BW_LIBRARY_OTHER for a file of another name. */
int bw_library_version(const char *path, const char *stem);
#endif

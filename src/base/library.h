/* File names of shared libraries. */
#ifndef BW_BASE_LIBRARY_H
#define BW_BASE_LIBRARY_H

enum { BW_LIBRARY_OTHER = -1, BW_LIBRARY_UNNUMBERED = 0 };
/* Returns the version in the file name of the shared library `stem`: for Halide, 19 for libHalide19.so.0
 * and for libHalide.so.19.0.0, BW_LIBRARY_UNNUMBERED for libHalide.so, and BW_LIBRARY_OTHER for other
 * names. */
int bw_library_version(const char *path, const char *stem);
#endif

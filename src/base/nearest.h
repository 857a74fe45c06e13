/* Suggestions for misspelt names. */
#ifndef BW_BASE_NEAREST_H
#define BW_BASE_NEAREST_H

/* Returns the name of `known`, an array that ends with NULL, that is nearest to an unknown name: at most
 * two letters, and at most half of its letters, inserted, removed or changed. Returns the first of
 * several, or NULL if none is near enough. */
const char *bw_nearest(const char *unknown, const char *const *known);
#endif

/* Hints: the name that somebody may have meant. */
#ifndef BW_BASE_NEAREST_H
#define BW_BASE_NEAREST_H

/* The known name (of an array that ends with NULL) nearest to an unknown one: within two letters inserted, removed or changed, and
 * at most half of it; the first of those equally near. NULL where there is none. */
const char *bw_nearest(const char *unknown, const char *const *known);
#endif

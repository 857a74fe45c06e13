/* What Anderson et al. 2021 measured of their own search, section 6.3: beam 32, 5 passes, an IBM Power9. To
 * put beside our figures: their programs differ in detail from ours, so that ratios can be compared, and not
 * states or seconds. */
#ifndef BW_SCHEDULERS_PUBLISHED_H
#define BW_SCHEDULERS_PUBLISHED_H

/* Of one configuration; what the paper does not tell is NAN. */
struct bw_published {
	double states, states_percent; /* evaluated (table 1); of those with sampling and freezing off */
	double seconds, speedup;       /* of a beam search (table 2); x over that with all off (table 3) */
	double megabytes;              /* of the process (table 5) */
};

/* Of a pipeline, by its name. letters: what is on, in this order: M memoization, S sampling, F freezing. */
struct bw_published bw_published_of(const char *pipeline, const char *letters);
/* Geometric means over the 17 programs of the paper. */
struct bw_published bw_published_mean(const char *letters);
#endif

/* How one cost differs from another, in words. */
#ifndef BW_FIGURES_CHANGE_H
#define BW_FIGURES_CHANGE_H

struct bw_change {
	char text[24];
};
/* Returns the change from `before` to `after`, both above 0: `+2.1%`, `-34.0%`, from ten times as much on
 * `13x`, and `0.0%` without a sign if the figures agree to that. */
struct bw_change bw_change_of(double before, double after);
#endif

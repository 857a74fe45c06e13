/* The time, in seconds. */
#pragma once
#include <time.h>

/* Returns the time of one of clock_gettime's clocks, in seconds. */
static inline double bw_clock_of(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
/* Returns the time of CLOCK_MONOTONIC, in seconds: for durations. */
static inline double bw_clock(void)
{
	return bw_clock_of(CLOCK_MONOTONIC);
}
/* Returns the CLOCK_MONOTONIC time that is `seconds` (0 to 1e6) from now, for pthread_cond_timedwait. */
static inline struct timespec bw_clock_in(double seconds)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	double nanoseconds = (double)time.tv_nsec + 1e9 * seconds;
	time.tv_sec += (time_t)(nanoseconds / 1e9);
	time.tv_nsec = (long)(nanoseconds - 1e9 * (double)(time_t)(nanoseconds / 1e9));
	return time;
}

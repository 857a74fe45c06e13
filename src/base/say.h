/* Numbers as text for people. Each text is returned by value: bw_say_count(7680).text is `7,680`. */
#pragma once
#include <stdint.h>

struct bw_said {
	char text[32];
};

struct bw_said bw_say_cost(double cost); /* 0.0441  12.35  1,234  7.6e-05: at most 7 columns up to 99,999 */
struct bw_said bw_say_count(double count);     /* 7,680 */
struct bw_said bw_say_short(double count);     /* 7,680  39.2 M  -1.55 G */
struct bw_said bw_say_prefixed(double value); /* 19.5 T  150 G: a unit follows */
struct bw_said bw_say_bytes(double bytes);     /* 2,448 B  15.7 MB */
struct bw_said bw_say_percent(double share);   /* 41% */
struct bw_said bw_say_times(double factor);    /* 1.20x */
/* A number and the name of the things counted, singular or plural: `1 search`, `2 searches`. */
struct bw_said bw_say_number(long number, const char *thing);
struct bw_said bw_say_letter(int number);      /* 0-based: A to Z, then AA */
struct bw_said bw_say_rank(int rank);          /* 0-based: 1st, 2nd, 41st */
struct bw_said bw_say_seconds(double seconds); /* 12 ms  1.3 s  2 min 05 s */
/* Formats three extents, x first, without trailing ones: 48x160; 1. */
struct bw_said bw_say_extents(const int64_t extents[3]);

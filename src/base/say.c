#include "base/say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct bw_said bw_say_count(double count)
{
	struct bw_said said;
	char digits[32];
	if (!(fabs(count) < 1e15)) {
		snprintf(said.text, sizeof said.text, "%.3g", count);
		return said;
	}
	int n = snprintf(digits, sizeof digits, "%.0f", count), at = 0;
	for (int i = 0; i < n && at < (int)sizeof said.text - 2; i++) {
		said.text[at++] = digits[i];
		int left = n - 1 - i;
		if (left > 0 && left % 3 == 0 && digits[i] != '-')
			said.text[at++] = ',';
	}
	said.text[at] = 0;
	return said;
}

struct bw_said bw_say_short(double count)
{
	static const char units[] = "MGTPE";
	struct bw_said said;
	if (!(fabs(count) >= 1e6) || !(fabs(count) < 1e18)) {
		snprintf(said.text, sizeof said.text, "%.24s",
			 fabs(count) < 1e6 ? bw_say_count(count).text : isfinite(count) ? "huge" : "infinite");
		return said;
	}
	int unit = 0;
	for (count /= 1e6; fabs(count) >= 999.5; unit++)
		count /= 1000;
	snprintf(said.text, sizeof said.text, "%.*f %c", fabs(count) < 9.995 ? 2 : fabs(count) < 99.95 ? 1 : 0,
		 count, units[unit]);
	return said;
}

struct bw_said bw_say_prefixed(double value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	struct bw_said said;
	int p = 0;
	for (; value >= 999.5 && p < 5; p++)
		value /= 1000;
	snprintf(said.text, sizeof said.text, "%.3g %s", value, prefixes[p]);
	return said;
}

struct bw_said bw_say_cost(double cost)
{
	struct bw_said said;
	if (cost >= 1000)
		return bw_say_count(cost);
	int decimals = cost < 0.01 ? 5 : cost < 10 ? 4 : 2;
	if (cost > 0 && cost < 0.0001)
		snprintf(said.text, sizeof said.text, "%.1e", cost);
	else
		snprintf(said.text, sizeof said.text, "%.*f", cost == 0 ? 4 : decimals, cost);
	return said;
}

struct bw_said bw_say_bytes(double bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	struct bw_said said;
	if (bytes < 1e5) {
		snprintf(said.text, sizeof said.text, "%.16s B", bw_say_count(bytes).text);
		return said;
	}
	int unit = 0;
	for (bytes /= 1000; bytes >= 999.5 && unit < 3; unit++)
		bytes /= 1000;
	snprintf(said.text, sizeof said.text, "%.*f %s", bytes < 99.5 ? 1 : 0, bytes, units[unit]);
	return said;
}

struct bw_said bw_say_percent(double share)
{
	struct bw_said said;
	snprintf(said.text, sizeof said.text, share > 0 && share < 0.005 ? "<1%%" : "%.0f%%", 100 * share);
	return said;
}

struct bw_said bw_say_times(double factor)
{
	struct bw_said said;
	snprintf(said.text, sizeof said.text, "%.*fx", factor < 10 ? 2 : factor < 100 ? 1 : 0, factor);
	return said;
}

struct bw_said bw_say_number(long number, const char *thing)
{
	struct bw_said said;
	const char *more = number == 1 ? "" : bw_ends_with(thing, "ch") || bw_ends_with(thing, "s") ? "es" : "s";
	snprintf(said.text, sizeof said.text, "%ld %s%s", number, thing, more);
	return said;
}

struct bw_said bw_say_letter(int number)
{
	struct bw_said said = {{0}};
	int n = 0;
	if (number >= 26)
		said.text[n++] = (char)('A' + (number / 26 - 1) % 26);
	said.text[n] = (char)('A' + number % 26);
	return said;
}

struct bw_said bw_say_rank(int rank)
{
	struct bw_said said;
	int n = rank + 1, last = n % 10;
	const char *end = n % 100 / 10 == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
	snprintf(said.text, sizeof said.text, "%d%s", n, end);
	return said;
}

struct bw_said bw_say_seconds(double seconds)
{
	struct bw_said said;
	if (seconds < 1)
		snprintf(said.text, sizeof said.text, "%.0f ms", 1000 * seconds);
	else if (seconds < 100)
		snprintf(said.text, sizeof said.text, "%.1f s", seconds);
	else
		snprintf(said.text, sizeof said.text, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
	return said;
}

struct bw_said bw_say_extents(const int64_t extents[3])
{
	struct bw_said said;
	int n = extents[2] != 1 ? 3 : extents[1] != 1 ? 2 : 1, at = 0;
	for (int i = 0; i < n; i++)
		at += snprintf(said.text + at, sizeof said.text - (size_t)at, i ? "x%d" : "%d", (int)extents[i]);
	return said;
}

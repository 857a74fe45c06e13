#include "bench/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *unit, *text;
} rows[] = {
#define X(key, unit, text) {#key, unit, text},
	BW_RATE_TABLE(X)
#undef X
};

struct bw_rates bw_rates_none(const char *why)
{
	struct bw_rates rates = {.sms = (double)NAN};
	for (int k = 0; k < BW_N_RATES; k++) {
		rates.list[k].value = rates.list[k].spread = (double)NAN;
		snprintf(rates.list[k].error, sizeof rates.list[k].error, "%s", why);
	}
	return rates;
}

int bw_rates_taken(const struct bw_rates *rates)
{
	int n = 0;
	for (int k = 0; k < BW_N_RATES; k++)
		n += !isnan(rates->list[k].value);
	return n;
}

const char *bw_rate_name(enum bw_rate_key key)
{
	return rows[key].name;
}

const char *bw_rate_unit(enum bw_rate_key key)
{
	return rows[key].unit;
}

const char *bw_rate_text(enum bw_rate_key key)
{
	return rows[key].text;
}

double bw_rate_per_clock(const struct bw_rates *rates, enum bw_rate_key key)
{
	const struct bw_rate *rate = &rates->list[key];
	const char *unit = rows[key].unit;
	double clock = rate->clock > 0 ? rate->clock : rates->list[BW_RATE_clock].value;
	if (strcmp(unit, "operations/s") != 0 && strcmp(unit, "bytes/s") != 0)
		return (double)NAN;
	return rate->value / (rates->sms * clock);
}

void bw_rates_into(const struct bw_rates *rates, struct bw_device *device)
{
	for (int k = 0; k < BW_N_RATES; k++) {
		if (!(rates->list[k].value > 0))
			continue;
#define X(field, key, unit, text) \
	if (strcmp(rows[k].name, key) == 0) \
		device->field = rates->list[k].value;
		BW_DEVICE_TABLE(X)
#undef X
	}
}

/* The rates of a device, measured with microbenchmarks. The worker and its client share this file. */
#pragma once
#include "gpu/device.h"

/* Rates in the order of their measurement: key, unit, what is measured. If a key is also a field of a device
 * record (gpu/device.h), its unit and meaning are those of the field, so that the field can be set from the
 * rate. The clock is first: it brings the device out of its idle state. */
#define BW_RATE_TABLE(X) \
	X(clock, "1/s", "cycles that an SM counts, while all lanes work") \
	X(launch_seconds, "s", "empty kernels launched back to back, one block per SM") \
	X(launch_sync_seconds, "s", "an empty kernel launched and waited for") \
	X(barrier_seconds, "s", "bar.sync of the largest block, one block per SM") \
	X(barrier_256_seconds, "s", "bar.sync of a block of 256 threads, one block per SM") \
	X(global_bandwidth, "bytes/s", "reads of buffers much larger than the L2 cache") \
	X(global_write_bandwidth, "bytes/s", "writes of the same") \
	X(global_copy_bandwidth, "bytes/s", "copies of the same, bytes read and written") \
	X(l2_bandwidth, "bytes/s", "reads that stay within half of the L2 cache and pass by the L1 cache") \
	X(shared_bandwidth, "bytes/s", "reads of 16 bytes per thread without bank conflicts") \
	X(float_rate, "operations/s", "fma.rn.f32") \
	X(register_bandwidth, "bytes/s", "three operands of 4 bytes for each fma.rn.f32") \
	X(float_add_rate, "operations/s", "add.rn.f32") \
	X(float_mul_rate, "operations/s", "mul.rn.f32") \
	X(half_rate, "operations/s", "fma.rn.f16x2, two operations each") \
	X(double_rate, "operations/s", "fma.rn.f64") \
	X(int_rate, "operations/s", "lop3.b32, which no other lanes than those for integers do") \
	X(int_add_rate, "operations/s", "add.s32, for which ptxas uses the lanes for multiplications, too") \
	X(int_mul_rate, "operations/s", "mul.lo.s32") \
	X(int_mad_rate, "operations/s", "mad.lo.s32") \
	X(int64_rate, "operations/s", "add.s64") \
	X(special_rate, "operations/s", "ex2.approx.ftz.f32") \
	X(rsqrt_rate, "operations/s", "rsqrt.approx.ftz.f32") \
	X(divide_rate, "operations/s", "div.full.f32") \
	X(convert_rate, "operations/s", "cvt.rn.f32.s32 and cvt.rzi.s32.f32, each one operation")
enum bw_rate_key {
#define X(key, unit, text) BW_RATE_##key,
	BW_RATE_TABLE(X)
#undef X
	BW_N_RATES
};

struct bw_rate {
	double value;  /* median of the repeats, in the rate's unit, whole device; NAN: not measured */
	double spread; /* half the distance between the quartiles over the median */
	int repeats;
	double clock;    /* clock of an SM in Hz while the rate's kernel ran, by NVML; 0: not known */
	char error[160]; /* why it was not measured */
};

/* The results for all rates of one device. */
struct bw_rates {
	char device[128], driver[96];
	double sms, seconds; /* number of SMs; duration of the measurement */
	struct bw_rate list[BW_N_RATES];
};

/* Returns rates of which none was measured, for the reason `why`. */
struct bw_rates bw_rates_none(const char *why);
/* Returns the number of rates that were measured. */
int bw_rates_taken(const struct bw_rates *rates);
const char *bw_rate_name(enum bw_rate_key key);
const char *bw_rate_unit(enum bw_rate_key key);
const char *bw_rate_text(enum bw_rate_key key);
/* Returns a rate per SM and clock cycle, in operations or bytes. Uses the rate's own clock, or else the
 * measured rate `clock`. Returns NAN if neither is known, or if the rate's unit is not one per second. */
double bw_rate_per_clock(const struct bw_rates *rates, enum bw_rate_key key);
/* Sets the fields of a device record from the measured rates of the same name. */
void bw_rates_into(const struct bw_rates *rates, struct bw_device *device);

/* Finds out why an output differs from the reference's. The schedule may be wrong; the program's output may
 * depend on how it is scheduled; or only the last bits are rounded differently. */
#include <stdlib.h>

#include "bench/bench_private.h"

/* Seconds for one compilation, or for one comparison. */
enum { QUESTION_SECONDS = 120 };

/* Compares an object with a reference, without timing. */
static bool compare(const struct bw_doubt *doubt, const char *object, const char *reference,
		    struct bw_measurement *measurement)
{
	struct bw_patience patience = {QUESTION_SECONDS, doubt->stop};
	struct bw_measure_request once = *doubt->what;
	struct bw_error ignored = {0};
	once.object = object;
	once.reference = reference;
	once.seconds = 0;
	once.emulation.counts = false;
	return object && reference &&
	       bw_measure(doubt->request->bench, &once, &patience, measurement, NULL, &ignored);
}

/* Compiles the generator with additional target features. Returns the object's path, or NULL on failure. */
static char *build(const struct bw_doubt *doubt, const char *features, enum bw_build what)
{
	struct bw_generator generator = *doubt->request->generator;
	const char *before = generator.features ? generator.features : "";
	struct bw_patience patience = {QUESTION_SECONDS, doubt->stop};
	struct bw_error ignored = {0};
	BW_SCOPED_TEXT all = {0};
	bw_text_printf(&all, "%s%s%s", before, *before && *features ? "-" : "", features);
	generator.features = bw_text_get(&all);
	return bw_generator_compile(&generator, doubt->request->places, &patience, what,
				    what == BW_BUILD_GPU ? doubt->request->directives : NULL, doubt->device,
				    &ignored);
}

/* Builds the second reference and compares it with the first one. It uses SIMD instructions that the first
 * one does not use, unless the processor lacks them. Returns its path. Returns NULL if it cannot be built or
 * run. */
static char *second_reference(const struct bw_doubt *doubt, struct bw_measurement *second)
{
	static const char *const features[] = {"sse41-avx-avx2-fma-f16c", ""};
	for (size_t k = 0; k < sizeof features / sizeof *features; k++) {
		char *object = build(doubt, features[k], BW_BUILD_SECOND);
		if (compare(doubt, object, doubt->what->reference, second))
			return object;
		free(object);
	}
	return NULL;
}

/* Returns true, and says so in the advice, if the output is right under strict_float. Without it, Halide may
 * simplify floating point: x + 128 - 128 becomes x if the sum is inlined. */
static bool right_strictly(const struct bw_doubt *doubt, struct bw_measurement *measurement)
{
	const char *features = doubt->request->generator->features;
	struct bw_measurement strictly = {0};
	if (!doubt->request->directives || (features && strstr(features, "strict_float")))
		return false;
	BW_SCOPED_MEMORY char *object = build(doubt, "strict_float", BW_BUILD_GPU),
			      *reference = object ? build(doubt, "strict_float", BW_BUILD_REFERENCE) : NULL;
	bool right = compare(doubt, object, reference, &strictly) && strictly.verdict != BW_OUTPUT_WRONG;
	if (right)
		snprintf(measurement->advice, sizeof measurement->advice,
			 "right with --target %s%sstrict_float: without it Halide rounds differently where Funcs are inlined",
			 features ? features : "", features && *features ? "-" : "");
	return right;
}

/* Compares the output of the generator's own schedule. Returns false if that is the measured schedule. */
static bool by_hand(const struct bw_doubt *doubt, struct bw_measurement *hand)
{
	BW_SCOPED_MEMORY char *object = doubt->request->directives ? build(doubt, "", BW_BUILD_OWN) : NULL;
	return compare(doubt, object, doubt->what->reference, hand);
}

/* Advises that another schedule, `who`, differs as much, with the bound that allows both. Returns false if
 * that bound would be more than a few last bits. */
static bool advise_bound(const struct bw_doubt *doubt, const char *who, const struct bw_measurement *other,
			 struct bw_measurement *measurement)
{
	char option[80];
	if (!bw_bound_propose(measurement, other, &doubt->request->bound, option, sizeof option))
		return false;
	snprintf(measurement->advice, sizeof measurement->advice,
		 "%s differs as much, in %lld points by at most %.4g; %s allows both", who,
		 (long long)other->mismatches, other->largest, option);
	return true;
}

/* Sets the verdict to UNSTABLE, and the advice to what may help. */
static void blame_program(const struct bw_doubt *doubt, const struct bw_measurement *second,
			  struct bw_measurement *measurement)
{
	char cure[sizeof measurement->advice] = "";
	if (right_strictly(doubt, measurement))
		snprintf(cure, sizeof cure, "; right with --target strict_float");
	measurement->verdict = BW_UNSTABLE;
	snprintf(measurement->advice, sizeof measurement->advice,
		 "two CPU schedules of it differ as well, in %lld points, where %s: look for NaN or values that nothing defines in what decides them%s",
		 (long long)second->mismatches, second->where, cure);
}

/* For a second reference that differs from the first: returns true if the measured output agrees with the
 * second one, or differs from the first as much as the generator's own schedule does. */
static bool is_excused(const struct bw_doubt *doubt, const char *second,
		       const struct bw_measurement *measurement)
{
	struct bw_measurement other = {0};
	return (compare(doubt, doubt->what->object, second, &other) && other.verdict != BW_OUTPUT_WRONG) ||
	       (by_hand(doubt, &other) && bw_differs_as_much(measurement, &other));
}

void bw_job_find_fault(const struct bw_doubt *doubt, struct bw_measurement *measurement)
{
	struct bw_measurement second = {0}, hand = {0};
	if (measurement->verdict != BW_OUTPUT_WRONG || strstr(measurement->where, "written outside"))
		return;
	BW_SCOPED_MEMORY char *reference = second_reference(doubt, &second);
	if (reference && second.verdict == BW_OUTPUT_WRONG &&
	    (bw_differs_as_much(measurement, &second) || is_excused(doubt, reference, measurement))) {
		char option[80];
		bool bits = bw_bound_propose(measurement, &second, &doubt->request->bound, option, sizeof option);
		if (!bits)
			blame_program(doubt, &second, measurement);
		else if (!right_strictly(doubt, measurement))
			advise_bound(doubt, "a second CPU schedule", &second, measurement);
	} else if (!(reference && second.verdict != BW_OUTPUT_WRONG && by_hand(doubt, &hand) &&
		     bw_differs_as_much(measurement, &hand) &&
		     advise_bound(doubt, "the generator's schedule by hand", &hand, measurement))) {
		right_strictly(doubt, measurement);
	}
}

/* Replaces the stored results in builds without SQLite. */
#include "results/results.h"

bool bw_results_built(void)
{
	return false;
}

static bool off(struct bw_error *error)
{
	return bw_fail(
	    error, BW_ERROR_FAILED,
	    "stored results are off: this beamwalk was built without SQLite (Debian: libsqlite3-dev)");
}

struct bw_results *bw_results_open(const char *path, bool make, int busy_ms, struct bw_text *notice,
				   struct bw_error *error)
{
	(void)path, (void)make, (void)busy_ms, (void)notice;
	off(error);
	return NULL;
}

void bw_results_close(struct bw_results *results)
{
	(void)results;
}

bool bw_results_add(struct bw_results *results, const struct bw_result *result, struct bw_text *notice,
		    struct bw_error *error)
{
	(void)results, (void)result, (void)notice;
	return off(error);
}

long bw_results_each(struct bw_results *results, const struct bw_results_filter *filter,
		     bw_results_visit *visit, void *data, struct bw_error *error)
{
	(void)results, (void)filter, (void)visit, (void)data;
	off(error);
	return -1;
}

long bw_results_forget(struct bw_results *results, const struct bw_results_filter *filter,
		       bw_results_visit *visit, void *data, struct bw_error *error)
{
	return bw_results_each(results, filter, visit, data, error);
}

long bw_results_count(struct bw_results *results, const struct bw_results_filter *filter,
		      struct bw_error *error)
{
	(void)results, (void)filter;
	off(error);
	return -1;
}

bool bw_results_schedule(struct bw_results *results, const char *hash, struct bw_text *text,
			 struct bw_error *error)
{
	(void)results, (void)hash, (void)text;
	return off(error);
}

bool bw_results_description(struct bw_results *results, const char *hash, struct bw_text *text,
			    struct bw_error *error)
{
	(void)results, (void)hash, (void)text;
	return off(error);
}

#include "schedulers/table.h"

#include <string.h>

static const struct bw_scheduler schedulers[] = {
#define X(name, paper, meaning, walk) {name, paper, meaning, walk},
	BW_SCHEDULER_TABLE(X)
#undef X
};

const struct bw_scheduler *bw_schedulers(int *n)
{
	*n = sizeof schedulers / sizeof *schedulers;
	return schedulers;
}

const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error)
{
	int n;
	struct bw_text names = {0};
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n; i++)
		if (!strcmp(name, all[i].name))
			return &all[i];
	for (int i = 0; i < n; i++)
		bw_text_printf(&names, "%s%s", i ? ", " : "", all[i].name);
	bw_fail(error, BW_ERROR_USAGE, "there is no scheduler \"%s\"; there are %s", name, bw_text_get(&names));
	bw_text_free(&names);
	return NULL;
}

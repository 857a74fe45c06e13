/* The weights of the learned cost model that tune trains: one file for each device, which the next tuning
 * starts from. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/tune.h"

/* Returns the path of a device's weights; free(). */
static char *path_of(const struct bw_program *program)
{
	struct bw_text path = {0};
	size_t before;
	bw_text_printf(&path, "%s/", program->layout.data);
	before = path.length;
	bw_text_printf(&path, "%s.weights", program->session->options.device->name);
	char *whole = bw_text_take(&path);
	for (char *c = whole + before; (c = strchr(c, '/'));)
		*c = '_';
	return whole;
}

bool bw_program_tune_start(const struct bw_program *program, struct bw_weights *weights,
			   struct bw_error *error)
{
	const struct bw_cost_model *given = program->session->options.weights;
	char *path = path_of(program);
	bool kept = !given && access(path, F_OK) == 0, good = true;
	if (given)
		*weights = given->learned->weights;
	else if (kept)
		good = bw_weights_read(path, weights, error);
	else
		bw_weights_draw(weights, program->session->options.seed);
	free(path);
	return good;
}

bool bw_program_tune_keep(struct bw_program *program, struct bw_text *said, struct bw_error *error)
{
	const struct bw_tuning *tuning = bw_session_tuning(program->session);
	const struct bw_weights *weights = bw_session_tuned_weights(program->session);
	/* Times of a file, or of another device, are not kept for the device that is searched for. */
	if (!weights || tuning->meter->file ||
	    strcmp(tuning->meter->device, tuning->options.device->name) != 0)
		return true;
	char *path = path_of(program);
	bool good = bw_weights_write(path, weights, error);
	if (good)
		bw_text_printf(said, "weights of the learned model, trained on %lld schedules: %s\n",
			       (long long)weights->origin.samples, path);
	free(path);
	return good;
}

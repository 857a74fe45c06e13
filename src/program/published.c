/* Prints the times that papers measured for a pipeline beside the predictions for the same GPU. */
#include "schedulers/published.h"

#include "program/program.h"
#include "session/opinions.h"

/* The state of a run of the command. */
struct telling {
	struct bw_program *program;
	struct bw_published *published;
	const char *pipeline;
	int n, capacity;
	struct predicted *list;
};

/* The predicted costs of the papers' schedulers for one device. */
struct predicted {
	const struct bw_device *device;
	struct bw_opinions *opinions;
};

/* Returns true if the paper has results of this system for the device. */
static bool has_device(const struct bw_published_paper *paper, const char *system, const char *device)
{
	for (int i = 0; i < paper->n_figures; i++)
		if (!strcmp(paper->figures[i].device, device) && !strcmp(paper->figures[i].system, system))
			return true;
	return false;
}

/* Runs the schedulers for which papers have results on the named device, and predicts the cost of their
 * schedules. Returns NULL if there is no record of the device. */
static const struct bw_opinions *predict(struct telling *telling, const char *name)
{
	static const atomic_bool never = false;
	struct bw_session *session = telling->program->session;
	struct bw_settings options = session->options;
	struct bw_error error;
	for (int i = 0; i < telling->n; i++)
		if (!strcmp(telling->list[i].device->name, name))
			return telling->list[i].opinions;
	options.device = bw_device_find(session->devices, session->n_devices, name);
	if (!options.device)
		return NULL;
	BW_SCOPED_NEST *hand = session->source.hand ? bw_report_nest(session, session->source.hand, &error) : NULL;
	struct bw_opinions *opinions =
	    bw_opinions_new(session->pipeline, &options, hand, "in the generator's C++ alone");
	for (int r = 0; r < opinions->n; r++) {
		struct bw_opinion *row = &opinions->list[r];
		row->skip = true;
		for (int p = 0; p < telling->published->n; p++)
			for (int s = 0; s < telling->published->papers[p].n_systems; s++) {
				const struct bw_published_paper *paper = &telling->published->papers[p];
				row->skip &= strcmp(paper->systems[s].scheduler, row->name) ||
					     !has_device(paper, paper->systems[s].name, name);
			}
	}
	while (bw_opinions_next(opinions, &never))
		continue;
	BW_PUSH(telling->list, telling->n, telling->capacity, (struct predicted){options.device, opinions});
	return opinions;
}

/* Returns the prediction for a system's schedule. Returns NULL if there is none. */
static const struct bw_opinion *row_of(const struct bw_opinions *opinions,
				       const struct bw_published_system *system)
{
	int row = opinions ? bw_opinions_find(opinions, system->scheduler) : -1;
	return row >= 0 && opinions->list[row].schedule ? &opinions->list[row] : NULL;
}

/* Returns the time of a system on a device, or NULL. */
static const struct bw_published_figure *time_of(const struct bw_published_paper *paper, const char *pipeline,
						 const char *system, const char *device)
{
	for (int i = 0; i < paper->n_figures; i++) {
		const struct bw_published_figure *figure = &paper->figures[i];
		if (!strcmp(figure->pipeline, pipeline) && !strcmp(figure->system, system) &&
		    !strcmp(figure->device, device) && !strcmp(figure->quantity, "time"))
			return figure;
	}
	return NULL;
}

/* Returns the device of a figure if no earlier figure of the paper is for the same device. Otherwise
 * returns NULL. */
static const char *new_device(const struct bw_published_paper *paper, int index)
{
	const char *device = paper->figures[index].device;
	for (int i = 0; i < index; i++)
		if (!strcmp(paper->figures[i].device, device))
			return NULL;
	return strcmp(device, "-") ? device : NULL;
}

static void print_device(struct telling *telling, const struct bw_published_paper *paper, const char *device,
			 struct bw_text *out)
{
	const struct bw_opinions *opinions = predict(telling, device);
	bw_text_printf(out, "  %-16s %12s  predicted here\n", device, "paper, ms");
	for (int s = 0; s < paper->n_systems; s++) {
		const struct bw_published_system *system = &paper->systems[s];
		const struct bw_published_figure *figure = time_of(paper, telling->pipeline, system->name, device);
		const struct bw_opinion *row = row_of(opinions, system);
		if (!has_device(paper, system->name, device))
			continue;
		bw_text_printf(out, "    %-14s ", system->name);
		if (figure)
			bw_text_printf(out, "%12g", figure->value);
		else
			bw_text_printf(out, "%12s", "-");
		if (row)
			bw_text_printf(out, "  %.3g ms by %s", row->costs[0].cost, row->name);
		else
			bw_text_printf(out, "  - by %s", system->scheduler);
		if (figure)
			bw_text_printf(out, "  (%s, %s %s)", figure->where, figure->name, figure->size);
		bw_text_puts(out, "\n");
	}
}

/* Returns true if a figure is about the pipeline but not in a table of times. */
static bool is_other(const struct telling *telling, const struct bw_published_figure *figure)
{
	return !strcmp(figure->pipeline, telling->pipeline) &&
	       (strcmp(figure->quantity, "time") || !strcmp(figure->device, "-"));
}

static bool tells_of(const struct bw_published_paper *paper, const char *pipeline)
{
	for (int i = 0; i < paper->n_figures; i++)
		if (!strcmp(paper->figures[i].pipeline, pipeline))
			return true;
	return false;
}

/* Appends the names and descriptions of a paper's systems. */
static void print_systems(const struct bw_published_paper *paper, struct bw_text *out)
{
	for (int s = 0; s < paper->n_systems; s++)
		bw_text_printf(out, "  %s (%s%s): %s\n", paper->systems[s].name,
			       strcmp(paper->systems[s].scheduler, "-") ? "here " : "none here",
			       strcmp(paper->systems[s].scheduler, "-") ? paper->systems[s].scheduler : "",
			       paper->systems[s].meaning);
}

static void print_paper(struct telling *telling, const struct bw_published_paper *paper, struct bw_text *out)
{
	bw_text_printf(out, "\n%s, %s\n", paper->name, paper->title);
	for (int i = 0; i < paper->n_figures; i++)
		if (new_device(paper, i))
			print_device(telling, paper, paper->figures[i].device, out);
	for (int i = 0; i < paper->n_figures; i++) {
		const struct bw_published_figure *figure = &paper->figures[i];
		if (is_other(telling, figure))
			bw_text_printf(out, "  %s, %s%s%s: %s %g%s%s\n", figure->where, figure->system,
				       strcmp(figure->device, "-") ? ", " : "",
				       strcmp(figure->device, "-") ? figure->device : "", figure->quantity,
				       figure->value, *figure->unit ? " " : "", figure->unit);
	}
	print_systems(paper, out);
}

static json_t *figure_json(const struct bw_published_figure *figure)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f}", "where", figure->where, "name", figure->name,
			 "size", figure->size, "device", figure->device, "system", figure->system, "quantity",
			 figure->quantity, "unit", figure->unit, "value", figure->value);
}

static json_t *predicted_json(struct telling *telling, const struct bw_published_paper *paper)
{
	json_t *list = json_array();
	for (int i = 0; i < paper->n_figures; i++) {
		const char *device = new_device(paper, i);
		const struct bw_opinions *opinions = device ? predict(telling, device) : NULL;
		for (int s = 0; s < paper->n_systems && opinions; s++) {
			const struct bw_opinion *row = row_of(opinions, &paper->systems[s]);
			if (row && has_device(paper, paper->systems[s].name, device))
				json_array_append_new(
				    list, json_pack("{s:s, s:s, s:s, s:f, s:f}", "device", device, "system",
						    paper->systems[s].name, "scheduler", row->name, "ms",
						    row->costs[0].cost, "scheduling_seconds", row->seconds));
		}
	}
	return list;
}

/* Returns a paper as JSON. If the pipeline is NULL, includes all figures of the paper, and no predictions. */
static json_t *paper_json(struct telling *telling, const struct bw_published_paper *paper)
{
	json_t *systems = json_array(), *figures = json_array();
	for (int s = 0; s < paper->n_systems; s++)
		json_array_append_new(systems, json_pack("{s:s, s:s, s:s}", "system", paper->systems[s].name,
							 "scheduler", paper->systems[s].scheduler, "meaning",
							 paper->systems[s].meaning));
	for (int i = 0; i < paper->n_figures; i++)
		if (!telling->pipeline || !strcmp(paper->figures[i].pipeline, telling->pipeline))
			json_array_append_new(figures, figure_json(&paper->figures[i]));
	json_t *object = json_pack("{s:s, s:s, s:o, s:o}", "paper", paper->name, "title", paper->title, "systems",
				   systems, "figures", figures);
	if (telling->pipeline)
		json_object_set_new(object, "predicted", predicted_json(telling, paper));
	return object;
}

static void tell_json(struct telling *telling, struct bw_text *out)
{
	json_t *papers = json_array();
	for (int p = 0; p < telling->published->n; p++) {
		const struct bw_published_paper *paper = &telling->published->papers[p];
		if (!telling->pipeline || tells_of(paper, telling->pipeline))
			json_array_append_new(papers, paper_json(telling, paper));
	}
	const struct bw_session *session = telling->program->session;
	json_t *all = json_pack("{s:i, s:s*, s:s*, s:o}", "beamwalk-published", 1, "pipeline", telling->pipeline,
				"size", session ? session->source.size : NULL, "papers", papers);
	bw_json_put_line(out, all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}

static void list_papers(const struct telling *telling, struct bw_text *out)
{
	for (int p = 0; p < telling->published->n; p++) {
		const struct bw_published_paper *paper = &telling->published->papers[p];
		bw_text_printf(out, "%s%s, %s: %d figures", p ? "\n" : "", paper->name, paper->title,
			       paper->n_figures);
		for (int i = 0; i < paper->n_figures; i++)
			if (new_device(paper, i))
				bw_text_printf(out, ", %s", paper->figures[i].device);
		bw_text_puts(out, "\n");
		print_systems(paper, out);
	}
}

static bool tell(struct telling *telling, struct bw_text *out, struct bw_error *error)
{
	const struct bw_session *session = telling->program->session;
	int n = 0;
	for (int p = 0; p < telling->published->n && telling->pipeline; p++)
		n += tells_of(&telling->published->papers[p], telling->pipeline);
	if (telling->pipeline && !n)
		return bw_fail(error, BW_ERROR_USAGE,
			       "no paper has figures of %s; `beamwalk published` lists the papers",
			       telling->pipeline);
	if (telling->program->arguments.json) {
		tell_json(telling, out);
		return true;
	}
	if (!telling->pipeline) {
		list_papers(telling, out);
		return true;
	}
	bw_text_printf(out, "%s %s; predicted by the roofline for this size, whatever the paper's\n",
		       telling->pipeline, session->source.size);
	for (int p = 0; p < telling->published->n; p++)
		if (tells_of(&telling->published->papers[p], telling->pipeline))
			print_paper(telling, &telling->published->papers[p], out);
	return true;
}

bool bw_program_published(struct bw_program *program, struct bw_error *error)
{
	struct telling telling = {.program = program};
	BW_SCOPED_TEXT out = {0};
	telling.published = bw_published_read(program->layout.published, error);
	if (!telling.published)
		return false;
	bool good = !program->arguments.pipeline || bw_program_open(program, error);
	if (good && program->session)
		telling.pipeline = program->session->pipeline->name;
	good = good && tell(&telling, &out, error) && bw_program_put(program, &out, error);
	for (int i = 0; i < telling.n; i++)
		bw_opinions_free(telling.list[i].opinions);
	free(telling.list);
	bw_published_free(telling.published);
	return good;
}

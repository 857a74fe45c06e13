#include "ui/view.h"

#include "base/say.h"
#include "session/explain.h"
#include "ui/glyph.h"

const char *bw_scene_text(const struct bw_scene *scene, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return bw_arena_strdup(scene->arena, text);
}

static const struct bw_option *find_option(const struct bw_expansion *expansion, int number)
{
	for (int i = 0; expansion && i < expansion->n; i++)
		if (expansion->options[i].number == number)
			return &expansion->options[i];
	return NULL;
}

void bw_scene_make(struct bw_scene *scene, struct bw_session *session, struct bw_arena *arena)
{
	*scene = (struct bw_scene){.session = session,
				   .pipeline = session->pipeline,
				   .search = session->search,
				   .options = &session->options,
				   .arena = arena};
	scene->n_decisions = bw_search_n_decisions(scene->session->search);
	scene->n_states = bw_search_beam(scene->session->search, session->cursor, &scene->beam);
	scene->state = bw_session_state(session);
	scene->cost = scene->state ? bw_session_cost(session) : NULL;
	const struct bw_pass pass = bw_explain_pass_at(session, session->cursor);
	scene->pass = pass.number;
	scene->several = bw_explain_several(session);
	scene->first = pass.begin;
	scene->end = pass.end;
	bool asks = session->cursor < scene->end;
	scene->decision = asks ? bw_search_decision(scene->session->search, session->cursor) : NULL;
	scene->expansion = scene->state && scene->decision ? bw_session_expansion_soon(session) : NULL;
	scene->option = find_option(scene->expansion, session->selection.option);
	scene->replay = bw_session_replay(session);
	scene->complete = scene->state && bw_nest_complete(scene->state->nest);
	if (!scene->state)
		return;
	scene->kernels = bw_kernel_facts(scene->state->nest, bw_search_device(session->search),
				       bw_session_uses(session, scene->state->nest), scene->cost, arena, &scene->n_kernels);
}

const struct bw_placed *bw_scene_placed(const struct bw_scene *scene, int func)
{
	return scene->state && func >= 0 ? scene->state->nest->placed[func] : NULL;
}

bool bw_scene_changed(const struct bw_scene *scene, int func)
{
	return scene->marks && func >= 0 && bw_session_changed(scene->session, func);
}

struct bw_row bw_scene_row(const struct bw_scene *scene, int func)
{
	return (struct bw_row){.kind = BW_ROW_FUNC, .index = func, .changed = bw_scene_changed(scene, func)};
}

const char *bw_scene_short(const struct bw_scene *scene, int func, int columns)
{
	char name[256];
	bw_glyph_shorten(scene->pipeline->funcs[func].name, columns, name, sizeof name);
	return bw_scene_text(scene, "%s", name);
}

const char *bw_scene_held(const struct bw_scene *scene, int func)
{
	const struct bw_constraint *constraint = bw_session_constraint(scene->session, func);
	return !constraint ? "" : constraint->source == BW_CONSTRAINT_SEARCH ? "f" : "F";
}

const char *bw_scene_name(const struct bw_scene *scene, int func)
{
	const char *name = scene->pipeline->funcs[func].name;
	const char *held = bw_scene_held(scene, func);
	return *held ? bw_scene_text(scene, "%s %s", name, held) : name;
}

const char *bw_scene_words(const struct bw_scene *scene, const struct bw_placement *placement)
{
	if (!placement)
		return "as it is";
	BW_SCOPED_TEXT words = {0};
	bw_placement_words(scene->pipeline, placement, &words);
	const char *text = bw_text_get(&words), *name = scene->pipeline->funcs[placement->func].name;
	size_t length = strlen(name);
	if (strncmp(text, name, length) == 0 && text[length] == ' ')
		text += length + 1;
	char *kept = bw_arena_strdup(scene->arena, text);
	return kept;
}

const char *bw_scene_words_within(const struct bw_scene *scene, const struct bw_placement *placement,
				  int columns)
{
	const char *words = bw_scene_words(scene, placement);
	if (placement && placement->compute.kind == BW_SITE_AT && bw_glyph_columns(words) > columns)
		words += strlen("at ");
	if (placement && placement->compute.kind == BW_SITE_AT && bw_glyph_columns(words) > columns)
		words += strlen(scene->pipeline->funcs[placement->compute.func].name) + 1;
	if (placement && placement->compute.kind == BW_SITE_ROOT && bw_glyph_columns(words) > columns &&
	    strncmp(words, "root ", 5) == 0)
		words += strlen("root ");
	return words;
}

const char *bw_scene_label(const struct bw_scene *scene, const struct bw_option *option)
{
	if (option->bucket >= 0 && option->bucket < 26)
		return bw_scene_text(scene, "%c%d", 'A' + option->bucket, option->member);
	if (option->bucket >= 0)
		return bw_scene_text(scene, "%c%c%d", 'A' + (option->bucket / 26 - 1) % 26,
				     'A' + option->bucket % 26, option->member);
	return bw_scene_text(scene, "#%d", option->number);
}

const char *bw_scene_decision(const struct bw_scene *scene, int index)
{
	BW_SCOPED_TEXT name = {0};
	bw_session_decision_name(scene->session, index, &name);
	return bw_scene_text(scene, "%s", bw_text_get(&name));
}

const char *bw_scene_pass(const struct bw_scene *scene, int pass)
{
	return pass ? bw_scene_text(scene, "pass %d", pass) : "the pre-pass";
}

const char *bw_scene_all_made(const struct bw_scene *scene)
{
	const char *of = scene->pass && bw_settings_passes(&scene->session->options) > 1
			     ? bw_scene_text(scene, " of %d", bw_settings_passes(&scene->session->options))
			     : "";
	return scene->several ? bw_scene_text(scene, "DECISION: all of %s%s are made",
					      bw_scene_pass(scene, scene->pass), of)
			      : "DECISION: all are made";
}

const char *bw_scene_fate(const struct bw_scene *scene, const struct bw_option *option)
{
	bool ruled = (option->fate == BW_FATE_PRUNED || option->fate == BW_FATE_SECOND_CHOICE) &&
		     option->rule != BW_RULE_NONE;
	const char *fate = ruled                                            ? bw_rule_name(option->rule)
			   : option->pinned && option->fate == BW_FATE_KEPT ? "pinned"
									    : bw_fate_name(option->fate);
	const struct bw_child *child = option->rank < 0 ? NULL : bw_decision_child(scene->decision, option->rank);
	if (child && child->penalty > 1)
		return bw_scene_text(scene, "%s ×%d", fate, child->penalty);
	if (!child)
		return option->rank < 0 ? fate : bw_scene_text(scene, "%s, %s", fate, bw_say_rank(option->rank).text);
	int twin = option->fate == BW_FATE_DROPPED ? bw_option_twin(scene->session, option) : -1;
	if (twin >= 0)
		return bw_scene_text(scene, "same as %s", bw_say_rank(twin).text);
	return bw_scene_text(
	    scene, "%s, %s", fate,
	    bw_say_rank(child->kept >= 0 ? child->kept : bw_child_place(scene->decision, child)).text);
}

enum bw_style bw_fate_style(enum bw_fate fate)
{
	static const enum bw_style styles[BW_N_FATES] = {
	    [BW_FATE_PRUNED] = BW_STYLE_PRUNED,       [BW_FATE_UNSAMPLED] = BW_STYLE_DIM,
	    [BW_FATE_SECOND_CHOICE] = BW_STYLE_DIM,   [BW_FATE_COSTED] = BW_STYLE_NORMAL,
	    [BW_FATE_KEPT] = BW_STYLE_KEPT,           [BW_FATE_DROPPED] = BW_STYLE_DROPPED,
	    [BW_FATE_DROPPED_OUT] = BW_STYLE_DROPPED,
	};
	return styles[fate];
}

double bw_scene_func_cost(const struct bw_scene *scene, int func)
{
	double cost = 0;
	const struct bw_func *about = &scene->pipeline->funcs[func];
	for (int stage = 0; scene->cost && stage < about->n_stages; stage++)
		cost += scene->cost->stages[about->first_stage + stage].ms;
	return cost;
}

double bw_scene_share(const struct bw_scene *scene, int func)
{
	return scene->cost && scene->cost->total > 0 ? bw_scene_func_cost(scene, func) / scene->cost->total : 0;
}

double bw_scene_kernel_share(const struct bw_scene *scene, const struct bw_kernel *kernel)
{
	if (!scene->cost || !(scene->cost->total > 0))
		return 0;
	double cost = scene->cost->stages[scene->pipeline->funcs[kernel->func].first_stage + kernel->stage].ms;
	for (int i = 0; i < kernel->n_members; i++)
		if (kernel->members[i] != kernel->func)
			cost += bw_scene_func_cost(scene, kernel->members[i]);
	return cost / scene->cost->total;
}

bool bw_scene_spills(const struct bw_scene *scene, const struct bw_state *state)
{
	const struct bw_kernel_uses *uses = scene->complete ? bw_session_uses(scene->session, state->nest) : NULL;
	for (int k = 0; uses && k < uses->n; k++)
		if (bw_kernel_spills(&uses->list[k]))
			return true;
	return false;
}

double bw_scene_recompute(const struct bw_placed *placed)
{
	return placed->minimum_points > 0 ? placed->points / placed->minimum_points : 1;
}

double bw_scene_waves(const struct bw_scene *scene, const struct bw_kernel *kernel,
		      const struct bw_occupancy *occupancy)
{
	double at_once = (double)occupancy->blocks_per_sm * bw_search_device(scene->session->search)->sms;
	return at_once > 0 ? kernel->n_blocks / at_once : 0;
}

const char *bw_scene_so_far(const struct bw_scene *scene)
{
	return scene->complete ? "" : "so far";
}

const char *bw_scene_key(const struct bw_scene *scene, const char *line)
{
	char key[BW_KEY_NAME_SIZE];
	bw_key_of(scene->keymap, line, key);
	return *key ? bw_scene_text(scene, "%s", key) : bw_scene_text(scene, ":%s", line);
}

const char *bw_scene_keys(const struct bw_scene *scene, const char *text)
{
	struct bw_text out = {0};
	bw_keys_write(scene->keymap, text, &out);
	return bw_text_keep(&out, scene->arena);
}

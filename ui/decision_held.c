/* Constraints of the user and the search on the Func of the decision. */
#include "session/explain.h"
#include "ui/decision.h"

/* Draws what is rejected and pinned. */
static void draw_marks(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_text words = {0};
	bw_marks_words(scene->session, scene->decision->func, &words);
	if (words.length)
		bw_sheet_wrap(sheet, BW_STYLE_MARK, bw_text_get(&words));
	bw_text_free(&words);
}

void bw_decision_draw_held(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	draw_marks(scene, sheet);
	const struct bw_constraint *constraint = bw_session_constraint(scene->session, scene->decision->func);
	if (!constraint)
		return;
	struct bw_text words = {0};
	const char *held = bw_scene_held(scene, scene->decision->func);
	bw_text_printf(&words, "%s %s: %s", held, bw_constraint_words(constraint),
		       bw_scene_words(scene, constraint->placement));
	if (*scene->expansion->let_go)
		bw_text_printf(&words, ", but let go here: %s", scene->expansion->let_go);
	else if (constraint->source == BW_CONSTRAINT_SEARCH) {
		bw_text_puts(&words, "; ");
		bw_frozen_words(scene->session, bw_session_frozen(scene->session, scene->decision->func), &words);
	}
	bw_sheet_wrap(sheet, BW_STYLE_MARK, bw_text_get(&words));
	bw_text_free(&words);
}

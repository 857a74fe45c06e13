/* The split of a stage's cost over what is inlined into it: on harris, where Sxx is a sum of nine calls of Ixx, and Ixx is a square of Ix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figures/attribution.h"
#include "session_test.h"

static void parts_of_a_stage(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	free(session_do(session, "apply {output root 1x4/32x8 | trace inline | det inline | Sxx root 1x4/32x8 | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix root 1x4/32x8 | Iy root 1x4/32x8 | Y root 1x4/32x8 | input_im inline}"));
	free(session_do(session, "run end"));
	const struct bw_nest *nest = bw_session_state(session)->nest;
	const struct bw_cost *cost = bw_session_cost(session);
	int n, sxx = bw_pipeline_find(session->pipeline, "Sxx"), ixx = bw_pipeline_find(session->pipeline, "Ixx");
	const struct bw_stage_cost *stage = &cost->stages[session->pipeline->funcs[sxx].first_stage];
	struct bw_part *parts = bw_parts_of(nest, sxx, 0, session->options.model, stage, session->options.device, arena, &n);
	assert_int_equal(n, 2);
	double sum = 0;
	for (int i = 0; i < n; i++) {
		sum += parts[i].ms;
		assert_true(parts[i].ms >= 0 && parts[i].calls == (parts[i].func == ixx ? 9 : 1));
	}
	assert_true(fabs(sum / stage->ms - 1) < 1e-12);
	/* Sxx adds nine squares of Ixx: the arithmetic is all spent, on nine products at least. */
	int n_spent;
	const struct bw_spent *spent = bw_spent_of(nest, sxx, 0, stage, session->options.device, arena, &n_spent);
	double all = 0, products = 0;
	for (int i = 0; i < n_spent; i++) {
		all += spent[i].ms;
		products += spent[i].operation == BW_OPERATION_MUL ? spent[i].count : 0;
		assert_true(i == 0 || spent[i].ms <= spent[i - 1].ms);
	}
	assert_true(n_spent > 1 && fabs(all / stage->terms[BW_TERM_ARITHMETIC] - 1) < 1e-12 && products >= 9);
	/* All loads are Ixx's, which reads Ix; a Func without anything inlined has its cost alone. */
	double loading = stage->terms[BW_TERM_GLOBAL_LOAD];
	assert_true(parts[parts[0].func == ixx ? 0 : 1].ms > loading && loading > 0);
	int ix = bw_pipeline_find(session->pipeline, "Ix");
	stage = &cost->stages[session->pipeline->funcs[ix].first_stage];
	parts = bw_parts_of(nest, ix, 0, session->options.model, stage, session->options.device, arena, &n);
	assert_int_equal(n, 1);
	assert_true(parts[0].func == ix && fabs(parts[0].ms / stage->ms - 1) < 1e-12);
	bw_arena_free(arena);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_stage),
	};
	return cmocka_run_group_tests_name("attribution", tests, session_group_open, session_group_close);
}

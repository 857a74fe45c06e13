/* report: searches, and writes a page of HTML on the best schedule. */
#include "page/page.h"
#include "program/program.h"
#include "results/results.h"

bool bw_program_report(struct bw_program *program, struct bw_error *error)
{
	struct bw_text page = {0};
	bool good = bw_program_open(program, error) && bw_program_search(program->session, error) &&
		    (!bw_results_built() || bw_program_line(program->session, "measured", error)) &&
		    bw_page_write(program->session, &page, error) && bw_program_put(program, &page, error);
	bw_text_free(&page);
	return good;
}

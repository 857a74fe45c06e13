/* A session on the description of harris, for tests of what is drawn. */
#pragma once
#include "session/session.h"
#include "ui/screen.h"

struct made {
	struct bw_device *devices;
	struct bw_session *session;
	struct bw_screen *screen;
	struct bw_grid grid;
};

/* Fails the test where the source folder ($BW_SRC) has no description, or the device is not known. */
struct made *made_new(const char *pipeline, const char *device, bool ascii);
/* A screen around a session that is made already; made_free frees that, too. */
struct made *made_around(struct bw_session *session, bool ascii);
void made_free(struct made *made);
/* Runs a line, and what it began to its end. Fails the test on an error. */
void made_run(struct made *made, const char *line);
/* Runs what was begun to its end, but for what nobody asked for. */
void made_finish(struct made *made);
/* Presses a key: its request is done, and what it began runs to its end. */
void made_press(struct made *made, uint32_t code);
/* Draws at a size, with all that is found in the background where nothing else is under way, and returns the
 * text; owned by the caller. */
char *made_draw(struct made *made, int columns, int rows);
/* Replaces all matches of an extended regular expression by `#`. */
void made_mask(char *text, const char *pattern);
/* Masks the seconds that a search took, which are never the same twice. */
void made_without_times(char *text);

/* Gives the selected state of harris code and counts that were taken of the schedule by hand before. otherwise: with other instructions in the places of some, and two
 * that have changed places; else they fit each other, and all of it is told. */
void made_add_code(struct made *made, bool otherwise);
/* Applies the schedule of data/descriptions to harris, and adds that. */
void made_show_code(struct made *made);

/* A schedule of harris by hand: 32x32 points a block, with the derivatives in shared memory. */
#define HARRIS_TILED \
	"apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix at output.block 1x2 | Iy at output.block 1x2 | Y root 1x4/32x8 | input_im inline}"

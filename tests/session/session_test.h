/* A session on the description of blur, and what is asked of it. */
#pragma once
#include "session/session.h"

/* A session with a beam of 4 on blur, at position 0; a folder of its own for files, removed at the end. */
struct bw_session *session_open(void);
/* The same on another bundled description, and with sampling. */
struct bw_session *session_open_on(const char *pipeline, int beam);
/* The same on a bundled generator, where that is built: its schedules can be compiled, and run where there is a device. Else as above. */
struct bw_session *session_open_built(const char *pipeline, int beam);
/* Whether it can, on a device that is no CPU: such a one takes its time. BW_TEST_CPU=1 in the environment: on any. */
bool session_measures(struct bw_session *session);
void session_close(struct bw_session *session);
/* Reads the devices; for the group's set-up and teardown. */
int session_group_open(void **state);
int session_group_close(void **state);
/* Runs a line and all that it begins; fails the test where it fails. What it prints. The caller's to free(). */
char *session_do(struct bw_session *session, const char *line);
/* Runs a line that must fail; error gets why. */
void session_refuses(struct bw_session *session, const char *line, struct bw_error *error);
/* Goes on until nothing is under way. */
void session_settle(struct bw_session *session);
/* All that matters of a session, as text: place, selection, settings, constraints, beams with hashes and costs in full. The caller's to free(). */
char *session_fingerprint(struct bw_session *session);
/* The path of a file of that name in the folder of this test; one buffer for each of a few calls. */
const char *session_path(const char *name);
void session_write(const char *name, const char *text);
char *session_read(const char *name);

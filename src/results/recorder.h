/* Stores results in a thread of its own, so that nobody waits for the disk or for another program. What cannot be stored stays in
 * memory and is tried again. */
#ifndef BW_RESULTS_RECORDER_H
#define BW_RESULTS_RECORDER_H
#include "results/results.h"

struct bw_recorder;
/* Begins to record into the file. The thread opens it when the first result comes. busy_ms: how long it waits for another program that
 * writes, before it says that this one is not stored; again_ms: until what was not stored is tried again. */
struct bw_recorder *bw_recorder_new(const char *path, int busy_ms, int again_ms);
/* Takes over a copy (bw_result_copy) and stores it soon. */
void bw_recorder_add(struct bw_recorder *recorder, struct bw_result *result);
/* Appends what is to be said since the last call, a line each: that something cannot be stored, and why; that it was in the end.
 * Never waits. Returns how many results are not stored yet. */
int bw_recorder_poll(struct bw_recorder *recorder, struct bw_text *said);
/* A file descriptor that becomes readable when there is something to say, and stays so until bw_recorder_poll. */
int bw_recorder_fd(const struct bw_recorder *recorder);
/* Tries once more to store what is left, then writes it beside the file, where a later run takes it in, and ends; said gets what is
 * to be said. What cannot be written at all is said itself, as a line of JSON each. NULL is fine. */
bool bw_recorder_end(struct bw_recorder *recorder, struct bw_text *said);
#endif

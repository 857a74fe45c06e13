/* Stores results in a thread of its own, so that nobody waits for the disk or for another program. Results
 * that cannot be stored stay in memory and are tried again. */
#ifndef BW_RESULTS_RECORDER_H
#define BW_RESULTS_RECORDER_H
#include "results/results.h"

struct bw_recorder;
/* Returns a recorder for the file, which its thread opens when the first result arrives. busy_ms: how long
 * to wait for another program that writes before reporting a failure. again_ms: how long to wait before
 * trying a failed result again. */
struct bw_recorder *bw_recorder_new(const char *path, int busy_ms, int again_ms);
/* Stores a copy (bw_result_copy) soon, and takes ownership of it. */
void bw_recorder_add(struct bw_recorder *recorder, struct bw_result *result);
/* Appends news since the last call, one per line: failures to store with their reasons, and late
 * successes. Never waits. Returns the number of results that are not stored yet. */
int bw_recorder_poll(struct bw_recorder *recorder, struct bw_text *said);
/* Returns a file descriptor that is readable while there are news for bw_recorder_poll. */
int bw_recorder_fd(const struct bw_recorder *recorder);
/* Tries once more to store the rest, writes what remains beside the file for a later run to store, and
 * frees the recorder. Appends news to said, and results that cannot be written at all as one line of JSON
 * each. Accepts NULL. */
bool bw_recorder_end(struct bw_recorder *recorder, struct bw_text *said);
#endif

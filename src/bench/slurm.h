/* Slurm: an array of jobs that share a folder with beamwalk. Each request is a file in the folder; a job
 * claims it by renaming it. Answers are files, too. So neither side needs to know whether the other one runs.
 * If a job, a node, the controller or beamwalk itself is lost, the next one repeats the lost work or finds
 * its answers. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "bench/protocol.h"

/* The folder. queue/NAME: a request. claimed/NAME@JOB_TASK: a request that a job works on. results/NAME: the
 * answers to a request. contents/NAME: a shared object. log/: output of the jobs. job: the script that the
 * jobs run. end: tells the jobs to end. A request's name is the hash of its content, so a repeated request
 * finds the existing answers. */
struct bw_slurm;
/* Makes the folder. options: for sbatch, as words of sh. bench: the file of the worker that the jobs run; a
 * job where that file is missing runs beamwalk-bench from its PATH. Returns NULL with an error if the folder
 * cannot be used. */
struct bw_slurm *bw_slurm_open(const char *folder, const char *options, const char *bench,
			       struct bw_error *error);
/* Closes the folder. If `end` is set, the jobs end after their current requests; otherwise they go on. */
void bw_slurm_close(struct bw_slurm *slurm, bool end);
/* Copies a shared object into the folder. Sets *path to the path of the copy, for requests; free(). */
bool bw_slurm_content(struct bw_slurm *slurm, const char *object, char **path, struct bw_error *error);
/* Puts a request into the queue, unless it is already queued, claimed or answered. Sets its name. */
bool bw_slurm_put(struct bw_slurm *slurm, const char *request, char name[BW_CONTENT_NAME],
		  struct bw_error *error);
/* Removes a request from the queue if no job has claimed it. */
void bw_slurm_withdraw(struct bw_slurm *slurm, const char *name);
/* Reads the answers to a request and removes their file. Returns false if there are none yet. */
bool bw_slurm_take(struct bw_slurm *slurm, const char *name, struct bw_text *answers);
/* Checks the jobs. Puts requests back into the queue that are claimed by a job that no longer runs, and
 * submits an array of jobs if there is none. Waits for Slurm's commands, but not for jobs. Appends one line
 * per event to *news. Returns false with an error if arrays repeatedly end without having done anything. */
bool bw_slurm_look_after(struct bw_slurm *slurm, struct bw_text *news, struct bw_error *error);
/* The text of the script that jobs run. */
extern const char bw_slurm_job[];

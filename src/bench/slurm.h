/* Slurm: an array of jobs that share a folder with beamwalk. Requests are files of it, which the jobs claim
 * by renaming them; answers are files, too. So neither needs to know whether the other runs, and whatever is
 * lost, a job, a node, the controller or beamwalk itself, is done again or found by the next one. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "bench/protocol.h"

/* The folder: queue/NAME is a request, claimed/NAME@JOB_TASK one that a job works on, results/NAME its
 * answers, contents/NAME a shared object, log/ what jobs print, job the script that they run, end has them
 * end. A request's name is that of its content: the same one again finds the answers that there are. */
struct bw_slurm;
/* options: of sbatch, as words of sh. bench: the worker that jobs run where there is such a file; else
 * beamwalk-bench from their PATH. Makes the folder. Returns NULL with an error if it cannot be used. */
struct bw_slurm *bw_slurm_open(const char *folder, const char *options, const char *bench,
			       struct bw_error *error);
/* Has the jobs end once they have done what they work on, if `end`; else they go on. */
void bw_slurm_close(struct bw_slurm *slurm, bool end);
/* Puts a copy of a shared object into the folder. *path becomes its path there, as requests name it; free().
 */
bool bw_slurm_content(struct bw_slurm *slurm, const char *object, char **path, struct bw_error *error);
/* Puts a request into the queue, unless it is there, or claimed, or answered. Sets its name. */
bool bw_slurm_put(struct bw_slurm *slurm, const char *request, char name[BW_CONTENT_NAME],
		  struct bw_error *error);
/* Takes a request out of the queue if no job has claimed it. */
void bw_slurm_withdraw(struct bw_slurm *slurm, const char *name);
/* Reads the answers to a request, and removes their file. Returns false if there are none yet. */
bool bw_slurm_take(struct bw_slurm *slurm, const char *name, struct bw_text *answers);
/* Looks at the jobs: gives back what a job has claimed that does not run any more, and submits an array if
 * there is none. Waits for Slurm's commands, but for no job. Returns false with an error once arrays end
 * without having done anything. What there is to say is appended to *news, a line each. */
bool bw_slurm_look_after(struct bw_slurm *slurm, struct bw_text *news, struct bw_error *error);
/* The text of the script that jobs run. */
extern const char bw_slurm_job[];

/* Fuzzes what Slurm's commands print. Whatever squeue says, a request that a job has claimed is either still claimed or in the queue again; what sbatch says is told in a
 * plain line. Of an input squeue prints what stands before a bar, sbatch what stands behind it. */
#include <sys/stat.h>

#include "bench/slurm.h"
#include "fuzz.h"

static void put_script(const char *path, const char *text)
{
	fuzz_write(path, (const uint8_t *)text, strlen(text));
	expect(chmod(path, 0755) == 0, "a script");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct bw_slurm *slurm;
	struct bw_error error = {0};
	struct bw_text news = {0};
	if (!slurm) {
		put_script("squeue", "#!/bin/sh\ncat said\n");
		put_script("sbatch", "#!/bin/sh\ncat told\n");
		char path[256];
		snprintf(path, sizeof path, "%s:%s", fuzz_folder, getenv("PATH"));
		setenv("PATH", path, 1);
		slurm = bw_slurm_open("slurm", "", NULL, &error);
		expect(slurm, error.text);
	}
	const uint8_t *split = length ? memchr(bytes, '|', length) : NULL;
	size_t said = split ? (size_t)(split - bytes) : length, told = split ? said + 1 : length;
	fuzz_write("said", bytes, said);
	fuzz_write("told", bytes + told, length - told);
	fuzz_write("slurm/claimed/00000000000000000000000000000000@12_1", (const uint8_t *)"{}", 2);
	unlink("slurm/queue/00000000000000000000000000000000");
	bw_slurm_look_after(slurm, &news, &error);
	bool claimed = access("slurm/claimed/00000000000000000000000000000000@12_1", F_OK) == 0, queued = access("slurm/queue/00000000000000000000000000000000", F_OK) == 0;
	expect(claimed != queued, "a request is claimed, or in the queue");
	expect(is_plain(bw_text_get(&news)) && is_plain(error.text), "what is told is plain");
	bw_text_free(&news);
	return 0;
}

/* Objects for a worker that does not see the files of this machine: each content is sent once. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/bench_private.h"

/* The largest shared object that is sent, in bytes. */
static const size_t most_object = 256 << 20;

static const char *path_of(const struct bw_task *task, int k)
{
	return k < task->n ? task->objects[k] : task->request->reference;
}

/* Returns true if the worker needs it: not what has its outcome already, and a reference only where
 * there is one. */
static bool needed(const struct bw_task *task, int k)
{
	return k < task->n ? !task->answered[k] : task->request->reference != NULL;
}

static bool read_names(struct bw_task *task, struct bw_error *error)
{
	task->names = bw_new_array((size_t)task->n + 1, sizeof *task->names);
	for (int k = 0; k <= task->n; k++) {
		struct bw_text content = {0};
		if (!needed(task, k))
			continue;
		if (!bw_file_read(path_of(task, k), most_object, &content, error))
			return false;
		bw_content_name(bw_text_get(&content), content.length, task->names[k]);
		bw_text_free(&content);
	}
	return true;
}

/* Sends the pieces of a content and waits until the worker has them all. */
static bool put(struct bw_bench *bench, const struct bw_task *task, int k, struct bw_error *error)
{
	struct bw_text content = {0};
	struct bw_answer answer;
	bool good = bw_file_read(path_of(task, k), most_object, &content, error);
	for (size_t at = 0; good && at < content.length;) {
		size_t n = content.length - at < BW_PIECE ? content.length - at : BW_PIECE;
		char *bytes = bw_base64_encode((const unsigned char *)content.bytes + at, n);
		json_t *request = json_pack("{s:s,s:s,s:I,s:I,s:s}", "do", "put", "content", task->names[k], "size", (json_int_t)content.length, "at", (json_int_t)at, "bytes", bytes);
		free(bytes);
		good = bw_bench_call(bench, request, BW_ANSWER_PUT, &answer, error);
		if (!good)
			break;
		at = (size_t)answer.number > at ? (size_t)answer.number : content.length + 1;
		good = at <= content.length ||
		       bw_fail(error, BW_ERROR_DEVICE, "%s: does not take %s", bench->name, path_of(task, k));
		bw_answer_free(&answer);
	}
	bw_text_free(&content);
	return good;
}

bool bw_task_upload(struct bw_bench *bench, struct bw_task *task, struct bw_error *error)
{
	struct bw_answer answer;
	json_t *names = json_array();
	if (!task->names && !read_names(task, error)) {
		json_decref(names);
		return false;
	}
	for (int k = 0; k <= task->n; k++)
		if (needed(task, k))
			json_array_append_new(names, json_string(task->names[k]));
	if (!bw_bench_call(bench, json_pack("{s:s,s:o}", "do", "have", "contents", names), BW_ANSWER_HAVE, &answer, error))
		return false;
	bool good = true;
	for (int k = 0, asked = 0; k <= task->n && good; k++)
		if (needed(task, k) && (asked >= answer.n_have || !answer.have[asked++]))
			good = put(bench, task, k, error);
	bw_answer_free(&answer);
	return good;
}

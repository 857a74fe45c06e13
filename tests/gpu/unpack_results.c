/* Reading the results of a campaign: its own lines and those of the worker. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "bench/protocol.h"
#include "unpack.h"

enum { MOST_RESULTS = 1 << 30, MOST_NAMED = 5, MOST_DEVICES = 64 };

/* A request that was sent: what the worker's lines with its id are of. */
struct request {
	long long id;
	const char *at, *tool, *variant;
	const json_t *labels;
};

struct reading {
	struct campaign *campaign;
	struct pack *pack;
	const struct wanted *wanted;
	struct request *requests;
	int n_requests, requests_room;
	bool foreign; /* the campaign that began last ran another pack */
	int n_cut, n_foreign, n_astray;
	const char *line;
	int number;
};

/* Notes that a line is passed over; of many the first few. */
static void pass_over(struct reading *reading, int *count, const char *why)
{
	if (++*count <= MOST_NAMED)
		pack_note(reading->pack, "%s:%d: %s; passed over", reading->campaign->path, reading->number,
		          why);
}

static struct request *find_request(struct reading *reading, long long id)
{
	for (int i = reading->n_requests - 1; i >= 0; i--)
		if (reading->requests[i].id == id)
			return &reading->requests[i];
	return NULL;
}

/* What a line of the runner's own is of: its request, in the file or else in the plan; false if neither has
 * it. */
static bool find_sent(struct reading *reading, const json_t *line, struct request *sent)
{
	const struct pack *pack = reading->pack;
	long long id = json_integer_value(json_object_get(line, "id"));
	const struct request *request = find_request(reading, id);
	if (request)
		*sent = *request;
	for (int i = 0; i < pack->n_planned && !request; i++)
		if (pack->planned[i].id == id) {
			*sent = (struct request){
				.id = id, .tool = pack->planned[i].tool, .variant = pack->planned[i].variant};
			return true;
		}
	return request;
}

static struct session *session_of(const struct reading *reading)
{
	return reading->campaign->n_sessions ? reading->campaign->sessions[reading->campaign->n_sessions - 1]
	                                     : NULL;
}

/* Reads the device that was used out of those that the worker tells of. */
static void read_device(struct session *session, const json_t *line)
{
	json_t *devices = json_object_get(line, "devices"), *answer;
	size_t place = json_is_integer(json_object_get(line, "device"))
	                       ? (size_t)json_integer_value(json_object_get(line, "device"))
	                       : SIZE_MAX;
	struct bw_answer read;
	struct bw_error error;
	if (!json_is_array(devices) || place >= json_array_size(devices))
		return;
	answer = json_pack("{s:i, s:i, s:[O], s:s}", "beamwalk-bench", BW_BENCH_VERSION, "id", 1, "devices",
	                   json_array_get(devices, place), "trouble", "");
	char *text = json_dumps(answer, JSON_COMPACT);
	if (text && bw_answer_read(text, strlen(text), &read, &error)) {
		session->has_device = true;
		session->device = read.devices->list[0];
	}
	if (text)
		bw_answer_free(&read);
	free(text);
	json_decref(answer);
}

static void take_begin(struct reading *reading, const json_t *line)
{
	struct campaign *campaign = reading->campaign;
	const char *manifest = json_string_value(json_object_get(line, "manifest"));
	struct session *session = BW_ARENA_NEW(campaign->arena, struct session);
	session->at = json_text(campaign->arena, line, "at");
	session->host = json_text(campaign->arena, line, "host");
	read_device(session, line);
	campaign->why = NULL;
	reading->foreign = manifest && *manifest && reading->pack->sum &&
	                   strcmp(manifest, reading->pack->sum) && !reading->wanted->any_pack;
	reading->n_requests = 0;
	if (reading->foreign) {
		pack_note(
			reading->pack,
			"%s:%d: this campaign ran another pack (its manifest has the sha256 %.16s..., that of %s %.16s...): its results are passed over; --any-pack uses them",
			campaign->path, reading->number, manifest, reading->pack->folder, reading->pack->sum);
		return;
	}
	BW_GROW(campaign->sessions, campaign->n_sessions, campaign->sessions_room);
	campaign->sessions[campaign->n_sessions++] = session;
}

static void take_request(struct reading *reading, const json_t *line)
{
	struct request request = {json_integer_value(json_object_get(line, "id")),
	                          json_text(reading->campaign->arena, line, "at"),
	                          json_text(reading->campaign->arena, line, "tool"),
	                          json_text(reading->campaign->arena, line, "variant"),
	                          json_object_get(line, "labels")};
	if (request.id < 1 || !request.tool) {
		pass_over(reading, &reading->n_astray, "a request without id or tool");
		return;
	}
	BW_GROW(reading->requests, reading->n_requests, reading->requests_room);
	reading->requests[reading->n_requests++] = request;
}

static struct remark remark_of(struct reading *reading, const json_t *line, const char *key)
{
	struct bw_arena *arena = reading->campaign->arena;
	struct request sent;
	struct remark remark = {json_text(arena, line, "at"),
	                        json_text(arena, line, "tool"),
	                        json_text(arena, line, key),
	                        NULL,
	                        (int)json_integer_value(json_object_get(line, "status")),
	                        json_object_get(line, "csv")};
	if (find_sent(reading, line, &sent))
		remark.label = pack_label(reading->pack, sent.variant,
		                          json_string_value(json_object_get(line, "label")));
	remark.text = remark.text ? remark.text : "";
	return remark;
}

/* Appends an outcome of a request's label unless the same line was there before. */
static struct outcome *add_outcome(struct reading *reading, const struct request *request,
                                   struct label *label)
{
	struct campaign *campaign = reading->campaign;
	const char *parts[] = {reading->pack->sum ? reading->pack->sum : "", label->variant->name,
	                       label->name, reading->line};
	uint64_t uid = 0;
	struct outcome *outcome = BW_ARENA_NEW(campaign->arena, struct outcome);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		uid = bw_hash_string(uid, parts[i]);
	*outcome = (struct outcome){.label = label,
	                            .tool = request->tool,
	                            .at = request->at,
	                            .place = campaign->n_outcomes,
	                            .session = session_of(reading)};
	snprintf(outcome->uid, sizeof outcome->uid, "%016llx", (unsigned long long)uid);
	for (int i = 0; i < campaign->n_outcomes; i++)
		if (!strcmp(campaign->outcomes[i]->uid, outcome->uid)) {
			campaign->n_twice++;
			return NULL;
		}
	BW_GROW(campaign->outcomes, campaign->n_outcomes, campaign->outcomes_room);
	campaign->outcomes[campaign->n_outcomes++] = outcome;
	return outcome;
}

static void take_lost(struct reading *reading, const json_t *line)
{
	struct request sent = {0};
	const char *text = json_string_value(json_object_get(line, "text"));
	struct label *label = find_sent(reading, line, &sent)
	                              ? pack_label(reading->pack, sent.variant,
	                                           json_string_value(json_object_get(line, "label")))
	                              : NULL;
	struct outcome *outcome = label && !label->trouble ? add_outcome(reading, &sent, label) : NULL;
	if (!label && sent.variant && !strcmp(sent.variant, "-"))
		pack_note(reading->pack, "%s:%d: the device's rates were not measured: %s",
		          reading->campaign->path, reading->number, text ? text : "lost");
	else if (!label)
		pass_over(reading, &reading->n_astray,
		          "lost: no request for this schedule, or the pack has none of its name");
	if (!outcome)
		return;
	outcome->lost = true;
	outcome->at = json_text(reading->campaign->arena, line, "at");
	bw_fail(&outcome->error, BW_ERROR_DEVICE, "%s", text ? text : "lost");
}

#define KEEP(campaign, what, value) \
	do { \
		BW_GROW((campaign)->what, (campaign)->n_##what, (campaign)->what##_room); \
		(campaign)->what[(campaign)->n_##what++] = (value); \
	} while (0)

/* Takes a line of the runner's own. */
static void take_own(struct reading *reading, const json_t *line, const char *kind)
{
	struct campaign *campaign = reading->campaign;
	if (!strcmp(kind, "begin"))
		take_begin(reading, line);
	else if (reading->foreign)
		reading->n_foreign++;
	else if (!strcmp(kind, "request"))
		take_request(reading, line);
	else if (!strcmp(kind, "lost"))
		take_lost(reading, line);
	else if (!strcmp(kind, "sanitizer"))
		KEEP(campaign, sanitized, remark_of(reading, line, "summary"));
	else if (!strcmp(kind, "counters"))
		KEEP(campaign, counted, remark_of(reading, line, "label"));
	else if (!strcmp(kind, "clocks"))
		KEEP(campaign, clocks, remark_of(reading, line, "smi"));
	else if (!strcmp(kind, "notice"))
		KEEP(campaign, notices, remark_of(reading, line, "text"));
	else if (!strcmp(kind, "end"))
		campaign->why = json_text(campaign->arena, line, "why"),
		campaign->end = json_text(campaign->arena, line, "at");
	else
		pass_over(reading, &reading->n_astray, "a line of the campaign of a kind that is not known");
}

/* The label of object K of a request; NULL with a note. */
static struct label *label_of(struct reading *reading, const struct bw_answer *answer,
                              const struct request **request)
{
	*request = find_request(reading, answer->id);
	const char *name =
		*request && answer->object >= 0
			? json_string_value(json_array_get((*request)->labels, (size_t)answer->object))
			: NULL;
	struct label *label = name ? pack_label(reading->pack, (*request)->variant, name) : NULL;
	if (!label)
		pass_over(reading, &reading->n_astray,
		          !*request ? "a result of a request that is not in the file"
		          : !name   ? "a result of an object that was not sent"
		                    : "a result of a schedule that the pack does not have");
	else if (label->trouble)
		reading->n_foreign++;
	return label && !label->trouble ? label : NULL;
}

static void take_result(struct reading *reading, const struct bw_answer *answer)
{
	const struct request *request;
	struct label *label = label_of(reading, answer, &request);
	struct outcome *outcome = label ? add_outcome(reading, request, label) : NULL;
	struct campaign *campaign = reading->campaign;
	if (!outcome)
		return;
	if (answer->kind == BW_ANSWER_ERROR) {
		outcome->error = answer->error;
		return;
	}
	outcome->measurement = BW_ARENA_NEW(campaign->arena, struct bw_measurement);
	*outcome->measurement = answer->measurement;
	campaign->device = outcome->measurement->device;
	campaign->driver = outcome->measurement->driver;
	campaign->cpu = outcome->measurement->cpu;
	if (outcome->measurement->clock > 0)
		campaign->clock = outcome->measurement->clock;
}

/* An error of a whole request, or of its reference: no object of it has a result. */
static void take_failure(struct reading *reading, const struct bw_answer *answer)
{
	const struct request *request = find_request(reading, answer->id);
	pack_note(reading->pack, "%s:%d: %s (%s): %s", reading->campaign->path, reading->number,
	          request && request->variant ? request->variant : "a request",
	          request ? request->tool : "not in the file", answer->error.text);
}

/* Takes a line of the worker. */
static void take_answer(struct reading *reading, const json_t *line)
{
	struct bw_answer answer;
	struct bw_error error;
	if (reading->foreign) {
		reading->n_foreign++;
	} else if (json_object_get(line, "rates")) {
		json_decref(reading->campaign->rates);
		reading->campaign->rates = json_deep_copy(line);
	} else if (!bw_answer_read(reading->line, strlen(reading->line), &answer, &error)) {
		pass_over(reading, &reading->n_astray, error.text);
		bw_answer_free(&answer);
	} else {
		if (answer.kind == BW_ANSWER_RESULT || (answer.kind == BW_ANSWER_ERROR && answer.object >= 0))
			take_result(reading, &answer);
		else if (answer.kind == BW_ANSWER_ERROR)
			take_failure(reading, &answer);
		bw_answer_free(&answer);
	}
}

static void take_line(struct reading *reading)
{
	json_t *line = json_loads(reading->line, JSON_REJECT_DUPLICATES, NULL);
	const char *kind = json_string_value(json_object_get(line, "campaign"));
	if (!json_is_object(line))
		pass_over(reading, &reading->n_cut, "a line that was cut short, or is no result");
	else if (kind)
		take_own(reading, line, kind);
	else if (json_object_get(line, "beamwalk-bench"))
		take_answer(reading, line);
	else
		pass_over(reading, &reading->n_cut, "neither a line of the campaign nor one of the worker");
	if (kind && line)
		json_array_append(reading->campaign->kept, line);
	json_decref(line);
}

bool outcome_is_timed(const struct outcome *outcome)
{
	return !strcmp(outcome->tool, "time") || !strcmp(outcome->tool, "control");
}

const char *outcome_verdict(const struct outcome *outcome)
{
	return outcome->measurement ? bw_verdict_name(outcome->measurement->verdict)
	       : outcome->lost      ? "lost"
	                            : BW_RESULT_FAILED;
}

/* Of several outcomes of a label the last one counts, of the tool `time` before `control`. Those of another
 * device than the last are noted. */
static void settle(struct reading *reading)
{
	struct campaign *campaign = reading->campaign;
	int n_other = 0;
	for (int i = 0; i < campaign->n_outcomes; i++) {
		struct outcome *outcome = campaign->outcomes[i];
		const struct outcome *before = outcome->label->timed;
		bool elsewhere =
			outcome->measurement && strcmp(outcome->measurement->device, campaign->device) != 0;
		n_other += elsewhere;
		if (!elsewhere && outcome_is_timed(outcome) &&
		    (!before || strcmp(before->tool, "time") || !strcmp(outcome->tool, "time")))
			outcome->label->timed = outcome;
	}
	if (n_other)
		pack_note(
			reading->pack,
			"%s: %d results are of another device than the last, %s: they are stored, and left out of table and report",
			campaign->path, n_other, campaign->device);
}

static void note_counts(struct reading *reading)
{
	struct pack *pack = reading->pack;
	const char *path = reading->campaign->path;
	if (reading->n_cut > MOST_NAMED)
		pack_note(pack, "%s: %d lines that were cut or are no results, the first %d are named", path,
		          reading->n_cut, MOST_NAMED);
	if (reading->n_astray > MOST_NAMED)
		pack_note(pack, "%s: %d lines that belong to nothing, the first %d are named", path,
		          reading->n_astray, MOST_NAMED);
	if (reading->n_foreign)
		pack_note(pack,
		          "%s: %d lines of another pack, or of what is not as it was packed, passed over",
		          path, reading->n_foreign);
	if (reading->campaign->n_twice)
		pack_note(pack, "%s: results that stand there twice: %d; one of each counts", path,
		          reading->campaign->n_twice);
}

static void begin_campaign(struct campaign *campaign, const struct wanted *wanted)
{
	*campaign = (struct campaign){.arena = bw_arena_new(),
	                              .path = wanted->results,
	                              .kept = json_array(),
	                              .device = "",
	                              .driver = ""};
}

/* Takes the lines of one file. */
static void take_lines(struct reading *reading, const char *path, char *text, size_t length)
{
	reading->campaign->path = path;
	reading->number = 0;
	for (char *line = text, *end; line < text + length; line = end) {
		char *newline = memchr(line, '\n', (size_t)(text + length - line));
		end = newline ? newline + 1 : text + length;
		if (newline)
			*newline = 0;
		reading->number++;
		reading->line = line;
		if (newline != line)
			take_line(reading);
	}
}

static void end_campaign(struct reading *reading)
{
	reading->campaign->path = reading->wanted->results;
	settle(reading);
	note_counts(reading);
	free(reading->requests);
}

void campaign_parse(struct campaign *campaign, struct pack *pack, const struct wanted *wanted, char *text,
                    size_t length)
{
	struct reading reading = {.campaign = campaign, .pack = pack, .wanted = wanted};
	begin_campaign(campaign, wanted);
	take_lines(&reading, wanted->results, text, length);
	end_campaign(&reading);
}

/* Takes the lines of a file. Returns false with an error if it cannot be read. */
static bool take_file(struct reading *reading, const char *path, struct bw_error *error)
{
	struct bw_text text = {0};
	bool good = bw_file_read(path, MOST_RESULTS, &text, error);
	if (good && text.length)
		take_lines(reading, path, text.bytes, text.length);
	bw_text_free(&text);
	return good;
}

bool campaign_read(struct campaign *campaign, struct pack *pack, const struct wanted *wanted,
                   struct bw_error *error)
{
	struct reading reading = {.campaign = campaign, .pack = pack, .wanted = wanted};
	const char *dot = strrchr(wanted->results, '.');
	int stem = dot && !strcmp(dot, ".jsonl") ? (int)(dot - wanted->results) : (int)strlen(wanted->results);
	begin_campaign(campaign, wanted);
	bool good = take_file(&reading, wanted->results, error);
	for (int place = 0; place < MOST_DEVICES && good; place++) {
		struct bw_text path = {0};
		bw_text_printf(&path, "%.*s-%d.jsonl", stem, wanted->results, place);
		if (access(bw_text_get(&path), F_OK) == 0)
			good = take_file(&reading, bw_arena_strdup(campaign->arena, bw_text_get(&path)), error);
		bw_text_free(&path);
	}
	end_campaign(&reading);
	return good;
}

void campaign_free(struct campaign *campaign)
{
	free(campaign->sessions);
	free(campaign->outcomes);
	free(campaign->sanitized);
	free(campaign->counted);
	free(campaign->clocks);
	free(campaign->notices);
	json_decref(campaign->rates);
	json_decref(campaign->kept);
	if (campaign->arena)
		bw_arena_free(campaign->arena);
}

bool campaign_is_predicted(const struct campaign *campaign, const struct pack *pack)
{
	struct bw_device record = {.api = pack->api && !strcmp(pack->api, "cuda") ? BW_API_CUDA
	                                                                          : BW_API_OPENCL,
	                           .cpu = campaign->cpu};
	struct bw_present present = {.device = record};
	snprintf(record.name, sizeof record.name, "%s", pack->gpu);
	snprintf(present.name, sizeof present.name, "%s", campaign->device);
	return !campaign->cpu && bw_present_find(&present, &record, 1);
}

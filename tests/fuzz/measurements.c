/* Fuzzes the files of measurements that tune takes in place of a device (--replay): read, or refused by file and line; every time that they hand out is above 0, or says
 * that the schedule failed. */
#include <math.h>

#include "fuzz.h"
#include "session/tuning.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct bw_session *session;
	struct bw_error error = {0};
	fuzz_write("x.csv", bytes, length);
	if (!session) {
		session = fuzz_session();
		bw_session_run(session, "run end", NULL, NULL);
		fuzz_settle(session);
	}
	struct bw_meter *meter = bw_meter_of_file(session, "x.csv", &error);
	if (!meter) {
		expect(!strncmp(error.text, "x.csv", 5) && is_plain(error.text) && !strchr(error.text, '\n'), "errors begin with the file");
		return 0;
	}
	for (int k = 0; k < 4; k++) {
		struct bw_meter_asked asked = {.number = k, .nest = bw_session_state(session)->nest, .hash = k & 1 ? UINT64_C(0x0123456789abcdef) : 0, .again = k > 1};
		struct bw_meter_outcome outcome = {0};
		expect(meter->ask(meter->data, &asked, &error) && meter->take(meter->data, &outcome), "it answers at once");
		expect(outcome.absent || outcome.ms > 0, "times are above 0");
		expect(outcome.absent || isfinite(outcome.ms) || *outcome.error.text, "or say why there is none");
	}
	bw_meter_of_file_free(meter);
	return 0;
}

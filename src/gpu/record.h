/* One record of a file of devices. Private to this room. */
#ifndef BW_GPU_RECORD_H
#define BW_GPU_RECORD_H
#include "base/json.h"
#include "gpu/device.h"

/* Known devices, followed by those of a file. */
struct bw_device_list {
	struct bw_device *devices;
	int n;
	int n_base; /* known devices, which are not from the file */
};

/* Reads one record over the device of the list that it is like. `file` is the default for the record's
 * source. Errors name the device if its name could be read. */
bool bw_record_read(const struct bw_json_at *at, const struct bw_device_list *list, const char *file,
		    struct bw_device *device, struct bw_error *error);
#endif

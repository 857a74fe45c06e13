/* One record of a file of devices. For this room alone. */
#ifndef BW_GPU_RECORD_H
#define BW_GPU_RECORD_H
#include "base/json.h"
#include "gpu/device.h"

/* Devices that are known already, and those of a file on top. */
struct bw_device_list {
	struct bw_device *devices;
	int n;
	int n_base; /* of them: from elsewhere than the file */
};

/* Reads one record over the device of the list that it is like. file: what the source of a record that states none is called. An error
 * names the device where its name could be read. */
bool bw_record_read(const struct bw_json_at *at, const struct bw_device_list *list, const char *file, struct bw_device *device, struct bw_error *error);
#endif

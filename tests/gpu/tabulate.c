/* Writes tests/gpu/occupancy.table anew, where the CUDA Toolkit is installed: make tests/gpu/tabulate, then
 * tests/gpu/tabulate data/devices.json >tests/gpu/occupancy.table. */
#include <stdio.h>
#include <stdlib.h>

#include "calculator.h"

int main(int argc, char **argv)
{
	struct bw_text table = {0};
	struct bw_error error = {0};
	int n;
	struct bw_device *devices = argc == 2 ? bw_devices_read(argv[1], &n, &error) : NULL;
	if (!devices) {
		fprintf(stderr, "tabulate: %s\n", argc == 2 ? error.text : "usage: tabulate DEVICES");
		return 1;
	}
	if (!calculator_table(devices, n, &table)) {
		fprintf(stderr, "tabulate: built without cuda_occupancy.h, or it does not know one of the devices\n");
		return 1;
	}
	fputs("# Blocks of an SM that each resource allows, by the CUDA Toolkit's cuda_occupancy.h; made by tests/gpu/tabulate.c.\n"
	      "# slots: by threads of a block. registers: threads of a block, then by registers of a thread. shared: by bytes of a block.\n"
	      "# Each run is FIRST-LAST:BLOCKS; - is no limit.\n", stdout);
	fputs(bw_text_get(&table), stdout);
	bw_text_free(&table);
	free(devices);
	return fflush(stdout) ? 1 : 0;
}

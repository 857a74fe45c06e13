/* What drivers call their devices. The few constants of OpenCL's API that this takes are written out: no header is needed to build. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bench/worker.h"

enum { CL_QUEUE_DEVICE = 0x1091, CL_DEVICE_TYPE = 0x1000, CL_DEVICE_NAME = 0x102b, CL_DEVICE_TYPE_CPU = 2 };

typedef int32_t cl_get_info(void *object, uint32_t what, size_t size, void *value, size_t *size_out);

/* Of the OpenCL device behind a command queue. */
static bool opencl_device(void *queue, char *name, size_t size, bool *cpu)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_LAZY);
	if (!library)
		return false;
	cl_get_info *queue_info = (cl_get_info *)dlsym(library, "clGetCommandQueueInfo");
	cl_get_info *device_info = (cl_get_info *)dlsym(library, "clGetDeviceInfo");
	void *device = NULL;
	uint64_t type = 0;
	if (!queue_info || !device_info || queue_info(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL))
		return false;
	char whole[1024] = "";
	if (device_info(device, CL_DEVICE_NAME, sizeof whole, whole, NULL) || device_info(device, CL_DEVICE_TYPE, sizeof type, &type, NULL))
		return false;
	whole[sizeof whole - 1] = 0;
	snprintf(name, size, "%s", whole);
	*cpu = type & CL_DEVICE_TYPE_CPU;
	return true;
}

/* Of the processor, as the kernel calls it. */
static void processor(char *name, size_t size)
{
	snprintf(name, size, "%s", "CPU");
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;
	char line[512];
	while (fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
		name[strcspn(name, "\n")] = 0;
		break;
	}
	fclose(file);
}

void bw_filter_device(const struct bw_filter *filter, char *name, size_t size, bool *cpu)
{
	*cpu = !filter->device_interface;
	if (*cpu) {
		processor(name, size);
		return;
	}
	snprintf(name, size, "%s", "GPU");
	if (!filter->acquire_cl_context || !filter->release_cl_context)
		return;
	void *context = NULL, *queue = NULL;
	if (filter->acquire_cl_context(NULL, &context, &queue, false) == 0 && queue)
		opencl_device(queue, name, size, cpu);
	filter->release_cl_context(NULL);
}

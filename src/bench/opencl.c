/* Queries OpenCL devices. The used parts of OpenCL's API are declared in opencl.h, so the build needs no
 * OpenCL header. */
#include "bench/opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/protocol.h"

enum { MOST_PLATFORMS = 16 };

struct opencl {
#define X(name, type) __typeof__((type)0) name;
	BW_OPENCL_TABLE(X)
#undef X
};

static bool open_library(struct opencl *cl)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_LAZY);
	if (!library)
		return false;
	bool all = true;
#define X(name, type) all &= (cl->name = (__typeof__((type)0))dlsym(library, #name)) != NULL;
	BW_OPENCL_TABLE(X)
#undef X
	return all;
}

/* Returns a property of the device, a number of `size` bytes. Returns NAN if the device does not have it. */
static double figure(const struct opencl *cl, void *device, uint32_t what, size_t size)
{
	uint64_t value = 0;
	return cl->clGetDeviceInfo(device, what, size, &value, NULL) ? (double)NAN : (double)value;
}

/* Gets a text property of the device, truncated to `size`. Returns false if the device does not have it. */
static bool tell_text(const struct opencl *cl, void *device, uint32_t what, char *text, size_t size)
{
	char whole[1024] = "";
	if (cl->clGetDeviceInfo(device, what, sizeof whole, whole, NULL))
		return false;
	whole[sizeof whole - 1] = 0;
	snprintf(text, size, "%s", whole + strspn(whole, " "));
	return true;
}

static bool is_cpu(const struct opencl *cl, void *device)
{
	return (uint64_t)figure(cl, device, BW_CL_DEVICE_TYPE, sizeof(uint64_t)) & BW_CL_DEVICE_TYPE_CPU;
}

static void tell_platform(const struct opencl *cl, void *platform, char *name, size_t size)
{
	char whole[1024] = "";
	cl->clGetPlatformInfo(platform, BW_CL_PLATFORM_NAME, sizeof whole, whole, NULL);
	whole[sizeof whole - 1] = 0;
	snprintf(name, size, "%s", whole);
}

/* Writes the platform and the driver's version, as in `Portable Computing Language 3.1`. */
static void tell_driver(const struct opencl *cl, void *device, char *driver, size_t size)
{
	void *platform = NULL;
	char name[64] = "OpenCL", version[64] = "";
	if (cl->clGetDeviceInfo(device, BW_CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == 0)
		tell_platform(cl, platform, name, sizeof name);
	tell_text(cl, device, BW_CL_DRIVER_VERSION, version, sizeof version);
	snprintf(driver, size, "%s %s", name, version);
}

static void tell_figures(const struct opencl *cl, void *device, struct bw_present *present)
{
	struct bw_device *figures = &present->device;
	size_t block[3] = {0};
#define X(field, key, unit, text) figures->field = (double)NAN;
	BW_DEVICE_TABLE(X)
#undef X
	figures->api = BW_API_OPENCL;
	figures->cpu = is_cpu(cl, device);
	figures->capability = 0;
	figures->sms = figure(cl, device, BW_CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(uint32_t));
	figures->threads_per_block = figure(cl, device, BW_CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
	figures->clock = 1e6 * figure(cl, device, BW_CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(uint32_t));
	figures->shared_per_block = figure(cl, device, BW_CL_DEVICE_LOCAL_MEM_SIZE, sizeof(uint64_t));
	present->memory = figure(cl, device, BW_CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(uint64_t));
	if (cl->clGetDeviceInfo(device, BW_CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof block, block, NULL) == 0) {
		figures->block_x = (double)block[0];
		figures->block_y = (double)block[1];
		figures->block_z = (double)block[2];
	}
}

/* Writes the device's PCI bus address, if the device reports one (cl_khr_pci_bus_info). */
static void tell_bus(const struct opencl *cl, void *device, char *bus, size_t size)
{
	uint32_t at[4]; /* domain, bus, device, function */
	if (cl->clGetDeviceInfo(device, BW_CL_DEVICE_PCI_BUS_INFO_KHR, sizeof at, at, NULL) == 0)
		snprintf(bus, size, "%04x:%02x:%02x.%x", at[0], at[1], at[2], at[3]);
}

static void ask_platform(const struct opencl *cl, void *platform, struct bw_presents *devices)
{
	void *list[BW_MOST_PRESENT];
	uint32_t n = 0;
	int seen[2] = {0};
	if (cl->clGetDeviceIDs(platform, BW_CL_DEVICE_TYPE_ALL, BW_MOST_PRESENT, list, &n))
		return;
	for (uint32_t k = 0; k < n && k < BW_MOST_PRESENT && devices->n < BW_MOST_PRESENT; k++) {
		struct bw_present *present = &devices->list[devices->n++];
		*present = (struct bw_present){.name = "OpenCL device"};
		tell_figures(cl, list[k], present);
		tell_text(cl, list[k], BW_CL_DEVICE_NAME, present->name, sizeof present->name);
		tell_driver(cl, list[k], present->driver, sizeof present->driver);
		tell_platform(cl, platform, present->platform, sizeof present->platform);
		tell_bus(cl, list[k], present->bus, sizeof present->bus);
		memcpy(present->device.name, present->name, sizeof present->device.name - 1);
		present->ordinal = seen[present->device.cpu]++;
	}
}

void bw_opencl_ask(struct bw_presents *devices)
{
	struct opencl cl;
	void *platforms[MOST_PLATFORMS];
	uint32_t n = 0;
	if (!open_library(&cl))
		return;
	if (cl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &n) || !n) {
		if (!*devices->trouble)
			snprintf(devices->trouble, sizeof devices->trouble,
				 "OpenCL is installed and has no platform: a driver (ICD) is missing");
		return;
	}
	for (uint32_t k = 0; k < n && k < MOST_PLATFORMS; k++)
		ask_platform(&cl, platforms[k], devices);
}

void bw_opencl_tell(void *queue, struct bw_measurement *measurement)
{
	struct opencl cl;
	void *device = NULL;
	if (!open_library(&cl) || cl.clGetCommandQueueInfo(queue, BW_CL_QUEUE_DEVICE, sizeof device, &device, NULL))
		return;
	if (tell_text(&cl, device, BW_CL_DEVICE_NAME, measurement->device, sizeof measurement->device))
		measurement->cpu = is_cpu(&cl, device);
	tell_driver(&cl, device, measurement->driver, sizeof measurement->driver);
}

bool bw_pocl_folder(const char *object, char folder[PATH_MAX])
{
	const char *all = getenv(BW_POCL_VARIABLE);
	char name[BW_CONTENT_NAME];
	bw_content_name(object, strlen(object), name);
	*folder = 0;
	if (!all || !*all || strlen(all) + sizeof name + 1 > PATH_MAX)
		return false;
	snprintf(folder, PATH_MAX, "%s/%s", all, name);
	return access(folder, F_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info, (void)type, (void)place;
	remove(path);
	return 0;
}

bool bw_pocl_forget(const char *folder)
{
	enum { MOST_OPEN = 16 };
	if (!*folder)
		return true;
	nftw(folder, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
	return access(folder, F_OK) != 0;
}

void bw_pocl_tidy(const char *folder)
{
	static const char begin[] = "tempfile_";
	const char *path = folder ? folder : getenv(BW_POCL_VARIABLE);
	DIR *entries = path && *path ? opendir(path) : NULL;
	const struct dirent *entry;
	struct stat info;
	while (entries && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, begin, sizeof begin - 1) && !strchr(entry->d_name, '.') &&
		    !fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(info.st_mode) && info.st_size == 0)
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
}

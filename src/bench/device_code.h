/* Extracts the device code of a compiled schedule: the text of its kernels, which is in the read-only data of
 * its object. */
#pragma once
#include <elf.h>

#include "gpu/device.h"

/* Appends the text of the kernels in the object: PTX for CUDA, C for OpenCL. The object is a 64-bit ELF
 * object file or shared object. name: the object's name in errors. Returns false with an error if it is no
 * such object, or if it contains no such text, or several. */
bool bw_device_code(const char *name, const unsigned char *object, size_t length, enum bw_api api,
		    struct bw_text *code, struct bw_error *error);
/* Appends the text of the kernels in an object, which it reads from a file. */
bool bw_device_code_read(const char *path, enum bw_api api, struct bw_text *code, struct bw_error *error);
/* Sets *section to the header of section k of a 64-bit ELF object. Returns false if there is no section k, or
 * if its header or its bytes extend beyond the object. */
bool bw_object_section(const unsigned char *object, size_t length, const Elf64_Ehdr *header, unsigned k,
		       Elf64_Shdr *section);

/* The device code that a compiled schedule carries: the text of its kernels, in the read-only data of its
 * object. */
#pragma once
#include <elf.h>

#include "gpu/device.h"

/* Appends the text of the kernels (PTX for CUDA, C for OpenCL) that lies in the object (ELF of 64
 * bits, an object file or a shared object). name is what errors call it. Returns false if it is no
 * such object, or has no such text, or more than one. */
bool bw_device_code(const char *name, const unsigned char *object, size_t length, enum bw_api api,
		    struct bw_text *code, struct bw_error *error);
/* The same from a file. */
bool bw_device_code_read(const char *path, enum bw_api api, struct bw_text *code, struct bw_error *error);
/* Sets *section to the header of section k of an ELF object of 64 bits. Returns false if there is none, or
 * it, or the bytes that it is of, do not lie in the object. */
bool bw_object_section(const unsigned char *object, size_t length, const Elf64_Ehdr *header, unsigned k,
		       Elf64_Shdr *section);

#include "base/file.h"
#include "bench/device_code.h"

#include <string.h>

enum { MOST_OBJECT = 256 << 20 }; /* bytes */

/* The beginning of each kind of text. PTX begins with comments, but these are not part of the mark, because
 * bytes before them in the object could look like text. The second list has another string that the text must
 * contain. */
static const char *const marks[] = {[BW_API_OPENCL] = "/*OpenCL C ", [BW_API_CUDA] = ".version "};
static const char *const others[] = {[BW_API_OPENCL] = "__kernel", [BW_API_CUDA] = ".target "};
static const char *const kinds[] = {[BW_API_OPENCL] = "OpenCL C", [BW_API_CUDA] = "PTX"};

static bool is_text(unsigned char byte)
{
	return (byte >= ' ' && byte < 0x7f) || byte == '\n' || byte == '\t' || byte == '\r';
}

/* A section's bytes. */
struct span {
	const unsigned char *bytes;
	size_t length;
};

/* Returns the text from a mark at `at` to the next byte that is not text. */
static struct span text_at(const struct span *data, size_t at)
{
	size_t end = at;
	while (end < data->length && is_text(data->bytes[end]))
		end++;
	return (struct span){data->bytes + at, end - at};
}

/* Sets *found to the last text with both marks. Returns how many there are. */
static int find_texts(const struct span *data, enum bw_api api, struct span *found)
{
	const char *mark = marks[api];
	int n = 0;
	for (size_t at = 0; at < data->length;) {
		const unsigned char *hit = memmem(data->bytes + at, data->length - at, mark, strlen(mark));
		if (!hit)
			break;
		struct span text = text_at(data, (size_t)(hit - data->bytes));
		if (memmem(text.bytes, text.length, others[api], strlen(others[api]))) {
			*found = text;
			n++;
		}
		at = (size_t)(text.bytes + text.length - data->bytes);
	}
	return n;
}

bool bw_object_section(const unsigned char *object, size_t length, const Elf64_Ehdr *header, unsigned k,
		       Elf64_Shdr *section)
{
	if (header->e_shentsize != sizeof *section || header->e_shoff > length ||
	    (length - header->e_shoff) / sizeof *section <= k)
		return false;
	memcpy(section, object + header->e_shoff + k * sizeof *section, sizeof *section);
	return section->sh_type == SHT_NOBITS ||
	       (section->sh_offset <= length && section->sh_size <= length - section->sh_offset);
}

bool bw_device_code(const char *name, const unsigned char *object, size_t length, enum bw_api api,
		    struct bw_text *code, struct bw_error *error)
{
	Elf64_Ehdr header;
	struct span found = {0};
	int n = 0;
	if (length < sizeof header || memcmp(object, ELFMAG, SELFMAG) != 0 ||
	    object[EI_CLASS] != ELFCLASS64 || object[EI_DATA] != ELFDATA2LSB)
		return bw_fail(error, BW_ERROR_INPUT, "%s: expected an ELF object of 64 bits", name);
	memcpy(&header, object, sizeof header);
	for (unsigned k = 0; k < header.e_shnum; k++) {
		Elf64_Shdr section;
		if (!bw_object_section(object, length, &header, k, &section))
			return bw_fail(error, BW_ERROR_INPUT, "%s: its section %u is cut off", name, k);
		if (section.sh_type == SHT_PROGBITS &&
		    (section.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) == SHF_ALLOC)
			n += find_texts(&(struct span){object + section.sh_offset, section.sh_size}, api, &found);
	}
	if (n != 1)
		return n ? bw_fail(error, BW_ERROR_INPUT, "%s: has %d modules of %s, expected one", name, n,
				   kinds[api])
			 : bw_fail(error, BW_ERROR_INPUT, "%s: has no %s in its read-only data", name,
				   kinds[api]);
	bw_text_append(code, (const char *)found.bytes, found.length);
	return true;
}

bool bw_device_code_read(const char *path, enum bw_api api, struct bw_text *code, struct bw_error *error)
{
	BW_SCOPED_TEXT object = {0};
	return bw_file_read(path, MOST_OBJECT, &object, error) &&
	       bw_device_code(path, (const unsigned char *)bw_text_get(&object), object.length, api, code,
			      error);
}

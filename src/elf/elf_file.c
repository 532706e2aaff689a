/*
 * elf_file.c - reads the headers of an ELF file.
 *
 * Both classes are converted to one structure when the file is opened. Offsets
 * of the fields:
 *
 *                 file header            section header     program header
 *              32     64              32     64           32     64
 *   e_phoff    28     32   sh_type     4      4   type     0      0
 *   e_shoff    32     40   sh_flags    8      8   offset   4      8
 *   e_phentsz  42     54   sh_addr    12     16   vaddr    8     16
 *   e_phnum    44     56   sh_offset  16     24   filesz  16     32
 *   e_shentsz  46     58   sh_size    20     32   memsz   20     40
 *   e_shnum    48     60   sh_link    24     40   flags   24      4
 *   e_shstrndx 50     62   sh_info    28     44   align   28     48
 *                          sh_align   32     48
 *                          sh_entsize 36     56
 */
#include "elf/elf_file.h"

#include <string.h>

#include "base/alloc.h"
#include "elf/elf_pages.h"

#define HEADER_BYTES 64
#define MAX_ALIGN                                                              \
    ((uint64_t)1 << 20) /* larger alignments are ignored as invalid */

struct cp_elf {
    const uint8_t *bytes;
    size_t len;
    struct cp_elf_pages *pages; /* NULL if all bytes are in memory */
    bool is_64;
    unsigned type, machine;
    struct cp_elf_section *sections;
    size_t n_sections;
    struct cp_elf_segment *segments;
    size_t n_segments;
};

static uint64_t load(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, p, size);
    return value;
}

/*
 * Reads a field with the size of an address; its offset depends on the class.
 */
static uint64_t word(const struct cp_elf *e, const uint8_t *p, unsigned at32,
                     unsigned at64)
{
    return e->is_64 ? load(p + at64, 8) : load(p + at32, 4);
}

static uint64_t header_u16(const struct cp_elf *e, unsigned at32, unsigned at64)
{
    return load(e->bytes + (e->is_64 ? at64 : at32), 2);
}

static uint32_t half_word(const struct cp_elf *e, const uint8_t *p,
                          unsigned at32, unsigned at64)
{
    return (uint32_t)load(p + (e->is_64 ? at64 : at32), 4);
}

/* Returns the part of a range that lies within the file. */
static const uint8_t *part(const struct cp_elf *e, uint64_t offset,
                           uint64_t size, size_t *out_len)
{
    *out_len = 0;
    if (offset >= e->len)
        return NULL;
    *out_len = size < e->len - offset ? (size_t)size : e->len - (size_t)offset;
    return e->bytes + offset;
}

bool cp_elf_fetch(const struct cp_elf *e, const void *at, size_t len)
{
    return !e->pages ||
           cp_elf_pages_fetch(e->pages,
                              (size_t)((const uint8_t *)at - e->bytes), len);
}

bool cp_elf_load(const struct cp_elf *e, const struct cp_elf_section *s)
{
    return s->data && cp_elf_fetch(e, s->data, s->len);
}

void cp_elf_drop(const struct cp_elf *e, const void *at, size_t len)
{
    if (e->pages && at && cp_elf_pages_are_limited())
        cp_elf_pages_drop(e->pages, (size_t)((const uint8_t *)at - e->bytes),
                          len);
}

static void read_section(const struct cp_elf *e, const uint8_t *p,
                         struct cp_elf_section *s)
{
    s->type = (uint32_t)load(p + 4, 4);
    s->flags = word(e, p, 8, 8);
    s->addr = word(e, p, 12, 16);
    s->offset = word(e, p, 16, 24);
    s->size = word(e, p, 20, 32);
    s->link = half_word(e, p, 24, 40);
    s->info = half_word(e, p, 28, 44);
    s->entsize = word(e, p, 36, 56);
    if (s->type != SHT_NOBITS && s->type != SHT_NULL)
        s->data = part(e, s->offset, s->size, &s->len);
}

/* Sets the section names; a name outside of the string table becomes "". */
static void name_sections(struct cp_elf *e, const uint8_t *table,
                          size_t entry_size, size_t names_index)
{
    const struct cp_elf_section *names =
        names_index < e->n_sections ? &e->sections[names_index] : NULL;

    if (names && !cp_elf_load(e, names))
        names = NULL;
    for (size_t i = 0; i < e->n_sections; i++) {
        uint64_t at = load(table + i * entry_size, 4);

        e->sections[i].name = "";
        if (names && names->data && at < names->len &&
            memchr(names->data + at, 0, names->len - (size_t)at))
            e->sections[i].name = (const char *)names->data + at;
    }
}

static uint64_t section_align(const struct cp_elf *e, const uint8_t *p)
{
    uint64_t align = word(e, p, 32, 48);

    return align && (align & (align - 1)) == 0 && align <= MAX_ALIGN ? align
                                                                     : 1;
}

/* Assigns addresses to the sections of a relocatable file; see elf_file.h. */
static void lay_out(struct cp_elf *e, const uint8_t *table, size_t entry_size)
{
    uint64_t at = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < e->n_sections; i++) {
            struct cp_elf_section *s = &e->sections[i];
            uint64_t align = section_align(e, table + i * entry_size);

            if (!(s->flags & SHF_ALLOC) || s->addr != 0 ||
                ((s->flags & SHF_EXECINSTR) != 0) != (pass == 0))
                continue;
            at = (at + align - 1) & ~(align - 1);
            s->addr = at;
            at += s->type == SHT_NOBITS ? s->size : s->len;
        }
}

static enum cp_status read_sections(struct cp_elf *e, struct cp_error *err)
{
    uint64_t offset = word(e, e->bytes, 32, 40), n = header_u16(e, 48, 60);
    size_t entry_size = (size_t)header_u16(e, 46, 58),
           names = header_u16(e, 50, 62), len;
    const uint8_t *table;

    if (offset == 0 || entry_size < (e->is_64 ? 64u : 40u))
        return CP_OK;
    table = part(e, offset, UINT64_MAX, &len);
    if (len < entry_size || !cp_elf_fetch(e, table, entry_size))
        return CP_OK;
    if (n == 0) /* the count exceeds the header field; section 0 has it */
        n = word(e, table, 20, 32);
    if (names == SHN_XINDEX)
        names = half_word(e, table, 24, 40);
    if (n > len / entry_size)
        n = len / entry_size;
    if (!cp_elf_fetch(e, table, (size_t)n * entry_size))
        return CP_OK;
    e->sections = cp_alloc((size_t)n, sizeof(*e->sections), err);
    if (!e->sections)
        return CP_ENOMEM;
    e->n_sections = (size_t)n;
    for (size_t i = 0; i < n; i++)
        read_section(e, table + i * entry_size, &e->sections[i]);
    name_sections(e, table, entry_size, names);
    if (e->type == ET_REL)
        lay_out(e, table, entry_size);
    return CP_OK;
}

static enum cp_status read_segments(struct cp_elf *e, struct cp_error *err)
{
    uint64_t offset = word(e, e->bytes, 28, 32), n = header_u16(e, 44, 56);
    size_t entry_size = (size_t)header_u16(e, 42, 54), len;
    const uint8_t *table = part(e, offset, UINT64_MAX, &len);

    if (offset == 0 || !table || entry_size < (e->is_64 ? 56u : 32u))
        return CP_OK;
    if (n == PN_XNUM && e->n_sections)
        n = e->sections[0].info;
    if (n > len / entry_size)
        n = len / entry_size;
    if (!cp_elf_fetch(e, table, (size_t)n * entry_size))
        return CP_OK;
    e->segments = cp_alloc((size_t)n, sizeof(*e->segments), err);
    if (!e->segments)
        return CP_ENOMEM;
    e->n_segments = (size_t)n;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = table + i * entry_size;

        e->segments[i] = (struct cp_elf_segment){
            .type = (uint32_t)load(p, 4),
            .flags = half_word(e, p, 24, 4),
            .offset = word(e, p, 4, 8),
            .vaddr = word(e, p, 8, 16),
            .filesz = word(e, p, 16, 32),
            .memsz = word(e, p, 20, 40),
            .align = word(e, p, 28, 48),
        };
    }
    return CP_OK;
}

static enum cp_status check_ident(const uint8_t *bytes, size_t len,
                                  struct cp_error *err)
{
    if (len < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return cp_error_set(err, CP_EFORMAT, "not an ELF file");
    if (bytes[EI_DATA] != ELFDATA2LSB)
        return cp_error_set(err, CP_EFORMAT,
                            "big-endian ELF files are not supported");
    if (bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64)
        return cp_error_set(err, CP_EFORMAT, "ELF file of unknown class %d",
                            bytes[EI_CLASS]);
    if (len < (bytes[EI_CLASS] == ELFCLASS64 ? 64 : 52))
        return cp_error_set(err, CP_EFORMAT, "ELF header is truncated");
    return CP_OK;
}

/* Creates the object over bytes in memory or over the pages of a file. */
static enum cp_status view(struct cp_elf **out, struct cp_elf from,
                           struct cp_error *err)
{
    struct cp_elf *e;
    enum cp_status status = check_ident(from.bytes, from.len, err);

    if (status != CP_OK)
        return status;
    e = cp_alloc(1, sizeof(*e), err);
    if (!e)
        return CP_ENOMEM;
    *e = from;
    e->is_64 = e->bytes[EI_CLASS] == ELFCLASS64;
    e->type = (unsigned)load(e->bytes + 16, 2);
    e->machine = (unsigned)load(e->bytes + 18, 2);
    status = read_sections(e, err);
    if (status == CP_OK)
        status = read_segments(e, err);
    if (status != CP_OK) {
        e->pages = NULL; /* the caller closes it */
        cp_elf_close(e);
        return status;
    }
    *out = e;
    return CP_OK;
}

enum cp_status cp_elf_view(struct cp_elf **out, const void *bytes, size_t len,
                           struct cp_error *err)
{
    return view(out, (struct cp_elf){ .bytes = bytes, .len = len }, err);
}

enum cp_status cp_elf_open(struct cp_elf **out, const char *path,
                           struct cp_error *err)
{
    struct cp_elf from = { 0 };
    enum cp_status status = cp_elf_pages_open(&from.pages, path, err);

    if (status != CP_OK)
        return status;
    from.bytes = cp_elf_pages_bytes(from.pages, &from.len);
    if (!cp_elf_pages_fetch(from.pages, 0, HEADER_BYTES))
        status = cp_error_set(err, CP_EIO, "cannot be read");
    else
        status = view(out, from, err);
    if (status != CP_OK)
        cp_elf_pages_close(from.pages);
    return status;
}

enum cp_status cp_elf_open_beside(struct cp_elf **out, const char *path,
                                  const struct cp_elf *beside,
                                  struct cp_error *err)
{
    enum cp_status status = cp_elf_open(out, path, err);

    if (status == CP_OK && !cp_elf_pages_is_trusted(
                               (*out)->pages, beside ? beside->pages : NULL)) {
        cp_elf_close(*out);
        *out = NULL;
        status = cp_error_set(err, CP_EUSAGE, "belongs to another user");
    }
    return status;
}

void cp_elf_close(struct cp_elf *e)
{
    if (!e)
        return;
    cp_elf_pages_close(e->pages);
    cp_free(e->sections);
    cp_free(e->segments);
    cp_free(e);
}

bool cp_elf_crc32(const struct cp_elf *e, uint32_t *out)
{
    return e->pages && cp_elf_pages_crc32(e->pages, out);
}

unsigned cp_elf_type(const struct cp_elf *e)
{
    return e->type;
}

unsigned cp_elf_machine(const struct cp_elf *e)
{
    return e->machine;
}

bool cp_elf_is_64(const struct cp_elf *e)
{
    return e->is_64;
}

const uint8_t *cp_elf_bytes(const struct cp_elf *e, size_t *out_len)
{
    *out_len = e->len;
    return e->bytes;
}

size_t cp_elf_section_count(const struct cp_elf *e)
{
    return e->n_sections;
}

const struct cp_elf_section *cp_elf_section_at(const struct cp_elf *e,
                                               size_t index)
{
    return index < e->n_sections ? &e->sections[index] : NULL;
}

bool cp_elf_section(const struct cp_elf *e, const char *name,
                    struct cp_elf_section *out)
{
    for (size_t i = 0; i < e->n_sections; i++)
        if (strcmp(e->sections[i].name, name) == 0) {
            *out = e->sections[i];
            return true;
        }
    return false;
}

size_t cp_elf_segment_count(const struct cp_elf *e)
{
    return e->n_segments;
}

const struct cp_elf_segment *cp_elf_segment_at(const struct cp_elf *e,
                                               size_t index)
{
    return index < e->n_segments ? &e->segments[index] : NULL;
}

size_t cp_elf_notes_build_id(const uint8_t *p, size_t len, const uint8_t **out)
{
    while (len >= 12) {
        uint64_t name_len = load(p, 4), desc_len = load(p + 4, 4);
        uint64_t type = load(p + 8, 4);
        uint64_t desc_at = 12 + ((name_len + 3) & ~(uint64_t)3);
        uint64_t end = desc_at + ((desc_len + 3) & ~(uint64_t)3);

        if (desc_at + desc_len > len)
            return 0;
        if (type == NT_GNU_BUILD_ID && name_len == 4 &&
            memcmp(p + 12, "GNU", 4) == 0) {
            *out = p + desc_at;
            return (size_t)desc_len;
        }
        if (end > len)
            return 0;
        p += end;
        len -= (size_t)end;
    }
    return 0;
}

size_t cp_elf_build_id(const struct cp_elf *e, const uint8_t **out)
{
    size_t n = 0, len;

    for (size_t i = 0; i < e->n_sections && n == 0; i++)
        if (e->sections[i].type == SHT_NOTE && cp_elf_load(e, &e->sections[i]))
            n = cp_elf_notes_build_id(e->sections[i].data, e->sections[i].len,
                                      out);
    for (size_t i = 0; i < e->n_segments && n == 0; i++) {
        const struct cp_elf_segment *s = &e->segments[i];
        const uint8_t *p = part(e, s->offset, s->filesz, &len);

        if (s->type == PT_NOTE && p && cp_elf_fetch(e, p, len))
            n = cp_elf_notes_build_id(p, len, out);
    }
    return n;
}

bool cp_elf_address_of_offset(const struct cp_elf *e, uint64_t file_offset,
                              uint64_t *out_vaddr)
{
    for (size_t i = 0; i < e->n_segments; i++) {
        const struct cp_elf_segment *s = &e->segments[i];

        if (s->type == PT_LOAD && file_offset >= s->offset &&
            file_offset - s->offset < s->filesz) {
            *out_vaddr = s->vaddr + (file_offset - s->offset);
            return true;
        }
    }
    return false;
}

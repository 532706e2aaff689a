/*
 * kernel_symbols.c - compares the kernel of a profile with the running one and
 * opens kallsyms.
 */
#include "tool/input/kernel_symbols.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "elf/elf_file.h"
#include "symbol/code/code_map.h"

#define KERNEL_HALF ((uint64_t)1 << 63)
#define KERNEL_STEP ((uint64_t)2 << 20) /* alignment of KASLR */
#define MAX_NOTES ((size_t)1 << 20)
#define MAX_ID 64 /* bytes of a build id */

bool cp_kernel_symbols_is(const char *name)
{
    return strncmp(name, "[kernel", 7) == 0;
}

/* Whether the running kernel has that build id. */
static bool is_running(const char *build_id)
{
    struct cp_bytes notes = { 0 };
    const uint8_t *id = NULL;
    char text[2 * MAX_ID + 1];
    bool is_same = false;
    size_t n = 0;

    if (cp_bytes_read_file(&notes, "/sys/kernel/notes", MAX_NOTES, NULL) ==
        CP_OK)
        n = cp_elf_notes_build_id(notes.data, notes.len, &id);
    if (n > 0 && n <= MAX_ID) {
        cp_hex_text(id, n, text);
        is_same = strcmp(text, build_id) == 0;
    }
    cp_bytes_release(&notes);
    return is_same;
}

/*
 * Computes the distance that the kernel has moved; false if the mapping is not
 * the kernel's text.
 */
static bool find_base(const struct cp_code_map *map, uint64_t start,
                      uint64_t *out)
{
    static const char *const names[] = { "_stext", "_text" };
    uint64_t text;

    *out = 0;
    if (start < KERNEL_HALF) /* a mapping of the whole address space */
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!cp_code_map_start(map, names[i], &text))
            continue;
        *out = start - text;
        if (*out % KERNEL_STEP == 0)
            return true;
    }
    return false;
}

enum cp_status cp_kernel_symbols_open(struct cp_code_map **out,
                                      const char *build_id, uint64_t start,
                                      uint64_t *base, struct cp_error *err)
{
    bool is_known = *build_id != '\0';
    enum cp_status status;

    if (is_known && !is_running(build_id))
        return cp_error_set(err, CP_EFORMAT,
                            "it is not the running kernel; install its debug "
                            "file or set DEBUGINFOD_URLS");
    status = cp_code_map_open(out, "/proc/kallsyms", err);
    if (status != CP_OK)
        return status;
    if (find_base(*out, start, base) && (is_known || (start && *base == 0)))
        return CP_OK;
    cp_code_map_close(*out);
    *out = NULL;
    return cp_error_set(err, CP_EFORMAT,
                        "build id and address do not match the running kernel");
}

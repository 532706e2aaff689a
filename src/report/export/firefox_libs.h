/*
 * firefox_libs - the list "libs" of the Firefox Profiler's format: the distinct
 * files of mappings.
 */
#ifndef CP_FIREFOX_LIBS_H
#define CP_FIREFOX_LIBS_H

#include <stdint.h>

#include "base/strtab.h"

struct cp_out;
struct cp_profile;

/* The file of a mapping. */
struct cp_firefox_lib {
    uint32_t file, build_id; /* string numbers */
};

struct cp_firefox_libs {
    const struct cp_profile *profile;
    struct cp_firefox_lib *items;
    uint32_t n;
    uint32_t *of_file; /* indexed by string: library of a file, or CP_NONE */
};

/* Lists the files of a profile's mappings. Release it even after a failure. */
enum cp_status cp_firefox_libs_init(struct cp_firefox_libs *l,
                                    const struct cp_profile *p,
                                    struct cp_error *err);
void cp_firefox_libs_release(struct cp_firefox_libs *l);

/* Returns the file's name without its directory. */
struct cp_str cp_firefox_libs_name(const struct cp_firefox_libs *l, uint32_t i);

/* Writes the list as JSON. */
void cp_firefox_libs_write(const struct cp_firefox_libs *l, struct cp_out *out);

#endif

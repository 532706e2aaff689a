/*
 * readers - the formats of other profilers, a file each.
 *
 * Each looks at all the bytes and returns a profile, or NULL: with err->status
 * CP_EOTHER when they are not in its format, so that the next may try;
 * anything else is final and names the line or the byte. What each makes of
 * its format is told at the head of its file and in docs/formats.md.
 */
#ifndef CP_READERS_H
#define CP_READERS_H

#include <stddef.h>

#include "base/json/json.h"

struct cp_error;
struct cp_profile;

struct cp_profile *cp_import_folded(const char *bytes, size_t len,
                                    struct cp_error *err);
struct cp_profile *cp_import_perf_script(const char *bytes, size_t len,
                                         struct cp_error *err);
struct cp_profile *cp_import_callgrind(const char *bytes, size_t len,
                                       struct cp_error *err);

/* JSON that import.c has looked into: */

/* "$schema", "profiles", "shared" and "exporter" of a speedscope file. */
struct cp_profile *cp_import_speedscope(struct cp_json profiles,
                                        struct cp_json shared,
                                        struct cp_json exporter,
                                        struct cp_error *err);

/* All of a profile of V8, with "nodes" or, from older versions, "head". */
struct cp_profile *cp_import_v8(struct cp_json top, struct cp_error *err);

/* All of a profile of Firefox, as recorded or processed. */
struct cp_profile *cp_import_gecko(struct cp_json top, struct cp_error *err);

#endif

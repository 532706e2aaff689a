/*
 * readers - one reader per foreign profile format.
 *
 * Each gets the complete file and returns a profile or NULL. err->status
 * CP_EOTHER means that the file has another format, so the next reader tries;
 * any other error is final and names the line or byte. The head of each file
 * and docs/formats.md describe the conversion.
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

/* Readers of JSON formats, which import.c detects: */

/* Reads "$schema", "profiles", "shared" and "exporter" of a speedscope file. */
struct cp_profile *cp_import_speedscope(struct cp_json profiles,
                                        struct cp_json shared,
                                        struct cp_json exporter,
                                        struct cp_error *err);

/* Reads a V8 profile with "nodes" or, from older versions, "head". */
struct cp_profile *cp_import_v8(struct cp_json top, struct cp_error *err);

/* Reads a Firefox profile, recorded or processed. */
struct cp_profile *cp_import_gecko(struct cp_json top, struct cp_error *err);

#endif

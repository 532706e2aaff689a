/*
 * annotate - adds mappings with build ids, functions, files and lines to a
 * profile of bare addresses, so that it can be read on another machine.
 *
 * Context: the endpoint thread, or the thread that writes a profile.
 * Locking: none; the caller owns the profile and the symbols.
 * Failure: CP_ENOMEM. An address that cannot be resolved stays as it is.
 */
#ifndef CP_ANNOTATE_H
#define CP_ANNOTATE_H

#include "base/error.h"

struct cp_mappings;
struct cp_profile;
struct cp_symbols;

/*
 * Adds the mappings of the main program first, then those that contain a
 * location, and assigns each location its mapping. Locations with lines, and
 * those at address 0, are not changed.
 */
enum cp_status cp_annotate_mappings(struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    struct cp_error *err);

/*
 * Adds functions and lines to locations that have none: from symbol tables and
 * debug information, and from the perf map (jit_map.h) for code without a file.
 */
enum cp_status cp_annotate_lines(struct cp_profile *p,
                                 const struct cp_mappings *m,
                                 struct cp_symbols *symbols,
                                 struct cp_error *err);

/* Adds a comment. */
enum cp_status cp_annotate_comment(struct cp_profile *p, const char *text,
                                   struct cp_error *err);

/*
 * Adds a comment per mapping for readers that symbolize themselves: the ELF
 * type, and file offset and virtual address of the code. It adds none if any
 * location has a name, because tools print comments above every report.
 */
enum cp_status cp_annotate_executables(struct cp_profile *p,
                                       const struct cp_mappings *m,
                                       struct cp_error *err);

/* Replaces every byte that is not UTF-8; strict readers reject those. */
enum cp_status cp_annotate_replace_invalid_utf8(struct cp_profile *p,
                                                struct cp_error *err);

#endif

/*
 * annotate - gives a profile of bare addresses what makes it readable
 * elsewhere: mappings with build ids; functions, files and lines.
 */
#ifndef CP_ANNOTATE_H
#define CP_ANNOTATE_H

#include "base/error.h"

struct cp_mappings;
struct cp_profile;
struct cp_symbols;

/*
 * Adds the mappings of the program itself, first, and those that some location
 * lies in, and points each location at its own. Locations that have lines, and
 * those at address 0, are left alone.
 */
enum cp_status cp_annotate_mappings(struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    struct cp_error *err);

/*
 * Adds functions and lines to locations that have none: from symbol tables
 * and debug information, and from the perf map for code that is in no file.
 * What cannot be found stays an address; only lack of memory is a failure.
 */
enum cp_status cp_annotate_lines(struct cp_profile *p,
                                 const struct cp_mappings *m,
                                 struct cp_symbols *symbols,
                                 struct cp_error *err);

/* Adds a comment of ours. */
enum cp_status cp_annotate_comment(struct cp_profile *p, const char *text,
                                   struct cp_error *err);

/*
 * Comments for readers that symbolize by themselves: one a mapping, with the
 * ELF type and where its code lies in file and memory. Only if no location
 * has a name: tools print comments above every report.
 */
enum cp_status cp_annotate_executables(struct cp_profile *p,
                                       const struct cp_mappings *m,
                                       struct cp_error *err);

/* Replaces every byte that is not UTF-8: strict readers refuse those. */
enum cp_status cp_annotate_replace_invalid_utf8(struct cp_profile *p,
                                                struct cp_error *err);

#endif

/*
 * sources - loads the sources of the command line into one profile.
 *
 * It fetches, reads and decodes them on all cores, merges them in order, and
 * subtracts the base profiles.
 */
#ifndef CP_SOURCES_H
#define CP_SOURCES_H

struct cp_command;
struct cp_error;
struct cp_profile;

/*
 * Loads the sources of the command. Reports each unreadable source to `warn`
 * and skips it, as long as one is readable. Returns NULL with *err set on
 * failure.
 */
struct cp_profile *cp_sources_load(const struct cp_command *c,
                                   void (*warn)(void *context,
                                                const char *line),
                                   void *context, struct cp_error *err);

#endif

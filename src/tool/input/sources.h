/*
 * sources - from the names on the command line to one profile.
 *
 * Files are read and decoded on all cores, merged in order, and the base
 * profiles subtracted.
 */
#ifndef CP_SOURCES_H
#define CP_SOURCES_H

struct cp_command;
struct cp_error;
struct cp_profile;

/*
 * Loads what the command names. Sources that cannot be read are told to
 * `warn`, a line each, and left out, as long as one is left. NULL with *err
 * set on failure.
 */
struct cp_profile *cp_sources_load(const struct cp_command *c,
                                   void (*warn)(void *context,
                                                const char *line),
                                   void *context, struct cp_error *err);

#endif

/* save - keeps a copy of what was fetched. */
#ifndef CP_SAVE_H
#define CP_SAVE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_profile;

/*
 * Writes the profile to pprof.BINARY.TYPES.NNN.pb.gz in $PPROF_TMPDIR,
 * ~/pprof or the system's temporary folder, the first that can be used, and
 * tells where. What goes wrong is told too, and is no failure.
 */
void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context);

#define CP_SAVE_PATH_BYTES 4096

/* A file on its way into the same folder; starts with cp_saving_open. */
struct cp_saving {
    int fd;
    char folder[CP_SAVE_PATH_BYTES];
    char temp[CP_SAVE_PATH_BYTES]; /* its name until it is whole */
    char path[CP_SAVE_PATH_BYTES]; /* and then */
};

/* Opens a file without a name of its own; a signal removes it. */
enum cp_status cp_saving_open(struct cp_saving *s, cp_warn warn, void *context,
                              struct cp_error *err);

/*
 * Closes it and gives it the first name NAME.NNN.SUFFIX that is free; name has
 * its dot, suffix has not. On failure it is gone.
 */
enum cp_status cp_saving_place(struct cp_saving *s, const char *name,
                               const char *suffix, struct cp_error *err);

/* Closes and removes it. */
void cp_saving_abandon(struct cp_saving *s);

#endif

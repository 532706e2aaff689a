/* save - saves a copy of fetched profiles and traces. */
#ifndef CP_SAVE_H
#define CP_SAVE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_profile;

/*
 * Writes the profile to pprof.BINARY.TYPES.NNN.pb.gz in $PPROF_TMPDIR, ~/pprof
 * or the system's temporary directory, the first usable one. Reports the path,
 * or the failure, to `warn`; a failure does not stop the report.
 */
void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context);

#define CP_SAVE_PATH_BYTES 4096

/* A file being written in that directory. Initialize with cp_saving_open. */
struct cp_saving {
    int fd;
    char folder[CP_SAVE_PATH_BYTES];
    char temp[CP_SAVE_PATH_BYTES]; /* temporary path */
    char path[CP_SAVE_PATH_BYTES]; /* final path */
};

/* Opens a temporary file. A terminating signal removes it. */
enum cp_status cp_saving_open(struct cp_saving *s, cp_warn warn, void *context,
                              struct cp_error *err);

/*
 * Closes the file and renames it to the first free NAMENNN.SUFFIX: name ends in
 * a dot, suffix starts without one. Removes the file on failure.
 */
enum cp_status cp_saving_rename(struct cp_saving *s, const char *name,
                                const char *suffix, struct cp_error *err);

/* Closes and removes the file. */
void cp_saving_abandon(struct cp_saving *s);

#endif

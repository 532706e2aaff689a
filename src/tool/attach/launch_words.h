/* launch_words - what run, attach, list and top understand alike. */
#ifndef CP_LAUNCH_WORDS_H
#define CP_LAUNCH_WORDS_H

#include <stdint.h>

#include "base/error.h"

struct cp_instance;

/* "10s", "1m30s", "500ms", "10" into seconds. */
enum cp_status cp_launch_seconds(const char *text, double *out,
                                 struct cp_error *err);

/* "6060" into "localhost:6060". */
#define CP_LAUNCH_PORT_BYTES 32
enum cp_status cp_launch_port(const char *text, char out[CP_LAUNCH_PORT_BYTES],
                              struct cp_error *err);

/*
 * Could it be written? Better to know that before an hour of work than after.
 * A folder with {pid} in its name the program may make itself.
 */
enum cp_status cp_launch_check_file(const char *file, struct cp_error *err);

/*
 * What a user means: a process number, an app id or the beginning of one, or
 * nothing if only one program serves. CP_EUSAGE with a message when that is
 * nobody, or several.
 */
enum cp_status cp_launch_pick(const char *what, struct cp_instance *out,
                              struct cp_error *err);

/* "3s", "12m", "5h02m", "3d04h": how long ago that was. */
#define CP_LAUNCH_AGE_BYTES 32
void cp_launch_age(int64_t since_s, char out[CP_LAUNCH_AGE_BYTES]);

#endif

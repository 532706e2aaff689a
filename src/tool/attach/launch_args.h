/*
 * launch_args - arguments that run, attach, list and top share: durations,
 * ports, output files and targets.
 */
#ifndef CP_LAUNCH_ARGS_H
#define CP_LAUNCH_ARGS_H

#include <stdint.h>

#include "base/error.h"

struct cp_instance;

/*
 * Parses a duration ("10s", "1m30s", "500ms", "10") into seconds. `option`
 * names the option in the error message.
 */
enum cp_status cp_launch_seconds(const char *option, const char *text,
                                 double *out, struct cp_error *err);

/* Turns the value of --profile-port, "6060", into "localhost:6060". */
#define CP_LAUNCH_PORT_BYTES 32
enum cp_status cp_launch_port(const char *text, char out[CP_LAUNCH_PORT_BYTES],
                              struct cp_error *err);

/*
 * Checks early that the file can be written, before the program runs for an
 * hour. Skips a directory with {pid} in its name, which the library creates.
 */
enum cp_status cp_launch_check_file(const char *file, struct cp_error *err);

/*
 * Finds the program that the user means: by process number, by app id or a
 * prefix of it, or the only one that serves profiles if what is NULL. CP_EUSAGE
 * with a message if none or several match.
 */
enum cp_status cp_launch_pick(const char *what, struct cp_instance *out,
                              struct cp_error *err);

/* Formats the time since since_s: "3s", "12m", "5h02m", "3d04h". */
#define CP_LAUNCH_AGE_BYTES 32
void cp_launch_age(int64_t since_s, char out[CP_LAUNCH_AGE_BYTES]);

#endif

/*
 * program - finds a command on PATH, and checks that LD_PRELOAD works for it.
 *
 * For a script the interpreter is checked. The error says why preloading fails
 * and what to do instead.
 */
#ifndef CP_PROGRAM_H
#define CP_PROGRAM_H

#include "base/error.h"

#define CP_PROGRAM_PATH 4096

/* The exit statuses that a shell uses for these failures. */
enum { CP_PROGRAM_NOT_RUN = 126, CP_PROGRAM_NOT_FOUND = 127 };

struct cp_program {
    char path[CP_PROGRAM_PATH]; /* file to execute */
    int exit_status;            /* set on failure */
};

/* Finds the command as a shell does. On failure sets out->exit_status. */
enum cp_status cp_program_find(struct cp_program *out, const char *command,
                               struct cp_error *err);

/*
 * Returns CP_OK if the loader will load the library into `path`, which is a
 * program or a script.
 */
enum cp_status cp_program_check(const char *path, struct cp_error *err);

/*
 * Checks an ELF file, but not its permissions; error messages call it `name`.
 */
enum cp_status cp_program_check_elf(const char *path, const char *name,
                                    struct cp_error *err);

#endif

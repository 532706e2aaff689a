/*
 * program - can a command be profiled by preloading, and if not, why?
 *
 * Found as a shell finds it. Scripts are judged by their interpreter. What is
 * refused is told in one sentence, with what to do instead.
 */
#ifndef CP_PROGRAM_H
#define CP_PROGRAM_H

#include "base/error.h"

#define CP_PROGRAM_PATH 4096

/* What a shell would exit with. */
enum { CP_PROGRAM_NOT_RUN = 126, CP_PROGRAM_NOT_FOUND = 127 };

struct cp_program {
    char path[CP_PROGRAM_PATH]; /* what is to be executed */
    int exit_status;            /* when it cannot be */
};

/* Finds the command on PATH. On failure *out has the exit status. */
enum cp_status cp_program_find(struct cp_program *out, const char *command,
                               struct cp_error *err);

/*
 * CP_OK if the loader will load the library into it; else *err says why not.
 * `path` is the file.
 */
enum cp_status cp_program_check(const char *path, struct cp_error *err);

/* The same for an ELF file, whatever its rights; messages call it `name`. */
enum cp_status cp_program_check_elf(const char *path, const char *name,
                                    struct cp_error *err);

#endif

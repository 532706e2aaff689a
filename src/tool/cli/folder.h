/* folder - directories: of profiles, as a source; and those we make. */
#ifndef CP_FOLDER_H
#define CP_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct cp_arena;
struct cp_error;

/* Whether there is a directory of that name. */
bool cp_folder_is_one(const char *path);

/*
 * The paths of the files in it, sorted by name, in the arena: no hidden
 * ones, nothing from the directories in it. NULL with *err set if it cannot
 * be read or has none.
 */
const char **cp_folder_files(const char *path, size_t *n,
                             struct cp_arena *arena, struct cp_error *err);

/*
 * Makes the directory and those above it, if they are not there; path is
 * changed on the way and whole again in the end. False if it cannot be
 * written to.
 */
bool cp_folder_make(char *path);

#endif

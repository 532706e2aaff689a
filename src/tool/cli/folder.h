/*
 * folder - directories: lists one that is given as a source, and creates
 * directories for saved files.
 */
#ifndef CP_FOLDER_H
#define CP_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct cp_arena;
struct cp_error;

/* Whether path is a directory. */
bool cp_folder_exists(const char *path);

/*
 * Returns the paths of the files in the directory, sorted by name, allocated in
 * the arena. Skips hidden files and subdirectories. Returns NULL with *err set
 * if the directory cannot be read or holds no files.
 */
const char **cp_folder_files(const char *path, size_t *n,
                             struct cp_arena *arena, struct cp_error *err);

/*
 * Creates the directory and its missing parents. Modifies path during the call
 * and restores it. Returns false if the directory cannot be written to.
 */
bool cp_folder_make(char *path);

#endif

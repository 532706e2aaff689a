/*
 * configs - named configurations that the user has saved.
 *
 * They are in google/pprof's file, ~/.config/pprof/settings.json, so that both
 * tools share them. Unchanged entries keep every byte, and a file that cannot
 * be parsed is never overwritten.
 */
#ifndef CP_WEB_CONFIGS_H
#define CP_WEB_CONFIGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_options;
struct cp_out;

/*
 * Finds the path of the file. Returns false if the environment does not define
 * it.
 */
bool cp_configs_path(char *out, size_t cap);

/*
 * Writes all configurations as JSON: {"configs":[...]}. A missing file is not
 * an error.
 */
enum cp_status cp_configs_list(const char *path, struct cp_out *out,
                               struct cp_error *err);

/* Saves options under a name; replaces an existing configuration. */
enum cp_status cp_configs_save(const char *path, const char *name,
                               const struct cp_options *options,
                               struct cp_error *err);

/*
 * Renames an entry. Returns CP_EUSAGE if `name` does not exist or `to` exists.
 */
enum cp_status cp_configs_rename(const char *path, const char *name,
                                 const char *to, struct cp_error *err);
enum cp_status cp_configs_delete(const char *path, const char *name,
                                 struct cp_error *err);

#endif

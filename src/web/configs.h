/*
 * configs - the configurations that a user has saved under a name.
 *
 * They are in the reference's own file, ~/.config/pprof/settings.json, so that
 * both tools see the same. Entries of it that are not touched stay as they are,
 * byte for byte, and a file that cannot be understood is never written over.
 */
#ifndef CP_WEB_CONFIGS_H
#define CP_WEB_CONFIGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_options;
struct cp_out;

/* Where the file is; false when the environment does not say. */
bool cp_configs_path(char *out, size_t cap);

/* All of them as JSON: {"configs":[...]}. No file is no failure. */
enum cp_status cp_configs_list(const char *path, struct cp_out *out,
                               struct cp_error *err);

/* Saves options under a name, in place of what had it. */
enum cp_status cp_configs_save(const char *path, const char *name,
                               const struct cp_options *options,
                               struct cp_error *err);

/* CP_EUSAGE for a name that is not there, or is there already. */
enum cp_status cp_configs_rename(const char *path, const char *name,
                                 const char *to, struct cp_error *err);
enum cp_status cp_configs_delete(const char *path, const char *name,
                                 struct cp_error *err);

#endif

/*
 * past_maps - code that was mapped once and may be gone: libraries that were
 * loaded and unloaded while somebody looked on.
 *
 * The sampler's thread notes what is mapped whenever the loader's list has
 * changed; a profile then has names for samples in what has been unloaded
 * since. Where two were in the same place, the later one is kept.
 */
#ifndef CP_UNLOADED_MODULES_H
#define CP_UNLOADED_MODULES_H

#include "base/error.h"

struct cp_mappings;

/* Adds what is mapped now. A failure leaves what was known. */
void cp_unloaded_modules_record(void);

/* Adds to *m what it has nothing in the place of. */
enum cp_status cp_unloaded_modules_join(struct cp_mappings *m,
                                        struct cp_error *err);

/* In the child of a fork, where nobody else is at work on it. */
void cp_unloaded_modules_reset_after_fork(void);

#endif

/*
 * foreign - the reader of formats that are not pprof's own, for cp_load_as.
 *
 * What import/import.h reads, and perf.data, which perf has to read for us.
 */
#ifndef CP_FOREIGN_H
#define CP_FOREIGN_H

#include <stddef.h>

struct cp_error;
struct cp_profile;

/* A cp_load_reader. */
struct cp_profile *cp_foreign_read(const char *bytes, size_t len,
                                   struct cp_error *err);

#endif

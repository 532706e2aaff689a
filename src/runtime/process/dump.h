/*
 * dump - writes heap profiles to files PREFIX.NUMBER.heap.pb.gz while the
 * program runs.
 *
 * The settings select the events: a number of allocated bytes (dump_interval),
 * a new high water mark (dump_on_high_water), a signal, and exit. dump_keep
 * limits the number of files.
 *
 * Context: a thread of the library polls 20 times a second and writes; the
 * exiting thread writes the last file.
 * Locking: one lock, so that two files are never written at once.
 * Failure: the first failure is printed on stderr, later ones are not.
 */
#ifndef CP_DUMP_H
#define CP_DUMP_H

#include "base/error.h"

struct cp_settings;

/* Starts the dumps that the settings select. Call it once. */
enum cp_status cp_dump_start(const struct cp_settings *s, struct cp_error *err);

#endif

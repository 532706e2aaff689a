/*
 * dump - heap profiles that are written to files as the program goes on.
 *
 * Named PREFIX.NUMBER.heap.pb.gz, {pid} in the prefix replaced: after so many
 * allocated bytes, when the memory in use is so much more than ever before, on
 * a signal, and at the exit. All but the newest are removed again if that is
 * asked for. A thread of our own writes them, which looks 20 times a second;
 * that at the exit is written by the thread that exits.
 */
#ifndef CP_DUMP_H
#define CP_DUMP_H

#include "base/error.h"

struct cp_settings;

/* Does what the settings ask for, if they do; once. */
enum cp_status cp_dump_start(const struct cp_settings *s, struct cp_error *err);

#endif

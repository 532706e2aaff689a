/*
 * goroutine - the profile of the stacks of all threads, now.
 *
 * "goroutine" is the name that Go's tools request; "threads" is an alias.
 * Threads with the same stack, name, state and labels are one sample; debug=2
 * shows each thread separately.
 *
 * Context: the endpoint thread. Locking and failure: see thread_stacks.h.
 */
#ifndef CP_GOROUTINE_H
#define CP_GOROUTINE_H

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_goroutine_kind;

#endif

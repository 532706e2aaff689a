/*
 * goroutine - the profile of all threads: where each of them is, now.
 *
 * Under the name that Go's tools ask for; `threads` is another. Threads that
 * have the same stack, name, state and labels are one sample, but each is
 * shown by itself with debug=2.
 */
#ifndef CP_GOROUTINE_H
#define CP_GOROUTINE_H

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_goroutine_kind;

#endif

/*
 * handover - whose the address is when a program runs another.
 *
 * `PPROFLISTEN=:6060 timeout 60 ./server` has the library in both processes,
 * and the first of them takes the address. It is not the one that anybody
 * wants to look at. So a program that finds its address taken by a process it
 * descends from asks for it, and gets it if that one only waits: it has one
 * thread, and that is in a call that waits for children or signals. When the
 * heir has ended, the address goes back (endpoint.c).
 */
#ifndef CP_HANDOVER_H
#define CP_HANDOVER_H

#include <stdbool.h>

/* In the owner: is the process a descendant, and do we only wait? */
bool cp_handover_may(long pid);

/* In the descendant: asks whoever serves there; true: it has let go. */
bool cp_handover_ask(const char *listen);

/* Was our parent started with the same PPROFLISTEN? */
bool cp_handover_is_inherited(const char *listen);

#endif

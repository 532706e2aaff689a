/*
 * leak_epoll - finds pointers that the program has stored in the kernel.
 *
 * A server may keep the address of a connection only in epoll_ctl's data.ptr
 * and get it back with the next event. /proc/self/fdinfo shows these words.
 *
 * Context: the thread that scans for leaks. Allocates nothing from malloc.
 * Locking: none. Failure: descriptors that cannot be read are skipped.
 */
#ifndef CP_LEAK_EPOLL_H
#define CP_LEAK_EPOLL_H

#include <stdint.h>

/* Calls visit for the data word of every registration in every epoll. */
void cp_leak_epoll_each(void (*visit)(void *context, uintptr_t word),
                        void *context);

/* Calls visit for every data word in the contents of one fdinfo file. */
void cp_leak_epoll_parse(const char *text,
                         void (*visit)(void *context, uintptr_t word),
                         void *context);

#endif

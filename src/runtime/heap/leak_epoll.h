/*
 * leak_epoll - pointers that the program has given to the kernel.
 *
 * Servers often have the address of a connection nowhere but in epoll_ctl's
 * data.ptr: it comes back with the next event. The kernel tells it in
 * /proc/self/fdinfo.
 */
#ifndef CP_LEAK_EPOLL_H
#define CP_LEAK_EPOLL_H

#include <stdint.h>

/* Has each such word looked at, of all that can be read. */
void cp_leak_epoll_each(void (*look)(void *context, uintptr_t word),
                        void *context);

/* The same for the text of one file. */
void cp_leak_epoll_parse(const char *text,
                         void (*look)(void *context, uintptr_t word),
                         void *context);

#endif

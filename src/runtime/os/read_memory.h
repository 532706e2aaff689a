/*
 * read_memory - reads memory of this process that may be unmapped at any time.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: see below; an unmapped address never faults.
 */
#ifndef CP_READ_MEMORY_H
#define CP_READ_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "signal/unwinder/syscall.h"

/*
 * Copies len bytes with process_vm_readv. Returns the bytes copied, which are
 * fewer if a page is not mapped, or a negative errno. Passes the thread's own
 * id, because the pid of a process whose main thread has exited has no memory.
 */
static inline long cp_read_memory(uintptr_t from, void *to, size_t len)
{
    struct iovec local = { to, len }, remote = { (void *)from, len };

    return CP_SYSCALL(SYS_process_vm_readv, CP_SYSCALL(SYS_gettid, 0),
                      (long)&local, 1, (long)&remote, 1, 0);
}

#endif

/*
 * leak_read - memory of the program that it may unmap at any time.
 *
 * Through the kernel, which copies as much as there is.
 */
#ifndef CP_READ_MEMORY_H
#define CP_READ_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "signal/unwinder/syscall.h"

/*
 * By the thread's own id: a process whose first thread has ended has no memory
 * by that one's. The bytes that were copied, or a negative number.
 */
static inline long cp_read_memory(uintptr_t from, void *to, size_t len)
{
    struct iovec there = { to, len }, here = { (void *)from, len };

    return CP_SYSCALL(SYS_process_vm_readv, CP_SYSCALL(SYS_gettid, 0),
                      (long)&there, 1, (long)&here, 1, 0);
}

#endif

/*
 * thread_state - what the kernel says of a thread: its name, whether it runs,
 * and what it waits for.
 */
#ifndef CP_THREAD_STATE_H
#define CP_THREAD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_THREAD_NAME_BYTES 64

struct cp_thread_state {
    char name[CP_THREAD_NAME_BYTES];
    char letter;        /* as in /proc: R, S, D, T, t, Z, X; 0: gone */
    char wait[32];      /* the system call that it sleeps in, or "" */
    bool blocks_signal; /* the signal would not be delivered */
};

/*
 * Reads it; false: there is no such thread any more. `place` is what its file
 * "syscall" says; sig 0: whether it is blocked is not asked.
 */
bool cp_thread_state_read(int32_t tid, const char *place, int sig,
                          struct cp_thread_state *out);

/*
 * The start of a file in the thread's folder of /proc, closed by NUL; "": it
 * cannot be read.
 */
void cp_thread_file_read(int32_t tid, const char *name, char *out, size_t cap);

/* Does the thread block that signal? */
bool cp_thread_blocks_signal(int32_t tid, int sig);

/* "running", "sleeping", ... */
const char *cp_thread_state_name(char letter);

#endif

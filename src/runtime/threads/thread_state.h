/*
 * thread_state - reads the name, state and wait of a thread from /proc.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: a thread that has exited gives false or an empty string.
 */
#ifndef CP_THREAD_STATE_H
#define CP_THREAD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_THREAD_NAME_BYTES 64

struct cp_thread_state {
    char name[CP_THREAD_NAME_BYTES];
    char letter;        /* as in /proc: R, S, D, T, t, Z, X; 0 if exited */
    char wait[32];      /* system call or kernel function it sleeps in, or "" */
    bool blocks_signal; /* the thread's mask has `sig` */
};

/*
 * Reads the state; false if the thread has exited. `syscall_text` is the
 * content of its file "syscall"; sig 0 leaves blocks_signal false.
 */
bool cp_thread_state_read(int32_t tid, const char *syscall_text, int sig,
                          struct cp_thread_state *out);

/*
 * Reads the start of a file in /proc/self/task/TID and adds a NUL; "" if it
 * cannot be read.
 */
void cp_thread_file_read(int32_t tid, const char *name, char *out, size_t cap);

/* Whether the thread blocks the signal. */
bool cp_thread_blocks_signal(int32_t tid, int sig);

/* "running", "sleeping", ... */
const char *cp_thread_state_name(char letter);

#endif

/*
 * lifecycle - the library's life inside a process: start, fork, end.
 *
 * When it is loaded it reads the environment and starts what that asks for: in
 * a set-user-id program, or if neither variable is set, nothing.
 *
 * Nothing here ends: what the library has set up stays until the process is
 * gone, so that no late call and no static destructor finds it torn down.
 */
#ifndef CP_LIFECYCLE_H
#define CP_LIFECYCLE_H

#include <stdbool.h>

#include "base/error.h"

/* Makes the library ready for use, once; safe from any thread. */
enum cp_status cp_lifecycle_start(struct cp_error *err);

/* The arguments of a thread's function, for tail calls of it. */
struct cp_thread_start {
    void *(*run)(void *arg);
    void *arg;
};

/*
 * For pthread_create: what to start instead. begin, in the new thread, makes
 * it known and gives back what was asked for. NULL: start it as it is.
 */
void *cp_lifecycle_wrap_thread(const void *attr, struct cp_thread_start start);
struct cp_thread_start cp_lifecycle_begin_thread(void *wrapped);
void cp_lifecycle_unwrap_thread(void *wrapped);

/*
 * Somebody comes to a running program: settings ("key:value,...") as in the
 * environment; nothing is said on the program's stderr. The library may have
 * come with them, or have been asleep in it. detach: as it was before.
 */
enum cp_status cp_lifecycle_attach(const char *settings, struct cp_error *err);
void cp_lifecycle_detach(void);

/*
 * Before anybody else's functions for forks are added: adds ours. False: there
 * is no memory for it.
 */
typedef int cp_atfork(void (*before)(void), void (*in_parent)(void),
                      void (*in_child)(void));
bool cp_lifecycle_watch_forks(cp_atfork *add);

/* Writes "cpprof: LINE" to stderr. */
void cp_lifecycle_say(const char *line);

/*
 * Stops all recording, so that hooks make no system call of their own
 * (sandbox.h); and the way back, where the filter was not installed.
 */
bool cp_lifecycle_is_started(void);
bool cp_lifecycle_is_own_process(void); /* false in a child of vfork */
void cp_lifecycle_seal(void);
void cp_lifecycle_unseal(void);

#endif

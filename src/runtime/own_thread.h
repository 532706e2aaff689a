/*
 * own_thread - threads of the library itself.
 *
 * They have all signals blocked, so that none of the program's lands on them,
 * and are in no profile.
 */
#ifndef CP_OWN_THREAD_H
#define CP_OWN_THREAD_H

#include <stdbool.h>

#include "base/error.h"

/* pthread_create as it was before it was ours; see interpose.c. */
typedef int cp_thread_maker(void *thread, const void *attr,
                            void *(*start)(void *), void *arg);
void cp_own_thread_set_maker(cp_thread_maker *maker);

/* Is pthread_create ours? Else new threads must be looked for. */
bool cp_own_thread_has_maker(void);

/* Starts a thread that nobody waits for; its name is for `ps` and gdb. */
enum cp_status cp_own_thread_start(const char *name, void (*run)(void *arg),
                                   void *arg, struct cp_error *err);

/* One that will run code of the program, on a stack as large as any. */
enum cp_status cp_own_thread_start_deep(const char *name,
                                        void (*run)(void *arg), void *arg,
                                        struct cp_error *err);

#endif

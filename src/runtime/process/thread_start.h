/*
 * thread_start - registers a thread when it starts and unregisters it when it
 * ends, for the hooks of pthread_create and thrd_create (interpose.c).
 *
 * The hook passes libc a start function of its own. That function calls
 * cp_thread_start_begin on the new thread and then tail-calls the function of
 * the program. The destructor of a pthread key runs at the end of the thread.
 *
 * Context: wrap and unwrap on the creating thread, begin on the new thread.
 * Locking: none; cp_threads_register takes the lock of the thread list.
 * Failure: wrap returns NULL; the thread then starts unwrapped, and the refresh
 * thread finds it later.
 */
#ifndef CP_THREAD_START_H
#define CP_THREAD_START_H

/* The start function of a thread and its argument. */
struct cp_thread_start {
    void *(*run)(void *arg);
    void *arg;
};

/* Creates the pthread key and reads the stack limit. Call it once. */
void cp_thread_start_init(void);

/* Registers the main thread; does nothing on other threads. */
void cp_thread_start_register_main(void);

/* The argument for libc's pthread_create, or NULL to start unwrapped. */
void *cp_thread_start_wrap(const void *attr, struct cp_thread_start start);

/* Registers the current thread, frees `wrapped`, and returns its content. */
struct cp_thread_start cp_thread_start_begin(void *wrapped);

/* Frees `wrapped` if libc could not create the thread. */
void cp_thread_start_unwrap(void *wrapped);

#endif

/*
 * error - what went wrong, in a form the caller can test and show.
 *
 * A function that can fail returns a cp_status and takes a struct cp_error
 * last. The struct is the caller's, usually on the stack; nothing in it needs
 * freeing, so it works when memory is what ran out.
 */
#ifndef CP_ERROR_H
#define CP_ERROR_H

enum cp_status {
    CP_OK = 0,
    CP_ENOMEM = -1,  /* memory ran out */
    CP_EFORMAT = -2, /* the input is not what it claims to be */
    CP_EIO = -3,     /* the system refused; the message names the call */
    CP_EUSAGE = -4,  /* the user asked for something that cannot be */
    CP_EOTHER = -5,  /* a reader's word for "not my format, try the next" */
};

struct cp_error {
    enum cp_status status;
    char msg[512]; /* one line, no newline, cut if too long */
};

/*
 * Fills *err and returns status, so that a failing function can end with
 * `return cp_error_set(...)`. err may be NULL.
 */
enum cp_status cp_error_set(struct cp_error *err, enum cp_status status,
                            const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets "out of memory" and returns CP_ENOMEM. err may be NULL. */
enum cp_status cp_error_nomem(struct cp_error *err);

/* Puts text before the message that is there. err may be NULL. */
void cp_error_prefix(struct cp_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif

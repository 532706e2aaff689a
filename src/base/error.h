/*
 * error - status codes and error messages.
 *
 * A function that can fail returns a cp_status and takes a struct cp_error as
 * its last argument. The caller owns the struct, usually on the stack. It needs
 * no memory, so it can report an allocation failure.
 */
#ifndef CP_ERROR_H
#define CP_ERROR_H

enum cp_status {
    CP_OK = 0,
    CP_ENOMEM = -1,  /* allocation failed */
    CP_EFORMAT = -2, /* malformed input */
    CP_EIO = -3,     /* a system call failed; the message names it */
    CP_EUSAGE = -4,  /* the user requested something impossible */
    CP_EOTHER = -5,  /* a reader does not know the format; try the next */
};

struct cp_error {
    enum cp_status status;
    char msg[512]; /* one line without newline; truncated if too long */
};

/*
 * Fills in *err and returns status, for `return cp_error_set(...)`. err may be
 * NULL.
 */
enum cp_status cp_error_set(struct cp_error *err, enum cp_status status,
                            const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets "out of memory" and returns CP_ENOMEM. err may be NULL. */
enum cp_status cp_error_nomem(struct cp_error *err);

/* Inserts a string before the message. err may be NULL. */
void cp_error_prefix(struct cp_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif

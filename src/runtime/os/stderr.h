/*
 * stderr - lines for the user on the program's standard error.
 *
 * Only as long as that is what it was at the start: a daemon closes it, and
 * the next file that it opens, a database perhaps, has the same number.
 */
#ifndef CP_STDERR_H
#define CP_STDERR_H

/* Remembers what descriptor 2 is now. */
void cp_stderr_remember(void);

/* Writes, unless the descriptor has become something else since. */
void cp_stderr_write(const char *text);

#endif

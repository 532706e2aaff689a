/*
 * stderr - writes messages to the program's standard error.
 *
 * A daemon closes descriptor 2, and the next file that it opens, for instance a
 * database, gets the same number. So the library writes only while descriptor 2
 * is the file that it was at the start.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: none; the message is dropped.
 */
#ifndef CP_STDERR_H
#define CP_STDERR_H

/* Records device and inode of descriptor 2. */
void cp_stderr_remember(void);

/* Writes the string, unless descriptor 2 now refers to a different file. */
void cp_stderr_write(const char *text);

#endif

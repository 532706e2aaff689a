/*
 * leftover - the unfinished file that a signal must not leave behind.
 *
 * Files are written under a name of their own and renamed when they are
 * whole. While one is being written, SIGINT, SIGTERM and SIGHUP remove it
 * before they end the program. A signal that is caught or ignored by someone
 * else stays theirs. One file at a time.
 */
#ifndef CP_LEFTOVER_H
#define CP_LEFTOVER_H

/* path is borrowed until the matching keep. */
void cp_leftover_watch(const char *path);
void cp_leftover_keep(void);

#endif

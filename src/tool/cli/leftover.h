/*
 * leftover - removes the unfinished temporary file when a signal ends the tool.
 *
 * Files are written under a temporary name and renamed when they are complete.
 * In between, SIGINT, SIGTERM and SIGHUP remove the temporary file before they
 * end the process. A signal that already has a handler, or is ignored, keeps
 * that disposition. Handles one file at a time.
 *
 * Context: main thread; the handler is async-signal-safe.
 */
#ifndef CP_LEFTOVER_H
#define CP_LEFTOVER_H

/* Borrows path until cp_leftover_unregister. */
void cp_leftover_register(const char *path);
void cp_leftover_unregister(void);

#endif

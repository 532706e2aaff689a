/*
 * keys - reads one key at a time from a terminal, together with signals.
 *
 * libedit's own signal handling ends the program on Ctrl-C and forwards the
 * signal to the whole process group. Here cp_keys_read returns a signal as an
 * event in the sequence of keys.
 */
#ifndef CP_KEYS_H
#define CP_KEYS_H

#include <wchar.h>

enum cp_key {
    CP_KEY,             /* a character was typed */
    CP_KEY_INTERRUPTED, /* Ctrl-C */
    CP_KEY_RESIZED,     /* the terminal window was resized */
    CP_KEY_CONTINUED,   /* the process was stopped and continued */
    CP_KEY_END,         /* end of input, or a terminating signal */
};

/* Installs and restores the signal handlers. Calls do not nest. */
void cp_keys_open(void);
void cp_keys_close(void);

/* Waits for the next key from standard input. */
enum cp_key cp_keys_read(wchar_t *out);

/* Restores the default signal dispositions in a child process. */
void cp_keys_reset_in_child(void);

/* Returns the terminating signal that was received, or 0. */
int cp_keys_signal(void);

#endif

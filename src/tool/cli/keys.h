/*
 * keys - one key at a time from a terminal, and the signals in between.
 *
 * libedit's own handling of signals ends the program on Ctrl-C and sends it
 * on to the whole group of processes; here a signal is something that comes
 * instead of a key.
 */
#ifndef CP_KEYS_H
#define CP_KEYS_H

#include <wchar.h>

enum cp_key {
    CP_KEY,             /* a character was typed */
    CP_KEY_INTERRUPTED, /* Ctrl-C */
    CP_KEY_RESIZED,     /* the window has another size */
    CP_KEY_CONTINUED,   /* the program was stopped and goes on */
    CP_KEY_END,         /* end of input, or a signal that ends programs */
};

/* Begins and ends the handling of signals; not nested. */
void cp_keys_open(void);
void cp_keys_close(void);

/* Waits for the next key from standard input. */
enum cp_key cp_keys_read(wchar_t *out);

/* For a child: signals do again what they usually do. */
void cp_keys_forget(void);

/* The signal that is to end the program, or 0. */
int cp_keys_signal(void);

#endif

/*
 * printable - text from outside, made safe for a terminal.
 *
 * Names in profiles, in processes and in answers of servers may contain
 * sequences that a terminal obeys, or that change the order of what it shows.
 * Shown as visible escapes are: C0 but newline and tab, DEL, C1 (as a byte and
 * in UTF-8), characters that set the direction or have no width, line
 * separators, and bytes that are not UTF-8.
 *
 * Context: any thread; allocates nothing. Locking: none.
 */
#ifndef CP_PRINTABLE_H
#define CP_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#define CP_PRINTABLE_BYTES 12 /* room for any escape */

/*
 * Reads the character that text starts with (len > 0) and writes how it is
 * shown: itself, or \x1b, \u202e, \U000e0001. Returns its length in text.
 */
size_t cp_printable_next(const char *text, size_t len,
                         char out[CP_PRINTABLE_BYTES], size_t *out_len);

/* Writes one line of at most cap - 1 bytes: newline and tab become blanks. */
void cp_printable_line(char *out, size_t cap, const char *text);

/* Is all of it shown as it is, on one line? */
bool cp_printable_is(const char *text, size_t len);

/* Bytes at the end that may be the beginning of a character: 0 to 3. */
size_t cp_printable_unfinished(const char *text, size_t len);

#endif

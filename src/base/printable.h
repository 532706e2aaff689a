/*
 * printable - makes untrusted text safe for a terminal.
 *
 * Names in profiles, processes and server replies may contain sequences that
 * control a terminal or reorder its text. These are shown as visible escapes:
 * C0 except newline and tab, DEL, C1 (as a byte and in UTF-8), direction marks,
 * zero-width characters, line separators, and bytes that are not UTF-8.
 *
 * Context: any thread; allocates nothing. Locking: none.
 */
#ifndef CP_PRINTABLE_H
#define CP_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#define CP_PRINTABLE_BYTES 12 /* maximum bytes of an escape */

/*
 * Reads the first character of text (len > 0) and writes its visible form:
 * itself, or \x1b, \u202e, \U000e0001. Returns its length in text.
 */
size_t cp_printable_next(const char *text, size_t len,
                         char out[CP_PRINTABLE_BYTES], size_t *out_len);

/* Writes one line of at most cap - 1 bytes; newline and tab become blanks. */
void cp_printable_line(char *out, size_t cap, const char *text);

/* Whether the text is printed unchanged, on one line. */
bool cp_printable_is(const char *text, size_t len);

/* Returns the length of an incomplete character at the end: 0 to 3. */
size_t cp_printable_unfinished(const char *text, size_t len);

#endif

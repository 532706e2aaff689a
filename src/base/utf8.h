/*
 * utf8 - reads and writes single UTF-8 sequences.
 *
 * Used where text from outside must be told apart from arbitrary bytes. What
 * counts as valid is what Go counts: no overlong forms, no surrogates,
 * nothing above U+10FFFF. Allocates nothing; safe in any thread.
 */
#ifndef CP_UTF8_H
#define CP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_UTF8_MAX_RUNE 0x10ffffu
#define CP_UTF8_REPLACEMENT 0xfffdu

/*
 * Reads the sequence that text starts with. Returns its length, 1 to 4, with
 * *out_rune set; or 0 with *out_rune untouched when there is none.
 */
size_t cp_utf8_decode(const char *text, size_t len, uint32_t *out_rune);

/* Writes rune, which must be valid, and returns how many bytes it took. */
size_t cp_utf8_encode(uint32_t rune, char out[static 4]);

/* Whether all of text is valid. */
bool cp_utf8_is_valid(const char *text, size_t len);

#endif

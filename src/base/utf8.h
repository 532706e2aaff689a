/*
 * utf8 - decodes and encodes single UTF-8 sequences.
 *
 * Validity is as in Go: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Allocates nothing; any thread may call it.
 */
#ifndef CP_UTF8_H
#define CP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_UTF8_MAX_RUNE 0x10ffffu
#define CP_UTF8_REPLACEMENT 0xfffdu

/*
 * Decodes the first sequence of text. Returns its length, 1 to 4, and sets
 * *out_rune; or returns 0 and leaves *out_rune if it is invalid.
 */
size_t cp_utf8_decode(const char *text, size_t len, uint32_t *out_rune);

/* Encodes a valid rune; returns the number of bytes. */
size_t cp_utf8_encode(uint32_t rune, char out[static 4]);

/* Whether all of text is valid UTF-8. */
bool cp_utf8_is_valid(const char *text, size_t len);

#endif

/*
 * symbols - the symbolizers of the files that are mapped, kept between
 * requests.
 *
 * Opening a file and its debug information takes longer than asking it. So
 * they stay open, the most recently used of them, until nobody has asked for
 * a while. A file is known by its build id too: what is installed over it
 * never gives names to what runs.
 */
#ifndef CP_SYMBOLS_H
#define CP_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct cp_error;
struct cp_mappings;
struct cp_symbolizer;

struct cp_symbols;

struct cp_symbols *cp_symbols_new(struct cp_error *err);
void cp_symbols_free(struct cp_symbols *s);

/* The symbolizer of file number `file`, borrowed; NULL when there is none. */
struct cp_symbolizer *cp_symbols_open(struct cp_symbols *s,
                                      const struct cp_mappings *m,
                                      uint32_t file);

/* After a request: frames that were given out are no longer needed. */
void cp_symbols_release_frames(struct cp_symbols *s);

/* Closes all that is open. */
void cp_symbols_close(struct cp_symbols *s);

/* How many are open. */
size_t cp_symbols_count(const struct cp_symbols *s);

#endif

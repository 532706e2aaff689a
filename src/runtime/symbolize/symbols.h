/*
 * symbols - an LRU cache of open symbolizers, one per mapped file.
 *
 * Opening a file with debug information takes longer than a lookup, so
 * symbolizers stay open between requests. The key is path and build id: a file
 * that was replaced on disk never names the code of the old one.
 *
 * Context: the endpoint thread, or the thread that writes a profile.
 * Locking: none; the caller owns the struct.
 * Failure: NULL; addresses then stay without names.
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

/* The symbolizer of m->files[file], owned by s; NULL if there is none. */
struct cp_symbolizer *cp_symbols_open(struct cp_symbols *s,
                                      const struct cp_mappings *m,
                                      uint32_t file);

/* Frees the frames that symbolizers have returned; called after a request. */
void cp_symbols_release_frames(struct cp_symbols *s);

/* Closes all symbolizers. */
void cp_symbols_close(struct cp_symbols *s);

/* Number of cached symbolizers. */
size_t cp_symbols_count(const struct cp_symbols *s);

#endif

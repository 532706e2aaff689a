/*
 * json - reads JSON in place, without building a tree.
 *
 * A struct cp_json is a cursor in a document. It advances as values are read,
 * and a copy of it is a bookmark: a reader stores the positions of the parts
 * that it needs (cp_json_pick) and reads them in any order. Memory use
 * therefore does not depend on the size of the file.
 *
 * The document stores the first error with its byte position. After an error
 * every function returns false or an empty value, so the caller needs to check
 * cp_json_status only after a loop or at the end.
 *
 * The parser is strict, except inside strings: control characters and invalid
 * UTF-8 pass unchanged; an unpaired surrogate becomes U+FFFD. The depth is
 * limited when values are skipped; readers do not recurse.
 */
#ifndef CP_JSON_H
#define CP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_arena;

/* Maximum nesting depth. */
#define CP_JSON_DEPTH 16384

/* Initialize with cp_json_start. */
struct cp_json_doc {
    const char *begin, *end;
    struct cp_error err;
    char *scratch; /* decoded text of the last string with escapes */
    size_t cap_scratch;
    bool is_checked; /* whether all of it is validated, so that skipping can be
                        fast */
};

struct cp_json {
    struct cp_json_doc
        *doc; /* NULL if there is no position: a member was not found */
    const char *pos;
    bool is_first; /* whether the cursor follows an opening bracket */
};

/* The kind of the next value. */
enum cp_json_kind {
    CP_JSON_NOTHING, /* end of document, error, or not a value */
    CP_JSON_OBJECT,
    CP_JSON_ARRAY,
    CP_JSON_STRING,
    CP_JSON_NUMBER,
    CP_JSON_OTHER, /* true, false or null */
};

/* Returns a cursor at the start of a document; the bytes must outlive it. */
struct cp_json cp_json_start(struct cp_json_doc *doc, const char *bytes,
                             size_t len);
void cp_json_release(struct cp_json_doc *doc);

enum cp_json_kind cp_json_kind(struct cp_json *j);

/*
 * Enters an object or array; any other kind is an error. Then each call of the
 * next two functions moves to the next value, or leaves the container and
 * returns false. A key is valid until the next string is read.
 */
bool cp_json_enter(struct cp_json *j, enum cp_json_kind kind);
bool cp_json_member(struct cp_json *j, struct cp_text *key);
bool cp_json_item(struct cp_json *j);

/* Reads a string, which is valid until the next one is read. */
struct cp_text cp_json_string(struct cp_json *j);

/*
 * Like cp_json_string, but valid as long as the arena and the bytes of the
 * document.
 */
struct cp_text cp_json_text(struct cp_json *j, struct cp_arena *arena);

double cp_json_number(struct cp_json *j);

/*
 * Reads an integer; truncates fractions; a value outside 64 bits is an error.
 */
int64_t cp_json_int(struct cp_json *j);

/*
 * Reads an index. Returns CP_NONE for null, -1 and values that are not numbers.
 */
uint32_t cp_json_index(struct cp_json *j);

/* Skips a value of any kind. */
void cp_json_skip(struct cp_json *j);

/*
 * Reads an object and bookmarks the named members; out[i] has no position if
 * the member is missing. Of two members with the same name, the last wins.
 */
void cp_json_pick(struct cp_json *j, const char *const *names, size_t n,
                  struct cp_json *out);

/* Whether the bookmark points at a value of that kind. */
bool cp_json_is(const struct cp_json *j, enum cp_json_kind kind);

/* Reads all numbers of an array as indexes into the arena; NULL on failure. */
uint32_t *cp_json_indexes(struct cp_json *j, struct cp_arena *arena,
                          uint32_t *n);

/* Reads all strings of an array; copies those with escapes. */
struct cp_text *cp_json_strings(struct cp_json *j, struct cp_arena *arena,
                                uint32_t *n);

/* Sets the error "WHAT at byte N". */
void cp_json_fail(const struct cp_json *j, const char *what);

/* Returns CP_OK, or the first error, and fills in *err. */
enum cp_status cp_json_status(const struct cp_json_doc *doc,
                              struct cp_error *err);

#endif

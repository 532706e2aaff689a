/*
 * json - reads JSON where it lies, without making a tree of it.
 *
 * A struct cp_json is a place in a document. It moves over values as they are
 * read, and a copy of it is a bookmark: a reader notes where the parts are
 * that it needs (cp_json_pick), and then reads them in the order that suits
 * it. So memory does not depend on the file but on what is kept of it.
 *
 * The first failure is kept in the document with the byte where it happened.
 * After it every function says "no more" or gives nothing, so that only
 * cp_json_status needs checking, after a loop or at the end.
 *
 * Strict but for what is inside strings: control characters and bytes that
 * are not UTF-8 pass as they are; half a surrogate pair becomes U+FFFD. Depth
 * is limited where values are skipped; readers do not recurse.
 */
#ifndef CP_JSON_H
#define CP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_arena;

/* Nested deeper than this is no profile. */
#define CP_JSON_DEPTH 16384

/* Starts with cp_json_start. */
struct cp_json_doc {
    const char *begin, *end;
    struct cp_error err;
    char *scratch; /* the last string that had escapes */
    size_t cap_scratch;
    bool is_checked; /* all of it has been gone over: skipping can be quick */
};

struct cp_json {
    struct cp_json_doc *doc; /* NULL: nowhere, as for what was not found */
    const char *pos;
    bool is_first; /* just behind a bracket that opens */
};

/* What comes next. */
enum cp_json_kind {
    CP_JSON_NOTHING, /* the end, a failure, or something that is no value */
    CP_JSON_OBJECT,
    CP_JSON_ARRAY,
    CP_JSON_STRING,
    CP_JSON_NUMBER,
    CP_JSON_OTHER, /* true, false or null */
};

/* The start of a document; its bytes must outlive it. */
struct cp_json cp_json_start(struct cp_json_doc *doc, const char *bytes,
                             size_t len);
void cp_json_release(struct cp_json_doc *doc);

enum cp_json_kind cp_json_kind(struct cp_json *j);

/*
 * Steps into an object or array; false if it is something else, which is a
 * failure. Then each call of the other two stands before the next value, or
 * steps out and returns false. A key is good until the next string is read.
 */
bool cp_json_enter(struct cp_json *j, enum cp_json_kind kind);
bool cp_json_member(struct cp_json *j, struct cp_text *key);
bool cp_json_item(struct cp_json *j);

/* Reads a string; what it gives is good until the next one is read. */
struct cp_text cp_json_string(struct cp_json *j);

/* The same, good as long as the arena and the bytes of the document. */
struct cp_text cp_json_text(struct cp_json *j, struct cp_arena *arena);

double cp_json_number(struct cp_json *j);

/* A whole number; fractions are cut off, what does not fit is a failure. */
int64_t cp_json_int(struct cp_json *j);

/* The same for an index: CP_NONE for null, -1 and what is no number. */
uint32_t cp_json_index(struct cp_json *j);

/* Steps over a value of any kind. */
void cp_json_skip(struct cp_json *j);

/*
 * Reads an object and bookmarks those of its members that are named; out[i]
 * is nowhere for what is not there. Of two members of one name, the last.
 */
void cp_json_pick(struct cp_json *j, const char *const *names, size_t n,
                  struct cp_json *out);

/* Whether the bookmark leads to a value of that kind. */
bool cp_json_is(const struct cp_json *j, enum cp_json_kind kind);

/* All numbers of an array as indexes, in the arena; NULL on failure. */
uint32_t *cp_json_indexes(struct cp_json *j, struct cp_arena *arena,
                          uint32_t *n);

/* All strings of an array, copied where they had escapes. */
struct cp_text *cp_json_strings(struct cp_json *j, struct cp_arena *arena,
                                uint32_t *n);

/* Fails with a message of the reader's own: "WHAT at byte N". */
void cp_json_fail(const struct cp_json *j, const char *what);

/* CP_OK, or the first failure, which *err then tells. */
enum cp_status cp_json_status(const struct cp_json_doc *doc,
                              struct cp_error *err);

#endif

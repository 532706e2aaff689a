/* json.c - the JSON cursor. */
#include "base/json/json.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/index.h"
#include "base/json/json_number.h"
#include "base/json/json_string.h"

struct cp_json cp_json_start(struct cp_json_doc *doc, const char *bytes,
                             size_t len)
{
    static const char mark[] =
        "\xef\xbb\xbf"; /* UTF-8 byte order mark, common on Windows */
    bool has_mark = len >= 3 && memcmp(bytes, mark, 3) == 0;

    *doc = (struct cp_json_doc){ .begin = bytes, .end = bytes + len };
    return (struct cp_json){ .doc = doc, .pos = bytes + (has_mark ? 3 : 0) };
}

void cp_json_release(struct cp_json_doc *doc)
{
    cp_free(doc->scratch);
    doc->scratch = NULL;
}

void cp_json_fail(const struct cp_json *j, const char *what)
{
    if (j->doc && j->doc->err.status == CP_OK)
        (void)cp_error_set(&j->doc->err, CP_EFORMAT, "%s at byte %zu", what,
                           (size_t)(j->pos - j->doc->begin));
}

enum cp_status cp_json_status(const struct cp_json_doc *doc,
                              struct cp_error *err)
{
    if (err && doc->err.status != CP_OK)
        *err = doc->err;
    return doc->err.status;
}

static bool has_ended(const struct cp_json *j)
{
    return !j->doc || j->doc->err.status != CP_OK;
}

static void skip_white(struct cp_json *j)
{
    const char *end = j->doc->end;

    while (j->pos < end && (*j->pos == ' ' || *j->pos == '\n' ||
                            *j->pos == '\r' || *j->pos == '\t'))
        j->pos++;
}

/* Returns the next character that is not white space, 0 at the end. */
static char next_char(struct cp_json *j)
{
    if (has_ended(j))
        return 0;
    skip_white(j);
    return j->pos < j->doc->end ? *j->pos : 0;
}

enum cp_json_kind cp_json_kind(struct cp_json *j)
{
    switch (next_char(j)) {
    case '{':
        return CP_JSON_OBJECT;
    case '[':
        return CP_JSON_ARRAY;
    case '"':
        return CP_JSON_STRING;
    case 't':
    case 'f':
    case 'n':
        return CP_JSON_OTHER;
    case '-':
    case '0' ... '9':
        return CP_JSON_NUMBER;
    default:
        return CP_JSON_NOTHING;
    }
}

bool cp_json_is(const struct cp_json *j, enum cp_json_kind kind)
{
    struct cp_json copy = *j;

    return copy.doc && cp_json_kind(&copy) == kind;
}

bool cp_json_enter(struct cp_json *j, enum cp_json_kind kind)
{
    if (has_ended(j))
        return false;
    if (cp_json_kind(j) != kind) {
        cp_json_fail(j, j->pos == j->doc->end    ? "the file ends early"
                        : kind == CP_JSON_OBJECT ? "expected an object"
                                                 : "expected a list");
        return false;
    }
    j->pos++;
    j->is_first = true;
    return true;
}

/* Moves to the next member or item; false after the last. */
static bool advance(struct cp_json *j, char close)
{
    char c = next_char(j);
    bool was_first = j->is_first;

    j->is_first = false;
    if (has_ended(j))
        return false;
    if (c == close) {
        j->pos++;
        return false;
    }
    if (was_first)
        return true;
    if (c != ',') {
        cp_json_fail(j, c || j->pos < j->doc->end ? "expected a comma"
                                                  : "the file ends early");
        return false;
    }
    j->pos++;
    return true;
}

bool cp_json_item(struct cp_json *j)
{
    return advance(j, ']');
}

bool cp_json_member(struct cp_json *j, struct cp_text *key)
{
    if (!advance(j, '}'))
        return false;
    *key = cp_json_string(j);
    if (next_char(j) != ':')
        cp_json_fail(j, "expected a colon");
    else
        j->pos++;
    return !has_ended(j);
}

/* Decodes the escapes of a string into the scratch buffer of the document. */
static struct cp_text unescape(struct cp_json *j, struct cp_text in)
{
    struct cp_json_doc *doc = j->doc;
    char *end;

    if (cp_reserve(&doc->scratch, &doc->cap_scratch,
                   cp_text_len(in) + CP_JSON_STRING_SPARE, 1,
                   &doc->err) != CP_OK)
        return (struct cp_text){ 0 };
    end = cp_json_string_decode(in, doc->scratch, &j->pos);
    if (end)
        return (struct cp_text){ doc->scratch, end };
    cp_json_fail(j, "bad escape");
    return (struct cp_text){ 0 };
}

struct cp_text cp_json_string(struct cp_json *j)
{
    struct cp_text in = { 0 };
    const char *behind;
    bool is_plain;

    if (next_char(j) != '"') {
        if (j->doc)
            cp_json_fail(j, j->pos == j->doc->end ? "the file ends early"
                                                  : "expected a string");
        return in;
    }
    behind = cp_json_string_end(j->pos + 1, j->doc->end, &is_plain);
    if (!behind) {
        cp_json_fail(j, "a string without an end");
        return in;
    }
    in = (struct cp_text){ j->pos + 1, behind - 1 };
    if (!is_plain)
        in = unescape(j, in);
    if (!has_ended(j))
        j->pos = behind;
    return in;
}

struct cp_text cp_json_text(struct cp_json *j, struct cp_arena *arena)
{
    struct cp_text text = cp_json_string(j);
    size_t len = cp_text_len(text);

    if (has_ended(j) || text.pos != j->doc->scratch)
        return text;
    text.pos = cp_arena_copy(arena, text.pos, len, &j->doc->err);
    return text.pos ? cp_text_of(text.pos, len) : (struct cp_text){ 0 };
}

/* Returns the next number as text; its pos is NULL if there is none. */
static struct cp_text number_token(struct cp_json *j)
{
    struct cp_text token = { 0 };

    if (cp_json_kind(j) != CP_JSON_NUMBER) {
        cp_json_fail(j, "expected a number");
        return token;
    }
    token.end = cp_json_number_end(j->pos, j->doc->end);
    if (token.end)
        token.pos = j->pos;
    else
        cp_json_fail(j, "bad number");
    return token;
}

static double read_number(struct cp_json *j, struct cp_text token)
{
    double value = 0;
    const char *wrong = cp_json_number_value(token, &value);

    if (wrong)
        cp_json_fail(j, wrong);
    else
        j->pos = token.end;
    return value;
}

double cp_json_number(struct cp_json *j)
{
    struct cp_text token = number_token(j);

    return token.pos ? read_number(j, token) : 0;
}

int64_t cp_json_int(struct cp_json *j)
{
    struct cp_text token = number_token(j);
    double value;
    int64_t exact;

    if (!token.pos)
        return 0;
    if (cp_text_to_int(token, &exact)) {
        j->pos = token.end;
        return exact;
    }
    value = read_number(j, token);
    if (fabs(value) < 0x1p63)
        return (int64_t)value;
    j->pos = token.pos;
    cp_json_fail(j, "a number that does not fit");
    return 0;
}

uint32_t cp_json_index(struct cp_json *j)
{
    struct cp_text token;
    uint64_t value = 0;

    if (cp_json_kind(j) != CP_JSON_NUMBER) {
        cp_json_skip(j);
        return CP_NONE;
    }
    token = number_token(j);
    if (!token.pos)
        return CP_NONE;
    j->pos = token.end;
    for (const char *p = token.pos; p < token.end; p++) {
        if (!cp_text_is_digit(*p))
            return cp_text_equals(token, "-1") ? CP_NONE : CP_NONE - 1;
        value = value < CP_NONE ? value * 10 + (uint64_t)(*p - '0') : value;
    }
    return value < CP_NONE ? (uint32_t)value : CP_NONE - 1;
}

/* Skips the word if it comes next. */
static bool skip_word(struct cp_json *j, const char *word, size_t len)
{
    if ((size_t)(j->doc->end - j->pos) < len || memcmp(j->pos, word, len) != 0)
        return false;
    j->pos += len;
    return true;
}

static void skip_literal(struct cp_json *j)
{
    if (!skip_word(j, "null", 4) && !skip_word(j, "true", 4) &&
        !skip_word(j, "false", 5))
        cp_json_fail(j, "bad value");
}

static void skip_scalar(struct cp_json *j)
{
    bool is_plain;
    const char *behind;

    switch (cp_json_kind(j)) {
    case CP_JSON_STRING:
        behind = cp_json_string_end(j->pos + 1, j->doc->end, &is_plain);
        if (behind)
            j->pos = behind;
        else
            cp_json_fail(j, "a string without an end");
        return;
    case CP_JSON_NUMBER:
        behind = number_token(j).end;
        if (behind)
            j->pos = behind;
        return;
    case CP_JSON_OTHER:
        skip_literal(j);
        return;
    default:
        if (!has_ended(j))
            cp_json_fail(j, j->pos == j->doc->end ? "the file ends early"
                                                  : "expected a value");
    }
}

/* The types of the open brackets, one bit each. */
struct nesting {
    uint8_t is_object[CP_JSON_DEPTH / 8];
    size_t n;
};

static bool in_object(const struct nesting *s)
{
    return s->is_object[(s->n - 1) / 8] >> ((s->n - 1) % 8) & 1;
}

static void push_bracket(struct cp_json *j, struct nesting *s, bool is_object)
{
    uint8_t bit = (uint8_t)(1u << (s->n % 8));

    if (s->n == CP_JSON_DEPTH) {
        cp_json_fail(j, "nested too deeply");
        return;
    }
    if (is_object)
        s->is_object[s->n / 8] |= bit;
    else
        s->is_object[s->n / 8] &= (uint8_t)~bit;
    s->n++;
    j->pos++;
    j->is_first = true;
}

/* Skips an object or array that was already validated. */
static void skip_checked(struct cp_json *j)
{
    static const int8_t step[256] = {
        ['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1
    };
    const char *p = j->pos, *end = j->doc->end;
    bool is_plain;
    int depth = 0;

    do {
        depth += step[(unsigned char)*p];
        p = *p == '"' ? cp_json_string_end(p + 1, end, &is_plain) : p + 1;
    } while (depth > 0 && p && p < end);
    if (p)
        j->pos = p;
    else
        cp_json_fail(j, "a string without an end");
}

void cp_json_skip(struct cp_json *j)
{
    enum cp_json_kind kind = cp_json_kind(j);
    struct nesting s;
    struct cp_text key;

    j->is_first = false;
    if (j->doc && j->doc->is_checked &&
        (kind == CP_JSON_OBJECT || kind == CP_JSON_ARRAY)) {
        skip_checked(j);
        return;
    }
    s.n = 0;
    do {
        kind = cp_json_kind(j);
        if (kind == CP_JSON_OBJECT || kind == CP_JSON_ARRAY)
            push_bracket(j, &s, kind == CP_JSON_OBJECT);
        else
            skip_scalar(j);
        while (s.n > 0 && !has_ended(j) &&
               !(in_object(&s) ? cp_json_member(j, &key) : cp_json_item(j)))
            s.n--;
    } while (s.n > 0 && !has_ended(j));
    j->is_first = false;
}

void cp_json_pick(struct cp_json *j, const char *const *names, size_t n,
                  struct cp_json *out)
{
    struct cp_text key;

    memset(out, 0, n * sizeof(*out));
    if (!cp_json_enter(j, CP_JSON_OBJECT))
        return;
    while (cp_json_member(j, &key)) {
        for (size_t i = 0; i < n; i++)
            if (cp_text_equals(key, names[i]))
                out[i] = *j;
        cp_json_skip(j);
    }
}

uint32_t *cp_json_indexes(struct cp_json *j, struct cp_arena *arena,
                          uint32_t *n)
{
    uint32_t *list = NULL;
    size_t cap = 0;

    *n = 0;
    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return NULL;
    if (cp_arena_reserve(arena, &list, 0, &cap, 16, sizeof(*list),
                         &j->doc->err) != CP_OK)
        return NULL;
    while (cp_json_item(j)) {
        if (*n == CP_NONE - 1 ||
            cp_arena_reserve(arena, &list, *n, &cap, (size_t)*n + 1,
                             sizeof(*list), &j->doc->err) != CP_OK)
            return NULL;
        list[(*n)++] = cp_json_index(j);
    }
    return has_ended(j) ? NULL : list;
}

struct cp_text *cp_json_strings(struct cp_json *j, struct cp_arena *arena,
                                uint32_t *n)
{
    struct cp_text *list = NULL;
    size_t cap = 0;

    *n = 0;
    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return NULL;
    if (cp_arena_reserve(arena, &list, 0, &cap, 16, sizeof(*list),
                         &j->doc->err) != CP_OK)
        return NULL;
    while (cp_json_item(j)) {
        struct cp_text text = cp_json_text(j, arena);

        if (has_ended(j) || *n == CP_NONE - 1 ||
            cp_arena_reserve(arena, &list, *n, &cap, (size_t)*n + 1,
                             sizeof(*list), &j->doc->err) != CP_OK)
            return NULL;
        list[(*n)++] = text;
    }
    return has_ended(j) ? NULL : list;
}

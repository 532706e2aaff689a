/*
 * regex.c - matches text with a translated pattern.
 *
 * A pattern without operators is searched as plain bytes. Any other becomes one
 * PCRE2 program, or several if it has too many alternatives: a PCRE2 program is
 * limited to 64 KiB.
 *
 * PCRE2 requires UTF-8. RE2 reads an invalid byte as U+FFFD, so a text with
 * invalid bytes is rewritten that way before it is matched.
 */
#include "regex/regex.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "regex/pcre.h"
#include "regex/re2.h"

#define MAX_PROGRAM_BYTES                                                      \
    16000 /* bytes of a pattern; each compiles to up to 3 bytes */

struct cp_regex {
    char *pattern; /* NUL-terminated */
    struct cp_re2 re2;
    struct cp_pcre **programs; /* none if the pattern is a plain string */
    size_t n_programs;
    atomic_int status; /* result of cp_regex_check */
};

/* Returns the end of the text of the branches before the i-th. */
static size_t branch_end(const struct cp_re2 *re2, size_t i)
{
    return i < re2->n_branches ? re2->branches[i] - 1 : re2->len;
}

/* Compiles as many branches from *next as fit; advances *next. */
static struct cp_pcre *compile_some(const struct cp_re2 *re2, size_t *next,
                                    struct cp_error *err)
{
    size_t from = re2->branches[*next], end = *next + 1;

    while (end < re2->n_branches &&
           branch_end(re2, end + 1) - from <= MAX_PROGRAM_BYTES)
        end++;
    *next = end;
    return cp_pcre_new(re2->text + from, branch_end(re2, end) - from, re2->size,
                       err);
}

static enum cp_status compile_failed(const struct cp_regex *re,
                                     const struct cp_error *why,
                                     struct cp_error *err)
{
    if (why->status == CP_ENOMEM)
        return cp_error_nomem(err);
    return cp_error_set(err, why->status, "error parsing regexp: %s: `%s`",
                        why->msg, re->pattern);
}

static enum cp_status compile_all(struct cp_regex *re, struct cp_error *err)
{
    size_t next = 0, cap = 0;
    struct cp_error why = { 0 };

    while (next < re->re2.n_branches) {
        struct cp_pcre *program;

        if (cp_reserve(&re->programs, &cap, re->n_programs + 1, sizeof(program),
                       err) != CP_OK)
            return CP_ENOMEM;
        program = compile_some(&re->re2, &next, &why);
        if (!program)
            return compile_failed(re, &why, err);
        re->programs[re->n_programs++] = program;
    }
    return CP_OK;
}

struct cp_regex *cp_regex_new(const char *pattern, size_t len,
                              struct cp_error *err)
{
    struct cp_regex *re = cp_alloc(1, sizeof(*re), err);

    if (!re)
        return NULL;
    re->pattern = cp_alloc(len + 1, 1, err);
    if (!re->pattern)
        goto fail;
    memcpy(re->pattern, pattern, len);
    if (cp_re2_init(&re->re2, re->pattern, len, err) != CP_OK)
        goto fail;
    if (!re->re2.is_literal && compile_all(re, err) != CP_OK)
        goto fail;
    return re;
fail:
    cp_regex_free(re);
    return NULL;
}

void cp_regex_free(struct cp_regex *re)
{
    if (!re)
        return;
    for (size_t i = 0; i < re->n_programs; i++)
        cp_pcre_free(re->programs[i]);
    cp_free(re->programs);
    cp_re2_release(&re->re2);
    cp_free(re->pattern);
    cp_free(re);
}

/* Whether any program matches; an error counts only if none does. */
static bool match_valid(struct cp_regex *re, const char *text, size_t len)
{
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < re->n_programs; i++) {
        switch (cp_pcre_match(re->programs[i], text, len)) {
        case CP_PCRE_YES:
            return true;
        case CP_PCRE_NO:
            break;
        case CP_PCRE_GAVE_UP:
            status = CP_EUSAGE;
            break;
        case CP_PCRE_NO_MEMORY:
            status = CP_ENOMEM;
            break;
        }
    }
    if (status != CP_OK)
        atomic_store(&re->status, status);
    return false;
}

/* Copies text with U+FFFD for each invalid byte; out has 4 * len bytes. */
static size_t replace_stray(const char *text, size_t len, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < len;) {
        uint32_t rune = CP_UTF8_REPLACEMENT;
        size_t step = cp_utf8_decode(text + i, len - i, &rune);

        n += cp_utf8_encode(rune, out + n);
        i += step ? step : 1;
    }
    return n;
}

static bool match_invalid(struct cp_regex *re, const char *text, size_t len)
{
    char *valid = cp_alloc(len, 4, NULL);
    bool is_match;

    if (!valid) {
        atomic_store(&re->status, CP_ENOMEM);
        return false;
    }
    is_match = match_valid(re, valid, replace_stray(text, len, valid));
    cp_free(valid);
    return is_match;
}

bool cp_regex_match(struct cp_regex *re, const char *text, size_t len)
{
    if (!text)
        text = "";
    if (atomic_load_explicit(&re->status, memory_order_relaxed) == CP_EUSAGE)
        return false; /* the caller reports the error; end soon */
    if (re->re2.is_literal)
        return re->re2.len == 0 ||
               memmem(text, len, re->re2.text, re->re2.len) != NULL;
    if (!cp_utf8_is_valid(text, len))
        return match_invalid(re, text, len);
    return match_valid(re, text, len);
}

enum cp_status cp_regex_check(const struct cp_regex *re, struct cp_error *err)
{
    switch (atomic_load(&re->status)) {
    case CP_OK:
        return CP_OK;
    case CP_ENOMEM:
        return cp_error_nomem(err);
    default:
        return cp_error_set(err, CP_EUSAGE,
                            "regexp `%s` needs too many steps; simplify it",
                            re->pattern);
    }
}

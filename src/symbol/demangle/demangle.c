/*
 * demangle.c - drives libiberty and filters its output.
 *
 * libiberty emits the text in pieces, optionally without parameters. The filter
 * removes the rest, one character at a time:
 *
 *   C++    template arguments (simple mode), and the parameters of enclosing
 *          functions: f(int)::g becomes f()::g
 *   Rust   generic arguments (simple mode): f::<u8> becomes f::<>
 *
 * The word before a bracket tells whether it belongs to an operator. A
 * malicious name can expand without limit; after MAX_TEXT bytes the filter
 * leaves libiberty by longjmp. That is safe, because libiberty's callback
 * functions own no resources.
 */
#include "symbol/demangle/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "symbol/demangle/demangle_rust.h"

#define MAX_TEXT ((size_t)1 << 20)
#define MAX_NAME ((size_t)1 << 16) /* bytes; longer names are not demangled */
#define MAX_DEPTH 1024
#define RECENT                                                                 \
    16 /* a power of two; the longest word to look back for has 8 bytes */

/* Set once, before the first name is demangled. */
static cp_demangle_other *other_demangler;

enum language { CPLUSPLUS, RUST_LEGACY, RUST };

struct filter {
    enum cp_demangle_mode mode;
    enum language language;

    char *out;
    size_t cap, len; /* out[len] is reserved for the NUL */
    bool is_cut;
    size_t n_text; /* bytes received from libiberty */
    char recent[RECENT];

    char brackets[MAX_DEPTH];   /* open brackets */
    uint32_t opened[MAX_DEPTH]; /* position in out, for parentheses */
    size_t depth;
    size_t dropped;      /* depth at which dropping began; 0 if not dropping */
    bool is_after_angle; /* whether the last character closed a `<` */
    uint32_t params_at, params_end; /* range of the last (...) in out */

    jmp_buf stop;
};

/* Returns the i-th last character received, from 1; 0 before the first. */
static char before(const struct filter *f, size_t i)
{
    return i <= f->n_text ? f->recent[(f->n_text - i) % RECENT] : '\0';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c < 0;
}

static bool ends_with(const struct filter *f, size_t skip, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 1; i <= n; i++)
        if (before(f, skip + i) != word[n - i])
            return false;
    return !is_word(before(f, skip + n + 1));
}

static bool ends_with_operator(const struct filter *f, const char *head)
{
    size_t n = strlen(head);

    for (size_t i = 1; i <= n; i++)
        if (before(f, i) != head[n - i])
            return false;
    return ends_with(f, n, "operator");
}

/* Whether `c`, one of <>(), is part of an operator name such as operator>>. */
static bool in_operator(const struct filter *f, char c)
{
    static const char *const heads[] = { "<", ">", "<=", "-" };
    static const char nexts[] = "<>>>";

    if (c == ')')
        return before(f, 1) == '(' && ends_with(f, 1, "operator");
    if (ends_with(f, 0, "operator"))
        return true;
    for (size_t i = 0; i < sizeof(nexts) - 1; i++)
        if (c == nexts[i] && ends_with_operator(f, heads[i]))
            return true;
    return false;
}

static void emit(struct filter *f, char c)
{
    if (f->dropped)
        return;
    if (f->len + 1 < f->cap)
        f->out[f->len++] = c;
    else
        f->is_cut = true;
}

static void push(struct filter *f, char bracket)
{
    if (f->depth == MAX_DEPTH)
        longjmp(f->stop, 1);
    f->opened[f->depth] = (uint32_t)f->len;
    f->brackets[f->depth++] = bracket;
}

static void open_angle(struct filter *f)
{
    bool is_list = f->language == CPLUSPLUS || is_word(before(f, 1)) ||
                   before(f, 1) == ':';
    bool drops = f->mode == CP_DEMANGLE_SIMPLE && is_list && !f->dropped;

    if (drops && f->language == CPLUSPLUS && before(f, 1) == ' ' && f->len > 0)
        f->len--; /* remove the space of "operator< <int>" */
    if (!drops || f->language == RUST)
        emit(f, '<');
    push(f, '<');
    if (drops)
        f->dropped = f->depth;
}

static void close_angle(struct filter *f)
{
    bool ends_drop = f->dropped == f->depth;

    f->depth--;
    if (ends_drop)
        f->dropped = 0;
    if (ends_drop && f->language == CPLUSPLUS)
        return;
    if (f->is_after_angle && f->language == CPLUSPLUS)
        emit(f, ' ');
    emit(f, '>');
}

static void close_round(struct filter *f)
{
    f->depth--;
    if (!f->dropped && !f->is_cut) {
        f->params_at = f->opened[f->depth] + 1;
        f->params_end = (uint32_t)f->len;
    }
    emit(f, ')');
}

/*
 * Whether out, from `at`, contains only qualifiers that may follow parameters.
 */
static bool are_qualifiers(const char *at, const char *end)
{
    static const char *const words[] = { " const", " volatile", " restrict",
                                         " &&",    " &",        " noexcept" };

    while (at < end) {
        size_t n = 0;

        for (size_t i = 0; n == 0 && i < sizeof(words) / sizeof(*words); i++)
            if ((size_t)(end - at) >= strlen(words[i]) &&
                memcmp(at, words[i], strlen(words[i])) == 0)
                n = strlen(words[i]);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

/* After "::": removes the parameters of the enclosing function. */
static void drop_enclosing(struct filter *f)
{
    static const char anonymous[] = "anonymous namespace";
    char *from = f->out + f->params_at, *to = f->out + f->params_end;
    char *end = f->out + f->len;
    size_t n = (size_t)(to - from);

    if (f->mode == CP_DEMANGLE_FULL || f->dropped || f->is_cut ||
        f->params_end == 0 || n == 0 || !are_qualifiers(to + 1, end) ||
        (n == sizeof(anonymous) - 1 && memcmp(from, anonymous, n) == 0))
        return;
    memmove(from, to, (size_t)(end - to));
    f->len -= n;
    f->params_end = 0;
}

static void filter_char(struct filter *f, char c)
{
    char top = f->depth ? f->brackets[f->depth - 1] : '\0';
    bool closes = false;

    if (strchr("<>()", c) && in_operator(f, c)) {
        emit(f, c);
    } else if (c == '<' &&
               (f->depth == 0 || top != '(' || f->language == RUST ||
                is_word(before(f, 1)) || before(f, 1) == ' ')) {
        open_angle(f);
    } else if (c == '>' && top == '<' && before(f, 1) != '-') {
        close_angle(f);
        closes = true;
    } else if (c == '(') {
        push(f, c);
        emit(f, c);
    } else if (c == ')' && top == '(') {
        close_round(f);
    } else {
        if (c == ':' && before(f, 1) == ':' && f->language == CPLUSPLUS &&
            f->len > 0) {
            f->len -= !f->dropped;
            drop_enclosing(f);
            emit(f, ':');
        }
        emit(f, c);
    }
    f->is_after_angle = closes;
    f->recent[f->n_text++ % RECENT] = c;
}

static void on_text(const char *text, size_t len, void *context)
{
    struct filter *f = context;

    for (size_t i = 0; i < len; i++)
        if (f->language == RUST_LEGACY)
            emit(f, text[i]);
        else
            filter_char(f, text[i]);
    f->n_text += f->language == RUST_LEGACY ? len : 0;
    if (f->n_text > MAX_TEXT)
        longjmp(f->stop, 1);
}

/* Whether all characters of the name are valid in a mangled C++ name. */
static bool has_plain_letters(const char *name)
{
    for (; *name; name++)
        if (!is_word(*name) && *name != '.')
            return false;
    return true;
}

static void reset(struct filter *f, enum language language)
{
    f->language = language;
    f->len = f->n_text = f->depth = f->dropped = 0;
    f->is_cut = f->is_after_angle = false;
    f->params_at = f->params_end = 0;
}

static bool run(struct filter *f, const char *name)
{
    const int options =
        DMGL_ANSI | (f->mode == CP_DEMANGLE_FULL ? DMGL_PARAMS : 0);

    reset(f, name[1] == 'R' ? RUST : RUST_LEGACY);
    if (setjmp(f->stop))
        return f->len > 0;
    if (f->language == RUST)
        return cp_demangle_rust(name, on_text, f);
    if (rust_demangle_callback(name, 0, on_text, f))
        return true;
    reset(f, CPLUSPLUS);
    return has_plain_letters(name) &&
           cplus_demangle_v3_callback(name, options, on_text, f);
}

/* Removes " [clone .isra.0]", which is of no use in a profile. */
static void drop_clones(struct filter *f)
{
    static const char mark[] = " [clone ";
    char *at =
        f->len > 0 ? memmem(f->out, f->len, mark, sizeof(mark) - 1) : NULL;

    if (at)
        f->len = (size_t)(at - f->out);
}

/*
 * Returns the mangled name, which begins with _Z or _R. Apple's tools prepend
 * another _.
 */
static const char *find_mangled(const char *name)
{
    const char *at = name + (name[0] == '_' && name[1] == '_');

    if (at[0] == '_' && (at[1] == 'Z' || at[1] == 'R') &&
        strnlen(name, MAX_NAME) < MAX_NAME)
        return at;
    return NULL;
}

bool cp_demangle(const char *name, enum cp_demangle_mode mode, char *out,
                 size_t cap)
{
    struct filter f;
    const char *mangled = find_mangled(name);

    if (mode == CP_DEMANGLE_NONE || cap == 0)
        return false;
    if (!mangled)
        return other_demangler && other_demangler(name, mode, out, cap);
    f.mode = mode;
    f.out = out;
    f.cap = cap;
    if (!run(&f, mangled))
        return false;
    drop_clones(&f);
    out[f.len] = '\0';
    return true;
}

void cp_demangle_also(cp_demangle_other *other)
{
    other_demangler = other;
}

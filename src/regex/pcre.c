/*
 * pcre.c - matches with PCRE2 in bounded time.
 *
 * The JIT backtracks first, up to a step limit; nearly every match ends within
 * a microsecond. If it overflows its small stack, the interpreter continues
 * with heap memory. If it exceeds the step limit, pcre2_dfa_match takes over.
 * It follows all alternatives at once in bounded time (about 0.4 s at most).
 * From then on it is tried first, because a pattern that explodes once does so
 * on most texts.
 *
 * The pattern for pcre2_dfa_match begins with .* and is anchored, so that one
 * pass over the text tries all positions.
 *
 * Context: any thread. Locking: `lock` protects the creation of `linear`.
 * Ordering: fields that change after cp_pcre_new are atomic. A thread takes the
 * spare scratch by an atomic exchange, or allocates one; it puts its scratch
 * back by an exchange and frees the one that was there.
 */
#include "regex/pcre.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"

#define MAX_STEPS 100000
#define MAX_HEAP_KIB (64 * 1024)
#define MAX_NESTING 2000
#define MAX_WORKSPACE (4u << 20) /* number of ints */

/*
 * Limits in states squared times characters: for a match, and for all matches
 * of a pattern.
 */
#define MAX_WORK 1000000000u
#define MAX_TOTAL_WORK (60u * (uint64_t)MAX_WORK)

#define OPTIONS                                                                \
    (PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOTALL | PCRE2_MULTILINE |         \
     PCRE2_ALT_CIRCUMFLEX)

/* Scratch memory of one match. */
struct scratch {
    pcre2_match_data *data;
    int *workspace;
    size_t workspace_cap;
};

struct cp_pcre {
    const char *pattern;
    size_t len;
    uint64_t n_states;
    pcre2_code *code;
    bool is_jit;
    pcre2_match_context *limits;
    _Atomic(struct scratch *) spare;
    _Atomic(pcre2_code *) linear;
    atomic_bool prefers_linear;
    _Atomic(uint64_t) work; /* work of `linear` so far */
    pthread_mutex_t lock;
};

static void *allocate(size_t size, void *unused)
{
    (void)unused;
    return cp_alloc(1, size, NULL);
}

static void release(void *block, void *unused)
{
    (void)unused;
    cp_free(block);
}

/* Returns NULL on failure and sets *out_code to the reason. */
static pcre2_code *compile(const char *pattern, size_t len, uint32_t options,
                           int *out_code)
{
    pcre2_general_context *memory;
    pcre2_compile_context *context;
    pcre2_code *code = NULL;
    PCRE2_SIZE at;

    *out_code = PCRE2_ERROR_HEAP_FAILED;
    memory = pcre2_general_context_create(allocate, release, NULL);
    context = memory ? pcre2_compile_context_create(memory) : NULL;
    if (context) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        (void)pcre2_set_parens_nest_limit(context, MAX_NESTING);
        code = pcre2_compile((PCRE2_SPTR)pattern, len, options, out_code, &at,
                             context);
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    return code;
}

static pcre2_match_context *make_limits(void)
{
    pcre2_general_context *memory =
        pcre2_general_context_create(allocate, release, NULL);
    pcre2_match_context *limits =
        memory ? pcre2_match_context_create(memory) : NULL;

    if (limits) {
        (void)pcre2_set_match_limit(limits, MAX_STEPS);
        (void)pcre2_set_heap_limit(limits, MAX_HEAP_KIB);
    }
    pcre2_general_context_free(memory);
    return limits;
}

static enum cp_status compile_failed(int code, struct cp_error *err)
{
    PCRE2_UCHAR text[128];

    switch (code) {
    case PCRE2_ERROR_HEAP_FAILED:
        return cp_error_nomem(err);
    case PCRE2_ERROR_PATTERN_TOO_LARGE:
    case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
    case PCRE2_ERROR_PATTERN_STRING_TOO_LONG:
        return cp_error_set(err, CP_EUSAGE, "expression too large");
    case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
    case PCRE2_ERROR_QUERY_BARJX_NEST_TOO_DEEP:
        return cp_error_set(err, CP_EUSAGE, "expression nests too deeply");
    default:
        (void)pcre2_get_error_message(code, text, sizeof(text));
        return cp_error_set(err, CP_EUSAGE, "%s", (const char *)text);
    }
}

struct cp_pcre *cp_pcre_new(const char *pattern, size_t len, uint64_t n_states,
                            struct cp_error *err)
{
    struct cp_pcre *p = cp_alloc(1, sizeof(*p), err);
    int code;

    if (!p)
        return NULL;
    (void)pthread_mutex_init(&p->lock, NULL);
    p->pattern = pattern;
    p->len = len;
    p->n_states = n_states;
    p->limits = make_limits();
    p->code = compile(pattern, len, OPTIONS, &code);
    if (!p->limits || !p->code) {
        (void)compile_failed(p->code ? PCRE2_ERROR_HEAP_FAILED : code, err);
        cp_pcre_free(p);
        return NULL;
    }
    p->is_jit = pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0;
    return p;
}

static void scratch_free(struct scratch *s)
{
    if (!s)
        return;
    pcre2_match_data_free(s->data);
    cp_free(s->workspace);
    cp_free(s);
}

void cp_pcre_free(struct cp_pcre *p)
{
    if (!p)
        return;
    scratch_free(atomic_load(&p->spare));
    pcre2_code_free(atomic_load(&p->linear));
    pcre2_code_free(p->code);
    pcre2_match_context_free(p->limits);
    (void)pthread_mutex_destroy(&p->lock);
    cp_free(p);
}

static struct scratch *scratch_new(const struct cp_pcre *p)
{
    struct scratch *s = cp_alloc(1, sizeof(*s), NULL);

    if (s)
        s->data = pcre2_match_data_create_from_pattern(p->code, NULL);
    if (s && !s->data) {
        cp_free(s);
        return NULL;
    }
    return s;
}

static struct scratch *scratch_acquire(struct cp_pcre *p)
{
    struct scratch *s =
        atomic_exchange_explicit(&p->spare, NULL, memory_order_acquire);

    return s ? s : scratch_new(p);
}

static void scratch_release(struct cp_pcre *p, struct scratch *s)
{
    scratch_free(atomic_exchange_explicit(&p->spare, s, memory_order_acq_rel));
}

static enum cp_pcre_result result_of(int code)
{
    if (code >= 0)
        return CP_PCRE_YES;
    if (code == PCRE2_ERROR_NOMATCH)
        return CP_PCRE_NO;
    return code == PCRE2_ERROR_NOMEMORY ? CP_PCRE_NO_MEMORY : CP_PCRE_GAVE_UP;
}

static enum cp_pcre_result backtrack(const struct cp_pcre *p, struct scratch *s,
                                     const char *text, size_t len)
{
    PCRE2_SPTR subject = (PCRE2_SPTR)text;
    int code = PCRE2_ERROR_JIT_STACKLIMIT;

    if (p->is_jit)
        code = pcre2_jit_match(p->code, subject, len, 0, 0, s->data, p->limits);
    if (code == PCRE2_ERROR_JIT_STACKLIMIT)
        code =
            pcre2_match(p->code, subject, len, 0,
                        PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, s->data, p->limits);
    return result_of(code);
}

/* Returns .*(?:pattern) in newly allocated memory, or NULL. */
static char *linear_pattern(const struct cp_pcre *p, size_t *out_len)
{
    static const char before[] = ".*(?:", after[] = ")";
    char *pattern = cp_alloc(p->len + sizeof(before) + sizeof(after), 1, NULL);
    char *end = pattern;

    if (!pattern)
        return NULL;
    end = mempcpy(end, before, strlen(before));
    end = mempcpy(end, p->pattern, p->len);
    end = mempcpy(end, after, strlen(after));
    *out_len = (size_t)(end - pattern);
    return pattern;
}

static pcre2_code *linear_code(struct cp_pcre *p)
{
    pcre2_code *code = atomic_load_explicit(&p->linear, memory_order_acquire);
    char *pattern = NULL;
    size_t len;
    int why;

    if (code)
        return code;
    (void)pthread_mutex_lock(&p->lock);
    code = atomic_load_explicit(&p->linear, memory_order_relaxed);
    if (!code)
        pattern = linear_pattern(p, &len);
    if (pattern) {
        code = compile(pattern, len,
                       OPTIONS | PCRE2_ANCHORED | PCRE2_NO_AUTO_POSSESS |
                           PCRE2_NO_START_OPTIMIZE,
                       &why);
        atomic_store_explicit(&p->linear, code, memory_order_release);
    }
    (void)pthread_mutex_unlock(&p->lock);
    cp_free(pattern);
    return code;
}

/*
 * Returns the cost: the list of states is searched for each state, hence the
 * square.
 */
static uint64_t linear_work(const struct cp_pcre *p, size_t len)
{
    uint64_t per_char = p->n_states * p->n_states + 1;

    if (p->n_states > UINT16_MAX || len >= MAX_WORK / per_char)
        return UINT64_MAX;
    return per_char * (len + 1);
}

static enum cp_pcre_result run_linear(struct cp_pcre *p, struct scratch *s,
                                      const char *text, size_t len)
{
    const pcre2_code *code = linear_code(p);
    int result = PCRE2_ERROR_DFA_WSSIZE;
    size_t want = s->workspace_cap ? s->workspace_cap : 1000;

    if (!code)
        return CP_PCRE_NO_MEMORY;
    for (; result == PCRE2_ERROR_DFA_WSSIZE && want < MAX_WORKSPACE;
         want *= 4) {
        if (cp_reserve(&s->workspace, &s->workspace_cap, want, sizeof(int),
                       NULL) != CP_OK)
            return CP_PCRE_NO_MEMORY;
        result =
            pcre2_dfa_match(code, (PCRE2_SPTR)text, len, 0,
                            PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, s->data,
                            p->limits, s->workspace, s->workspace_cap);
    }
    return result_of(result);
}

static enum cp_pcre_result match(struct cp_pcre *p, struct scratch *s,
                                 const char *text, size_t len)
{
    uint64_t work = linear_work(p, len);
    enum cp_pcre_result got;

    if (work == UINT64_MAX ||
        !atomic_load_explicit(&p->prefers_linear, memory_order_relaxed)) {
        got = backtrack(p, s, text, len);
        if (got != CP_PCRE_GAVE_UP || work == UINT64_MAX)
            return got;
        atomic_store_explicit(&p->prefers_linear, true, memory_order_relaxed);
    }
    if (atomic_fetch_add_explicit(&p->work, work, memory_order_relaxed) >
        MAX_TOTAL_WORK)
        return CP_PCRE_GAVE_UP;
    return run_linear(p, s, text, len);
}

enum cp_pcre_result cp_pcre_match(struct cp_pcre *p, const char *text,
                                  size_t len)
{
    struct scratch *s = scratch_acquire(p);
    enum cp_pcre_result got;

    if (!s)
        return CP_PCRE_NO_MEMORY;
    got = match(p, s, text, len);
    scratch_release(p, s);
    return got;
}

/*
 * legacy_thread.c - reads lists of threads and their stacks.
 *
 *   --- threadz 1 ---
 *
 *   --- Thread 7eff063d9940 (name: main/25376) stack: ---
 *     PC: 0xbc8f1c 0xbcae55
 *         0xbcb5f5: main
 *         creator: 0xa45b96
 *   --- Thread 7eff0464d700 (name: worker/25383) stack: ---
 *     [same as previous thread]
 *   --- Memory map: ---            or ---- no stack trace for ...
 *
 * The first line may be missing. Every 0x number of a block is a frame, the
 * creator's too. A block without numbers counts as one more thread with the
 * previous stack. One of the last two lines must end the list.
 */

#include "profile/legacy/legacy.h"
#include "profile/legacy/memory_map.h"

#define SAME "same as previous thread"
#define NO_TRACE "---- no stack trace for"

/* Whether the line contains "--- threadz N ---". */
static bool is_list_start(struct cp_text line)
{
    static const char mark[] = "--- threadz ";
    struct cp_text digits;

    for (; (line.pos = cp_text_find(line, mark)) != NULL; line.pos++) {
        struct cp_text t = line;

        (void)cp_text_consume(&t, mark);
        if (cp_text_consume_digits(&t, &digits) && cp_text_consume(&t, " ---"))
            return true;
    }
    return false;
}

/* Whether t contains " (name: NAME/N) stack: ---". */
static bool has_thread_name(struct cp_text t)
{
    static const char mark[] = ") stack: ---";

    if (!cp_text_consume(&t, " (name: "))
        return false;
    for (struct cp_text at = t; (at.pos = cp_text_find(at, mark)) != NULL;
         at.pos++) {
        const char *p = at.pos;

        while (p > t.pos && cp_text_is_digit(p[-1]))
            p--;
        if (p < at.pos && p > t.pos && p[-1] == '/')
            return true;
    }
    return false;
}

/*
 * Whether the line contains "--- Thread HEX (name: NAME/N) stack: ---". Only
 * the first match of "--- Thread HEX" counts, because the name may contain any
 * text.
 */
static bool is_thread_start(struct cp_text line)
{
    static const char mark[] = "--- Thread ";
    struct cp_text id;

    for (; (line.pos = cp_text_find(line, mark)) != NULL; line.pos++) {
        struct cp_text t = line;

        (void)cp_text_consume(&t, mark);
        if (cp_text_consume_hex(&t, &id) && cp_text_starts(t, " (name: "))
            return has_thread_name(t);
    }
    return false;
}

/*
 * Reads the frames of a block; *line becomes the line that ends it, or the last
 * line of the file.
 */
static enum cp_status read_block(struct cp_legacy_reader *r,
                                 struct cp_text *rest, struct cp_text *line,
                                 struct cp_error *err)
{
    enum cp_status status = CP_OK;
    bool is_same = false;

    r->stack.n = 0;
    *line = cp_text_of("", 0);
    while (cp_text_next_line(rest, line)) {
        *line = cp_text_trim(*line);
        if (cp_text_starts(*line, "---"))
            return CP_OK;
        is_same = is_same || cp_text_find(*line, SAME);
        if (is_same)
            r->stack.n = 0;
        else
            status = cp_address_stack_read(&r->stack, *line, *line, err);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static enum cp_status add_thread(struct cp_legacy_reader *r,
                                 struct cp_error *err)
{
    struct cp_profile *p = r->b.profile;
    int64_t one = 1;

    if (r->stack.n)
        return cp_address_stack_sample(&r->stack, &r->b, &one, 0, err);
    if (p->n_samples)
        p->values[p->n_samples - 1]++;
    return CP_OK;
}

/* Finds the first line of the list; false if there is none. */
static bool find_first(struct cp_text *rest, struct cp_text *line)
{
    do {
        if (!cp_text_next_line(rest, line))
            return false;
    } while (cp_text_is_blank(*line) || cp_text_is_comment(*line));
    if (!is_list_start(*line))
        return is_thread_start(*line);
    while (cp_text_next_line(rest, line))
        if (cp_text_starts(*line, "-") || cp_memory_map_starts(*line))
            return true;
    return false;
}

static enum cp_status read_all(struct cp_legacy_reader *r, struct cp_text rest,
                               struct cp_error *err)
{
    struct cp_text line = cp_text_of("", 0);

    if (!find_first(&rest, &line))
        return cp_error_set(err, CP_EOTHER, "not a list of threads");
    if (cp_builder_type(&r->b, "thread", "count", err) != CP_OK ||
        cp_builder_period(&r->b, "thread", "count", 1, err) != CP_OK)
        return CP_ENOMEM;
    while (!cp_memory_map_starts(line) && !cp_text_starts(line, NO_TRACE)) {
        enum cp_status status;

        if (!is_thread_start(line))
            return cp_error_set(err, CP_EOTHER, "not a list of threads");
        status = read_block(r, &rest, &line, err);
        if (status == CP_OK)
            status = add_thread(r, err);
        if (status != CP_OK)
            return status;
    }
    cp_drop_repeated_leaves(r->b.profile);
    return cp_memory_map_finish(&r->b, line, rest, err);
}

struct cp_profile *cp_legacy_read_thread(const char *bytes, size_t len,
                                         struct cp_error *err)
{
    struct cp_legacy_reader r = { .stack.returns = CP_RETURN_CALLERS };

    return cp_legacy_run(&r, read_all, cp_text_of(bytes, len), err);
}

/*
 * addr2line_print.c - formats results as binutils' addr2line does.
 *
 *   0x0000000000001139          -a
 *   main                        -f
 *   /src/a.c:5 (discriminator 2)
 *
 * With -p a result is on one line ("0x1139: main at /src/a.c:5"), and the
 * callers of inlined functions follow as " (inlined by) f at ...". An unknown
 * function or file is "??". An unknown line is "?", or "0" if the file is
 * unknown too.
 */
#include "tool/addr2line/addr2line_print.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/pieces.h"
#include "symbol/demangle/demangle.h"
#include "symbol/table/frame.h"

#define ANSWERS_PER_PIECE 1024
#define MAX_NAME_BYTES 65536

/* A mangled name and its demangled form. */
struct name {
    const char *mangled;
    char text[];
};

/*
 * Cache of demangled names: a lock-free hash table with open addressing, keyed
 * by the address of the mangled string.
 */
struct names {
    _Atomic(struct name *) *slots;
    size_t mask;
};

struct printing {
    const struct cp_addr2line_style *style;
    const struct cp_addr2line_answer *answers;
    struct names names;
};

static struct name *make_name(const char *mangled)
{
    static _Thread_local char text[MAX_NAME_BYTES];
    size_t len;
    struct name *made;

    if (!cp_demangle(mangled, CP_DEMANGLE_FULL, text, sizeof(text)))
        (void)snprintf(text, sizeof(text), "%s", mangled);
    len = strlen(text);
    made = cp_alloc(1, sizeof(*made) + len + 1, NULL);
    if (!made)
        return NULL;
    made->mangled = mangled;
    memcpy(made->text, text, len + 1);
    return made;
}

/*
 * Returns the demangled form of a name. Threads share the cache; a CAS
 * publishes a new entry.
 */
static const char *readable(const struct names *names, const char *mangled)
{
    size_t at = cp_hash_mix((uintptr_t)mangled, 0) & names->mask;
    struct name *had, *made = NULL;

    if (mangled[0] != '_') /* a C name, or not mangled */
        return mangled;
    for (;; at = (at + 1) & names->mask) {
        had = atomic_load_explicit(&names->slots[at], memory_order_acquire);
        if (!had && !made)
            made = make_name(mangled);
        if (!had && !made)
            return mangled;
        if (!had &&
            atomic_compare_exchange_strong(&names->slots[at], &had, made))
            return made->text;
        if (had->mangled == mangled)
            break;
    }
    cp_free(made); /* a different thread published its entry first */
    return had->text;
}

/* Allocates two slots for each frame, so the table is never full. */
static enum cp_status names_init(struct names *names,
                                 const struct cp_addr2line_answer *answers,
                                 size_t n, struct cp_error *err)
{
    size_t n_frames = 0, n_slots = 16;

    for (size_t i = 0; i < n; i++)
        n_frames += answers[i].n_frames;
    while (n_slots < 2 * n_frames)
        n_slots *= 2;
    names->slots = cp_alloc(n_slots, sizeof(*names->slots), err);
    names->mask = n_slots - 1;
    return names->slots ? CP_OK : CP_ENOMEM;
}

static void names_release(struct names *names)
{
    for (size_t i = 0; names->slots && i <= names->mask; i++)
        cp_free(atomic_load_explicit(&names->slots[i], memory_order_relaxed));
    cp_free((void *)names->slots);
}

static void print_address(const struct cp_addr2line_style *style,
                          uint64_t address, struct cp_out *out)
{
    char text[2 + 16];
    size_t n = style->is_64 ? 16 : 8;

    text[0] = '0';
    text[1] = 'x';
    for (size_t i = 0; i < n; i++)
        text[2 + i] = "0123456789abcdef"[address >> 4 * (n - 1 - i) & 15];
    cp_out_bytes(out, text, 2 + n);
    cp_out_cstr(out, style->pretty ? ": " : "\n");
}

static void print_function(const struct printing *p, const char *function,
                           struct cp_out *out)
{
    if (!function || !*function)
        cp_out_cstr(out, "??");
    else
        cp_out_cstr(out, p->style->demangle ? readable(&p->names, function)
                                            : function);
}

static void print_location(const struct cp_addr2line_style *style,
                           const struct cp_symbol_frame *f, struct cp_out *out)
{
    const char *file = f->file ? f->file : "??";
    const char *slash = style->basenames ? strrchr(file, '/') : NULL;

    cp_out_cstr(out, slash ? slash + 1 : file);
    cp_out_char(out, ':');
    if (f->line == 0)
        cp_out_char(out, '?');
    else
        cp_out_u64(out, f->line);
    if (f->line != 0 && f->discriminator != 0) {
        cp_out_cstr(out, " (discriminator ");
        cp_out_u64(out, f->discriminator);
        cp_out_char(out, ')');
    }
    cp_out_char(out, '\n');
}

static void print_unknown(const struct cp_addr2line_style *style,
                          struct cp_out *out)
{
    if (style->functions)
        cp_out_cstr(out, style->pretty ? "?? " : "??\n");
    cp_out_cstr(out, "??:0\n");
}

static void print_answer(const struct printing *p,
                         const struct cp_addr2line_answer *answer,
                         struct cp_out *out)
{
    const struct cp_addr2line_style *style = p->style;
    size_t n = style->inlines ? answer->n_frames : answer->n_frames > 0;

    if (style->addresses)
        print_address(style, answer->address, out);
    if (n == 0)
        print_unknown(style, out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && style->pretty)
            cp_out_cstr(out, " (inlined by) ");
        if (style->functions) {
            print_function(p, answer->frames[i].function, out);
            cp_out_cstr(out, style->pretty ? " at " : "\n");
        }
        print_location(style, &answer->frames[i], out);
    }
}

static void print_piece(const void *context, struct cp_piece piece,
                        struct cp_out *out)
{
    const struct printing *p = context;

    for (uint32_t i = piece.from; i < piece.to; i++)
        print_answer(p, &p->answers[i], out);
}

enum cp_status cp_addr2line_print(const struct cp_addr2line_style *style,
                                  const struct cp_addr2line_answer *answers,
                                  size_t n, struct cp_out *out,
                                  struct cp_error *err)
{
    struct printing p = { .style = style, .answers = answers };
    enum cp_status status = CP_OK;

    if (style->demangle)
        status = names_init(&p.names, answers, n, err);
    if (status == CP_OK)
        status = cp_pieces_write((uint32_t)n, ANSWERS_PER_PIECE, print_piece,
                                 &p, out, err);
    names_release(&p.names);
    return status;
}

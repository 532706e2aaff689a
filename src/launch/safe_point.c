/*
 * safe_point.c - reads the unwind tables of a process, unwinds copies of its
 * stacks, and classifies each frame by its object.
 */
#include "launch/safe_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "elf/elf_symbols.h"
#include "signal/unwinder/unwind_table.h"
#include "signal/unwinder/walk.h"
#include "unwind/cfi.h"
#include "unwind/compile.h"

#define PATH_BYTES 4096
#define STACK_BYTES ((size_t)1 << 20)
#define MAX_OBJECTS 1024
#define MAX_START_FRAMES 3 /* frames of libc that may start a thread */

/* What a frame in an object means for the locks of the thread. */
enum trust {
    TRUSTED,   /* holds no lock of malloc or the loader */
    IN_LIBC,   /* allowed only at the root of a stack */
    FORBIDDEN, /* the loader or a malloc */
    UNKNOWN,   /* no object contains the address */
};

struct object {
    struct cp_unwind_module module;
    enum trust trust;
};

struct cp_safe_points {
    pid_t pid;
    struct object *objects; /* sorted by address */
    size_t n, cap;
    struct cp_unwind_module *modules; /* objects[i].module, for the unwinder */
    _Atomic uint64_t *cache;          /* lookup cache of the unwinder */
    char *stack;                      /* copy, STACK_BYTES */
};

/* ---- objects ---- */

static bool defines_malloc(const struct cp_elf *e)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol symbol;

    if (!cp_elf_symbols_init(&table, e, SHT_DYNSYM))
        return false;
    while (cp_elf_symbols_next(&table, &symbol))
        if (symbol.section != SHN_UNDEF && strcmp(symbol.name, "malloc") == 0)
            return true;
    return false;
}

static enum trust trust_of(const char *path, const struct cp_elf *e)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0)
        return IN_LIBC;
    if (strncmp(name, "ld-", 3) == 0 || strncmp(name, "libpthread", 10) == 0 ||
        strstr(name, "malloc") || defines_malloc(e))
        return FORBIDDEN;
    return TRUSTED;
}

/* Finds the unwind tables in the file, and their address in the process. */
static void find_tables(const struct cp_elf *e, uint64_t bias,
                        struct cp_compile_input *out)
{
    size_t len, n = cp_elf_segment_count(e);
    const uint8_t *file = cp_elf_bytes(e, &len);
    const struct cp_elf_segment *hdr = NULL;

    for (size_t i = 0; i < n; i++)
        if (cp_elf_segment_at(e, i)->type == PT_GNU_EH_FRAME)
            hdr = cp_elf_segment_at(e, i);
    for (size_t i = 0; hdr && i < n; i++) {
        const struct cp_elf_segment *s = cp_elf_segment_at(e, i);

        if (s->type != PT_LOAD || hdr->offset < s->offset ||
            hdr->offset - s->offset >= s->filesz || s->offset > len ||
            s->filesz > len - s->offset ||
            !cp_elf_fetch(e, file + s->offset, (size_t)s->filesz))
            continue;
        out->bytes.start = file + s->offset;
        out->bytes.end = out->bytes.start + s->filesz;
        out->bytes.hdr = file + hdr->offset;
        out->bytes.bias =
            (intptr_t)(bias + s->vaddr - (uintptr_t)out->bytes.start);
    }
}

static void find_code(const struct cp_elf *e, uint64_t bias,
                      struct cp_compile_input *out)
{
    for (size_t i = 0; i < cp_elf_segment_count(e); i++) {
        const struct cp_elf_segment *s = cp_elf_segment_at(e, i);
        uintptr_t start = (uintptr_t)(bias + s->vaddr);

        if (s->type != PT_LOAD || !(s->flags & PF_X))
            continue;
        if (!out->code_end || start < out->code_start)
            out->code_start = start;
        if (start + s->memsz > out->code_end)
            out->code_end = start + (uintptr_t)s->memsz;
    }
}

/* Returns the link-time address of the first byte of the file. */
static uint64_t first_address(const struct cp_elf *e)
{
    uint64_t vaddr = 0;

    (void)cp_elf_address_of_offset(e, 0, &vaddr);
    return vaddr;
}

/* Skips an object whose file is unreadable; unwinding stops there. */
static enum cp_status add_object(struct cp_safe_points *q, uint64_t start,
                                 const char *path, struct cp_error *err)
{
    struct cp_compile_input in = { .machine = cp_cfi_native() };
    char real[PATH_BYTES + 64];
    struct cp_elf *e = NULL;
    struct object *o;
    enum cp_status status;

    (void)snprintf(real, sizeof(real), "/proc/%ld/root%s", (long)q->pid, path);
    if (q->n == MAX_OBJECTS || cp_elf_open(&e, real, NULL) != CP_OK)
        return CP_OK;
    find_code(e, start - first_address(e), &in);
    find_tables(e, start - first_address(e), &in);
    status =
        cp_reserve(&q->objects, &q->cap, q->n + 1, sizeof(*q->objects), err);
    if (status == CP_OK && in.code_end > in.code_start) {
        o = &q->objects[q->n++];
        *o = (struct object){ { .start = in.code_start, .end = in.code_end },
                              trust_of(path, e) };
        if (in.bytes.start)
            (void)cp_compile(&in, &o->module, NULL);
    }
    cp_elf_close(e);
    return status;
}

/* Adds the object of each mapping with file offset 0. */
static enum cp_status read_maps(struct cp_safe_points *q, struct cp_error *err)
{
    char path[64], *line = NULL;
    size_t cap = 0;
    enum cp_status status = CP_OK;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/%ld/maps", (long)q->pid);
    f = fopen(path, "re");
    if (!f)
        return cp_error_set(err, CP_EIO, "cannot read %s", path);
    while (status == CP_OK && getline(&line, &cap, f) > 0) {
        char *name = strchr(line, '/'), *end;
        uint64_t start = strtoull(line, &end, 16), offset = 1;

        if (name && *end == '-' && strlen(end) > 40) {
            (void)strtoull(end + 1, &end, 16);
            offset = strtoull(end + 6, NULL, 16); /* past " r-xp " */
        }
        if (!name || offset != 0)
            continue;
        name[strcspn(name, "\n")] = '\0';
        status = add_object(q, start, name, err);
    }
    free(line);
    (void)fclose(f);
    return status;
}

static int by_start(const void *a, const void *b)
{
    const struct object *x = a, *y = b;

    return x->module.start < y->module.start
               ? -1
               : x->module.start > y->module.start;
}

static enum cp_status build_tables(struct cp_safe_points *q,
                                   struct cp_error *err)
{
    enum cp_status status = read_maps(q, err);

    if (status != CP_OK)
        return status;
    q->modules = cp_alloc(q->n, sizeof(*q->modules), err);
    q->cache = cp_alloc(CP_UNWIND_CACHE_SLOTS, sizeof(*q->cache), err);
    q->stack = cp_alloc(STACK_BYTES, 1, err);
    if (!q->modules || !q->cache || !q->stack)
        return CP_ENOMEM;
    if (q->n > 0)
        qsort(q->objects, q->n, sizeof(*q->objects), by_start);
    for (size_t i = 0; i < q->n; i++)
        q->modules[i] = q->objects[i].module;
    return CP_OK;
}

struct cp_safe_points *cp_safe_point_new(pid_t pid, struct cp_error *err)
{
    struct cp_safe_points *q = cp_alloc(1, sizeof(*q), err);

    if (!q)
        return NULL;
    q->pid = pid;
    if (build_tables(q, err) == CP_OK)
        return q;
    cp_safe_point_free(q);
    return NULL;
}

void cp_safe_point_free(struct cp_safe_points *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->n; i++)
        cp_compile_release(&q->objects[i].module);
    cp_free(q->objects);
    cp_free(q->modules);
    cp_free((void *)q->cache);
    cp_free(q->stack);
    cp_free(q);
}

/* ---- stacks ---- */

/* Copies the stack page by page until its end or STACK_BYTES. */
static size_t copy_stack(struct cp_safe_points *q, uint64_t sp)
{
    const size_t page = 4096;
    size_t n = 0, step = page - (size_t)(sp & (page - 1));

    while (n + step <= STACK_BYTES) {
        struct iovec local = { q->stack + n, step };
        struct iovec remote = { (void *)(sp + n), step };

        if (process_vm_readv(q->pid, &local, 1, &remote, 1, 0) != (ssize_t)step)
            break;
        n += step;
        step = page;
    }
    return n;
}

static enum trust trust_at(const struct cp_safe_points *q, uintptr_t pc)
{
    for (size_t i = 0; i < q->n; i++)
        if (pc >= q->objects[i].module.start && pc < q->objects[i].module.end)
            return q->objects[i].trust;
    return UNKNOWN;
}

/* Frames of the program, then at most MAX_START_FRAMES of libc. */
static bool are_safe(const struct cp_safe_points *q, const uintptr_t *frames,
                     size_t n)
{
    size_t i = 0;

    while (i < n && trust_at(q, frames[i]) == TRUSTED)
        i++;
    if (i == 0 || n - i > MAX_START_FRAMES)
        return false;
    for (; i < n; i++)
        if (trust_at(q, frames[i]) != IN_LIBC && i + 1 < n)
            return false; /* the last frame is _start of the program */
    return true;
}

/* Unwinds a copy of the stack. Returns false if the stack is unreadable. */
static bool unwind(struct cp_safe_points *q,
                   const struct cp_safe_point_regs *regs,
                   uintptr_t frames[CP_WALK_MAX], size_t *out_n, bool *is_whole)
{
    struct cp_signal_regs start = { .pc = regs->pc,
                                    .sp = regs->sp,
                                    .fp = regs->fp,
                                    .aux = regs->rbx,
                                    .scratch = regs->r10,
                                    .arg = regs->rdi };
    struct cp_unwind_table map = { q->n, q->modules, q->cache };
    struct cp_signal_walk w = { .table = &map };
    size_t len = regs->sp & 7 ? 0 : copy_stack(q, regs->sp);

    if (len == 0)
        return false;
    w.reader =
        (struct cp_stack_reader){ .stack_low = regs->sp,
                                  .stack_high = regs->sp + (len & ~(size_t)7),
                                  .shift = (uintptr_t)q->stack - regs->sp };
    CP_ASSERT(len <= STACK_BYTES);
    *out_n = cp_signal_walk(&w, start, frames);
    CP_ASSERT(*out_n <= CP_WALK_MAX);
    *is_whole = w.end == CP_WALK_WHOLE;
    return true;
}

bool cp_safe_point_is(struct cp_safe_points *q,
                      const struct cp_safe_point_regs *regs)
{
    uintptr_t frames[CP_WALK_MAX];
    bool is_whole;
    size_t n;

    return trust_at(q, regs->pc) == TRUSTED &&
           unwind(q, regs, frames, &n, &is_whole) && is_whole &&
           are_safe(q, frames, n);
}

bool cp_safe_point_is_direct(struct cp_safe_points *q,
                             const struct cp_safe_point_regs *regs)
{
    uintptr_t frames[CP_WALK_MAX];
    bool is_whole;
    size_t n;

    return trust_at(q, regs->pc) == IN_LIBC &&
           unwind(q, regs, frames, &n, &is_whole) && is_whole && n > 1 &&
           are_safe(q, frames + 1, n - 1);
}

/* Whether pc is the return trampoline of a signal handler. */
static bool is_signal_frame(const struct cp_safe_points *q, uintptr_t pc)
{
    struct cp_unwind_table map = { q->n, q->modules, q->cache };

    return cp_unwind_table_row(&map, pc)->cfa == CP_CFA_SIGNAL ||
           cp_unwind_table_row(&map, pc + 1)->cfa == CP_CFA_SIGNAL;
}

bool cp_safe_point_is_call(struct cp_safe_points *q,
                           const struct cp_safe_point_regs *regs)
{
    uintptr_t frames[CP_WALK_MAX];
    bool is_whole;
    size_t n;

    if (!unwind(q, regs, frames, &n, &is_whole))
        return false;
    for (size_t i = 0; i < n; i++)
        if (trust_at(q, frames[i]) == FORBIDDEN ||
            is_signal_frame(q, frames[i]))
            return false;
    return true;
}

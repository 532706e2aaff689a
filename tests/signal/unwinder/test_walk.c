/*
 * test_walk - the walker against libgcc's, at every instruction.
 *
 * The processor is set to trap after each instruction, and in each trap both
 * walk the interrupted stack: prologues, epilogues, PLT stubs, the resolver of
 * lazy binding, string functions in assembly, signal frames. Every address
 * must be the same. Then stacks that cannot be unwound: the walk must end.
 */
#include "signal/tables/readers.h"
#include "signal/unwinder/arch.h"
#include "unwind/objects.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "check.h"
#include "keep.h"

#define DIVE 30        /* frames with a landing pad that an exception passes */
#define MAX_LANDING 40 /* instructions of a landing without a whole stack */

static struct cp_objects *objects;

static size_t walk(const ucontext_t *context, uintptr_t *frames,
                   enum cp_walk_end *end)
{
    struct cp_reader_slot *place = cp_readers_enter(0);
    struct cp_signal_walk w = { .table = cp_unwind_table_current() };
    struct cp_signal_regs regs;
    size_t n;

    cp_arch_regs(&regs, context);
    n = cp_signal_walk(&w, regs, place->frames);
    memcpy(frames, place->frames, n * sizeof(*frames));
    *end = w.end;
    cp_readers_exit(place);
    return n;
}

/* The frames that libgcc finds after the signal frame. */
struct reference {
    uintptr_t pc; /* of the interrupted frame, the first one */
    uintptr_t frames[CP_WALK_MAX];
    size_t n;
    bool is_begun;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context,
                                      void *arg)
{
    struct reference *r = arg;
    int is_exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_exact);

    if (is_exact && pc == r->pc)
        r->is_begun = true;
    if (r->is_begun && r->n < CP_WALK_MAX && pc)
        r->frames[r->n++] = pc - (is_exact ? 0 : 1);
    return _URC_NO_REASON;
}

/* Counted by the trap's handler, checked after the run. */
static struct {
    long n_steps, n_frames;
    long n_whole;   /* the walk reached the outermost frame */
    long n_differs; /* libgcc has other frames, or more of them */
    long n_lost;    /* truncated outside the code of libgcc's unwinder */
    uintptr_t first[8];
    size_t n_first;
} steps;

static void note_difference(uintptr_t pc)
{
    steps.n_differs++;
    if (steps.n_first < 8)
        steps.first[steps.n_first++] = pc;
}

/* In a handler: walks the interrupted stack, and lets libgcc do the same. */
static void compare_walks(const ucontext_t *context)
{
    static struct reference r;
    static uintptr_t frames[CP_WALK_MAX];
    struct cp_signal_regs regs;
    enum cp_walk_end end;
    size_t n;

    cp_arch_regs(&regs, context);
    r = (struct reference){ .pc = regs.pc };
    n = walk(context, frames, &end);
    (void)_Unwind_Backtrace(take_frame, &r);
    steps.n_steps++;
    steps.n_frames += (long)n;
    steps.n_whole += end == CP_WALK_WHOLE;
    if (n < r.n || memcmp(frames, r.frames, r.n * sizeof(*frames)) != 0)
        note_difference(r.pc);
    CHECK(r.n > 3);
}

static void on_user(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    compare_walks(context);
}

static KEEP int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static KEEP double realigned(double x)
{
    _Alignas(64) volatile double wide[16];

    for (size_t i = 0; i < 16; i++)
        wide[i] = x * (double)i;
    return wide[3] + strtod("1.25e3", NULL);
}

static KEEP int with_alloca(int n)
{
    volatile char *bytes = __builtin_alloca((size_t)n + 16);

    bytes[n] = 1;
    return bytes[n] + n;
}

static KEEP long recurse(int n)
{
    return n == 0 ? 0 : recurse(n - 1) + with_alloca(n);
}

/* Functions with all kinds of code; each is called for the first time. */
static KEEP void work(void)
{
    int numbers[40];
    char text[200];
    volatile double sum = 0;
    void *block;

    for (int i = 0; i < 40; i++)
        numbers[i] = (i * 7919) % 41;
    qsort(numbers, 40, sizeof(numbers[0]), compare);
    (void)snprintf(text, sizeof(text), "%d %s %.17g", numbers[3], "x", 0.1);
    sum += realigned(3) + (double)recurse(20);
    block = malloc(100000);
    memset(block, 1, 100000 / 64);
    memmove((char *)block + 3, block, 999);
    sum += (double)strlen(text) + (double)getppid() + (double)lrand48();
    free(block);
    (void)bsearch(numbers, numbers, 40, sizeof(numbers[0]), compare);
    (void)strtoull(text, NULL, 10);
    (void)getenv("HOME");
    (void)sum;
}

static void print_first(void)
{
    Dl_info info;

    for (size_t i = 0; i < steps.n_first; i++)
        if (dladdr((void *)steps.first[i], &info))
            printf("    at %s %s\n", info.dli_fname,
                   info.dli_sname ? info.dli_sname : "?");
}

static void check_steps(long least)
{
    printf("%ld steps, %ld frames, %ld whole, %ld differ\n", steps.n_steps,
           steps.n_frames, steps.n_whole, steps.n_differs);
    CHECK(steps.n_steps > least);
    CHECK_INT(steps.n_whole, steps.n_steps);
    CHECK_INT(steps.n_differs, 0);
    print_first();
}

static KEEP int compare_and_raise(const void *a, const void *b)
{
    (void)raise(SIGUSR1);
    return compare(a, b);
}

/* For processors without single stepping: system calls only. */
static void test_in_system_calls(void)
{
    struct sigaction action = { .sa_sigaction = on_user,
                                .sa_flags = SA_SIGINFO };
    int numbers[] = { 3, 1, 2, 5, 4 };

    memset(&steps, 0, sizeof(steps));
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    qsort(numbers, 5, sizeof(numbers[0]), compare_and_raise);
    check_steps(3);
}

#if defined(__x86_64__)
static volatile sig_atomic_t stepping;
static volatile sig_atomic_t is_alone; /* no comparison with libgcc */

/* The object that contains the throwing code. */
static struct {
    uintptr_t address; /* in it */
    uintptr_t start, end;
} unwinder;

static int find_unwinder(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_LOAD && unwinder.address - start < p->p_memsz) {
            unwinder.start = start;
            unwinder.end = start + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

static void count_walk(const ucontext_t *context)
{
    static uintptr_t frames[CP_WALK_MAX];
    enum cp_walk_end end;
    size_t n = walk(context, frames, &end);
    bool is_whole = end == CP_WALK_WHOLE && n > 3;

    steps.n_steps++;
    steps.n_whole += is_whole;
    if (!is_whole &&
        (frames[0] < unwinder.start || frames[0] >= unwinder.end)) {
        steps.n_lost++;
        note_difference(frames[0]);
    }
}

static void on_trap(int sig, siginfo_t *info, void *arg)
{
    ucontext_t *context = arg;

    (void)sig;
    (void)info;
    context->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    if (!stepping)
        return;
    context->uc_mcontext.gregs[REG_EFL] |= 0x100;
    if (is_alone)
        count_walk(context);
    else
        compare_walks(context);
}

/* From here on every instruction traps; a handler starts without traps. */
static inline __attribute__((always_inline)) void set_trap_flag(void)
{
    __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void on_alarm(int sig)
{
    (void)sig;
    set_trap_flag();
    work();
}

static void step_through(void (*run)(void))
{
    struct sigaction action = { .sa_sigaction = on_trap,
                                .sa_flags = SA_SIGINFO };

    memset(&steps, 0, sizeof(steps));
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    stepping = 1;
    set_trap_flag();
    run();
    stepping = 0;
    CHECK(signal(SIGTRAP, SIG_IGN) != SIG_ERR);
}

static void test_every_instruction(void)
{
    step_through(work);
    check_steps(5000);
}

/* Opens a library in the directory of this program. */
static void *open_beside(const char *name)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

    while (n > 0 && path[n - 1] != '/')
        n--;
    (void)snprintf(path + (n > 0 ? n : 0), 64, "%s", name);
    return dlopen(path, RTLD_NOW);
}

static int (*thrower_dive)(int depth);

static void throw(void)
{
    CHECK_INT(thrower_dive(DIVE), 0);
}

/*
 * Walks while an exception is thrown, passes frames with cleanups and is
 * caught. libgcc writes the registers of the landing pad over its own frame and
 * then jumps there. In between, for a few dozen instructions a landing, the
 * stack cannot be unwound. Everywhere else it must be whole.
 */
static void test_exceptions(void)
{
    void *library = open_beside("libthrower.so");
    struct cp_error err = { 0 };

    if (!library)
        return; /* no C++ compiler */
    thrower_dive = (int (*)(int))dlsym(library, "thrower_dive");
    unwinder.address = (uintptr_t)dlsym(library, "_Unwind_RaiseException");
    CHECK(thrower_dive != NULL && unwinder.address != 0);
    CHECK(dl_iterate_phdr(find_unwinder, NULL) == 1);
    throw(); /* lazy binding and one-time allocations */
    CHECK(cp_objects_refresh(objects, true, &err) == CP_OK);
    is_alone = 1;
    step_through(throw);
    is_alone = 0;
    CHECK(steps.n_steps > 20000);
    printf("%ld steps, %ld whole\n", steps.n_steps, steps.n_whole);
    CHECK_INT(steps.n_lost, 0);
    CHECK(steps.n_steps - steps.n_whole < MAX_LANDING * (DIVE + 1));
    print_first();
}

static void raise_alarm(void)
{
    (void)raise(SIGALRM);
}

static void test_inside_handlers(void)
{
    CHECK(signal(SIGALRM, on_alarm) != SIG_ERR);
    step_through(raise_alarm);
    check_steps(5000);
}

static void test_alternate_stack(void)
{
    static char memory[65536];
    stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
    stack_t off = { .ss_flags = SS_DISABLE };
    struct sigaction action = { .sa_handler = on_alarm,
                                .sa_flags = SA_ONSTACK };

    CHECK(sigaltstack(&stack, NULL) == 0);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    step_through(raise_alarm);
    check_steps(5000);
    CHECK(sigaltstack(&off, NULL) == 0);
}
#endif

static void *walk_in_thread(void *arg)
{
    work();
#if defined(__x86_64__)
    step_through(work);
#endif
    return arg;
}

static void test_thread(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, walk_in_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
#if defined(__x86_64__)
    check_steps(1000);
#endif
}

/* Walks the current stack, with the stack bounds that the caller set. */
static size_t walk_here(struct cp_signal_walk *w, uintptr_t *frames)
{
    struct cp_signal_regs regs;

    cp_arch_current_regs(&regs);
    w->table = cp_unwind_table_current();
    return cp_signal_walk(w, regs, frames);
}

static KEEP size_t walk_deep(int n, struct cp_signal_walk *w, uintptr_t *frames)
{
    volatile size_t got =
        n == 0 ? walk_here(w, frames) : walk_deep(n - 1, w, frames);

    return got;
}

static void test_depth(void)
{
    static const struct {
        int depth;
        bool is_elided;
        enum cp_walk_end end;
    } rows[] = {
        { 100, false, CP_WALK_WHOLE },
        { 3000, true, CP_WALK_WHOLE },
        { 20000, true, CP_WALK_LONG },
    };
    uintptr_t frames[CP_WALK_MAX], root = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_signal_walk w = { 0 };
        size_t n = walk_deep(rows[i].depth, &w, frames);

        CHECK_INT(w.end, rows[i].end);
        CHECK_INT(n == CP_WALK_MAX, rows[i].is_elided);
        CHECK_INT(n > CP_WALK_LEAF && frames[CP_WALK_LEAF] == CP_FRAME_ELIDED,
                  rows[i].is_elided);
        if (i == 0)
            root = frames[n - 1];
        else if (w.end == CP_WALK_WHOLE)
            CHECK(frames[n - 1] == root);
    }
}

/* Every depth around the start of the ring buffer. */
static void test_ring(void)
{
    uintptr_t plain[CP_WALK_MAX], frames[CP_WALK_MAX];
    struct cp_signal_walk w = { 0 };
    size_t base = walk_deep(0, &w, plain), n_bad = 0;

    for (int depth = 430; depth < 530; depth++) {
        size_t n = walk_deep(depth, &w, frames), all = base + (size_t)depth;

        CHECK_INT(n, all <= CP_WALK_MAX - 1 ? all : CP_WALK_MAX);
        n_bad += memcmp(frames + n - base + 2, plain + 2,
                        (base - 2) * sizeof(plain[0])) != 0;
    }
    CHECK_INT(n_bad, 0);
}

/* Invalid registers: the walk must end without a fault. */
static void test_wild_registers(void)
{
    static const uintptr_t values[] = {
        0,
        1,
        8,
        4095,
        0x7fffffffffffu,
        0x800000000000u,
        UINTPTR_MAX,
        UINTPTR_MAX - 7,
    };
    size_t n_values = sizeof(values) / sizeof(values[0]);
    uintptr_t here[2] = { 0 }, frames[CP_WALK_MAX];
    char *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(mprotect(hole + 4096, 4096, PROT_NONE) == 0);
    for (size_t i = 0; i < n_values * n_values * 4; i++) {
        uintptr_t sp = values[i % n_values];
        uintptr_t fp = values[i / n_values % n_values];
        struct cp_signal_walk w = { .table = cp_unwind_table_current() };
        struct cp_signal_regs regs = {
            (uintptr_t)qsort + 40, sp, fp, fp, sp, fp
        };

        if (i / n_values / n_values & 1)
            regs.sp = (uintptr_t)(hole + 4096 - 8 * (i % 3));
        if (i / n_values / n_values & 2)
            regs.fp = (uintptr_t)(hole + 4096 - 8 * (i % 5));
        regs.pc += i;
        CHECK(cp_signal_walk(&w, regs, frames) >= 1);
        regs.pc = i;
        CHECK(cp_signal_walk(&w, regs, frames) >= 1);
    }
    here[0] = (uintptr_t)here; /* a frame pointer that points at itself */
    here[1] = (uintptr_t)qsort + 40;
    struct cp_signal_walk w = { .table = cp_unwind_table_current() };
    struct cp_signal_regs regs = {
        4, (uintptr_t)here, (uintptr_t)here, 0, 0, 0
    };
    CHECK(cp_signal_walk(&w, regs, frames) < CP_WALK_MAX);
    CHECK(munmap(hole, 3 * 4096) == 0);
}

int main(void)
{
    struct cp_error err = { 0 };

    objects = cp_objects_new((size_t)64 << 20, &err);
    CHECK(objects && cp_objects_refresh(objects, true, &err) == CP_OK);
#if defined(__x86_64__)
    RUN(test_every_instruction);
    RUN(test_exceptions);
    RUN(test_inside_handlers);
    RUN(test_alternate_stack);
#endif
    RUN(test_in_system_calls);
    RUN(test_thread);
    RUN(test_depth);
    RUN(test_ring);
    RUN(test_wild_registers);
    cp_objects_free(objects);
    return check_failures != 0;
}

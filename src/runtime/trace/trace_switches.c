/* trace_switches.c - opens perf events, and parses the records of their rings.
 */
#include "runtime/trace/trace_switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "runtime/threads/perf_sampler.h"
#include "signal/unwinder/syscall.h"

#define PAGE ((size_t)4096)
#define MAX_RINGS 4096
#define MAX_RECORD_BYTES 256
#define FAULTS_PER_RECORD 16 /* sampling period; a smaller one fills rings */

struct cp_trace_ring {
    int32_t tid;
    struct perf_event_mmap_page *head; /* the data follow on the next page */
    size_t len;                        /* bytes of data; a power of two */
};

static int open_event(int32_t tid, bool has_faults)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = has_faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_DUMMY,
        .sample_period = has_faults ? FAULTS_PER_RECORD : 0,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .context_switch = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };

    return (int)CP_SYSCALL(SYS_perf_event_open, (long)&attr, tid, -1, -1,
                           PERF_FLAG_FD_CLOEXEC);
}

/* Tries smaller rings: perf_event_mlock_kb limits the sum of a user's rings. */
static bool map_ring(int fd, struct cp_trace_ring *out)
{
    static const size_t sizes[] = { 16 * PAGE, 4 * PAGE, PAGE };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        void *p = mmap(NULL, PAGE + sizes[i], PROT_READ | PROT_WRITE,
                       MAP_SHARED, fd, 0);

        if (p != MAP_FAILED) {
            out->head = p;
            out->len = sizes[i];
            return true;
        }
    }
    return false;
}

void cp_trace_switches_add_thread(struct cp_trace_switches *s, int32_t tid)
{
    struct cp_trace_ring ring = { .tid = tid };
    int fd;

    if (s->n_rings == 0 ? cp_perf_sampler_forbidden_reason() != NULL
                        : cp_perf_sampler_is_forbidden())
        s->is_disabled = true;
    if (s->is_disabled || s->n_rings == MAX_RINGS ||
        cp_reserve(&s->rings, &s->cap_rings, s->n_rings + 1, sizeof(ring),
                   NULL) != CP_OK)
        return;
    fd = open_event(tid, true);
    if (fd < 0)
        fd = open_event(tid, false);
    if (fd < 0) {
        s->is_disabled = s->n_rings == 0 && fd != -ESRCH;
        return;
    }
    if (map_ring(fd, &ring)) {
        (void)madvise(ring.head, PAGE + ring.len, MADV_DONTFORK);
        s->rings[s->n_rings++] = ring;
    }
    (void)close(fd);
}

static void unmap_ring(struct cp_trace_ring *ring)
{
    (void)munmap(ring->head, PAGE + ring->len);
}

/* Copies n bytes out of the ring; they may wrap around its end. */
static void copy_bytes(const struct cp_trace_ring *ring, uint64_t from,
                       void *out, size_t n)
{
    const char *data = (const char *)ring->head + PAGE;
    size_t at = (size_t)from & (ring->len - 1), first = ring->len - at;

    CP_ASSERT((ring->len & (ring->len - 1)) == 0 && n <= ring->len);
    if (first > n)
        first = n;
    memcpy(out, data + at, first);
    memcpy((char *)out + first, data, n - first);
}

/* The sample_id that the kernel appends to a record (sample_id_all). */
struct trailer {
    uint32_t pid, tid;
    uint64_t time_ns;
    uint32_t cpu, unused;
};

struct lost {
    struct perf_event_header header;
    uint64_t id, n;
};

/* A PERF_RECORD_SAMPLE; sample_type decides the order of the fields. */
struct fault {
    struct perf_event_header header;
    uint64_t pc;
    uint32_t pid, tid;
    uint64_t time_ns, address;
    uint32_t cpu, unused;
};

static bool read_fault(const char *bytes, size_t len,
                       struct cp_trace_switch *out)
{
    struct fault fault;

    if (len < sizeof(fault))
        return false;
    memcpy(&fault, bytes, sizeof(fault));
    *out = (struct cp_trace_switch){ .time_ns = fault.time_ns,
                                     .tid = (int32_t)fault.tid,
                                     .cpu = fault.cpu,
                                     .kind = CP_SWITCH_FAULT,
                                     .address = fault.address,
                                     .pc = fault.pc,
                                     .n = FAULTS_PER_RECORD };
    return true;
}

/* Parses a record. Returns false if it is neither a switch nor a fault. */
static bool read_record(struct cp_trace_switches *s, const char *bytes,
                        size_t len, struct cp_trace_switch *out)
{
    struct perf_event_header header;
    struct trailer trailer;
    struct lost lost;

    memcpy(&header, bytes, sizeof(header));
    if (header.type == PERF_RECORD_LOST && len >= sizeof(lost)) {
        memcpy(&lost, bytes, sizeof(lost));
        s->n_lost += lost.n;
    }
    if (header.type == PERF_RECORD_SAMPLE)
        return read_fault(bytes, len, out);
    if (header.type != PERF_RECORD_SWITCH ||
        len < sizeof(header) + sizeof(trailer))
        return false;
    memcpy(&trailer, bytes + sizeof(header), sizeof(trailer));
    *out = (struct cp_trace_switch){ .time_ns = trailer.time_ns,
                                     .tid = (int32_t)trailer.tid,
                                     .cpu = trailer.cpu };
    if (!(header.misc & PERF_RECORD_MISC_SWITCH_OUT))
        out->kind = CP_SWITCH_IN;
    else if (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
        out->kind = CP_SWITCH_PREEMPT;
    else
        out->kind = CP_SWITCH_OUT;
    return true;
}

static void
read_ring(struct cp_trace_switches *s, const struct cp_trace_ring *ring,
          void (*take)(void *context, const struct cp_trace_switch *record),
          void *context)
{
    uint64_t end = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = ring->head->data_tail;

    while (end - at >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        struct cp_trace_switch record;
        char bytes[MAX_RECORD_BYTES];
        size_t n;

        copy_bytes(ring, at, &header, sizeof(header));
        if (header.size < sizeof(header) || header.size > end - at)
            break;
        n = header.size < sizeof(bytes) ? header.size : sizeof(bytes);
        copy_bytes(ring, at, bytes, n);
        if (read_record(s, bytes, n, &record))
            take(context, &record);
        at += header.size;
    }
    __atomic_store_n(&ring->head->data_tail, end, __ATOMIC_RELEASE);
}

void cp_trace_switches_read(struct cp_trace_switches *s,
                            void (*take)(void *context,
                                         const struct cp_trace_switch *record),
                            void *context)
{
    for (size_t i = 0; i < s->n_rings; i++)
        read_ring(s, &s->rings[i], take, context);
}

void cp_trace_switches_remove_thread(
    struct cp_trace_switches *s, int32_t tid,
    void (*take)(void *context, const struct cp_trace_switch *record),
    void *context)
{
    for (size_t i = 0; i < s->n_rings; i++) {
        if (s->rings[i].tid != tid)
            continue;
        read_ring(s, &s->rings[i], take, context);
        unmap_ring(&s->rings[i]);
        s->rings[i] = s->rings[--s->n_rings];
        return;
    }
}

void cp_trace_switches_release(struct cp_trace_switches *s)
{
    for (size_t i = 0; i < s->n_rings; i++)
        unmap_ring(&s->rings[i]);
    cp_free(s->rings);
    *s = (struct cp_trace_switches){ 0 };
}

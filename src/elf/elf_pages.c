/* elf_pages.c - fetches blocks of a file, or maps it with a SIGBUS handler. */
#include "elf/elf_pages.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define MAX_MAPPED 1024
#define BLOCK_BYTES ((size_t)16 << 10)

enum { ABSENT, READING, PRESENT };

struct cp_elf_pages {
    char *path;
    uint8_t *bytes;
    size_t len;
    struct stat version;
    _Atomic uint8_t *blocks; /* ABSENT, READING, PRESENT; NULL if mapped */
};

/* Mapped files, read by the SIGBUS handler; start is 0 in a free slot. */
static struct {
    _Atomic uintptr_t start;
    _Atomic size_t len;
} mapped[MAX_MAPPED];

static uintptr_t page_bytes;

static struct cp_elf_policy policy;
static _Atomic size_t held;

void cp_elf_set_policy(const struct cp_elf_policy *p)
{
    policy = *p;
}

bool cp_elf_pages_are_limited(void)
{
    return policy.limit_bytes != 0;
}

static bool is_mapped(uintptr_t address)
{
    for (size_t i = 0; i < MAX_MAPPED; i++) {
        uintptr_t start = atomic_load(&mapped[i].start);

        if (start && address >= start &&
            address - start < atomic_load(&mapped[i].len))
            return true;
    }
    return false;
}

/*
 * SIGBUS handler: maps a zero page in place of the missing one, or restores the
 * default action so that the fault ends the process.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    int number = errno;

    (void)context;
    if (!is_mapped(address) ||
        mmap((void *)(address & ~(page_bytes - 1)), page_bytes, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        (void)signal(sig, SIG_DFL);
    errno = number;
}

void cp_elf_pages_guard(void)
{
    struct sigaction act = { .sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_RESTART };

    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sigaction(SIGBUS, &act, NULL);
}

static bool add_mapped(uintptr_t start, size_t len)
{
    for (size_t i = 0; i < MAX_MAPPED; i++) {
        size_t free_len = 0;

        if (atomic_compare_exchange_strong(&mapped[i].len, &free_len, len)) {
            atomic_store(&mapped[i].start, start);
            return true;
        }
    }
    return false;
}

static void remove_mapped(uintptr_t start)
{
    for (size_t i = 0; i < MAX_MAPPED; i++)
        if (atomic_load(&mapped[i].start) == start) {
            atomic_store(&mapped[i].start, 0);
            atomic_store(&mapped[i].len, 0);
            return;
        }
}

static int open_file(const char *path, struct stat *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd >= 0 && fstat(fd, out) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static enum cp_status check_kind(const struct stat *st, struct cp_error *err)
{
    if (S_ISDIR(st->st_mode))
        return cp_error_set(err, CP_EIO, "is a directory");
    if (!S_ISREG(st->st_mode) || st->st_size < EI_NIDENT)
        return cp_error_set(err, CP_EFORMAT, "not an ELF file");
    return CP_OK;
}

static size_t count_blocks(const struct cp_elf_pages *p)
{
    return (p->len + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static enum cp_status name(struct cp_elf_pages *p, const char *path,
                           struct cp_error *err)
{
    p->path = cp_alloc(strlen(path) + 1, 1, err);
    if (!p->path)
        return CP_ENOMEM;
    (void)strcpy(p->path, path);
    return CP_OK;
}

static enum cp_status reserve(struct cp_elf_pages *p, struct cp_error *err)
{
    void *at;

    p->blocks = cp_alloc(count_blocks(p), sizeof(*p->blocks), err);
    if (!p->blocks)
        return CP_ENOMEM;
    at = mmap(NULL, p->len, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return cp_error_set(err, CP_EIO, "mmap: %s", strerror(errno));
    (void)madvise(at, p->len,
                  MADV_NOHUGEPAGE); /* fetched blocks are far apart */
    p->bytes = at;
    return CP_OK;
}

/*
 * Maps the file if the policy allows it. Returns false if blocks must be
 * fetched instead.
 */
static bool map(struct cp_elf_pages *p, int fd)
{
    void *at;

    p->len = (size_t)p->version.st_size;
    if (!policy.maps)
        return false;
    at = mmap(NULL, p->len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return false;
    if (!add_mapped((uintptr_t)at, p->len)) {
        (void)munmap(at, p->len);
        return false;
    }
    p->bytes = at;
    return true;
}

enum cp_status cp_elf_pages_open(struct cp_elf_pages **out, const char *path,
                                 struct cp_error *err)
{
    struct cp_elf_pages *p = cp_alloc(1, sizeof(*p), err);
    enum cp_status status;
    int fd;

    if (!p)
        return CP_ENOMEM;
    fd = open_file(path, &p->version);
    if (fd < 0)
        status = cp_error_set(err, CP_EIO, "%s", strerror(errno));
    else
        status = check_kind(&p->version, err);
    if (status == CP_OK)
        status = name(p, path, err);
    if (status == CP_OK && !map(p, fd))
        status = reserve(p, err);
    if (fd >= 0)
        (void)close(fd);
    if (status != CP_OK) {
        cp_elf_pages_close(p);
        return status;
    }
    *out = p;
    return CP_OK;
}

static size_t block_len(const struct cp_elf_pages *p, size_t i)
{
    size_t left = p->len - i * BLOCK_BYTES;

    return left < BLOCK_BYTES ? left : BLOCK_BYTES;
}

void cp_elf_pages_close(struct cp_elf_pages *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->bytes && p->blocks && i < count_blocks(p); i++)
        if (atomic_load(&p->blocks[i]) == PRESENT)
            atomic_fetch_sub(&held, block_len(p, i));
    if (p->bytes && !p->blocks)
        remove_mapped((uintptr_t)p->bytes);
    if (p->bytes)
        (void)munmap(p->bytes, p->len);
    cp_free((void *)(uintptr_t)p->blocks);
    cp_free(p->path);
    cp_free(p);
}

const uint8_t *cp_elf_pages_bytes(const struct cp_elf_pages *p, size_t *out_len)
{
    *out_len = p->len;
    return p->bytes;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Opens the file again. Returns -1 if the file has changed. */
static int open_again(const struct cp_elf_pages *p)
{
    struct stat now;
    int fd = open_file(p->path, &now);

    if (fd >= 0 && !is_same(&now, &p->version)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static bool read_all(int fd, uint8_t *out, size_t len, size_t offset)
{
    while (len > 0) {
        ssize_t n = pread(fd, out, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        out += n;
        len -= (size_t)n;
        offset += (size_t)n;
    }
    return true;
}

static bool may_hold(size_t len)
{
    size_t all = atomic_fetch_add(&held, len) + len;

    if (policy.limit_bytes == 0 || all <= policy.limit_bytes)
        return true;
    atomic_fetch_sub(&held, len);
    return false;
}

/* Claims the run of absent blocks that starts at i; returns its length. */
static size_t claim_run(struct cp_elf_pages *p, size_t i, size_t end)
{
    size_t n = 0;
    uint8_t absent = ABSENT;

    while (i + n < end && atomic_compare_exchange_strong(&p->blocks[i + n],
                                                         &absent, READING)) {
        n++;
        absent = ABSENT;
    }
    return n;
}

/* Reads n claimed blocks from block i. */
static bool read_run(struct cp_elf_pages *p, int fd, size_t i, size_t n)
{
    size_t from = i * BLOCK_BYTES;
    size_t len = (n - 1) * BLOCK_BYTES + block_len(p, i + n - 1);
    bool may = may_hold(len);
    bool is_read = may && read_all(fd, p->bytes + from, len, from);

    if (may && !is_read) {
        (void)madvise(p->bytes + from, len, MADV_DONTNEED);
        atomic_fetch_sub(&held, len);
    }
    for (size_t k = i; k < i + n; k++)
        atomic_store(&p->blocks[k], is_read ? PRESENT : ABSENT);
    return is_read;
}

static bool read_blocks(struct cp_elf_pages *p, size_t first, size_t end)
{
    int fd = open_again(p);
    bool is_read = fd >= 0;

    for (size_t i = first; is_read && i < end;) {
        size_t n = claim_run(p, i, end);

        if (n > 0)
            is_read = read_run(p, fd, i, n);
        else if (atomic_load(&p->blocks[i]) == READING)
            (void)sched_yield();
        else if (atomic_load(&p->blocks[i]) == PRESENT)
            n = 1;
        i += n;
    }
    if (fd >= 0)
        (void)close(fd);
    return is_read;
}

bool cp_elf_pages_fetch(struct cp_elf_pages *p, size_t offset, size_t len)
{
    size_t first = offset / BLOCK_BYTES, end;

    if (!p->blocks || offset >= p->len || len == 0)
        return true;
    if (len > p->len - offset)
        len = p->len - offset;
    end = (offset + len - 1) / BLOCK_BYTES + 1;
    while (first < end && atomic_load_explicit(&p->blocks[first],
                                               memory_order_acquire) == PRESENT)
        first++;
    return first == end || read_blocks(p, first, end);
}

/* Frees only blocks that lie completely within the range. */
void cp_elf_pages_drop(struct cp_elf_pages *p, size_t offset, size_t len)
{
    size_t first = (offset + BLOCK_BYTES - 1) / BLOCK_BYTES;
    size_t end =
        offset + len >= p->len ? count_blocks(p) : (offset + len) / BLOCK_BYTES;

    for (size_t i = first; p->blocks && i < end; i++)
        if (atomic_load(&p->blocks[i]) == PRESENT) {
            (void)madvise(p->bytes + i * BLOCK_BYTES, block_len(p, i),
                          MADV_DONTNEED);
            atomic_store(&p->blocks[i], ABSENT);
            atomic_fetch_sub(&held, block_len(p, i));
        }
}

bool cp_elf_pages_crc32(const struct cp_elf_pages *p, uint32_t *out)
{
    uint8_t *buf = cp_alloc(BLOCK_BYTES, 1, NULL);
    int fd = buf ? open_again(p) : -1;
    bool is_read = fd >= 0;

    *out = 0;
    for (size_t i = 0; is_read && i < count_blocks(p); i++) {
        is_read = read_all(fd, buf, block_len(p, i), i * BLOCK_BYTES);
        if (is_read)
            *out = libdeflate_crc32(*out, buf, block_len(p, i));
    }
    if (fd >= 0)
        (void)close(fd);
    cp_free(buf);
    return is_read;
}

bool cp_elf_pages_is_trusted(const struct cp_elf_pages *p,
                             const struct cp_elf_pages *beside)
{
    uid_t owner = p->version.st_uid;

    return !policy.only_trusted_owners || owner == 0 || owner == geteuid() ||
           (beside && owner == beside->version.st_uid);
}

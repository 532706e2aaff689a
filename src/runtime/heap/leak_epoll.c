/* leak_epoll.c - lists /proc/self/fd and parses the fdinfo of each epoll. */
#include "runtime/heap/leak_epoll.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "base/proc_self.h"
#include "runtime/os/proc_file.h"

#define PATH_BYTES (CP_PROC_SELF_BYTES + 24)
#define LINK "anon_inode:[eventpoll]"
#define LIST_BYTES 4096
#define FILE_BYTES ((size_t)64 << 20)

/* An entry that getdents64 returns; libc's readdir would call malloc. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len;
    unsigned char type;
    char name[];
};

struct visitor {
    void (*visit)(void *context, uintptr_t word);
    void *context;
};

/* "tfd:  5 events:       19 data:     7f52c8000b70  pos:0 ino:..." */
void cp_leak_epoll_parse(const char *text,
                         void (*visit)(void *context, uintptr_t word),
                         void *context)
{
    while ((text = strstr(text, " data:")) != NULL) {
        text += strlen(" data:");
        visit(context, (uintptr_t)strtoull(text, NULL, 16));
    }
}

/* Reads the fdinfo of the epoll descriptor with this number. */
static void read_one(const char *name, const struct visitor *v)
{
    struct cp_out text = { .fd = -1 };
    char folder[CP_PROC_SELF_BYTES], path[PATH_BYTES];

    (void)snprintf(path, sizeof(path), "%s/%.20s",
                   cp_proc_self("fdinfo", folder), name);
    if (cp_proc_file_read(path, FILE_BYTES, &text, NULL) == CP_OK) {
        cp_out_char(&text, '\0');
        if (text.buf && text.len > 0)
            cp_leak_epoll_parse(text.buf, v->visit, v->context);
    }
    cp_out_release(&text);
}

static bool is_epoll(int folder, const char *name)
{
    char link[sizeof(LINK)];
    ssize_t n = readlinkat(folder, name, link, sizeof(link));

    return n == sizeof(LINK) - 1 && memcmp(link, LINK, sizeof(LINK) - 1) == 0;
}

static void read_all(int folder, const struct visitor *v)
{
    _Alignas(struct entry) char list[LIST_BYTES];
    long n;

    while ((n = syscall(SYS_getdents64, folder, list, sizeof(list))) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(void *)(list + at);

            CP_ASSERT(e->len > offsetof(struct entry, name));
            CP_ASSERT(at + e->len <= n);
            if (is_epoll(folder, e->name))
                read_one(e->name, v);
            at += e->len;
        }
}

void cp_leak_epoll_each(void (*visit)(void *context, uintptr_t word),
                        void *context)
{
    const struct visitor v = { visit, context };
    char path[CP_PROC_SELF_BYTES];
    int folder =
        open(cp_proc_self("fd", path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return;
    read_all(folder, &v);
    (void)close(folder);
}

/*
 * jemalloc_dump.c - see jemalloc_dump.h.
 *
 * jemalloc writes to a file by name. It is given the name of one in memory, so
 * that nothing is left on a disk. Its functions are found by the loader, with
 * the program's own symbols: a weak name that nobody has is NULL.
 */
#include "runtime/heap/jemalloc_dump.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/out.h"
#include "runtime/os/proc_file.h"

#define DUMP_BYTES ((size_t)1 << 30)

typedef int control(const char *name, void *old, size_t *old_len, void *new_,
                    size_t new_len);

extern control mallctl __attribute__((weak, visibility("default")));
extern control je_mallctl __attribute__((weak, visibility("default")));

static control *find_control(void)
{
    return mallctl ? mallctl : je_mallctl;
}

static bool is_set(control *ask, const char *name)
{
    bool value = false;
    size_t len = sizeof(value);

    return ask(name, &value, &len, NULL, 0) == 0 && value;
}

static enum cp_status dump_to(control *ask, int fd, struct cp_out *out,
                              struct cp_error *err)
{
    char path[64];
    const char *name = path;
    int failed;

    (void)snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    failed = ask("prof.dump", NULL, NULL, &name, sizeof(name));
    if (failed)
        return cp_error_set(err, CP_EIO, "jemalloc: prof.dump: %s",
                            strerror(failed));
    return cp_proc_file_read(path, DUMP_BYTES, out, err);
}

enum cp_status cp_jemalloc_dump(struct cp_out *out, struct cp_error *err)
{
    control *ask = find_control();
    enum cp_status status;
    int fd;

    if (!ask)
        return cp_error_set(err, CP_EUSAGE,
                            "the program's malloc is not jemalloc, or it does "
                            "not show its mallctl");
    if (!is_set(ask, "config.prof"))
        return cp_error_set(err, CP_EUSAGE,
                            "this jemalloc was built without profiling");
    if (!is_set(ask, "opt.prof"))
        return cp_error_set(err, CP_EUSAGE,
                            "jemalloc's profiling is off: start the program "
                            "with MALLOC_CONF=prof:true");
    fd = memfd_create("cpprof-jemalloc", MFD_CLOEXEC);
    if (fd < 0)
        return cp_error_set(err, CP_EIO, "memfd_create: %s", strerror(errno));
    status = dump_to(ask, fd, out, err);
    (void)close(fd);
    return status;
}

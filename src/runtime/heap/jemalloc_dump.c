/*
 * jemalloc_dump.c - calls jemalloc's mallctl("prof.dump").
 *
 * jemalloc writes the dump to a file that it opens by name. It gets the name of
 * a memfd, so that no file remains on disk. mallctl is a weak symbol: the
 * dynamic loader leaves it NULL if no object of the program defines it.
 */
#include "runtime/heap/jemalloc_dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "runtime/os/proc_file.h"

#define MAX_DUMP_BYTES ((size_t)1 << 30)

typedef int mallctl_fn(const char *name, void *old, size_t *old_len, void *new_,
                       size_t new_len);

extern mallctl_fn mallctl __attribute__((weak, visibility("default")));
extern mallctl_fn je_mallctl __attribute__((weak, visibility("default")));

static mallctl_fn *find_mallctl(void)
{
    return mallctl ? mallctl : je_mallctl;
}

static bool is_set(mallctl_fn *control, const char *name)
{
    bool value = false;
    size_t len = sizeof(value);

    return control(name, &value, &len, NULL, 0) == 0 && value;
}

static enum cp_status dump_to(mallctl_fn *control, int fd, struct cp_out *out,
                              struct cp_error *err)
{
    char path[64];
    const char *name = path;
    int error;

    CP_ASSERT(control && fd >= 0);
    (void)snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    error = control("prof.dump", NULL, NULL, &name, sizeof(name));
    if (error)
        return cp_error_set(err, CP_EIO, "jemalloc: prof.dump failed: %s",
                            strerror(error));
    return cp_proc_file_read(path, MAX_DUMP_BYTES, out, err);
}

enum cp_status cp_jemalloc_dump(struct cp_out *out, struct cp_error *err)
{
    mallctl_fn *control = find_mallctl();
    enum cp_status status;
    int fd;

    if (!control)
        return cp_error_set(err, CP_EUSAGE,
                            "the program's malloc is not jemalloc, or does "
                            "not export mallctl; use heap without source=");
    if (!is_set(control, "config.prof"))
        return cp_error_set(err, CP_EUSAGE,
                            "the program's jemalloc was built without "
                            "profiling; use heap without source=");
    if (!is_set(control, "opt.prof"))
        return cp_error_set(err, CP_EUSAGE,
                            "jemalloc's profiling is off; start the program "
                            "with MALLOC_CONF=prof:true");
    fd = memfd_create("cpprof-jemalloc", MFD_CLOEXEC);
    if (fd < 0)
        return cp_error_set(err, CP_EIO,
                            "cannot create a memory file for jemalloc's "
                            "dump: memfd_create: %s",
                            strerror(errno));
    status = dump_to(control, fd, out, err);
    (void)close(fd);
    return status;
}

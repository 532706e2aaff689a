/* registry.c - writes, sweeps and removes registry files. */
#include "runtime/process/registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file_start.h"
#include "base/instance.h"
#include "base/new_file.h"
#include "base/proc_self.h"
#include "runtime/os/sandbox.h"

#define MAX_SWEPT 64 /* files that one sweep reads */

static struct {
    char folder[CP_INSTANCE_PATH];
    _Atomic int pid; /* process whose file exists; 0 if none */
} state;

/*
 * "redis-server *:6379", or "" if /proc is unreadable. A program that sets its
 * title fills the rest of its arguments with blanks or NUL.
 */
static void read_command(char *out, size_t cap)
{
    char self[CP_PROC_SELF_BYTES];
    ssize_t n =
        cp_file_start(AT_FDCWD, cp_proc_self("cmdline", self), 0, out, cap);

    for (ssize_t i = 0; i < n; i++)
        if (out[i] == '\0')
            out[i] = ' ';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n > 0 ? n : 0] = '\0';
}

/*
 * The name at the first call. A program that sets its title overwrites the
 * arguments, which program_invocation_short_name points into.
 */
static const char *first_name(void)
{
    static char name[64];

    if (!*name)
        (void)snprintf(name, sizeof(name), "%s", program_invocation_short_name);
    return name;
}

static void describe(struct cp_instance *i, const char *address,
                     const char *app_id)
{
    *i = (struct cp_instance){ .pid = getpid(),
                               .start_ticks = cp_instance_start_ticks(getpid()),
                               .pid_ns = cp_instance_pid_ns(),
                               .created_s = (int64_t)time(NULL) };
    read_command(i->command, sizeof(i->command));
    (void)snprintf(i->address, sizeof(i->address), "%s", address);
    (void)snprintf(i->app_id, sizeof(i->app_id), "%s",
                   *app_id ? app_id : first_name());
}

static bool write_file(int folder, const struct cp_instance *i)
{
    char text[CP_INSTANCE_BYTES], part[] = CP_NEW_FILE_RANDOM, name[32];
    size_t len;
    bool is_whole;
    int fd;

    (void)snprintf(name, sizeof(name), "%ld", (long)i->pid);
    fd = cp_new_file(folder, part, 0, 0600);
    if (fd < 0)
        return false;
    cp_instance_format(i, text);
    len = strlen(text);
    is_whole = write(fd, text, len) == (ssize_t)len;
    (void)close(fd);
    if (is_whole && renameat(folder, part, folder, name) == 0)
        return true;
    (void)unlinkat(folder, part, 0);
    return false;
}

/* A directory entry of getdents64(); readdir() would call malloc. */
struct entry {
    uint64_t inode, offset;
    unsigned short len;
    unsigned char type;
    char name[];
};

/* Removes files of dead processes among the first MAX_SWEPT. */
static void sweep(int folder)
{
    _Alignas(8) char bytes[4096];
    int left = MAX_SWEPT;
    long n;

    while (left > 0 &&
           (n = syscall(SYS_getdents64, folder, bytes, sizeof(bytes))) > 0)
        for (long at = 0; at < n && left > 0; left--) {
            const struct entry *e = (const void *)(bytes + at);
            struct cp_instance i;

            at += e->len;
            if (cp_instance_read(&i, folder, e->name) &&
                i.pid_ns == cp_instance_pid_ns() && !cp_instance_is_alive(&i))
                (void)unlinkat(folder, e->name, 0);
        }
}

/* Opens $XDG_RUNTIME_DIR or the directory in /tmp. Returns -1 if both fail. */
static int open_folder(void)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    int fd;

    cp_instance_folder(dir, geteuid(), state.folder);
    fd = cp_instance_open_folder(state.folder, geteuid(), true);
    if (fd >= 0 || !dir)
        return fd;
    cp_instance_folder(NULL, geteuid(), state.folder);
    return cp_instance_open_folder(state.folder, geteuid(), true);
}

static bool has_same_entry(int folder, const struct cp_instance *i)
{
    struct cp_instance before;
    char name[32];

    (void)snprintf(name, sizeof(name), "%ld", (long)i->pid);
    return cp_instance_read(&before, folder, name) &&
           before.start_ticks == i->start_ticks &&
           strcmp(before.address, i->address) == 0;
}

bool cp_registry_add(const char *address, const char *app_id)
{
    struct cp_instance i;
    int number = errno, folder = open_folder();
    bool is_new = true;

    if (folder >= 0) {
        sweep(folder);
        describe(&i, address, app_id);
        is_new = !has_same_entry(folder, &i);
        if (i.start_ticks && write_file(folder, &i))
            atomic_store(&state.pid, (int)i.pid);
        (void)close(folder);
    }
    errno = number;
    return is_new;
}

/* Does nothing in a child of the process that wrote the file. */
void cp_registry_remove(void)
{
    int pid = atomic_load(&state.pid), number = errno, folder;
    char name[32];

    if (pid == 0 || cp_sandbox_is_sealed() || pid != (int)getpid() ||
        !atomic_compare_exchange_strong(&state.pid, &pid, 0))
        return;
    folder = open(state.folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        (void)snprintf(name, sizeof(name), "%d", pid);
        (void)unlinkat(folder, name, 0);
        (void)close(folder);
    }
    errno = number;
}

void cp_registry_reset_after_fork(void)
{
    atomic_store(&state.pid, 0);
}

__attribute__((destructor)) static void remove_at_exit(void)
{
    cp_registry_remove();
}

/* target.c - reads status, maps, exe and task of /proc/PID. */
#include "launch/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_start.h"
#include "elf/elf_symbols.h"
#include "launch/program.h"
#include "launch/tracee.h"

#define PATH_BYTES 4096
#define STATUS_BYTES 8192
#define WORST_RANK 9 /* a running thread */

/* Reads /proc/PID/NAME as a string. Returns false if it is unreadable. */
static bool read_proc(pid_t pid, const char *name, char *out, size_t cap)
{
    char path[96];

    (void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return cp_file_start(AT_FDCWD, path, 0, out, cap) > 0;
}

/* Returns a number of /proc/PID/status, such as "TracerPid"; -1 if absent. */
static long status_number(pid_t pid, const char *name)
{
    char text[STATUS_BYTES], wanted[64];
    const char *at;

    (void)snprintf(wanted, sizeof(wanted), "\n%s:\t", name);
    if (!read_proc(pid, "status", text, sizeof(text)))
        return -1;
    at = strstr(text, wanted);
    return at ? strtol(at + strlen(wanted), NULL, 10) : -1;
}

static char state_of(pid_t pid)
{
    char text[1024];
    const char *at;

    if (!read_proc(pid, "stat", text, sizeof(text)))
        return 0;
    at = strrchr(text, ')');
    return at && strlen(at) > 2 ? at[2] : 0;
}

/* ---- checks ---- */

static enum cp_status check_state(pid_t pid, struct cp_error *err)
{
    char state = state_of(pid);
    long tracer = status_number(pid, "TracerPid");
    long process = status_number(pid, "Tgid");

    if (!state)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot attach to %ld: no process has this id",
                            (long)pid);
    if (process > 0 && process != (long)pid)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to %ld: it is a thread; attach to its process "
            "%ld",
            (long)pid, process);
    if (pid == getpid())
        return cp_error_set(err, CP_EUSAGE,
                            "cannot attach to %ld: it is cpprof itself",
                            (long)pid);
    if (state == 'Z' || state == 'X')
        return cp_error_set(err, CP_EUSAGE,
                            "cannot attach to process %ld: it has ended",
                            (long)pid);
    if (state == 'T' || state == 't')
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: it is stopped; continue it "
            "first: kill -CONT %ld",
            (long)pid, (long)pid);
    if (tracer > 0)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot attach to process %ld: it is traced by "
                            "process %ld, such as "
                            "a debugger or strace; end that first",
                            (long)pid, tracer);
    return CP_OK;
}

/*
 * Rejects a process with a seccomp filter that cpprof itself does not have: the
 * filter may kill the process for a system call of the library.
 */
static enum cp_status check_seccomp(pid_t pid, struct cp_error *err)
{
    long mode = status_number(pid, "Seccomp");
    long filters = status_number(pid, "Seccomp_filters");

    if (mode <= 0 || (mode == status_number(getpid(), "Seccomp") &&
                      filters == status_number(getpid(), "Seccomp_filters")))
        return CP_OK;
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: its seccomp filter may kill it "
        "for system calls of the library. Start it with cpprof "
        "run, or attach from inside the same container",
        (long)pid);
}

static enum cp_status check_vfork(pid_t pid, struct cp_error *err)
{
    long parent = status_number(pid, "PPid");

    if (parent > 1 &&
        syscall(SYS_kcmp, (long)pid, parent, (long)KCMP_VM, 0L, 0L) == 0)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: it shares its memory with its "
            "parent (vfork); try again after it has called exec",
            (long)pid);
    return CP_OK;
}

/* Checks that the process finds the same library file at this path. */
static enum cp_status check_library(pid_t pid, const char *library,
                                    struct cp_error *err)
{
    char path[PATH_BYTES + 64];
    struct stat here, there;

    (void)snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid, library);
    if (stat(library, &here) == 0 && stat(path, &there) == 0 &&
        here.st_dev == there.st_dev && here.st_ino == there.st_ino)
        return CP_OK;
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: it does not see %s, because it is "
        "in a container or chroot. Copy the library there and run "
        "cpprof inside",
        (long)pid, library);
}

static enum cp_status check_rights(pid_t pid, struct cp_error *err)
{
    char link[64], path[PATH_BYTES];
    char text[256] = "";

    (void)snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
    if (readlink(link, path, sizeof(path)) > 0)
        return CP_OK;
    if (errno == ENOENT)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: it is a kernel thread", (long)pid);
    (void)snprintf(text, sizeof(text),
                   geteuid() == 0
                       ? "root has no permission for it; check CAP_SYS_PTRACE"
                       : "it belongs to another user; run cpprof as root or "
                         "as that user");
    return cp_error_set(err, CP_EUSAGE, "cannot attach to process %ld: %s",
                        (long)pid, text);
}

enum cp_status cp_target_check(pid_t pid, const char *library,
                               struct cp_error *err)
{
    char exe[64], label[64];
    enum cp_status status = check_state(pid, err);

    (void)snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)pid);
    (void)snprintf(label, sizeof(label), "process %ld", (long)pid);
    if (status == CP_OK)
        status = check_rights(pid, err);
    if (status == CP_OK)
        status = cp_program_check_elf(exe, label, err);
    if (status == CP_OK)
        status = check_vfork(pid, err);
    if (status == CP_OK)
        status = check_seccomp(pid, err);
    if (status == CP_OK)
        status = check_library(pid, library, err);
    return status;
}

/* ---- functions ---- */

/*
 * Finds the first mapping and the file of an object; maps is sorted by address.
 */
static bool find_object(pid_t pid, const char *object, uint64_t *out_base,
                        char path[PATH_BYTES])
{
    char maps[64], *line = NULL;
    size_t cap = 0, len = strlen(object);
    bool is_found = false;
    FILE *f;

    (void)snprintf(maps, sizeof(maps), "/proc/%ld/maps", (long)pid);
    f = fopen(maps, "re");
    while (f && !is_found && getline(&line, &cap, f) > 0) {
        char *name = strchr(line, '/'), *slash = strrchr(line, '/');

        if (!name || strncmp(slash + 1, object, len) != 0)
            continue;
        name[strcspn(name, "\n")] = '\0';
        *out_base = strtoull(line, NULL, 16);
        (void)snprintf(path, PATH_BYTES, "%s", name);
        is_found = true;
    }
    free(line);
    if (f)
        (void)fclose(f);
    return is_found;
}

static bool find_symbol(const struct cp_elf *e, const char *name, uint64_t *out)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol symbol;

    if (!cp_elf_symbols_init(&table, e, SHT_DYNSYM))
        return false;
    while (cp_elf_symbols_next(&table, &symbol))
        if (symbol.section != SHN_UNDEF && symbol.type == STT_FUNC &&
            strcmp(symbol.name, name) == 0) {
            *out = symbol.value;
            return true;
        }
    return false;
}

enum cp_status cp_target_function(pid_t pid, const char *object,
                                  const char *function, uint64_t *out,
                                  struct cp_error *err)
{
    char path[PATH_BYTES], seen[PATH_BYTES + 64];
    struct cp_elf *e = NULL;
    uint64_t base = 0, value = 0;
    enum cp_status status;

    if (!find_object(pid, object, &base, path))
        return cp_error_set(
            err, CP_EOTHER,
            "cannot attach to process %ld: %s is not loaded in it", (long)pid,
            object);
    if (strstr(path, " (deleted)"))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: its %s was replaced on disk; "
            "restart the process",
            (long)pid, path);
    (void)snprintf(seen, sizeof(seen), "/proc/%ld/root%s", (long)pid, path);
    status = cp_elf_open(&e, seen, err);
    if (status != CP_OK)
        return status;
    if (find_symbol(e, function, &value))
        *out = base + value;
    else
        status =
            cp_error_set(err, CP_EUSAGE,
                         "cannot attach to process %ld: %s has no function %s",
                         (long)pid, path, function);
    cp_elf_close(e);
    return status;
}

/* ---- threads ---- */

struct ranked {
    int rank;
    pid_t tid;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->rank != y->rank ? x->rank - y->rank : (int)(x->tid - y->tid);
}

static int rank_of(pid_t pid, pid_t tid)
{
    char name[64], text[256];
    int rank;

    (void)snprintf(name, sizeof(name), "task/%ld/syscall", (long)tid);
    if (!read_proc(pid, name, text, sizeof(text)) || text[0] < '0' ||
        text[0] > '9')
        return WORST_RANK;
    rank = cp_tracee_rank(strtol(text, NULL, 10));
    return rank >= 0 ? rank : WORST_RANK;
}

size_t cp_target_threads(pid_t pid, pid_t *out, size_t cap)
{
    struct ranked list[256];
    char path[64];
    const struct dirent *e;
    size_t n = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
    dir = opendir(path);
    while (dir && n < sizeof(list) / sizeof(list[0]) && (e = readdir(dir)))
        if (atoi(e->d_name) > 0) {
            list[n].tid = (pid_t)atoi(e->d_name);
            list[n].rank = rank_of(pid, list[n].tid);
            n++;
        }
    if (dir)
        (void)closedir(dir);
    if (n > 0)
        qsort(list, n, sizeof(list[0]), by_rank);
    n = n < cap ? n : cap;
    for (size_t i = 0; i < n; i++)
        out[i] = list[i].tid;
    return n;
}

/* target.c - see target.h. */
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

#include "base/error.h"
#include "base/file_start.h"
#include "elf/elf_file.h"
#include "elf/elf_symbols.h"
#include "launch/program.h"
#include "launch/tracee.h"

#define PATH_BYTES 4096
#define STATUS_BYTES 8192
#define WORST 9 /* rank of a thread that runs */

/* A file of /proc, closed by NUL; false: it cannot be read. */
static bool read_proc(pid_t pid, const char *name, char *out, size_t cap)
{
    char path[96];

    (void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return cp_file_start(AT_FDCWD, path, 0, out, cap) > 0;
}

/* A number in /proc/PID/status, such as "TracerPid"; -1: not there. */
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

/* ---- refusals ---- */

static enum cp_status check_state(pid_t pid, struct cp_error *err)
{
    char state = state_of(pid);
    long tracer = status_number(pid, "TracerPid");
    long process = status_number(pid, "Tgid");

    if (!state)
        return cp_error_set(err, CP_EUSAGE, "there is no process %ld",
                            (long)pid);
    if (process > 0 && process != (long)pid)
        return cp_error_set(err, CP_EUSAGE,
                            "%ld is a thread of process %ld: attach to that",
                            (long)pid, process);
    if (pid == getpid())
        return cp_error_set(err, CP_EUSAGE, "that is cpprof itself");
    if (state == 'Z' || state == 'X')
        return cp_error_set(err, CP_EUSAGE, "process %ld has ended", (long)pid);
    if (state == 'T' || state == 't')
        return cp_error_set(err, CP_EUSAGE,
                            "process %ld is stopped: continue it first (kill "
                            "-CONT %ld)",
                            (long)pid, (long)pid);
    if (tracer > 0)
        return cp_error_set(err, CP_EUSAGE,
                            "process %ld is traced by process %ld (a debugger, "
                            "strace?): end that first",
                            (long)pid, tracer);
    return CP_OK;
}

/* Its filter may forbid what the library needs, and end it for trying. */
static enum cp_status check_seccomp(pid_t pid, struct cp_error *err)
{
    long mode = status_number(pid, "Seccomp");
    long filters = status_number(pid, "Seccomp_filters");

    if (mode <= 0 || (mode == status_number(getpid(), "Seccomp") &&
                      filters == status_number(getpid(), "Seccomp_filters")))
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE,
                        "process %ld has a seccomp filter, which might end it "
                        "for what the library does. Start it with cpprof run, "
                        "before it sets its filter; or attach from inside the "
                        "same container",
                        (long)pid);
}

static enum cp_status check_vfork(pid_t pid, struct cp_error *err)
{
    long parent = status_number(pid, "PPid");

    if (parent > 1 &&
        syscall(SYS_kcmp, (long)pid, parent, (long)KCMP_VM, 0L, 0L) == 0)
        return cp_error_set(err, CP_EUSAGE,
                            "process %ld shares its memory with its parent "
                            "(vfork): wait until it has started its program",
                            (long)pid);
    return CP_OK;
}

/* Does the process find the same file under that name? */
static enum cp_status check_library(pid_t pid, const char *library,
                                    struct cp_error *err)
{
    char path[PATH_BYTES + 64];
    struct stat ours, its;

    (void)snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid, library);
    if (stat(library, &ours) == 0 && stat(path, &its) == 0 &&
        ours.st_dev == its.st_dev && ours.st_ino == its.st_ino)
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE,
                        "process %ld does not see %s: it is in a container or "
                        "a chroot. Put the library there and run cpprof inside",
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
        return cp_error_set(err, CP_EUSAGE, "process %ld is of the kernel",
                            (long)pid);
    (void)snprintf(text, sizeof(text),
                   geteuid() == 0 ? "even root may not trace it"
                                  : "it is not yours: try as root");
    return cp_error_set(err, CP_EUSAGE, "process %ld: %s", (long)pid, text);
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

/* Where an object begins, and its file; lines of maps are in order. */
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
        return cp_error_set(err, CP_EOTHER, "process %ld has no %s", (long)pid,
                            object);
    if (strstr(path, " (deleted)"))
        return cp_error_set(err, CP_EUSAGE,
                            "%s: process %ld was started before it was "
                            "replaced; restart it",
                            path, (long)pid);
    (void)snprintf(seen, sizeof(seen), "/proc/%ld/root%s", (long)pid, path);
    status = cp_elf_open(&e, seen, err);
    if (status != CP_OK)
        return status;
    if (find_symbol(e, function, &value))
        *out = base + value;
    else
        status = cp_error_set(err, CP_EUSAGE, "%s has no %s", path, function);
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
        return WORST;
    rank = cp_tracee_rank(strtol(text, NULL, 10));
    return rank >= 0 ? rank : WORST;
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

/*
 * program.c - searches PATH, and checks permissions, machine, loader and #!
 * lines.
 */
#include "launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file_start.h"
#include "elf/elf_file.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define MAX_INTERPRETERS 5 /* nested scripts; limit of the kernel */
#define LINE_BYTES 256     /* #! line; limit of the kernel */

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#define NATIVE_NAME "x86-64"
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#define NATIVE_NAME "aarch64"
#else
#define NATIVE_MACHINE EM_NONE
#define NATIVE_NAME "this machine"
#endif

/* ---- search ---- */

static bool is_runnable(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

static enum cp_status report_not_runnable(struct cp_program *out,
                                          const char *command, int number,
                                          struct cp_error *err)
{
    out->exit_status =
        number == ENOENT ? CP_PROGRAM_NOT_FOUND : CP_PROGRAM_NOT_RUN;
    return cp_error_set(err, CP_EIO, "%s: %s", command,
                        number == ENOENT && !strchr(command, '/')
                            ? "command not found"
                            : strerror(number));
}

/* Returns the errno value that explains why a file cannot be executed. */
static int exec_errno(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return errno == ENOTDIR ? ENOENT : errno;
    return S_ISDIR(st.st_mode) ? EISDIR : EACCES;
}

enum cp_status cp_program_find(struct cp_program *out, const char *command,
                               struct cp_error *err)
{
    const char *dirs = getenv("PATH");
    int number = ENOENT;

    *out = (struct cp_program){ 0 };
    if (strchr(command, '/') || !*command) {
        (void)snprintf(out->path, sizeof(out->path), "%s", command);
        return is_runnable(out->path)
                   ? CP_OK
                   : report_not_runnable(out, command, exec_errno(command),
                                         err);
    }
    for (dirs = dirs ? dirs : DEFAULT_PATH; dirs; dirs = strchr(dirs, ':')) {
        int len;

        dirs += *dirs == ':';
        len = (int)strcspn(dirs, ":");
        if (snprintf(out->path, sizeof(out->path), "%.*s%s%s", len, dirs,
                     len ? "/" : "./", command) >= (int)sizeof(out->path))
            continue;
        if (is_runnable(out->path))
            return CP_OK;
        if (access(out->path, F_OK) == 0 && exec_errno(out->path) == EACCES)
            number = EACCES; /* found, but not executable */
    }
    return report_not_runnable(out, command, number, err);
}

/* ---- checks ---- */

/*
 * Fails if exec would gain privileges (AT_SECURE): the loader then ignores
 * LD_PRELOAD.
 */
static enum cp_status check_rights(const char *path, struct cp_error *err)
{
    struct stat st;
    char caps[64];

    if (stat(path, &st) != 0)
        return cp_error_set(err, CP_EIO, "%s: %s", path, strerror(errno));
    if ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
        (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid()))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot preload %s: it is set-user-id or set-group-id. Run it "
            "as its owner, or use cpprof attach PID as root",
            path);
    if (geteuid() != 0 &&
        getxattr(path, "security.capability", caps, sizeof(caps)) > 0)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot preload %s: it has file capabilities. Run it as root, "
            "or use cpprof attach PID as root",
            path);
    return CP_OK;
}

static bool has_section(const struct cp_elf *e, const char *name)
{
    struct cp_elf_section section;

    return cp_elf_section(e, name, &section);
}

static enum cp_status report_static(const struct cp_elf *e, const char *path,
                                    struct cp_error *err)
{
    if (has_section(e, ".go.buildinfo") || has_section(e, ".note.go.buildid"))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot load the library into %s: it is a static "
                            "Go program. Import _ "
                            "\"net/http/pprof\" in it, and use pprof with its "
                            "URL",
                            path);
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot load the library into %s: it is linked statically. Link it "
        "dynamically, or link libcpprof.a and call "
        "cpprof_listen",
        path);
}

static const char *name_of_machine(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "aarch64";
    case EM_386:
        return "32-bit x86";
    case EM_ARM:
        return "32-bit ARM";
    case EM_RISCV:
        return "RISC-V";
    default:
        return "another machine";
    }
}

static enum cp_status check_loader(const char *path, const char *loader,
                                   struct cp_error *err)
{
    if (strstr(loader, "ld-linux"))
        return CP_OK;
    if (strstr(loader, "ld-musl"))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot load the library into %s: it is built for "
                            "musl, and libcpprof.so for "
                            "glibc. Use PPROFLISTEN=localhost:6060 "
                            "LD_PRELOAD=libcpprof-musl.so.0",
                            path);
    return cp_error_set(err, CP_EUSAGE,
                        "cannot load the library into %s: its loader %.100s is "
                        "not that of glibc, "
                        "which libcpprof.so needs",
                        path, loader);
}

static enum cp_status check_segments(const struct cp_elf *e, const char *path,
                                     struct cp_error *err)
{
    size_t len;
    const uint8_t *bytes = cp_elf_bytes(e, &len);
    char loader[256] = "";

    for (size_t i = 0; i < cp_elf_segment_count(e); i++) {
        const struct cp_elf_segment *s = cp_elf_segment_at(e, i);

        if (s->type == PT_INTERP && s->offset < len &&
            s->filesz < len - s->offset &&
            cp_elf_fetch(e, bytes + s->offset, (size_t)s->filesz))
            (void)snprintf(loader, sizeof(loader), "%.*s", (int)s->filesz,
                           (const char *)bytes + s->offset);
    }
    return *loader ? check_loader(path, loader, err)
                   : report_static(e, path, err);
}

enum cp_status cp_program_check_elf(const char *path, const char *name,
                                    struct cp_error *err)
{
    struct cp_elf *e = NULL;
    enum cp_status status = cp_elf_open(&e, path, err);

    if (status != CP_OK) {
        cp_error_prefix(err, "%s: ", name);
        return status;
    }
    if (cp_elf_machine(e) != NATIVE_MACHINE || !cp_elf_is_64(e))
        status = cp_error_set(
            err, CP_EUSAGE,
            "cannot load the library into %s: it is built for %s, and "
            "libcpprof.so for " NATIVE_NAME "; install the library "
            "of that machine",
            name, name_of_machine(cp_elf_machine(e)));
    else
        status = check_segments(e, name, err);
    cp_elf_close(e);
    return status;
}

/* ---- scripts ---- */

/*
 * Terminates the next word with NUL and returns it; returns NULL after the
 * last.
 */
static char *next_word(char **rest)
{
    char *word;

    *rest += strspn(*rest, " \t\r");
    word = *rest;
    *rest += strcspn(*rest, " \t\r");
    if (**rest)
        *(*rest)++ = '\0';
    return *word ? word : NULL;
}

/* Finds the interpreter in a #! line; skips env and its options. */
static enum cp_status find_interpreter(char *line, struct cp_program *out,
                                       struct cp_error *err)
{
    char *rest = line + 2, *word, *slash;

    rest[strcspn(rest, "\n")] = '\0';
    word = next_word(&rest);
    if (!word)
        return cp_error_set(err, CP_EFORMAT,
                            "the #! line names no interpreter");
    slash = strrchr(word, '/');
    if (strcmp(slash ? slash + 1 : word, "env") != 0)
        return cp_program_find(out, word, err);
    do
        word = next_word(&rest);
    while (word && (*word == '-' || strchr(word, '=')));
    return cp_program_find(out, word ? word : "env", err);
}

enum cp_status cp_program_check(const char *path, struct cp_error *err)
{
    struct cp_program program = { 0 };
    char line[LINE_BYTES];
    enum cp_status status = CP_OK;

    (void)snprintf(program.path, sizeof(program.path), "%s", path);
    for (int i = 0; i < MAX_INTERPRETERS; i++) {
        char *at = program.path;
        ssize_t n = cp_file_start(AT_FDCWD, at, 0, line, sizeof(line));

        if (n < 0 && errno == EACCES)
            return check_rights(at, err); /* executable but not readable */
        if (n >= 4 && memcmp(line, ELFMAG, SELFMAG) == 0) {
            status = check_rights(at, err);
            return status == CP_OK ? cp_program_check_elf(at, at, err) : status;
        }
        if (n >= 2 && line[0] == '#' && line[1] == '!') {
            status = find_interpreter(line, &program, err);
            if (status != CP_OK) {
                cp_error_prefix(err, "%s: ", path);
                return status;
            }
        } else {
            (void)strcpy(at, "/bin/sh"); /* a shell does the same */
        }
    }
    return cp_error_set(err, CP_EFORMAT,
                        "cannot run %s: more than 5 nested interpreters", path);
}

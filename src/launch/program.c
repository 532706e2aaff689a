/* program.c - see program.h. */
#include "launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_start.h"
#include "elf/elf_file.h"

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"
#define MAX_SCRIPTS 5  /* interpreters of interpreters; the kernel's limit */
#define LINE_BYTES 256 /* of a #! line; the kernel's limit */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#define OUR_NAME "x86-64"
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#define OUR_NAME "aarch64"
#else
#define OUR_MACHINE EM_NONE
#define OUR_NAME "this machine"
#endif

/* ---- finding it ---- */

static bool is_runnable(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

static enum cp_status refuse(struct cp_program *out, const char *command,
                             int number, struct cp_error *err)
{
    out->exit_status =
        number == ENOENT ? CP_PROGRAM_NOT_FOUND : CP_PROGRAM_NOT_RUN;
    return cp_error_set(err, CP_EIO, "%s: %s", command,
                        number == ENOENT && !strchr(command, '/')
                            ? "command not found"
                            : strerror(number));
}

/* Why a file cannot be executed. */
static int why_not(const char *path)
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
                   : refuse(out, command, why_not(command), err);
    }
    for (dirs = dirs ? dirs : USUAL_PATH; dirs; dirs = strchr(dirs, ':')) {
        int len;

        dirs += *dirs == ':';
        len = (int)strcspn(dirs, ":");
        if (snprintf(out->path, sizeof(out->path), "%.*s%s%s", len, dirs,
                     len ? "/" : "./", command) >= (int)sizeof(out->path))
            continue;
        if (is_runnable(out->path))
            return CP_OK;
        if (access(out->path, F_OK) == 0 && why_not(out->path) == EACCES)
            number = EACCES; /* it is there */
    }
    return refuse(out, command, number, err);
}

/* ---- what it is ---- */

/* Does the system ignore LD_PRELOAD because of rights that it would gain? */
static enum cp_status check_rights(const char *path, struct cp_error *err)
{
    struct stat st;
    char caps[64];

    if (stat(path, &st) != 0)
        return cp_error_set(err, CP_EIO, "%s: %s", path, strerror(errno));
    if ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
        (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid()))
        return cp_error_set(err, CP_EUSAGE,
                            "%s is set-user-id or set-group-id: the system "
                            "loads nothing into such programs. Run it as the "
                            "user that it becomes, or attach as root: cpprof "
                            "attach PID",
                            path);
    if (geteuid() != 0 &&
        getxattr(path, "security.capability", caps, sizeof(caps)) > 0)
        return cp_error_set(err, CP_EUSAGE,
                            "%s has file capabilities: the system loads "
                            "nothing into such programs. Run it as root, or "
                            "attach as root: cpprof attach PID",
                            path);
    return CP_OK;
}

static bool has_section(const struct cp_elf *e, const char *name)
{
    struct cp_elf_section section;

    return cp_elf_section(e, name, &section);
}

static enum cp_status refuse_static(const struct cp_elf *e, const char *path,
                                    struct cp_error *err)
{
    if (has_section(e, ".go.buildinfo") || has_section(e, ".note.go.buildid"))
        return cp_error_set(err, CP_EUSAGE,
                            "%s is a static Go program, into which nothing can "
                            "be loaded. Go has this built in: import _ "
                            "\"net/http/pprof\", and use cpprof pprof on it",
                            path);
    return cp_error_set(err, CP_EUSAGE,
                        "%s is linked statically: nothing can be loaded into "
                        "it. Link it dynamically, or link libcpprof.a into it "
                        "and call cpprof_listen",
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
                            "%s is built for musl, and this libcpprof.so for "
                            "glibc. Preload libcpprof-musl.so.0 yourself: "
                            "PPROFLISTEN=localhost:6060 "
                            "LD_PRELOAD=libcpprof-musl.so.0",
                            path);
    return cp_error_set(err, CP_EUSAGE,
                        "%s wants the loader %.100s, and libcpprof.so is for "
                        "that of glibc",
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
                   : refuse_static(e, path, err);
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
    if (cp_elf_machine(e) != OUR_MACHINE || !cp_elf_is_64(e))
        status = cp_error_set(err, CP_EUSAGE,
                              "%s is built for %s, and this libcpprof.so "
                              "for " OUR_NAME,
                              name, name_of_machine(cp_elf_machine(e)));
    else
        status = check_segments(e, name, err);
    cp_elf_close(e);
    return status;
}

/* ---- scripts ---- */

/* Takes the next word; NULL behind the last. */
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

/* Which program runs a script, by its #! line: past env and its options. */
static enum cp_status find_interpreter(char *line, struct cp_program *out,
                                       struct cp_error *err)
{
    char *rest = line + 2, *word, *slash;

    rest[strcspn(rest, "\n")] = '\0';
    word = next_word(&rest);
    if (!word)
        return cp_error_set(err, CP_EFORMAT, "no interpreter in its #! line");
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
    for (int i = 0; i < MAX_SCRIPTS; i++) {
        char *at = program.path;
        ssize_t n = cp_file_start(AT_FDCWD, at, 0, line, sizeof(line));

        if (n < 0 && errno == EACCES)
            return check_rights(at, err); /* it may be run and not read */
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
            (void)strcpy(at, "/bin/sh"); /* as shells do it */
        }
    }
    return cp_error_set(err, CP_EFORMAT, "%s: interpreters without end", path);
}

/* instance.c - formats, parses and verifies instance files. */
#include "base/instance.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_start.h"
#include "base/proc_self.h"

#define HEAD "cpprof 1"

/*
 * Copies a string for one line of the file; control characters become blanks.
 */
static void put_plain(char *out, size_t cap, const char *text)
{
    size_t i = 0;

    for (; text[i] && i + 1 < cap; i++)
        out[i] = (unsigned char)text[i] < 32 || text[i] == 127 ? ' ' : text[i];
    out[i] = '\0';
}

void cp_instance_format(const struct cp_instance *i,
                        char out[CP_INSTANCE_BYTES])
{
    struct cp_instance plain = *i;

    put_plain(plain.address, sizeof(plain.address), i->address);
    put_plain(plain.app_id, sizeof(plain.app_id), i->app_id);
    put_plain(plain.command, sizeof(plain.command), i->command);
    (void)snprintf(out, CP_INSTANCE_BYTES,
                   HEAD "\npid %ld\nstart %llu\nns %llu\ncreated %lld\n"
                        "address %s\napp %s\ncommand %s\n",
                   (long)i->pid, (unsigned long long)i->start_ticks,
                   (unsigned long long)i->pid_ns, (long long)i->created_s,
                   plain.address, plain.app_id, plain.command);
}

static void copy_text(char *out, size_t cap, const char *value)
{
    (void)snprintf(out, cap, "%s", value);
}

static void set_field(struct cp_instance *i, const char *key, const char *value)
{
    if (strcmp(key, "pid") == 0)
        i->pid = (pid_t)strtol(value, NULL, 10);
    else if (strcmp(key, "start") == 0)
        i->start_ticks = strtoull(value, NULL, 10);
    else if (strcmp(key, "ns") == 0)
        i->pid_ns = strtoull(value, NULL, 10);
    else if (strcmp(key, "created") == 0)
        i->created_s = strtoll(value, NULL, 10);
    else if (strcmp(key, "address") == 0)
        copy_text(i->address, sizeof(i->address), value);
    else if (strcmp(key, "app") == 0)
        copy_text(i->app_id, sizeof(i->app_id), value);
    else if (strcmp(key, "command") == 0)
        copy_text(i->command, sizeof(i->command), value);
}

bool cp_instance_parse(struct cp_instance *out, char *text)
{
    struct cp_instance i = { 0 };
    char *line, *rest = text;

    line = strsep(&rest, "\n");
    if (!line || strcmp(line, HEAD) != 0)
        return false;
    while ((line = strsep(&rest, "\n"))) {
        char *value = strchr(line, ' ');

        if (!value)
            continue;
        *value++ = '\0';
        set_field(&i, line, value);
    }
    if (i.pid <= 0 || i.start_ticks == 0 || !i.address[0])
        return false;
    *out = i;
    return true;
}

uint64_t cp_instance_start_ticks(pid_t pid)
{
    char path[64], text[1024];
    const char *p;

    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return 0;
    p = strrchr(text, ')'); /* the process name may contain any character */
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    return p ? strtoull(p + 1, NULL, 10) : 0;
}

uint64_t cp_instance_pid_ns(void)
{
    char self[CP_PROC_SELF_BYTES];
    struct stat st;

    return stat(cp_proc_self("ns/pid", self), &st) == 0 ? (uint64_t)st.st_ino
                                                        : 0;
}

bool cp_instance_is_alive(const struct cp_instance *i)
{
    return i->pid_ns == cp_instance_pid_ns() &&
           cp_instance_start_ticks(i->pid) == i->start_ticks;
}

/*
 * Compares with the effective user, not with the owner of /proc/PID, which is
 * root for a process that has changed its user.
 */
bool cp_instance_is_owned(const struct cp_instance *i)
{
    char path[64], text[4096];
    const char *p;

    if (i->owner == 0)
        return true;
    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)i->pid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return false;
    p = strstr(text, "\nUid:\t");
    p = p ? strchr(p + 6, '\t') : NULL;
    return p && strtoul(p + 1, NULL, 10) == i->owner;
}

void cp_instance_folder(const char *runtime_dir, uid_t uid,
                        char out[CP_INSTANCE_PATH])
{
    size_t len = runtime_dir ? strlen(runtime_dir) : 0;

    if (len > 0 && runtime_dir[0] == '/' && len + 8 < CP_INSTANCE_PATH)
        (void)snprintf(out, CP_INSTANCE_PATH, "%s/cpprof", runtime_dir);
    else
        (void)snprintf(out, CP_INSTANCE_PATH, "/tmp/cpprof-%lu",
                       (unsigned long)uid);
}

int cp_instance_open_folder(const char *path, uid_t owner, bool create)
{
    struct stat st;
    int fd;

    if (create)
        (void)mkdir(path, 0700);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && (st.st_uid == owner || st.st_uid == 0) &&
        !(st.st_mode & 022))
        return fd;
    (void)close(fd);
    return -1;
}

bool cp_instance_read(struct cp_instance *out, int folder, const char *name)
{
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[CP_INSTANCE_BYTES];
    struct stat st;
    ssize_t n = -1;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    if (!cp_instance_parse(out, text))
        return false;
    out->owner = st.st_uid;
    return true;
}

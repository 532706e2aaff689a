/* meeting.c - see meeting.h. */
#include "launch/meeting.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define UNIX "unix:"

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Not known counts as the same: then nothing else could be done. */
static bool shares_network(pid_t pid)
{
    char path[64];
    struct stat st;

    (void)snprintf(path, sizeof(path), "/proc/%ld/ns/net", (long)pid);
    return stat(path, &st) != 0 || is_same_file("/proc/self/ns/net", path);
}

static bool sees_folder(pid_t pid, const char *folder)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid, folder) <
               (int)sizeof(path) &&
           is_same_file(folder, path);
}

static enum cp_status check_path(pid_t pid, const char *path,
                                 struct cp_error *err)
{
    char folder[CP_MEETING_BYTES];

    (void)snprintf(folder, sizeof(folder), "%.*s/",
                   (int)(strrchr(path, '/') - path), path);
    if (sees_folder(pid, folder))
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE,
                        "process %ld does not see the folder %s; give a path "
                        "that it sees, or run cpprof inside its container",
                        (long)pid, folder);
}

static enum cp_status choose_socket(pid_t pid, char out[CP_MEETING_BYTES],
                                    struct cp_error *err)
{
    static const char *const folders[] = { "/tmp", "/var/tmp", "/dev/shm" };
    uint32_t random = 0;

    (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (sees_folder(pid, folders[i])) {
            (void)snprintf(out, CP_MEETING_BYTES, UNIX "%s/cpprof-%ld-%08x",
                           folders[i], (long)pid, random);
            return CP_OK;
        }
    return cp_error_set(err, CP_EUSAGE,
                        "process %ld is in another network namespace and "
                        "shares no folder with cpprof; run cpprof inside: "
                        "nsenter -t %ld -n -m cpprof attach",
                        (long)pid, (long)pid);
}

static enum cp_status take_path(pid_t pid, const char *path,
                                char out[CP_MEETING_BYTES],
                                struct cp_error *err)
{
    char folder[PATH_MAX] = "";
    bool is_relative = *path != '/';

    if (is_relative && !getcwd(folder, sizeof(folder)))
        return cp_error_set(err, CP_EIO, "the working directory is gone");
    if (snprintf(out, CP_MEETING_BYTES, UNIX "%s%s%s", folder,
                 is_relative ? "/" : "", path) >= CP_MEETING_BYTES)
        return cp_error_set(err, CP_EUSAGE,
                            "the path of the socket is too "
                            "long");
    return check_path(pid, out + strlen(UNIX), err);
}

enum cp_status cp_meeting_choose(pid_t pid, const char *listen,
                                 char out[CP_MEETING_BYTES],
                                 struct cp_error *err)
{
    if (listen && strncmp(listen, UNIX, strlen(UNIX)) == 0 &&
        listen[strlen(UNIX)])
        return take_path(pid, listen + strlen(UNIX), out, err);
    if (!listen && !shares_network(pid))
        return choose_socket(pid, out, err);
    if (listen && !shares_network(pid))
        return cp_error_set(err, CP_EUSAGE,
                            "process %ld is in another network namespace: %s "
                            "could not be reached from here; give "
                            "--listen=unix:/PATH or no address",
                            (long)pid, listen);
    if (snprintf(out, CP_MEETING_BYTES, "%s", listen ? listen : "localhost:0") <
        CP_MEETING_BYTES)
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE, "the address is too long");
}

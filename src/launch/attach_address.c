/* attach_address.c - compares namespaces and folders by their inodes. */
#include "launch/attach_address.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIX "unix:"

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/*
 * Whether both processes share a network namespace. If /proc is unreadable,
 * assumes that they do.
 */
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
    char folder[CP_ATTACH_ADDRESS_BYTES];

    (void)snprintf(folder, sizeof(folder), "%.*s/",
                   (int)(strrchr(path, '/') - path), path);
    if (sees_folder(pid, folder))
        return CP_OK;
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: it does not see the folder %s; "
        "use a path that it sees, or run cpprof in its container",
        (long)pid, folder);
}

static enum cp_status choose_socket(pid_t pid,
                                    char out[CP_ATTACH_ADDRESS_BYTES],
                                    struct cp_error *err)
{
    static const char *const folders[] = { "/tmp", "/var/tmp", "/dev/shm" };
    uint32_t random = 0;

    (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (sees_folder(pid, folders[i])) {
            (void)snprintf(out, CP_ATTACH_ADDRESS_BYTES,
                           UNIX "%s/cpprof-%ld-%08x", folders[i], (long)pid,
                           random);
            return CP_OK;
        }
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: it is in another network "
        "namespace and shares no folder with cpprof; run "
        "nsenter -t %ld -n -m cpprof attach",
        (long)pid, (long)pid);
}

static enum cp_status use_path(pid_t pid, const char *path,
                               char out[CP_ATTACH_ADDRESS_BYTES],
                               struct cp_error *err)
{
    char folder[PATH_MAX] = "";
    bool is_relative = *path != '/';

    if (is_relative && !getcwd(folder, sizeof(folder)))
        return cp_error_set(err, CP_EIO,
                            "cannot use a relative path: the working directory "
                            "does not exist");
    if (snprintf(out, CP_ATTACH_ADDRESS_BYTES, UNIX "%s%s%s", folder,
                 is_relative ? "/" : "", path) >= CP_ATTACH_ADDRESS_BYTES)
        return cp_error_set(
            err, CP_EUSAGE,
            "the path of the socket is longer than %d bytes; use "
            "a shorter one",
            CP_ATTACH_ADDRESS_BYTES - 1);
    return check_path(pid, out + strlen(UNIX), err);
}

enum cp_status cp_attach_address_choose(pid_t pid, const char *listen,
                                        char out[CP_ATTACH_ADDRESS_BYTES],
                                        struct cp_error *err)
{
    if (listen && strncmp(listen, UNIX, strlen(UNIX)) == 0 &&
        listen[strlen(UNIX)])
        return use_path(pid, listen + strlen(UNIX), out, err);
    if (!listen && !shares_network(pid))
        return choose_socket(pid, out, err);
    if (listen && !shares_network(pid))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: it is in another network "
            "namespace, so %s cannot be reached from here; use "
            "--listen=unix:/PATH or no address",
            (long)pid, listen);
    if (snprintf(out, CP_ATTACH_ADDRESS_BYTES, "%s",
                 listen ? listen : "localhost:0") < CP_ATTACH_ADDRESS_BYTES)
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE, "the address is longer than %d bytes",
                        CP_ATTACH_ADDRESS_BYTES - 1);
}

/* instances.c - reads the registry folders and probes the addresses. */
#include "launch/instances.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/instance.h"
#include "http/client.h"

#define MAX_FILES 65536 /* maximum files per directory */
#define SERVED_TIMEOUT_MS 1000

static enum cp_status add(struct cp_instances *list,
                          const struct cp_instance *i, struct cp_error *err)
{
    for (size_t k = 0; k < list->n; k++)
        if (list->items[k].pid == i->pid)
            return CP_OK; /* a second path to its directory */
    if (cp_reserve(&list->items, &list->cap, list->n + 1, sizeof(*list->items),
                   err) != CP_OK)
        return CP_ENOMEM;
    list->items[list->n++] = *i;
    return CP_OK;
}

static enum cp_status read_file(struct cp_instances *list, int folder,
                                const char *name, struct cp_error *err)
{
    struct cp_http_address address;
    struct cp_instance i;

    if (!cp_instance_read(&i, folder, name) ||
        i.pid_ns != cp_instance_pid_ns() || strtol(name, NULL, 10) != i.pid)
        return CP_OK;
    if (!cp_instance_is_alive(&i)) {
        (void)unlinkat(folder, name, 0);
        return CP_OK;
    }
    return cp_instance_is_owned(&i) &&
                   cp_http_client_parse(&address, i.address, NULL) == CP_OK
               ? add(list, &i, err)
               : CP_OK;
}

static enum cp_status read_folder(struct cp_instances *list, const char *path,
                                  uid_t owner, struct cp_error *err)
{
    int fd = cp_instance_open_folder(path, owner, false);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    enum cp_status status = CP_OK;
    const struct dirent *e;
    int left = MAX_FILES;

    if (!dir && fd >= 0)
        (void)close(fd);
    while (dir && status == CP_OK && left-- > 0 && (e = readdir(dir)))
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            status = read_file(list, fd, e->d_name, err);
    if (dir)
        (void)closedir(dir);
    return status;
}

/* Reads the registry directories of all users, which root may see. */
static enum cp_status read_all_users(struct cp_instances *list,
                                     struct cp_error *err)
{
    static const struct {
        const char *parent, *before, *after;
    } parents[] = { { "/tmp", "cpprof-", "" }, { "/run/user", "", "/cpprof" } };
    enum cp_status status = CP_OK;

    for (size_t k = 0; k < 2 && status == CP_OK; k++) {
        DIR *dir = opendir(parents[k].parent);
        size_t len = strlen(parents[k].before);
        const struct dirent *e;

        while (dir && status == CP_OK && (e = readdir(dir))) {
            char path[CP_INSTANCE_PATH + 300], *end;
            unsigned long uid = strtoul(e->d_name + len, &end, 10);

            if (strncmp(e->d_name, parents[k].before, len) != 0 || *end ||
                end == e->d_name + len)
                continue;
            (void)snprintf(path, sizeof(path), "%s/%s%s", parents[k].parent,
                           e->d_name, parents[k].after);
            status = read_folder(list, path, (uid_t)uid, err);
        }
        if (dir)
            (void)closedir(dir);
    }
    return status;
}

static int by_time(const void *a, const void *b)
{
    const struct cp_instance *x = a, *y = b;

    if (x->created_s != y->created_s)
        return x->created_s < y->created_s ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Lists the processes of all registry files, whether reachable or not. */
static enum cp_status read_all(struct cp_instances *out, struct cp_error *err)
{
    char path[CP_INSTANCE_PATH], runtime_dir[64];
    uid_t uid = geteuid();
    enum cp_status status;

    *out = (struct cp_instances){ 0 };
    (void)snprintf(runtime_dir, sizeof(runtime_dir), "/run/user/%lu",
                   (unsigned long)uid);
    cp_instance_folder(getenv("XDG_RUNTIME_DIR"), uid, path);
    status = read_folder(out, path, uid, err);
    cp_instance_folder(NULL, uid, path);
    if (status == CP_OK)
        status = read_folder(out, path, uid, err);
    cp_instance_folder(runtime_dir, uid, path);
    if (status == CP_OK)
        status = read_folder(out, path, uid, err);
    if (status == CP_OK && uid == 0)
        status = read_all_users(out, err);
    return status;
}

/* Drops the processes that do not accept connections; probes all at once. */
static enum cp_status keep_served(struct cp_instances *list,
                                  struct cp_error *err)
{
    struct cp_http_probe *probes =
        list->n ? cp_alloc(list->n, sizeof(*probes), err) : NULL;
    size_t n = 0;

    if (list->n == 0)
        return CP_OK;
    if (!probes)
        return CP_ENOMEM;
    for (size_t i = 0; i < list->n; i++) {
        (void)cp_http_client_parse(&probes[i].to, list->items[i].address, NULL);
        probes[i].owner = list->items[i].owner;
    }
    cp_http_client_probe(probes, list->n, SERVED_TIMEOUT_MS);
    for (size_t i = 0; i < list->n; i++)
        if (probes[i].is_served)
            list->items[n++] = list->items[i];
    list->n = n;
    cp_free(probes);
    return CP_OK;
}

/* Drops the entries of all other processes. */
static void keep_pid(struct cp_instances *list, pid_t pid)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].pid == pid)
            list->items[n++] = list->items[i];
    list->n = n;
}

static enum cp_status find(struct cp_instances *out, pid_t pid,
                           struct cp_error *err)
{
    enum cp_status status = read_all(out, err);

    if (status == CP_OK && pid)
        keep_pid(out, pid);
    if (status == CP_OK)
        status = keep_served(out, err);
    if (status == CP_OK && out->n > 0)
        qsort(out->items, out->n, sizeof(*out->items), by_time);
    if (status != CP_OK)
        cp_instances_release(out);
    return status;
}

enum cp_status cp_instances_find(struct cp_instances *out, struct cp_error *err)
{
    return find(out, 0, err);
}

void cp_instances_release(struct cp_instances *list)
{
    cp_free(list->items);
    *list = (struct cp_instances){ 0 };
}

bool cp_instances_of_pid(pid_t pid, struct cp_instance *out)
{
    struct cp_instances list;
    bool is_found;

    if (find(&list, pid, NULL) != CP_OK)
        return false;
    is_found = list.n > 0;
    if (is_found)
        *out = list.items[0];
    cp_instances_release(&list);
    return is_found;
}

/* instances.c - see instances.h. */
#include "launch/instances.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "http/ask.h"

#define MOST 65536 /* files in a folder that are looked at */

static bool is_serving(const struct cp_instance *i)
{
    struct cp_http_address address;

    return cp_http_ask_address(&address, i->address, NULL) == CP_OK &&
           cp_http_ask_is_served(&address);
}

static enum cp_status add(struct cp_instances *list,
                          const struct cp_instance *i, struct cp_error *err)
{
    for (size_t k = 0; k < list->n; k++)
        if (list->items[k].pid == i->pid)
            return CP_OK; /* two ways to one folder */
    if (cp_reserve(&list->items, &list->cap, list->n + 1, sizeof(*list->items),
                   err) != CP_OK)
        return CP_ENOMEM;
    list->items[list->n++] = *i;
    return CP_OK;
}

static enum cp_status look_at(struct cp_instances *list, int folder,
                              const char *name, struct cp_error *err)
{
    struct cp_instance i;

    if (!cp_instance_read(&i, folder, name) ||
        i.pid_ns != cp_instance_pid_ns() || strtol(name, NULL, 10) != i.pid)
        return CP_OK;
    if (!cp_instance_is_alive(&i)) {
        (void)unlinkat(folder, name, 0);
        return CP_OK;
    }
    return is_serving(&i) ? add(list, &i, err) : CP_OK;
}

static enum cp_status look_into(struct cp_instances *list, const char *path,
                                uid_t owner, struct cp_error *err)
{
    int fd = cp_instance_open_folder(path, owner, false);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    enum cp_status status = CP_OK;
    const struct dirent *e;
    int left = MOST;

    if (!dir && fd >= 0)
        (void)close(fd);
    while (dir && status == CP_OK && left-- > 0 && (e = readdir(dir)))
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            status = look_at(list, fd, e->d_name, err);
    if (dir)
        (void)closedir(dir);
    return status;
}

/* Root: the folders of all users, each with its owner. */
static enum cp_status look_everywhere(struct cp_instances *list,
                                      struct cp_error *err)
{
    static const struct {
        const char *parent, *before, *after;
    } places[] = { { "/tmp", "cpprof-", "" }, { "/run/user", "", "/cpprof" } };
    enum cp_status status = CP_OK;

    for (size_t k = 0; k < 2 && status == CP_OK; k++) {
        DIR *dir = opendir(places[k].parent);
        size_t len = strlen(places[k].before);
        const struct dirent *e;

        while (dir && status == CP_OK && (e = readdir(dir))) {
            char path[CP_INSTANCE_PATH + 300], *end;
            unsigned long uid = strtoul(e->d_name + len, &end, 10);

            if (strncmp(e->d_name, places[k].before, len) != 0 || *end ||
                end == e->d_name + len)
                continue;
            (void)snprintf(path, sizeof(path), "%s/%s%s", places[k].parent,
                           e->d_name, places[k].after);
            status = look_into(list, path, (uid_t)uid, err);
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

enum cp_status cp_instances_find(struct cp_instances *out, struct cp_error *err)
{
    char path[CP_INSTANCE_PATH], usual[64];
    uid_t uid = geteuid();
    enum cp_status status;

    *out = (struct cp_instances){ 0 };
    (void)snprintf(usual, sizeof(usual), "/run/user/%lu", (unsigned long)uid);
    cp_instance_folder(getenv("XDG_RUNTIME_DIR"), uid, path);
    status = look_into(out, path, uid, err);
    cp_instance_folder(NULL, uid, path);
    if (status == CP_OK)
        status = look_into(out, path, uid, err);
    cp_instance_folder(usual, uid, path);
    if (status == CP_OK)
        status = look_into(out, path, uid, err);
    if (status == CP_OK && uid == 0)
        status = look_everywhere(out, err);
    if (status == CP_OK && out->n > 0)
        qsort(out->items, out->n, sizeof(*out->items), by_time);
    if (status != CP_OK)
        cp_instances_release(out);
    return status;
}

void cp_instances_release(struct cp_instances *list)
{
    cp_free(list->items);
    *list = (struct cp_instances){ 0 };
}

bool cp_instances_of_pid(pid_t pid, struct cp_instance *out)
{
    struct cp_instances list;
    bool is_found = false;

    if (cp_instances_find(&list, NULL) != CP_OK)
        return false;
    for (size_t i = 0; i < list.n && !is_found; i++) {
        is_found = list.items[i].pid == pid;
        if (is_found)
            *out = list.items[i];
    }
    cp_instances_release(&list);
    return is_found;
}

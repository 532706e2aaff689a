/*
 * source.c - finds, reads and indexes source files.
 *
 * Only regular files are read. A directory, pipe or terminal that a profile
 * names counts as an empty file, so that nothing blocks.
 */
#include "report/source/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"

#define CACHE_BYTES ((size_t)256 << 20)

void cp_source_init(struct cp_source *s, const char *source_path,
                    const char *trim_path)
{
    *s = (struct cp_source){ .search_path = source_path,
                             .trim_path = trim_path };
    if (*source_path != '\0')
        return;
    s->cwd = get_current_dir_name(); /* uses $PWD if that is correct */
    s->search_path = s->cwd ? s->cwd : ".";
}

static void drop_files(struct cp_source *s)
{
    cp_arena_release(&s->arena);
    s->names = (struct cp_strtab){ 0 };
    s->files = NULL;
    s->cap_files = s->n_bytes = 0;
}

void cp_source_release(struct cp_source *s)
{
    drop_files(s);
    free(s->cwd);
    *s = (struct cp_source){ 0 };
}

/* Opens without blocking; returns -1 with errno set on failure. */
static int open_path(struct cp_str path)
{
    if (memchr(path.ptr, '\0', path.len)) {
        errno = EINVAL;
        return -1;
    }
    return open(path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Stores the joined parts as the file's problem. */
static enum cp_status set_problem(struct cp_source *s, struct cp_source_file *f,
                                  const struct cp_str parts[4],
                                  struct cp_error *err)
{
    size_t len = 0;
    char *text;

    for (int i = 0; i < 4; i++)
        len += parts[i].len;
    text = cp_arena_alloc(&s->arena, len, 1, err);
    if (!text)
        return CP_ENOMEM;
    f->problem = (struct cp_str){ text, (uint32_t)len };
    for (int i = 0; i < 4; i++) {
        memcpy(text, parts[i].ptr, parts[i].len);
        text += parts[i].len;
    }
    return CP_OK;
}

static struct cp_str str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

/*
 * Stores "open NAME: no such file or directory", with the system's message in
 * lower case.
 */
static enum cp_status set_open_problem(struct cp_source *s, struct cp_str name,
                                       int error, struct cp_source_file *f,
                                       struct cp_error *err)
{
    char why[128];

    (void)snprintf(why, sizeof(why), "%s", strerror(error));
    why[0] = (char)tolower((unsigned char)why[0]);
    return set_problem(
        s, f, (struct cp_str[]){ str("open "), name, str(": "), str(why) },
        err);
}

static enum cp_status explain_search(struct cp_source *s, struct cp_str name,
                                     struct cp_source_file *f,
                                     struct cp_error *err)
{
    return set_problem(s, f,
                       (struct cp_str[]){ str("could not find file "), name,
                                          str(" on path "),
                                          str(s->search_path) },
                       err);
}

/* Shortens a directory to its parent; returns false if it has none. */
static bool to_parent(char *dir, size_t *len)
{
    size_t n = *len;

    if (n == 1 && (dir[0] == '/' || dir[0] == '.'))
        return false;
    while (n > 0 && dir[n - 1] != '/')
        n--;
    *len = cp_path_clean(dir, n, dir);
    return true;
}

/*
 * Opens name below dir or below its nearest parent that has it. Both buffers
 * have room for dir, name and four more bytes.
 */
static int search_up(struct cp_str dir, struct cp_str name, char *at,
                     char *path)
{
    size_t len = dir.len;

    memcpy(at, dir.ptr, len);
    do {
        size_t n = len;
        int fd;

        memcpy(path, at, len);
        if (n > 0)
            path[n++] = '/';
        memcpy(path + n, name.ptr, name.len);
        n = cp_path_clean(path, n + name.len, path);
        path[n] = '\0';
        fd = open_path((struct cp_str){ path, (uint32_t)n });
        if (fd >= 0)
            return fd;
    } while (to_parent(at, &len));
    return -1;
}

/* Tries all directories; *fd is -1 if none has the file. */
static enum cp_status search(const struct cp_source *s, struct cp_str name,
                             int *fd, struct cp_error *err)
{
    const char *list = s->search_path;
    size_t room = strlen(list) + name.len + 4;
    char *at = cp_alloc(room, 2, err);

    *fd = -1;
    if (!at)
        return CP_ENOMEM;
    for (;;) {
        size_t len = strcspn(list, ":");

        *fd = search_up((struct cp_str){ list, (uint32_t)len }, name, at,
                        at + room);
        if (*fd >= 0 || list[len] == '\0')
            break;
        list += len + 1;
    }
    cp_free(at);
    return CP_OK;
}

/*
 * Opens a file by its trimmed name; on failure sets *fd to -1 and the problem
 * in f.
 */
static enum cp_status find(struct cp_source *s, struct cp_str name, int *fd,
                           struct cp_source_file *f, struct cp_error *err)
{
    if (name.len > 0 && name.ptr[0] == '/') {
        *fd = open_path(name);
        return *fd < 0 ? set_open_problem(s, name, errno, f, err) : CP_OK;
    }
    if (search(s, name, fd, err) != CP_OK)
        return CP_ENOMEM;
    return *fd < 0 ? explain_search(s, name, f, err) : CP_OK;
}

/* Records the starts of lines. A line that is too long ends the file. */
static enum cp_status index_lines(struct cp_source *s, const char *text,
                                  size_t len, struct cp_source_file *f,
                                  struct cp_error *err)
{
    size_t n = 1, from = 0;

    for (const char *p = text; (p = memchr(p, '\n', len - (size_t)(p - text)));
         p++)
        n++;
    f->starts = cp_arena_alloc(&s->arena, n + 1, sizeof(*f->starts), err);
    if (!f->starts)
        return CP_ENOMEM;
    f->text = text;
    while (from < len) {
        const char *end = memchr(text + from, '\n', len - from);
        size_t to = end ? (size_t)(end - text) : len;

        if (to - from > CP_SOURCE_LINE_BYTES)
            break;
        from = to + 1;
        f->starts[++f->n_lines] = (uint32_t)from;
    }
    s->n_bytes += len + n * sizeof(*f->starts);
    return CP_OK;
}

static enum cp_status read_lines(struct cp_source *s, int fd,
                                 struct cp_source_file *f, struct cp_error *err)
{
    struct stat st;
    char *text = NULL;
    size_t len = 0, cap = 0;
    ssize_t n = 1;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return CP_OK;
    while (n > 0 && len < CP_SOURCE_FILE_BYTES) {
        size_t need = len > 0 ? len + 1 : (size_t)st.st_size + 1;

        if (need > CP_SOURCE_FILE_BYTES)
            need = CP_SOURCE_FILE_BYTES;
        if (cp_arena_reserve(&s->arena, &text, len, &cap, need, 1, err) !=
            CP_OK)
            return CP_ENOMEM;
        do
            n = read(fd, text + len, cap - len);
        while (n < 0 && errno == EINTR);
        len += n > 0 ? (size_t)n : 0;
    }
    return index_lines(s, text, len, f, err);
}

static enum cp_status load(struct cp_source *s, struct cp_str name,
                           struct cp_source_file *f, struct cp_error *err)
{
    struct cp_str trimmed = cp_path_trim(name, s->trim_path, s->search_path);
    enum cp_status status;
    int fd;

    status = find(s, trimmed, &fd, f, err);
    if (fd < 0)
        return status;
    status = read_lines(s, fd, f, err);
    (void)close(fd);
    return status;
}

const struct cp_source_file *
cp_source_open(struct cp_source *s, struct cp_str name, struct cp_error *err)
{
    struct cp_source_file *f;
    uint32_t number;

    if (s->n_bytes > CACHE_BYTES)
        drop_files(s);
    if (!s->names.items &&
        cp_strtab_init(&s->names, &s->arena, 16, err) != CP_OK)
        return NULL;
    number = cp_strtab_add(&s->names, name.ptr, name.len, err);
    if (number == CP_NO_STR ||
        cp_arena_reserve(&s->arena, &s->files, s->cap_files, &s->cap_files,
                         (size_t)number + 1, sizeof(*s->files), err) != CP_OK)
        return NULL;
    f = &s->files[number];
    if (f->is_known)
        return f;
    if (load(s, s->names.items[number], f, err) != CP_OK)
        return NULL;
    f->is_known = true;
    return f;
}

bool cp_source_was_tried(const struct cp_source *s, struct cp_str name)
{
    uint32_t number = CP_NO_STR;

    if (s->names.items)
        number = cp_strtab_find(&s->names, name.ptr, name.len);
    return number < s->cap_files && s->files[number].is_known;
}

struct cp_str cp_source_line(const struct cp_source_file *f, uint32_t line)
{
    uint32_t from = f->starts[line - 1], len = f->starts[line] - 1 - from;
    const char *text = f->text + from;

    if (len > 0 && text[len - 1] == '\r')
        len--;
    return (struct cp_str){ text, len };
}

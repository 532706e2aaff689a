/*
 * code_ranges.c - parses /proc/self/maps.
 *
 * A line is "start-end rwxp ...", with hexadecimal numbers. A state machine
 * parses it byte by byte, so a line may be longer than the buffer.
 */
#include "unwind/code_ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hex.h"
#include "base/proc_self.h"

enum state { IN_START, IN_END, IN_FLAGS, IN_REST };

struct scan {
    struct cp_code_ranges *out;
    enum state state;
    uintptr_t start, end;
    bool is_code;
};

static int digit(char c)
{
    return cp_hex_digit((unsigned char)c);
}

static enum cp_status end_line(struct scan *s, struct cp_error *err)
{
    struct cp_code_ranges *r = s->out;
    enum cp_status status = CP_OK;

    if (s->is_code && s->end > s->start) {
        status =
            cp_reserve(&r->ranges, &r->cap, r->n + 1, sizeof(*r->ranges), err);
        if (status == CP_OK)
            r->ranges[r->n++] = (struct cp_code_range){ s->start, s->end };
    }
    *s = (struct scan){ .out = r };
    return status;
}

/* Parses one byte of /proc/self/maps. */
static enum cp_status parse_byte(struct scan *s, char c, struct cp_error *err)
{
    int value = digit(c);

    if (c == '\n')
        return end_line(s, err);
    if (s->state == IN_START && value >= 0)
        s->start = s->start << 4 | (uintptr_t)value;
    else if (s->state == IN_END && value >= 0)
        s->end = s->end << 4 | (uintptr_t)value;
    else if (s->state != IN_FLAGS && s->state != IN_REST)
        s->state++;
    else if (s->state == IN_FLAGS && c == ' ')
        s->state = IN_REST;
    else if (s->state == IN_FLAGS && c == 'x')
        s->is_code = true;
    return CP_OK;
}

enum cp_status cp_code_ranges_read(struct cp_code_ranges *r,
                                   struct cp_error *err)
{
    struct scan scan = { .out = r };
    enum cp_status status = CP_OK;
    char bytes[4096];
    ssize_t n;
    char self[CP_PROC_SELF_BYTES];
    int fd = open(cp_proc_self("maps", self), O_RDONLY | O_CLOEXEC);

    r->n = 0;
    if (fd < 0)
        return cp_error_set(err, CP_EIO, "%s: %s", self, strerror(errno));
    while (status == CP_OK && (n = read(fd, bytes, sizeof(bytes))) > 0)
        for (ssize_t i = 0; i < n && status == CP_OK; i++)
            status = parse_byte(&scan, bytes[i], err);
    (void)close(fd);
    return status;
}

void cp_code_ranges_release(struct cp_code_ranges *r)
{
    cp_free(r->ranges);
    *r = (struct cp_code_ranges){ 0 };
}

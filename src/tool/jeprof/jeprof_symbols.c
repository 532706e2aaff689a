/*
 * jeprof_symbols.c - builds a profile of the addresses and symbolizes it.
 *
 * The profile has one sample for each address, so that the usual symbolization
 * code names them.
 */
#include "tool/jeprof/jeprof_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/command.h"
#include "tool/cli/print.h"
#include "tool/input/sources.h"

#define MAX_BYTES ((size_t)1 << 30)

struct address_list {
    uint64_t *addresses;
    size_t n, cap;
    struct cp_out profile, maps;
};

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

static bool read_address(struct cp_text line, uint64_t *out)
{
    struct cp_text digits;

    (void)cp_text_consume(&line, "0x");
    return cp_text_consume_hex(&line, &digits) && line.pos == line.end &&
           cp_text_to_hex(digits, out);
}

static enum cp_status read_lines(struct address_list *a, struct cp_text rest,
                                 struct cp_error *err)
{
    struct cp_text line;

    cp_out_cstr(&a->profile, "heap profile: 1: 1 [ 1: 1] @ heapprofile\n");
    while (cp_text_next_line(&rest, &line)) {
        uint64_t address;

        line = cp_text_trim(line);
        if (!read_address(line, &address)) {
            cp_out_bytes(&a->maps, line.pos, cp_text_len(line));
            cp_out_char(&a->maps, '\n');
            continue;
        }
        if (cp_reserve(&a->addresses, &a->cap, a->n + 1, sizeof(address),
                       err) != CP_OK)
            return CP_ENOMEM;
        a->addresses[a->n++] = address;
        cp_out_printf(&a->profile, "1: 1 [1: 1] @ 0x%llx\n",
                      (unsigned long long)address);
    }
    cp_out_cstr(&a->profile, "\nMAPPED_LIBRARIES:\n");
    if (a->maps.len > 0)
        cp_out_join(&a->profile, &a->maps);
    else
        cp_out_cstr(&a->profile, "0-7fffffffffff r-xp 00000000 00:00 0 -\n");
    return CP_OK;
}

/* Returns the location of the i-th address. Samples keep their order. */
static const struct cp_location *location_of(const struct cp_profile *p,
                                             size_t i, uint64_t address)
{
    const struct cp_location *l;

    if (i >= p->n_samples || p->samples[i].n_locs == 0)
        return NULL;
    l = &p->locations[cp_profile_stack(p, (uint32_t)i)[0]];
    return l->address == address ? l : NULL;
}

static enum cp_status print_names(const struct address_list *a,
                                  const struct cp_profile *p,
                                  struct cp_error *err)
{
    struct cp_out out = cp_out_terminal(STDOUT_FILENO);
    enum cp_status status;

    for (size_t i = 0; i < a->n; i++) {
        const struct cp_location *l = location_of(p, i, a->addresses[i]);

        if (l && l->n_lines > 0)
            cp_out_printf(
                &out, "%s\n",
                cp_profile_cstr(
                    p, p->functions[p->lines[l->lines].function].name));
        else
            cp_out_printf(&out, "0x%016llx\n",
                          (unsigned long long)a->addresses[i]);
    }
    status = cp_out_finish(&out, err);
    cp_out_release(&out);
    return status;
}

/* Loads the generated profile as if it were a file. */
static struct cp_profile *load(const struct cp_command *from, int fd,
                               struct cp_error *err)
{
    struct cp_command c = *from;
    const char *names[2] = { NULL };
    char path[64];
    size_t n = 0;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (from->sources.n > 0)
        names[n++] = from->sources.items[0];
    names[n++] = path;
    c.sources = (struct cp_list){ .items = names, .n = n };
    c.all_frames = true;
    c.heap = (struct cp_legacy_heap_options){ .parts = 1 };
    return cp_sources_load(&c, warn, NULL, err);
}

static enum cp_status name_all(const struct cp_command *c,
                               struct address_list *a, struct cp_error *err)
{
    int fd = memfd_create("addresses", MFD_CLOEXEC);
    enum cp_status status;
    struct cp_profile *p;

    if (fd < 0)
        return cp_error_set(err, CP_EIO, "memfd_create: %s", strerror(errno));
    a->profile.fd = fd;
    status = cp_out_finish(&a->profile, err);
    p = status == CP_OK ? load(c, fd, err) : NULL;
    (void)close(fd);
    if (!p)
        return CP_EFORMAT;
    status = print_names(a, p, err);
    cp_profile_free(p);
    return status;
}

enum cp_status cp_jeprof_symbols(const struct cp_command *c,
                                 struct cp_error *err)
{
    struct cp_bytes input = { 0 };
    struct address_list a = { .profile = { .fd = -1 }, .maps = { .fd = -1 } };
    enum cp_status status =
        cp_bytes_read_fd(&input, STDIN_FILENO, MAX_BYTES, err);

    if (status == CP_OK)
        status = read_lines(&a, cp_text_of((const char *)input.data, input.len),
                            err);
    if (status == CP_OK && a.n > 0)
        status = name_all(c, &a, err);
    cp_bytes_release(&input);
    cp_free(a.addresses);
    cp_out_release(&a.profile);
    cp_out_release(&a.maps);
    return status;
}

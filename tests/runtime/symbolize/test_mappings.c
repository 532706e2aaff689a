/* test_mappings - mappings of this process, joined with unloaded ones. */
#include "base/alloc.h"
#include "runtime/symbolize/mappings.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"

static int somewhere(void)
{
    return 1;
}

static void test_self(void)
{
    struct cp_mappings m = { 0 };
    struct cp_error err = { 0 };
    uint64_t here = (uint64_t)(uintptr_t)somewhere, address = 0;
    const struct cp_map *map;
    struct link_map *loaded = NULL;

    if (!CHECK_INT(cp_mappings_read(&m, &err), CP_OK))
        return;
    for (size_t i = 1; i < m.n_maps; i++)
        CHECK(m.maps[i - 1].limit <= m.maps[i].start);
    map = cp_mappings_find(&m, here);
    if (CHECK(map && map->file == m.main_file)) {
        const struct cp_mapped_file *f = &m.files[map->file];

        CHECK(strstr(f->path, "test_mappings") && f->is_elf);
        CHECK(f->elf_type == ET_DYN || f->elf_type == ET_EXEC);
        CHECK(f->build_id_len >= 8);
        loaded = _r_debug.r_map; /* the loader's bias */
        CHECK(cp_mappings_file_address(&m, map, here, &address));
        CHECK(address == here - loaded->l_addr);
    }
    CHECK(!cp_mappings_find(&m, 0));
    CHECK(!cp_mappings_find(&m, 16));
    cp_mappings_release(&m);
    cp_mappings_release(&m);
}

/* Executable anonymous memory has a map without a file. */
static void test_anonymous(void)
{
    struct cp_mappings m = { 0 };
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct cp_map *map;
    uint64_t address = 0;

    CHECK_INT(cp_mappings_read(&m, NULL), CP_OK);
    map = cp_mappings_find(&m, (uint64_t)(uintptr_t)code + 5);
    CHECK(map && map->file == UINT32_MAX);
    CHECK(map && !cp_mappings_file_address(&m, map, map->start, &address));
    cp_mappings_release(&m);
    (void)munmap(code, 4096);
}

/* A library that was unloaded during a recording. */
static void test_join(void)
{
    struct cp_mapped_file file = { .path = "/gone.so" };
    struct cp_map maps[] = {
        { 0x1000, 0x2000, 0, 0 },
        { (uint64_t)(uintptr_t)somewhere & ~0xfffull,
          ((uint64_t)(uintptr_t)somewhere & ~0xfffull) + 0x1000, 0, 0 }
    };
    struct cp_mappings m = { 0 }, before = {
        .maps = maps, .n_maps = 2, .files = &file, .n_files = 1
    };
    const struct cp_map *map;
    size_t n;

    CHECK_INT(cp_mappings_read(&m, NULL), CP_OK);
    n = m.n_maps;
    CHECK_INT(cp_mappings_join(&m, &before, NULL), CP_OK);
    CHECK_INT(m.n_maps, n + 1); /* the other overlaps a present map */
    map = cp_mappings_find(&m, 0x1800);
    CHECK(map && map->file != UINT32_MAX);
    CHECK_STR(m.files[map ? map->file : 0].path, "/gone.so");
    map = cp_mappings_find(&m, maps[1].start);
    CHECK(map && map->file == m.main_file);
    cp_mappings_release(&m);
}

static void test_no_memory(void)
{
    struct cp_mappings m = { 0 };
    struct cp_error err = { 0 };
    int n_failed = 0;

    for (long n = 1; n < 200; n++) {
        enum cp_status status;

        cp_alloc_fail_at(n);
        status = cp_mappings_read(&m, &err);
        cp_alloc_fail_at(0);
        if (status == CP_OK)
            break;
        n_failed++;
        CHECK(m.n_maps == 0 && m.maps == NULL);
    }
    CHECK(n_failed > 0);
    cp_mappings_release(&m);
}

int main(void)
{
    RUN(test_self);
    RUN(test_anonymous);
    RUN(test_join);
    RUN(test_no_memory);
    return check_failures != 0;
}

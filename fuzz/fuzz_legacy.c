/*
 * fuzz_legacy.c - passes any bytes to every reader of the legacy formats. They
 * must stay inside the bytes and return valid profiles.
 */
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"

#include "profile_check.h"

typedef struct cp_profile *reader(const char *bytes, size_t len,
                                  struct cp_error *err);

/* Reads heap dumps as jeprof does. */
static struct cp_profile *read_as_jeprof(const char *bytes, size_t len,
                                         struct cp_error *err)
{
    struct cp_legacy_heap_options how = { .parts = CP_LEGACY_HEAP_PARTS };

    return cp_legacy_read_as(bytes, len, &how, err);
}

static reader *const readers[] = {
    cp_legacy_read_cpu,   cp_legacy_read_heap,   cp_legacy_read_jemalloc,
    cp_legacy_read_count, cp_legacy_read_thread, cp_legacy_read_contention,
    cp_legacy_read_java,  cp_legacy_read,        read_as_jeprof,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p = readers[i]((const char *)data, size, &err);

        check_outcome(p, &err);
    }
    return 0;
}

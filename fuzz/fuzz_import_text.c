/*
 * fuzz_import_text.c - passes any bytes to the readers of folded stacks, perf
 * script and callgrind. They must stay inside the bytes and return valid
 * profiles.
 */
#include "import/readers.h"
#include "profile/model/profile.h"

#include "profile_check.h"

typedef struct cp_profile *reader(const char *bytes, size_t len,
                                  struct cp_error *err);

static reader *const readers[] = {
    cp_import_folded,
    cp_import_perf_script,
    cp_import_callgrind,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        struct cp_error err = { 0 };

        check_outcome(readers[i]((const char *)data, size, &err), &err);
    }
    return 0;
}

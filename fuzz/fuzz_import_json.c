/*
 * fuzz_import_json.c - passes any bytes to the common entry of the importers,
 * and to each JSON importer directly.
 */
#include "import/import.h"
#include "import/readers.h"
#include "profile/model/profile.h"

#include "profile_check.h"

static struct cp_profile *read_as(int format, struct cp_json top,
                                  struct cp_error *err)
{
    if (format == 0)
        return cp_import_speedscope(top, top, top, err);
    return format == 1 ? cp_import_v8(top, err) : cp_import_gecko(top, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_error err = { 0 };

    check_outcome(cp_import_read((const char *)data, size, &err), &err);
    for (int i = 0; i < 3; i++) {
        struct cp_json_doc doc;
        struct cp_json top = cp_json_start(&doc, (const char *)data, size);

        err = (struct cp_error){ 0 };
        check_outcome(read_as(i, top, &err), &err);
        cp_json_release(&doc);
    }
    return 0;
}

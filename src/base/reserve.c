/* reserve.c - grows arrays with cp_resize. */
#include <string.h>

#include "base/alloc.h"

enum cp_status cp_reserve(void *p, size_t *cap, size_t need, size_t size,
                          struct cp_error *err)
{
    size_t want = *cap + *cap / 2 + 16;
    void *old, *grown;

    if (need <= *cap)
        return CP_OK;
    if (want < need)
        want = need;
    memcpy(&old, p, sizeof(old));
    grown = cp_resize(old, want, size, err);
    if (!grown)
        return CP_ENOMEM;
    memcpy(p, &grown, sizeof(grown));
    *cap = want;
    return CP_OK;
}

/* curl.c - see curl.h. */
#include "tool/curl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Stores the address of a function; the types are those of curl.h. */
static bool find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);

    memcpy(place, &symbol, sizeof(symbol));
    return symbol != NULL;
}

const struct cp_curl *cp_curl_load(struct cp_error *err)
{
    static struct cp_curl curl;
    CURLcode (*global_init)(long flags);
    void *library;

    if (curl.easy_init)
        return &curl;
    library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        (void)cp_error_set(err, CP_EIO,
                           "fetching needs libcurl: apt-get install libcurl4");
        return NULL;
    }
    if (!find(library, "curl_global_init", &global_init) ||
        !find(library, "curl_easy_setopt", &curl.easy_setopt) ||
        !find(library, "curl_easy_perform", &curl.easy_perform) ||
        !find(library, "curl_easy_getinfo", &curl.easy_getinfo) ||
        !find(library, "curl_easy_cleanup", &curl.easy_cleanup) ||
        !find(library, "curl_easy_strerror", &curl.easy_strerror) ||
        global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        !find(library, "curl_easy_init", &curl.easy_init)) {
        (void)cp_error_set(err, CP_EIO, "libcurl.so.4 cannot be used");
        return NULL;
    }
    return &curl;
}

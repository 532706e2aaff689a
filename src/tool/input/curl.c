/* curl.c - loads libcurl with dlopen and looks up its functions. */
#include "tool/input/curl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/*
 * Stores the address of a function in *place, a function pointer of the type in
 * curl.h.
 */
static bool find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);

    memcpy(place, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* Looks up all functions but easy_init, which marks the table as complete. */
static bool find_all(void *library, struct cp_curl *c)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        { "curl_easy_setopt", &c->easy_setopt },
        { "curl_easy_perform", &c->easy_perform },
        { "curl_easy_getinfo", &c->easy_getinfo },
        { "curl_easy_cleanup", &c->easy_cleanup },
        { "curl_easy_strerror", &c->easy_strerror },
        { "curl_multi_init", &c->multi_init },
        { "curl_multi_add_handle", &c->multi_add_handle },
        { "curl_multi_remove_handle", &c->multi_remove_handle },
        { "curl_multi_perform", &c->multi_perform },
        { "curl_multi_poll", &c->multi_poll },
        { "curl_multi_info_read", &c->multi_info_read },
        { "curl_multi_cleanup", &c->multi_cleanup },
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!find(library, functions[i].name, functions[i].place))
            return false;
    return true;
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
        !find_all(library, &curl) ||
        global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        !find(library, "curl_easy_init", &curl.easy_init)) {
        (void)cp_error_set(
            err, CP_EIO, "cannot initialize libcurl.so.4; reinstall libcurl4");
        return NULL;
    }
    return &curl;
}

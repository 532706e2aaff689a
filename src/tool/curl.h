/*
 * curl - libcurl, loaded when it is first needed.
 *
 * It brings some thirty shared objects along, which would take longer to load
 * than most reports take. Only fetch.c uses this.
 */
#ifndef CP_CURL_H
#define CP_CURL_H

#include <curl/curl.h>

#include "base/error.h"

struct cp_curl {
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_perform)(CURL *handle);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    void (*easy_cleanup)(CURL *handle);
    const char *(*easy_strerror)(CURLcode code);
};

/* The library; NULL with *err set where it is not installed. Call it first
 * from one thread only. */
const struct cp_curl *cp_curl_load(struct cp_error *err);

#endif

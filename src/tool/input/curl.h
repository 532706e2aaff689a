/*
 * curl - libcurl, loaded on first use.
 *
 * It depends on some thirty shared objects, which take longer to load than most
 * reports take. Only fetch.c and transfer.c use it.
 */
#ifndef CP_CURL_H
#define CP_CURL_H

#include <curl/curl.h>

struct cp_error;
struct curl_waitfd;

struct cp_curl {
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_perform)(CURL *handle);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    void (*easy_cleanup)(CURL *handle);
    const char *(*easy_strerror)(CURLcode code);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *handle);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *handle);
    CURLMcode (*multi_perform)(CURLM *multi, int *n_running);
    CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *extra,
                            unsigned n_extra, int timeout_ms, int *n_ready);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *n_left);
    CURLMcode (*multi_cleanup)(CURLM *multi);
};

/*
 * Returns the functions; NULL with *err set if libcurl is not installed. The
 * first call must not race with a second one.
 */
const struct cp_curl *cp_curl_load(struct cp_error *err);

#endif

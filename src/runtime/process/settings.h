/*
 * settings - parses the environment variables of the library.
 *
 *   PPROFLISTEN   listen address: host:port, :port, port, unix:/path;
 *                 {pid} is replaced
 *   PPROFTOKEN    token that clients must send; see http/token.h
 *   CPPROF        key:value,key:value,...
 *
 * Context: any thread. Locking: none.
 * Failure: an unknown key or invalid value is reported and ignored; a program
 * must not fail because of its profiler.
 */
#ifndef CP_SETTINGS_H
#define CP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/token.h"

/* What a process does when an ancestor uses its listen address. */
enum cp_follow {
    CP_FOLLOW_WAITERS, /* leases it from an ancestor that only waits */
    CP_FOLLOW_NONE,    /* does not serve */
    CP_FOLLOW_ALL,     /* leases it or serves on a different port */
};

struct cp_settings {
    char listen[512];                /* "" means no endpoint */
    char token[CP_HTTP_TOKEN_BYTES]; /* "" if none */
    bool is_token_bad;               /* PPROFTOKEN is invalid: do not listen */
    int cpu_hz;                      /* samples per second of CPU time */
    int signal;                      /* sampling signal; 0 means automatic */
    size_t max_memory;               /* bytes */
    size_t heap_seed;          /* seed of the heap sampler; 0 means random */
    bool heap_mmap;            /* the heap profile includes mmap() calls */
    size_t heap_interval;      /* mean bytes between samples; 0 means off */
    char dump_prefix[200];     /* file name prefix; {pid} is replaced */
    size_t dump_interval;      /* allocated bytes between dumps; 0 means off */
    size_t dump_on_high_water; /* growth of the maximum, bytes; 0 means off */
    int dump_signal;           /* 0 if none */
    int dump_keep;             /* newest dumps to keep; 0 means all */
    bool dump_at_exit;
    uint64_t block_rate;     /* ns of waiting per sample; 0 means off */
    uint64_t mutex_fraction; /* waits per sample; 0 means off */
    bool has_block_io;       /* the block profile includes I/O */
    char app_id[128];        /* for `cpprof list`; "" means the program name */
    int listen_fd;           /* inherited listening socket; 0 if none */
    enum cp_follow follow;
    char cpu_file[400], heap_file[400]; /* record.h; "" if none */
    double cpu_seconds; /* length of the CPU recording; 0 means until exit */
    bool is_attached;   /* settings of a cpprof attach session */
    bool has_perf;      /* perf_event_open may be used */
    bool wants_perf;    /* and is, even under a seccomp filter */
    bool is_quiet;      /* prints nothing on stderr */
};

/* Sets the defaults. */
void cp_settings_init(struct cp_settings *s);

/* Receives one line per problem. */
typedef void cp_settings_complaint(const char *line);

/* `token` is PPROFTOKEN, or NULL if it is unset. */
void cp_settings_read_token(struct cp_settings *s, const char *token);

/* Parses PPROFLISTEN and CPPROF; either may be NULL. */
void cp_settings_read(struct cp_settings *s, const char *listen,
                      const char *cpprof, cp_settings_complaint *complain);

#endif

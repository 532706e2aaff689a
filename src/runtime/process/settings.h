/*
 * settings - what the environment asks for.
 *
 *   PPROFLISTEN   where to listen: host:port, :port, port, unix:/path;
 *                 {pid} is replaced
 *   PPROFTOKEN    what clients of the endpoint must send; see http/token.h
 *   CPPROF        key:value,key:value,...
 *
 * A key that is unknown or has a bad value is named on stderr, once, and
 * ignored: a program must not fail because of its profiler.
 */
#ifndef CP_SETTINGS_H
#define CP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/token.h"

enum cp_follow {
    CP_FOLLOW_WAITERS, /* take it over from an ancestor that only waits */
    CP_FOLLOW_NONE,    /* stay silent */
    CP_FOLLOW_ALL,     /* have one of their own */
};

struct cp_settings {
    char listen[512];                /* "": nowhere */
    char token[CP_HTTP_TOKEN_BYTES]; /* of the endpoint; "": none */
    bool is_token_bad; /* what was given is none: do not listen at all */
    int cpu_hz;
    int signal;            /* 0: chosen */
    size_t max_memory;     /* bytes */
    size_t heap_seed;      /* of what is sampled; 0: another each time */
    bool heap_mmap;        /* count the program's own mappings too */
    size_t heap_interval;  /* bytes between samples; 0: none */
    char dump_prefix[200]; /* of the files; {pid} is replaced */
    size_t dump_interval;  /* a dump after so many allocated bytes; 0: none */
    size_t dump_on_high_water; /* and when this many more are in use */
    int dump_signal;
    int dump_keep; /* so many dumps stay; 0: all */
    bool dump_at_exit;
    uint64_t block_rate;     /* ns; 0: no block profile */
    uint64_t mutex_fraction; /* 0: no mutex profile */
    bool has_block_io;
    char app_id[128];      /* for `cpprof list`; "": the program's name */
    int listen_fd;         /* a socket that listens already; 0: none */
    enum cp_follow follow; /* what processes do whose address is taken */
    char cpu_file[400], heap_file[400]; /* see record.h; "": none */
    double cpu_seconds;
    bool is_attached; /* by cpprof attach, which can end it again */
    bool has_perf;    /* perf_event_open may be used */
    bool wants_perf;  /* also under a seccomp filter */
    bool is_quiet;    /* no line on stderr but for errors */
};

/* The defaults. */
void cp_settings_init(struct cp_settings *s);

/* Told each thing that is wrong, in one line. */
typedef void cp_settings_complaint(const char *line);

/* Takes PPROFTOKEN, or NULL if it is not set. */
void cp_settings_read_token(struct cp_settings *s, const char *token);

/* Reads the other two variables; either may be NULL. */
void cp_settings_read(struct cp_settings *s, const char *listen,
                      const char *cpprof, cp_settings_complaint *complain);

#endif

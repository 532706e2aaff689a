/* settings.c - parses the numbers, and sets the fields by key. */
#include "runtime/process/settings.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/heap/heap.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"

#define MAX_VALUE 128
#define DEFAULT_MEMORY ((size_t)256 << 20)

void cp_settings_init(struct cp_settings *s)
{
    *s = (struct cp_settings){ .cpu_hz = CP_CPU_DEFAULT_HZ,
                               .has_perf = true,
                               .dump_prefix = "cpprof.{pid}",
                               .heap_interval = CP_HEAP_DEFAULT_INTERVAL,
                               .max_memory = DEFAULT_MEMORY };
}

/* Decimal digits and an optional k, m or g (powers of 1024), at most max. */
static bool read_number(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > max)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (p == text)
        return false;
    for (const char *units = "kmg"; *p && *units; units++) {
        if (value > max)
            return false;
        value *= 1024;
        if ((*p | 0x20) == *units) {
            p++;
            if (*p == 'b' || *p == 'B')
                p++;
            break;
        }
    }
    *out = value;
    return *p == '\0' && value <= max;
}

static bool set_int(int *out, const char *value, uint64_t min, uint64_t max)
{
    uint64_t number;

    if (!read_number(value, max, &number) || number < min)
        return false;
    *out = (int)number;
    return true;
}

static bool set_size(size_t *out, const char *value, uint64_t min)
{
    uint64_t number;

    if (!read_number(value, (uint64_t)1 << 40, &number) || number < min)
        return false;
    *out = (size_t)number;
    return true;
}

static bool set_bool(bool *out, const char *value)
{
    *out = strcmp(value, "1") == 0;
    return *out || strcmp(value, "0") == 0;
}

static int set_dump(struct cp_settings *s, const char *key, const char *value)
{
    size_t len = strlen(value);

    if (strcmp(key, "at_exit") == 0)
        return set_bool(&s->dump_at_exit, value);
    if (strcmp(key, "interval") == 0)
        return set_size(&s->dump_interval, value, 0);
    if (strcmp(key, "keep") == 0)
        return set_int(&s->dump_keep, value, 0, 1000000);
    if (strcmp(key, "on_high_water") == 0)
        return set_size(&s->dump_on_high_water, value, 0);
    if (strcmp(key, "signal") == 0)
        return set_int(&s->dump_signal, value, 1, (uint64_t)SIGRTMAX);
    if (strcmp(key, "prefix") != 0)
        return -1;
    if (len == 0 || len >= sizeof(s->dump_prefix))
        return 0;
    memcpy(s->dump_prefix, value, len + 1);
    return 1;
}

static bool set_text(char *out, size_t cap, const char *value)
{
    size_t len = strlen(value);

    if (len == 0 || len >= cap)
        return false;
    memcpy(out, value, len + 1);
    return true;
}

/* Parses seconds with optional decimals. */
static bool set_seconds(double *out, const char *value)
{
    double sum = 0, unit = 1;
    const char *p = value;

    for (; *p >= '0' && *p <= '9' && sum < 1e9; p++)
        sum = sum * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            sum += (unit /= 10) * (*p - '0');
    *out = sum;
    return p > value && *p == '\0' && sum < 1e9;
}

static bool set_follow(enum cp_follow *out, const char *value)
{
    bool is_all = false;

    if (!set_bool(&is_all, value))
        return false;
    *out = is_all ? CP_FOLLOW_ALL : CP_FOLLOW_NONE;
    return true;
}

/* Sets a key that only `cpprof run` uses. Returns the same values as set(). */
static int set_run(struct cp_settings *s, const char *key, const char *value)
{
    if (strcmp(key, "app_id") == 0)
        return set_text(s->app_id, sizeof(s->app_id), value);
    if (strcmp(key, "listen_fd") == 0)
        return set_int(&s->listen_fd, value, 3, 1 << 20);
    if (strcmp(key, "follow") == 0)
        return set_follow(&s->follow, value);
    if (strcmp(key, "cpu_file") == 0)
        return set_text(s->cpu_file, sizeof(s->cpu_file), value);
    if (strcmp(key, "cpu_seconds") == 0)
        return set_seconds(&s->cpu_seconds, value);
    if (strcmp(key, "heap_file") == 0)
        return set_text(s->heap_file, sizeof(s->heap_file), value);
    return -1;
}

/*
 * Sets one key. Returns 1 on success, 0 if the value is invalid, -1 if the key
 * is unknown.
 */
static int set(struct cp_settings *s, const char *key, const char *value)
{
    if (strcmp(key, "cpu_hz") == 0)
        return set_int(&s->cpu_hz, value, 1, CP_CPU_MAX_HZ);
    if (strcmp(key, "signal") == 0)
        return set_int(&s->signal, value, 1, (uint64_t)SIGRTMAX);
    if (strcmp(key, "quiet") == 0)
        return set_bool(&s->is_quiet, value);
    if (strcmp(key, "perf") == 0)
        return set_bool(&s->has_perf, value) && set_bool(&s->wants_perf, value);
    if (strcmp(key, "block_io") == 0)
        return set_bool(&s->has_block_io, value);
    if (strcmp(key, "block_rate") == 0)
        return read_number(value, CP_CONTENTION_MAX_RATE, &s->block_rate);
    if (strcmp(key, "mutex_fraction") == 0)
        return read_number(value, CP_CONTENTION_MAX_RATE, &s->mutex_fraction);
    if (strcmp(key, "heap_interval") == 0)
        return set_size(&s->heap_interval, value, 0);
    if (strcmp(key, "heap_mmap") == 0)
        return set_bool(&s->heap_mmap, value);
    if (strcmp(key, "heap_seed") == 0)
        return set_size(&s->heap_seed, value, 0);
    if (strcmp(key, "max_memory") == 0)
        return set_size(&s->max_memory, value, (uint64_t)4 << 20);
    if (strncmp(key, "dump_", 5) == 0)
        return set_dump(s, key + 5, value);
    return set_run(s, key, value);
}

static void read_pair(struct cp_settings *s, const char *pair, size_t len,
                      cp_settings_complaint *complain)
{
    char text[4 * MAX_VALUE], line[5 * MAX_VALUE], *value;
    int result = -1;

    (void)snprintf(text, sizeof(text), "%.*s", (int)len, pair);
    value = strpbrk(text, ":=");
    if (value) {
        *value++ = '\0';
        result = set(s, text, value);
    }
    if (result == 1)
        return;
    if (!value)
        (void)snprintf(line, sizeof(line), "CPPROF: ignored %s: not KEY:VALUE",
                       text);
    else
        (void)snprintf(line, sizeof(line), "CPPROF: ignored %s:%s: %s", text,
                       value, result == 0 ? "invalid value" : "unknown key");
    complain(line);
}

/* An empty token is invalid: a missing secret must not disable the check. */
void cp_settings_read_token(struct cp_settings *s, const char *token)
{
    s->is_token_bad = token && !cp_http_token_is_valid(token);
    (void)strcpy(s->token, token && !s->is_token_bad ? token : "");
}

void cp_settings_read(struct cp_settings *s, const char *listen,
                      const char *cpprof, cp_settings_complaint *complain)
{
    if (listen && strlen(listen) >= sizeof(s->listen))
        complain("PPROFLISTEN: ignored: longer than 511 bytes");
    else if (listen)
        (void)strcpy(s->listen, listen);
    while (cpprof && *cpprof) {
        size_t len = strcspn(cpprof, ",");

        if (len > 0)
            read_pair(s, cpprof, len, complain);
        cpprof += len + (cpprof[len] == ',');
    }
}

/* tracee_unsupported.c - the functions of tracee.h fail on this machine. */
#include "launch/tracee.h"

enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_options *options,
                               struct cp_error *err)
{
    (void)out;
    (void)options;
    return cp_error_set(err, CP_EUSAGE,
                        "cpprof attach works on x86-64 only; start the program "
                        "with cpprof run");
}

void cp_tracee_end(struct cp_tracee *t)
{
    (void)t;
}

enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err)
{
    (void)number;
    (void)args;
    (void)out;
    return cp_tracee_begin(&t, NULL, err);
}

enum cp_status cp_tracee_call(struct cp_tracee *t,
                              const struct cp_tracee_call *call, uint64_t *out,
                              struct cp_error *err)
{
    (void)call;
    (void)out;
    return cp_tracee_begin(&t, NULL, err);
}

bool cp_tracee_read(const struct cp_tracee *t, uint64_t at, void *out,
                    size_t len)
{
    (void)t;
    (void)at;
    (void)out;
    (void)len;
    return false;
}

bool cp_tracee_write(const struct cp_tracee *t, uint64_t at, const void *bytes,
                     size_t len)
{
    (void)t;
    (void)at;
    (void)bytes;
    (void)len;
    return false;
}

int cp_tracee_rank(long call)
{
    (void)call;
    return -1;
}

/* model_totals.c - formats the totals of a thread as key=value pairs. */
#include "trace/model/model_totals.h"

#include "base/out.h"
#include "trace/model/model.h"

static void put_name(struct cp_out *out, const char *name)
{
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;

        if (c <= ' ' || c == '=' || c == '%' || c == 0x7f)
            cp_out_printf(out, "%%%02x", c);
        else
            cp_out_char(out, (char)c);
    }
}

static void put_number(struct cp_out *out, const char *key, uint64_t value)
{
    cp_out_printf(out, " %s=%llu", key, (unsigned long long)value);
}

static void put_account(struct cp_out *out, const struct cp_model_totals *t,
                        const struct cp_trace_account *a)
{
    if (a->has_times) {
        put_number(out, "user_ns", a->user_ns);
        put_number(out, "sys_ns", a->sys_ns);
    }
    if (a->has_delay)
        put_number(out, "run_delay_ns", a->run_delay_ns);
    put_number(out, "wait_ns", t->wait_ns);
    put_number(out, "io_ns", t->io_ns);
    put_number(out, "syscalls", t->syscalls);
    put_number(out, "errors", t->errors);
    put_number(out, "blocks", t->blocks);
    if (a->has_switches) {
        put_number(out, "vcsw", a->vcsw);
        put_number(out, "ivcsw", a->ivcsw);
    }
    if (a->has_faults) {
        put_number(out, "minflt", a->minflt);
        put_number(out, "majflt", a->majflt);
    }
    if (a->has_cpu)
        put_number(out, "cpu", (uint64_t)a->cpu);
    put_number(out, "read_bytes", t->read_bytes);
    put_number(out, "write_bytes", t->write_bytes);
}

void cp_model_totals_write(struct cp_out *out, const struct cp_model_life *life,
                           const struct cp_model_totals *totals,
                           const struct cp_trace_account *account)
{
    cp_out_printf(out, "tid=%d name=", (int)life->tid);
    put_name(out, life->name);
    put_number(out, "start_ns", life->start_ns);
    put_number(out, "end_ns", life->end_ns);
    put_account(out, totals, account);
    cp_out_char(out, '\0');
}

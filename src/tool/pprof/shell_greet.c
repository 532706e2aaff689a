/*
 * shell_greet.c - prints the heading of a profile, and its changes after
 * "reload".
 */
#include "tool/pprof/shell_greet.h"

#include <unistd.h>

#include "base/units.h"
#include "report/core/report.h"
#include "report/graph/legend.h"
#include "tool/cli/command.h"

/* Number of samples and their total under the current options. */
struct measure {
    uint32_t n_samples;
    int64_t total;
    char text[CP_LABEL_BYTES];
};

/* Measures a profile; writes its heading if `out` is not NULL. */
static struct measure measure_profile(const struct cp_command *c,
                                      const struct cp_profile *p,
                                      struct cp_out *out)
{
    struct cp_profile *copy = cp_profile_copy(p, NULL);
    struct cp_report r = { .profile = copy, .options = c->options };
    struct measure m = { .n_samples = p->n_samples };

    r.options.format = CP_FORMAT_COMMENTS;
    if (copy && cp_report_init(&r, NULL) == CP_OK) {
        m.total = r.total;
        cp_report_value(&r, r.total, m.text);
        if (out)
            cp_legend_profile(&r, out);
        cp_report_release(&r);
    }
    cp_profile_free(copy);
    return m;
}

static void compare(const struct measure *now, const struct measure *then,
                    bool is_same_time, struct cp_out *out)
{
    if (is_same_time && now->n_samples == then->n_samples &&
        now->total == then->total) {
        cp_out_cstr(out, "Reloaded: nothing has changed\n");
        return;
    }
    cp_out_printf(out, "Reloaded: %u samples (before: %u), total %s",
                  now->n_samples, then->n_samples, now->text);
    if (*then->text)
        cp_out_printf(out, " (before: %s)", then->text);
    cp_out_char(out, '\n');
}

void cp_shell_greet(const struct cp_command *c, const struct cp_profile *p,
                    const struct cp_profile *before)
{
    struct cp_out out = cp_out_terminal(STDERR_FILENO);
    struct measure now = measure_profile(c, p, &out);

    if (before) {
        struct measure then = measure_profile(c, before, NULL);

        compare(&now, &then, p->time_ns == before->time_ns, &out);
    } else if (now.total == 0 && p->n_types > 1) {
        cp_out_cstr(&out, "No samples were found with the default sample "
                          "value type.\nTry \"sample_index\" with another "
                          "one; \"o\" lists them.\n");
    }
    (void)cp_out_finish(&out, NULL);
    cp_out_release(&out);
}

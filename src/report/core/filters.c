/*
 * filters.c - compiles the regular expressions of the filters and applies them.
 */
#include "report/core/filters.h"

#include <stdio.h>
#include <string.h>

#include "profile/transform/filter_names.h"
#include "profile/transform/prune.h"
#include "profile/transform/tag_filter.h"
#include "regex/regex.h"
#include "report/core/report.h"

enum { FOCUS, IGNORE, HIDE, SHOW, SHOW_FROM, TAG_SHOW, TAG_HIDE, PRUNE, N_RE };

struct compiled {
    struct cp_regex *re[N_RE];
    struct cp_tag_filter *tag_focus, *tag_ignore;
};

static enum cp_status compile(const char *name, const char *text,
                              struct cp_regex **out, struct cp_error *err)
{
    if (*text == '\0')
        return CP_OK;
    *out = cp_regex_new(text, strlen(text), err);
    if (*out)
        return CP_OK;
    cp_error_prefix(err, "parsing %s regexp: ", name);
    return CP_EUSAGE;
}

static enum cp_status compile_tag(const struct cp_report *r, const char *name,
                                  const char *text, struct cp_tag_filter **out,
                                  struct cp_error *err)
{
    char line[256];

    if (*text == '\0')
        return CP_OK;
    *out = cp_tag_filter_new(text, err);
    if (!*out) {
        cp_error_prefix(err, "parsing %s regexp: ", name);
        return CP_EUSAGE;
    }
    if (cp_tag_filter_range(*out) && r->warn) {
        (void)snprintf(line, sizeof(line),
                       "%s:Interpreted '%s' as range, not regexp", name,
                       cp_tag_filter_range(*out));
        r->warn(r->warn_context, line);
    }
    return CP_OK;
}

static enum cp_status compile_all(const struct cp_report *r, struct compiled *c,
                                  struct cp_error *err)
{
    const struct cp_options *o = &r->options;
    const struct {
        const char *name, *text;
    } wanted[N_RE] = {
        [FOCUS] = { "focus", o->focus },
        [IGNORE] = { "ignore", o->ignore },
        [HIDE] = { "hide", o->hide },
        [SHOW] = { "show", o->show },
        [SHOW_FROM] = { "show_from", o->show_from },
        [TAG_SHOW] = { "tagshow", o->tagshow },
        [TAG_HIDE] = { "taghide", o->taghide },
        [PRUNE] = { "prune_from", o->prune_from },
    };

    for (int i = 0; i < N_RE; i++)
        if (compile(wanted[i].name, wanted[i].text, &c->re[i], err) != CP_OK)
            return CP_EUSAGE;
    if (compile_tag(r, "tagfocus", o->tagfocus, &c->tag_focus, err) != CP_OK)
        return CP_EUSAGE;
    return compile_tag(r, "tagignore", o->tagignore, &c->tag_ignore, err);
}

static void warn_unless(const struct cp_report *r, bool matched,
                        const char *name)
{
    char line[64];

    if (matched || !r->warn)
        return;
    (void)snprintf(line, sizeof(line), "%s expression matched no samples",
                   name);
    r->warn(r->warn_context, line);
}

static enum cp_status by_names(struct cp_report *r, struct compiled *c,
                               struct cp_error *err)
{
    struct cp_name_filter f = { .focus = c->re[FOCUS],
                                .ignore = c->re[IGNORE],
                                .hide = c->re[HIDE],
                                .show = c->re[SHOW] };
    enum cp_status status = cp_filter_names(r->profile, &f, err);
    bool matched = true;

    if (status != CP_OK)
        return status;
    warn_unless(r, !f.focus || f.focus_matched, "Focus");
    warn_unless(r, !f.ignore || f.ignore_matched, "Ignore");
    warn_unless(r, !f.hide || f.hide_matched, "Hide");
    warn_unless(r, !f.show || f.show_matched, "Show");
    if (c->re[SHOW_FROM])
        status =
            cp_filter_show_from(r->profile, c->re[SHOW_FROM], &matched, err);
    warn_unless(r, matched, "ShowFrom");
    return status;
}

static enum cp_status by_tags(struct cp_report *r, struct compiled *c,
                              struct cp_error *err)
{
    bool yes = true, no = true;
    enum cp_status status = CP_OK;

    if (c->tag_focus || c->tag_ignore) {
        status = cp_filter_tags(r->profile, c->tag_focus, c->tag_ignore,
                                &r->label_units, &yes, &no, err);
        warn_unless(r, !c->tag_focus || yes, "TagFocus");
        warn_unless(r, !c->tag_ignore || no, "TagIgnore");
    }
    if (status == CP_OK && (c->re[TAG_SHOW] || c->re[TAG_HIDE])) {
        status = cp_filter_tag_keys(r->profile, c->re[TAG_SHOW],
                                    c->re[TAG_HIDE], &yes, &no, err);
        warn_unless(r, !c->re[TAG_SHOW] || yes, "TagShow");
        warn_unless(r, !c->re[TAG_HIDE] || no, "TagHide");
    }
    return status;
}

enum cp_status cp_report_filter(struct cp_report *r, struct cp_error *err)
{
    struct compiled c = { 0 };
    enum cp_status status = compile_all(r, &c, err);

    if (status == CP_OK)
        status = by_names(r, &c, err);
    if (status == CP_OK)
        status = by_tags(r, &c, err);
    if (status == CP_OK && c.re[PRUNE])
        status = cp_prune_from(r->profile, c.re[PRUNE], err);
    for (int i = 0; i < N_RE; i++)
        cp_regex_free(c.re[i]);
    cp_tag_filter_free(c.tag_focus);
    cp_tag_filter_free(c.tag_ignore);
    return status;
}

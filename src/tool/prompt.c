/* prompt.c - libedit on a terminal, getline elsewhere; see prompt.h. */
#include "tool/prompt.h"

#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define HISTORY_LINES 1000

struct cp_prompt {
    EditLine *el; /* NULL when standard input is no terminal */
    History *history;
    char *history_path; /* NULL: not kept */
    char *line;
    size_t cap;
    cp_prompt_complete complete;
    void *shell;
};

static char *prompt_text(EditLine *el)
{
    static char text[] = "(pprof) ";

    (void)el;
    return text;
}

/* What the candidates for a completion have in common. */
struct candidates {
    char common[256];
    size_t n;
};

static void add_candidate(void *context, const char *text)
{
    struct candidates *c = context;
    size_t len = 0;

    if (c->n++ == 0) {
        (void)snprintf(c->common, sizeof(c->common), "%s", text);
        return;
    }
    while (c->common[len] && c->common[len] == text[len])
        len++;
    c->common[len] = '\0';
}

static void print_candidate(void *context, const char *text)
{
    (void)fprintf(context, "  %s", text);
}

/* Bound to Tab: completes as far as it is clear, else lists what there is. */
static unsigned char on_tab(EditLine *el, int key)
{
    const LineInfo *info = el_line(el);
    struct candidates found = { .n = 0 };
    struct cp_prompt *p;
    const char *at = info->cursor;
    char begin[256];
    int word = 0;
    size_t len;

    (void)key;
    if (el_get(el, EL_CLIENTDATA, &p) != 0)
        return CC_ERROR;
    while (at > info->buffer && at[-1] != ' ')
        at--;
    for (const char *c = info->buffer; c < at; c++)
        word += *c == ' ';
    len = (size_t)(info->cursor - at);
    if (len >= sizeof(begin))
        return CC_ERROR;
    memcpy(begin, at, len);
    begin[len] = '\0';
    p->complete(p->shell, word, begin, add_candidate, &found);
    if (found.n == 0)
        return CC_ERROR;
    if (strlen(found.common) > len)
        return el_insertstr(el, found.common + len) == 0 ? CC_REFRESH
                                                         : CC_ERROR;
    if (found.n == 1)
        return CC_NORM;
    (void)fputs("\n", stdout);
    p->complete(p->shell, word, begin, print_candidate, stdout);
    (void)fputs("\n", stdout);
    return CC_REDISPLAY;
}

static void load_history(struct cp_prompt *p)
{
    const char *home = getenv("HOME");
    size_t len = home ? strlen(home) + 32 : 0;
    HistEvent event;

    p->history = history_init();
    if (!p->history)
        return;
    (void)history(p->history, &event, H_SETSIZE, HISTORY_LINES);
    (void)history(p->history, &event, H_SETUNIQUE, 1);
    (void)el_set(p->el, EL_HIST, history, p->history);
    p->history_path = home && *home ? cp_alloc(len, 1, NULL) : NULL;
    if (!p->history_path)
        return;
    (void)snprintf(p->history_path, len, "%s/.pprof_history", home);
    (void)history(p->history, &event, H_LOAD, p->history_path);
}

static void save_history(struct cp_prompt *p)
{
    HistEvent event;
    mode_t mask;

    if (!p->history || !p->history_path)
        return;
    mask = umask(077); /* what was looked for is nobody else's business */
    (void)history(p->history, &event, H_SAVE, p->history_path);
    (void)umask(mask);
}

static bool start_editing(struct cp_prompt *p)
{
    p->el = el_init("pprof", stdin, stdout, stderr);
    if (!p->el)
        return false;
    (void)el_set(p->el, EL_CLIENTDATA, p);
    (void)el_set(p->el, EL_PROMPT, prompt_text);
    (void)el_set(p->el, EL_EDITOR, "emacs");
    (void)el_set(p->el, EL_SIGNAL, 1);
    (void)el_set(p->el, EL_ADDFN, "pprof-complete", "complete", on_tab);
    (void)el_set(p->el, EL_BIND, "^I", "pprof-complete", NULL);
    (void)el_set(p->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    load_history(p);
    return true;
}

struct cp_prompt *cp_prompt_new(cp_prompt_complete complete, void *shell,
                                struct cp_error *err)
{
    struct cp_prompt *p = cp_alloc(1, sizeof(*p), err);

    if (!p)
        return NULL;
    p->complete = complete;
    p->shell = shell;
    if (isatty(STDIN_FILENO) && !start_editing(p)) {
        cp_prompt_free(p);
        (void)cp_error_set(err, CP_EIO, "cannot use this terminal");
        return NULL;
    }
    return p;
}

/* A line of a terminal; it goes to the history. */
static ssize_t edit_line(struct cp_prompt *p)
{
    HistEvent event;
    int n = 0;
    const char *text = el_gets(p->el, &n);

    if (!text || n <= 0)
        return -1;
    if (cp_reserve(&p->line, &p->cap, (size_t)n + 1, 1, NULL) != CP_OK)
        return -1;
    memcpy(p->line, text, (size_t)n);
    p->line[n] = '\0';
    if (p->history && p->line[strspn(p->line, " \t\n")] != '\0')
        (void)history(p->history, &event, H_ENTER, p->line);
    return n;
}

const char *cp_prompt_line(struct cp_prompt *p)
{
    ssize_t n = p->el ? edit_line(p) : getline(&p->line, &p->cap, stdin);

    if (n < 0)
        return NULL;
    while (n > 0 && (p->line[n - 1] == '\n' || p->line[n - 1] == '\r'))
        p->line[--n] = '\0';
    return p->line;
}

void cp_prompt_free(struct cp_prompt *p)
{
    if (!p)
        return;
    save_history(p);
    if (p->el)
        el_end(p->el);
    if (p->history)
        history_end(p->history);
    cp_free(p->history_path);
    free(p->line);
    cp_free(p);
}

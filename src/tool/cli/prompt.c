/* prompt.c - line input: libedit on a terminal, getline elsewhere. */
#include "tool/cli/prompt.h"

#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "tool/cli/candidates.h"
#include "tool/cli/keys.h"

#define PROMPT "(pprof) "
#define HISTORY_LINES 1000

struct cp_prompt {
    EditLine *el; /* NULL if standard input is not a terminal */
    History *history;
    char *history_path; /* NULL if history is not saved */
    char *line;
    size_t cap;
    bool is_interrupted; /* whether Ctrl-C discarded the line being read */
    cp_prompt_complete complete;
    void *shell;
};

static char *prompt_text(EditLine *el)
{
    static char text[] = PROMPT;

    (void)el;
    return text;
}

static size_t screen_width(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : 80;
}

static void list(const struct cp_candidates *found)
{
    struct cp_out out = cp_out_terminal(STDOUT_FILENO);

    (void)fflush(stdout);
    cp_out_char(&out, '\n');
    cp_candidates_list(found, screen_width(), &out);
    (void)cp_out_finish(&out, NULL);
    cp_out_release(&out);
}

/*
 * Inserts the common prefix of the candidates. Lists them if that adds nothing
 * to the typed text.
 */
static unsigned char apply_candidates(EditLine *el, struct cp_candidates *found,
                                      const char *typed, bool goes_on)
{
    size_t len = cp_candidates_common(found);
    const char *text =
        found->n ? cp_arena_copy(&found->arena, found->items[0], len, NULL)
                 : NULL;

    if (!text)
        return CC_ERROR;
    if (strcmp(text, typed) != 0 && (found->n == 1 || goes_on)) {
        el_deletestr(el, (int)cp_out_width(typed, strlen(typed)));
        return el_insertstr(el, text) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (found->n == 1)
        return CC_NORM;
    list(found);
    return CC_REDISPLAY;
}

/* Bound to Tab: completes the word, or lists the candidates. */
static unsigned char on_tab(EditLine *el, int key)
{
    const LineInfo *info = el_line(el);
    struct cp_candidates found = { 0 };
    struct cp_prompt *p;
    const char *at = info->cursor, *before, *begin;
    unsigned char result = CC_ERROR;

    (void)key;
    if (el_get(el, EL_CLIENTDATA, &p) != 0)
        return CC_ERROR;
    while (at > info->buffer && at[-1] != ' ')
        at--;
    before = cp_arena_copy(&found.arena, info->buffer,
                           (size_t)(at - info->buffer), NULL);
    begin = cp_arena_copy(&found.arena, at, (size_t)(info->cursor - at), NULL);
    if (before && begin) {
        bool goes_on = p->complete(p->shell, before, begin, &found);

        cp_candidates_sort(&found);
        result = apply_candidates(el, &found, begin, goes_on);
    }
    cp_candidates_release(&found);
    return result;
}

/*
 * Redraws the line after the window was resized. The terminal has already
 * wrapped it into other rows, unknown to libedit, so this erases them from the
 * prompt's current row.
 */
static void redraw(EditLine *el)
{
    const LineInfo *info = el_line(el);
    size_t n_before =
        strlen(PROMPT) +
        cp_out_width(info->buffer, (size_t)(info->cursor - info->buffer));
    size_t n_rows = n_before / screen_width();

    (void)fputc('\r', stdout);
    if (n_rows > 0)
        (void)fprintf(stdout, "\033[%zuA", n_rows);
    (void)fputs("\033[J", stdout);
    el_resize(el);
    (void)el_set(el, EL_REFRESH);
}

/*
 * libedit's input callback. Returns 1 for a character, 0 at the end, -1 to
 * leave the line.
 */
static int on_read(EditLine *el, wchar_t *out)
{
    struct cp_prompt *p;

    if (el_get(el, EL_CLIENTDATA, &p) != 0)
        return -1;
    for (;;) {
        switch (cp_keys_read(out)) {
        case CP_KEY:
            return 1;
        case CP_KEY_INTERRUPTED:
            p->is_interrupted = true;
            return -1;
        case CP_KEY_CONTINUED: /* the shell reset the terminal */
            (void)el_set(el, EL_PREP_TERM, 0);
            (void)el_set(el, EL_PREP_TERM, 1);
            (void)el_set(el, EL_REFRESH);
            break;
        case CP_KEY_RESIZED:
            redraw(el);
            break;
        case CP_KEY_END:
            return cp_keys_signal() ? -1 : 0;
        }
    }
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
    mask = umask(077); /* keep the history private to this user */
    (void)history(p->history, &event, H_SAVE, p->history_path);
    (void)umask(mask);
}

static bool start_editing(struct cp_prompt *p)
{
    const char *locale = setlocale(LC_CTYPE, "");

    if (!locale || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        (void)setlocale(LC_CTYPE, "C.UTF-8"); /* symbol names may be UTF-8 */
    p->el = el_init("pprof", stdin, stdout, stderr);
    if (!p->el)
        return false;
    (void)el_set(p->el, EL_CLIENTDATA, p);
    (void)el_set(p->el, EL_PROMPT, prompt_text);
    (void)el_set(p->el, EL_EDITOR, "emacs");
    (void)el_set(p->el, EL_SIGNAL, 0);
    (void)el_set(p->el, EL_GETCFN, on_read);
    (void)el_set(p->el, EL_ADDFN, "pprof-complete", "complete", on_tab);
    (void)el_set(p->el, EL_BIND, "^I", "pprof-complete", NULL);
    (void)el_set(p->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    load_history(p);
    cp_keys_open();
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
        (void)cp_error_set(err, CP_EIO,
                           "cannot edit lines on this terminal; check TERM");
        return NULL;
    }
    return p;
}

/* Reads a line from the terminal and adds it to the history. */
static ssize_t edit_line(struct cp_prompt *p)
{
    HistEvent event;
    int n = 0;
    const char *text;

    if (cp_keys_signal())
        return -1;
    p->is_interrupted = false;
    text = el_gets(p->el, &n);
    if (p->is_interrupted) {
        (void)fputs("^C\n", stdout);
        (void)fflush(stdout);
        text = "";
        n = 0;
    } else if (!text || n <= 0) {
        return -1;
    }
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
    bool was_open = p && p->el;

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
    if (!was_open)
        return;
    cp_keys_close();
    if (cp_keys_signal())
        (void)raise(cp_keys_signal());
}

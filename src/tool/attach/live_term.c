/* live_term.c - terminal settings, keys and drawing for `cpprof top`. */
#include "tool/attach/live_term.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/out.h"
#include "base/printable.h"

#define ENTER_ALT_SCREEN "\033[?1049h\033[?25l"
#define LEAVE_ALT_SCREEN "\033[?25h\033[?1049l"

static struct {
    struct termios before;
    bool is_open;
} term;

static volatile sig_atomic_t is_ended;

static void put(const char *text)
{
    (void)!write(STDOUT_FILENO, text, strlen(text));
}

static void on_end(int sig)
{
    (void)sig;
    is_ended = 1;
}

static void on_resize(int sig)
{
    (void)sig; /* interrupts poll(); the next table uses the new size */
}

static void catch_signals(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction end = { .sa_handler = on_end };
    struct sigaction resize = { .sa_handler = on_resize };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        (void)sigaction(ends[i], &end, NULL);
    (void)sigaction(SIGWINCH, &resize, NULL);
}

enum cp_status cp_live_term_open(struct cp_error *err)
{
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &term.before) != 0)
        return cp_error_set(err, CP_EIO, "terminal: %s", strerror(errno));
    raw = term.before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    catch_signals();
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
        return cp_error_set(err, CP_EIO, "terminal: %s", strerror(errno));
    term.is_open = true;
    put(ENTER_ALT_SCREEN);
    return CP_OK;
}

void cp_live_term_close(void)
{
    if (!term.is_open)
        return;
    term.is_open = false;
    put(LEAVE_ALT_SCREEN);
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &term.before);
}

void cp_live_terminal_release(void)
{
    (void)signal(SIGINT, SIG_IGN); /* the parent kills this child */
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGHUP, SIG_DFL);
    (void)signal(SIGWINCH, SIG_DFL);
    term.is_open = false;
}

static struct winsize size(void)
{
    struct winsize w = { 0 };

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0)
        w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
    return w;
}

int cp_live_term_rows(void)
{
    return size().ws_row;
}

/* Writes one line, cut to the width, with control characters escaped. */
static void put_line(struct cp_out *out, const char *text, size_t len,
                     size_t columns)
{
    char shown[CP_PRINTABLE_BYTES];
    size_t n;

    for (size_t i = 0, width = 0; i < len;) {
        i += cp_printable_next(text + i, len - i, shown, &n);
        width += *shown == '\\' ? n : 1;
        if (width > columns)
            break;
        if (*shown == '\t' || *shown == '\n')
            *shown = ' ';
        cp_out_bytes(out, shown, n);
    }
    cp_out_cstr(out, "\033[K");
}

/*
 * Skips the lines that describe the file; the table starts at "Showing nodes".
 */
static const char *skip_file(const char *text)
{
    const char *showing = strstr(text, "Showing nodes");

    return showing ? showing : text;
}

void cp_live_term_draw(const struct cp_live_head *head, const char *text)
{
    struct cp_out out = { .fd = STDOUT_FILENO };
    struct winsize w = size();

    cp_out_cstr(&out, "\033[H\033[1m");
    put_line(&out, head->title, strlen(head->title), w.ws_col);
    cp_out_cstr(&out, "\033[0m\033[2C");
    cp_out_printf(&out, "\033[1;%zuH", strlen(head->title) + 3);
    put_line(&out, head->name, strlen(head->name),
             w.ws_col > strlen(head->title) + 3
                 ? w.ws_col - strlen(head->title) - 3
                 : 0);
    cp_out_cstr(&out, "\r\n\033[2m");
    put_line(&out, head->keys, strlen(head->keys), w.ws_col);
    cp_out_cstr(&out, "\033[0m");
    text = skip_file(text);
    for (int row = 2; row < w.ws_row && *text; row++) {
        size_t len = strcspn(text, "\n");

        cp_out_cstr(&out, "\r\n");
        put_line(&out, text, len, w.ws_col);
        text += len + (text[len] == '\n');
    }
    cp_out_cstr(&out, "\033[J");
    (void)cp_out_finish(&out, NULL);
    cp_out_release(&out);
}

int cp_live_term_key(void)
{
    char c;
    ssize_t n = read(STDIN_FILENO, &c, 1);

    if (n < 0 && errno == EINTR)
        return 0;
    return n == 1 ? (unsigned char)c : 4;
}

bool cp_live_term_is_ended(void)
{
    return is_ended;
}

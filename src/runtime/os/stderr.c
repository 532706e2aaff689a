/*
 * stderr.c - writes to descriptor 2 if its device and inode are still those of
 * the start.
 */
#include "runtime/os/stderr.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "signal/unwinder/syscall.h"

static struct {
    bool is_known;
    dev_t device;
    ino_t inode;
} first;

void cp_stderr_remember(void)
{
    struct stat st;

    if (fstat(STDERR_FILENO, &st) != 0)
        st = (struct stat){ 0 };
    first.is_known = true;
    first.device = st.st_dev;
    first.inode = st.st_ino;
}

void cp_stderr_write(const char *text)
{
    struct stat st;

    if (fstat(STDERR_FILENO, &st) != 0 ||
        (first.is_known &&
         (st.st_dev != first.device || st.st_ino != first.inode)))
        return;
    (void)CP_SYSCALL(SYS_write, STDERR_FILENO, (long)text, (long)strlen(text));
}

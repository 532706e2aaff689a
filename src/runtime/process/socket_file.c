/* socket_file.c - see socket_file.h. */
#include "runtime/process/socket_file.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/os/sandbox.h"

static struct {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    dev_t device;
    ino_t number;
    _Atomic int pid; /* whose it is; 0: nobody's. Written last */
} state;

void cp_socket_file_own(const char *address)
{
    const char *path = address + strlen("unix:");
    struct stat st;

    cp_socket_file_disown();
    if (strncmp(address, "unix:", 5) != 0 ||
        strlen(path) >= sizeof(state.path) || lstat(path, &st) != 0)
        return;
    (void)strcpy(state.path, path);
    state.device = st.st_dev;
    state.number = st.st_ino;
    atomic_store(&state.pid, (int)getpid());
}

void cp_socket_file_disown(void)
{
    atomic_store(&state.pid, 0);
}

/* Not after chdir or chroot, when another file may have that name. */
static bool is_ours(void)
{
    struct stat st;

    return lstat(state.path, &st) == 0 && S_ISSOCK(st.st_mode) &&
           st.st_dev == state.device && st.st_ino == state.number;
}

__attribute__((destructor)) static void end(void)
{
    int pid = atomic_load(&state.pid);

    if (pid != 0 && pid == (int)getpid() && !cp_sandbox_is_sealed() &&
        atomic_compare_exchange_strong(&state.pid, &pid, 0) && is_ours())
        (void)unlink(state.path);
}

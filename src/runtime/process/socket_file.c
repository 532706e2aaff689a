/* socket_file.c - remembers the inode of the socket and removes it at exit. */
#include "runtime/process/socket_file.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/os/sandbox.h"

static struct {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    dev_t device;
    ino_t inode;
    _Atomic int pid; /* owning process; 0 if none. Stored last */
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
    state.inode = st.st_ino;
    atomic_store(&state.pid, (int)getpid());
}

void cp_socket_file_disown(void)
{
    atomic_store(&state.pid, 0);
}

/*
 * Whether the path still names the socket. After chdir() or chroot() it may
 * name a different file.
 */
static bool is_same_file(void)
{
    struct stat st;

    return lstat(state.path, &st) == 0 && S_ISSOCK(st.st_mode) &&
           st.st_dev == state.device && st.st_ino == state.inode;
}

__attribute__((destructor)) static void remove_at_exit(void)
{
    int pid = atomic_load(&state.pid);

    if (pid != 0 && pid == (int)getpid() && !cp_sandbox_is_sealed() &&
        atomic_compare_exchange_strong(&state.pid, &pid, 0) && is_same_file())
        (void)unlink(state.path);
}

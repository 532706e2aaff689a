/*
 * address_transfer.c - finds ancestors in /proc, checks both peers, and passes
 * the listening socket by SCM_RIGHTS.
 */
#include "runtime/endpoint/address_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/file_start.h"
#include "base/instance.h"
#include "runtime/threads/threads.h"

#define MAX_GENERATIONS 32
#define BACKLOG 16
#define REPLY_TIMEOUT_S 2

/* ---- processes ---- */

/* Returns the parent of a process, or 0 if unknown. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    const char *p;

    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return 0;
    p = strrchr(text, ')');
    return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

static bool is_descendant(pid_t pid)
{
    pid_t self = getpid();

    for (int i = 0; i < MAX_GENERATIONS && pid > 1; i++) {
        pid = parent_of(pid);
        if (pid == self)
            return true;
    }
    return false;
}

/* Whether this system call only waits for children or signals. */
static bool is_waiting_call(long number)
{
    static const long calls[] = {
        SYS_wait4, SYS_waitid, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
#ifdef SYS_pause
        SYS_pause,
#endif
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i] == number)
            return true;
    return false;
}

bool cp_address_transfer_is_idle(void)
{
    char path[64], text[256];

    if (!cp_threads_is_single())
        return false;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall",
                   (long)getpid());
    return cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) > 0 &&
           text[0] >= '0' && text[0] <= '9' &&
           is_waiting_call(strtol(text, NULL, 10));
}

/* ---- the connection ---- */

/*
 * Abstract names belong to the network namespace, as ports do. Containers of
 * one pod share that namespace but not process ids, so the name contains the
 * id of the process namespace.
 */
static socklen_t name_of(pid_t pid, struct sockaddr_un *out)
{
    int len;

    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    len = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1,
                   "cpprof-address-%llu-%ld",
                   (unsigned long long)cp_instance_pid_ns(), (long)pid);
    CP_ASSERT(len > 0 && (size_t)len < sizeof(out->sun_path) - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       (size_t)len);
}

static int open_socket(int flags)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

/* Returns the process id of the peer if it has the same user, 0 otherwise. */
static pid_t peer_of(int fd)
{
    struct ucred peer = { 0 };
    socklen_t len = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0 ||
        peer.uid != geteuid())
        return 0;
    return peer.pid;
}

int cp_address_transfer_open(void)
{
    struct sockaddr_un name;
    socklen_t len = name_of(getpid(), &name);
    int fd = open_socket(SOCK_NONBLOCK);

    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&name, len) != 0 ||
                    listen(fd, BACKLOG) != 0)) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

int cp_address_transfer_accept(int fd)
{
    int lease = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (lease >= 0 && !is_descendant(peer_of(lease))) {
        (void)close(lease);
        return -1;
    }
    return lease;
}

/* A message of one byte and one descriptor. */
struct fd_message {
    char byte;
    struct iovec data;
    struct msghdr message;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
};

static void fd_message_init(struct fd_message *p)
{
    memset(p, 0, sizeof(*p));
    p->data = (struct iovec){ &p->byte, 1 };
    p->message.msg_iov = &p->data;
    p->message.msg_iovlen = 1;
    p->message.msg_control = p->control.bytes;
    p->message.msg_controllen = sizeof(p->control.bytes);
}

bool cp_address_transfer_send(int lease, int listen_fd)
{
    struct fd_message msg;
    struct cmsghdr *head;

    CP_ASSERT(lease >= 0 && listen_fd >= 0);
    fd_message_init(&msg);
    head = CMSG_FIRSTHDR(&msg.message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &listen_fd, sizeof(int));
    return sendmsg(lease, &msg.message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

bool cp_address_transfer_is_leased(int lease)
{
    char byte;

    return recv(lease, &byte, 1, MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EINTR);
}

static int receive_socket(int lease)
{
    struct fd_message msg;
    struct cmsghdr *head;
    int fd = -1;

    fd_message_init(&msg);
    if (recvmsg(lease, &msg.message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    head = CMSG_FIRSTHDR(&msg.message);
    if (head && head->cmsg_level == SOL_SOCKET &&
        head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(head), sizeof(int));
    return fd;
}

static bool request_from(pid_t pid, struct cp_address_transfer *out)
{
    const struct timeval timeout = { REPLY_TIMEOUT_S, 0 };
    struct sockaddr_un name;
    socklen_t len = name_of(pid, &name);
    int lease = open_socket(0), fd = -1;

    if (lease < 0)
        return false;
    (void)setsockopt(lease, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    (void)setsockopt(lease, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    if (connect(lease, (const struct sockaddr *)&name, len) == 0 &&
        peer_of(lease) == pid)
        fd = receive_socket(lease);
    if (fd < 0) {
        (void)close(lease);
        return false;
    }
    *out = (struct cp_address_transfer){ fd, lease };
    return true;
}

bool cp_address_transfer_request(struct cp_address_transfer *out)
{
    pid_t pid = getppid();

    for (int i = 0; i < MAX_GENERATIONS && pid > 0; i++) {
        if (request_from(pid, out))
            return true;
        pid = parent_of(pid);
    }
    return false;
}

/* ---- the environment of the parent ---- */

/* Whether /proc/PARENT/NAME contains these bytes. */
static bool parent_file_contains(const char *name, const char *wanted,
                                 size_t len)
{
    char bytes[4096], path[64];
    size_t n_kept = 0;
    bool is_found = false;
    ssize_t n;
    int fd;

    CP_ASSERT(len > 0 && len < sizeof(bytes));
    (void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)getppid(), name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (!is_found &&
           (n = read(fd, bytes + n_kept, sizeof(bytes) - n_kept)) > 0) {
        size_t all = n_kept + (size_t)n;

        CP_ASSERT(all <= sizeof(bytes));
        is_found = memmem(bytes, all, wanted, len) != NULL;
        n_kept = all < len ? all : len;
        memmove(bytes, bytes + all - n_kept, n_kept);
    }
    (void)close(fd);
    return is_found;
}

/*
 * A program that writes its title over its environment (sshd) shows an empty
 * one. For such a parent the test is whether it has mapped the library.
 */
bool cp_address_transfer_is_inherited(const char *listen)
{
    static const char library[] = "/libcpprof";
    char wanted[640];
    size_t len =
        (size_t)snprintf(wanted, sizeof(wanted), "PPROFLISTEN=%s", listen) + 1;

    return parent_file_contains("environ", wanted, len) ||
           (!parent_file_contains("environ", "=", 1) &&
            parent_file_contains("maps", library, sizeof(library) - 1));
}

/*
 * shim.c - the eight functions of glibc that the library calls and musl lacks.
 *
 * libcpprof-musl.so.0 is the library linked with these, for distributions with
 * musl such as Alpine. musl has all other functions with the same names and
 * structures; it also provides libc.so.6. tests/cli/musl runs it.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int __snprintf_chk(char *out, size_t len, int flag, size_t room,
                   const char *format, ...);
int __sprintf_chk(char *out, int flag, size_t room, const char *format, ...);
void *__memcpy_chk(void *to, const void *from, size_t len, size_t room);
int fcntl64(int fd, int what, ...);
int __register_atfork(void (*before)(void), void (*parent)(void),
                      void (*child)(void), void *object);

int __snprintf_chk(char *out, size_t len, int flag, size_t room,
                   const char *format, ...)
{
    va_list args;
    int n;

    (void)flag;
    va_start(args, format);
    n = vsnprintf(out, len < room ? len : room, format, args);
    va_end(args);
    return n;
}

int __sprintf_chk(char *out, int flag, size_t room, const char *format, ...)
{
    va_list args;
    int n;

    (void)flag;
    va_start(args, format);
    n = vsnprintf(out, room, format, args);
    va_end(args);
    return n;
}

void *__memcpy_chk(void *to, const void *from, size_t len, size_t room)
{
    if (len > room)
        __builtin_trap();
    return memcpy(to, from, len);
}

/* glibc's headers compile pthread_atfork into this call. */
int __register_atfork(void (*before)(void), void (*parent)(void),
                      void (*child)(void), void *object)
{
    int (*add)(void (*)(void), void (*)(void), void (*)(void));
    void *found = dlsym(RTLD_DEFAULT, "pthread_atfork");

    (void)object;
    memcpy(&add, &found, sizeof(add));
    return found ? add(before, parent, child) : -1;
}

/* glibc's headers compile fcntl into this; musl always has large files. */
int fcntl64(int fd, int what, ...)
{
    va_list args;
    long value;

    va_start(args, what);
    value = va_arg(args, long);
    va_end(args);
    return (int)syscall(SYS_fcntl, fd, what, value);
}

/* musl has no such statistics. */
struct mallinfo2 mallinfo2(void)
{
    return (struct mallinfo2){ 0 };
}

/* musl returns free pages to the kernel itself. */
int malloc_trim(size_t keep)
{
    (void)keep;
    return 0;
}

/* musl has no symbol versions. */
void *dlvsym(void *restrict handle, const char *restrict name,
             const char *restrict version)
{
    (void)version;
    return dlsym(handle, name);
}

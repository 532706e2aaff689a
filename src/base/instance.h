/*
 * instance - the file that describes a process that serves its profiles.
 *
 * One file per process, named by its pid, in a directory that only its user can
 * write to: $XDG_RUNTIME_DIR/cpprof or /tmp/cpprof-UID. The library writes it
 * (runtime/process/registry.c); `cpprof list` reads it (launch/instances.c).
 *
 *     cpprof 1
 *     pid 4711
 *     start 8812345                      clock ticks from boot to its start
 *     ns 4026531836                      its pid namespace
 *     created 1731664000                 seconds, when it began to serve
 *     address http://127.0.0.1:6060/debug/pprof/
 *     app redis
 *     command redis-server *:6379
 *
 * The kernel reuses pids, so pid and start time together identify a process. A
 * user can write anything into a file, so a file is trusted only for processes
 * of its owner.
 */
#ifndef CP_INSTANCE_H
#define CP_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CP_INSTANCE_BYTES 2048 /* maximum bytes of a file, NUL included */
#define CP_INSTANCE_PATH                                                       \
    256 /* maximum bytes of a directory name, NUL included */

struct cp_instance {
    pid_t pid;
    uid_t owner; /* owner of the file; not part of its contents */
    uint64_t start_ticks, pid_ns;
    int64_t created_s;
    char address[256], app_id[128], command[512];
};

/*
 * Writes the contents of the file with a terminating NUL; control characters
 * become blanks.
 */
void cp_instance_format(const struct cp_instance *i,
                        char out[CP_INSTANCE_BYTES]);

/* Parses and modifies text; false if it is not an instance file. */
bool cp_instance_parse(struct cp_instance *out, char *text);

/*
 * Returns the start time of a process in clock ticks since boot; 0 if it does
 * not exist.
 */
uint64_t cp_instance_start_ticks(pid_t pid);

/* Returns the pid namespace of the calling process; 0 if unknown. */
uint64_t cp_instance_pid_ns(void);

/*
 * Whether the process with this pid and start time still exists in this pid
 * namespace.
 */
bool cp_instance_is_alive(const struct cp_instance *i);

/* Whether the file belongs to root or to the user of the process. */
bool cp_instance_is_owned(const struct cp_instance *i);

/*
 * Writes the directory below runtime_dir, or below /tmp if runtime_dir is NULL
 * or not an absolute path.
 */
void cp_instance_folder(const char *runtime_dir, uid_t uid,
                        char out[CP_INSTANCE_PATH]);

/*
 * Opens the directory, and creates it first if `create`. Returns -1 unless it
 * is a directory, not a link, that only this user (or root) can write to.
 */
int cp_instance_open_folder(const char *path, uid_t owner, bool create);

/*
 * Reads and parses a regular file of an open directory; does not follow links.
 */
bool cp_instance_read(struct cp_instance *out, int folder, const char *name);

#endif

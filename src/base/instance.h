/*
 * instance - what is written down of a program that serves its profiles.
 *
 * One small file a process, named by its number, in a folder that only its
 * user can write to: $XDG_RUNTIME_DIR/cpprof or /tmp/cpprof-UID. The library
 * writes it (runtime/process/registry.c), `cpprof list` reads it
 * (launch/instances.c).
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
 * A process number is used again; together with the start it is not. A user
 * can write anything into a file, so it counts only for processes of its owner.
 */
#ifndef CP_INSTANCE_H
#define CP_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CP_INSTANCE_BYTES 2048 /* room for any file */
#define CP_INSTANCE_PATH 256   /* room for a folder's name */

struct cp_instance {
    pid_t pid;
    uid_t owner; /* of the file; not written into it */
    uint64_t start_ticks, pid_ns;
    int64_t created_s;
    char address[256], app_id[128], command[512];
};

/* The file's text, closed by NUL; control characters become blanks. */
void cp_instance_format(const struct cp_instance *i,
                        char out[CP_INSTANCE_BYTES]);

/* False: it is not such a file. Text is changed. */
bool cp_instance_parse(struct cp_instance *out, char *text);

/* When a process began; 0: there is none of that number. */
uint64_t cp_instance_start_ticks(pid_t pid);

/* The pid namespace that we are in; 0: not known. */
uint64_t cp_instance_pid_ns(void);

/* Is it, by number and start, in this pid namespace, still there? */
bool cp_instance_is_alive(const struct cp_instance *i);

/* Does the file belong to root or to the user that the process runs as? */
bool cp_instance_is_owned(const struct cp_instance *i);

/* The folder in a runtime directory, or if that is NULL or no path in /tmp. */
void cp_instance_folder(const char *runtime_dir, uid_t uid,
                        char out[CP_INSTANCE_PATH]);

/*
 * Opens the folder; -1 unless it is a directory, no link, that only this user
 * (or root) can write to. With is_made it is made first.
 */
int cp_instance_open_folder(const char *path, uid_t owner, bool is_made);

/* Reads and parses one ordinary file of an open folder; no link is followed. */
bool cp_instance_read(struct cp_instance *out, int folder, const char *name);

#endif

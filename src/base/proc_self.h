/*
 * proc_self - the path of this process's files in /proc.
 *
 * /proc/self shows the main thread. After the main thread has exited, its files
 * are empty while other threads run; the files of the calling thread are used
 * then. Not before, because emulators (qemu-user) provide only /proc/self.
 */
#ifndef CP_PROC_SELF_H
#define CP_PROC_SELF_H

#define CP_PROC_SELF_BYTES 40

/* Writes the path of a file such as "maps" to `out` and returns it. */
const char *cp_proc_self(const char *name, char out[CP_PROC_SELF_BYTES]);

#endif

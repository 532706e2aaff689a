/*
 * proc_self - where /proc has the files of this process.
 *
 * Those in /proc/self are of its first thread. Once that has ended, they are
 * empty as long as others go on, and the calling thread's are to be read; but
 * not before, because emulators (qemu-user) make up those of /proc/self alone.
 */
#ifndef CP_PROC_SELF_H
#define CP_PROC_SELF_H

#define CP_PROC_SELF_BYTES 40

/* The path of such a file, "maps" for instance, in `out`. */
const char *cp_proc_self(const char *name, char out[CP_PROC_SELF_BYTES]);

#endif

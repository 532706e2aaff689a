/*
 * socket_file - removes the file of the unix socket at exit.
 *
 * The endpoint removes the file when it ends. If the program exits first, a
 * destructor does so, if this process created the file and it is still the same
 * inode. After a kill the next process that listens there replaces the file.
 *
 * Context: the thread that starts or ends the endpoint, and exit.
 * Locking: none.
 * Ordering: `pid` is stored last and read first.
 */
#ifndef CP_SOCKET_FILE_H
#define CP_SOCKET_FILE_H

/*
 * Records that this process listens on "unix:/path". Ignores other addresses.
 */
void cp_socket_file_own(const char *address);

/*
 * Gives up the file: a different process owns it now, or the endpoint removes
 * it. Also called in the child of a fork, which may have the same pid in a new
 * pid namespace.
 */
void cp_socket_file_disown(void);

#endif

/*
 * socket_file - the file of a socket, which is not to stay behind.
 *
 * While the program runs, whoever closes the socket removes it. If the program
 * ends first, by exit, it is removed then: by the process that made it, if it
 * is still the same file. What a killed process leaves is taken over by the
 * next one that listens there.
 */
#ifndef CP_SOCKET_FILE_H
#define CP_SOCKET_FILE_H

/* We listen there: "unix:/path"; other addresses have no file. */
void cp_socket_file_own(const char *address);

/*
 * It is another's from now on, or will be removed; also in the child of a fork,
 * which in a pod of its own may have its parent's pid.
 */
void cp_socket_file_disown(void);

#endif

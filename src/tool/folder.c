/* folder.c - see folder.h. */
#include "tool/folder.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool cp_folder_make(char *path)
{
    struct stat st;

    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0777);
        *at = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return false;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           access(path, W_OK) == 0;
}

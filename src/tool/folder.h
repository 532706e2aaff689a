/* folder - folders that are made when they are needed. */
#ifndef CP_FOLDER_H
#define CP_FOLDER_H

#include <stdbool.h>

/*
 * Makes the folder and those above it, if they are not there; path is changed
 * on the way and whole again in the end. False if it cannot be written to.
 */
bool cp_folder_make(char *path);

#endif

/* version - the version of the project, which the build defines. */
#ifndef CP_VERSION_H
#define CP_VERSION_H

#ifndef CP_VERSION
#define CP_VERSION "unknown"
#endif

#endif

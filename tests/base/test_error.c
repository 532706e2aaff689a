/* test_error.c - tests src/base/error.c. */
#include "base/error.h"

#include "check.h"

static void test_set(void)
{
    struct cp_error err = { 0 };

    CHECK_INT(cp_error_set(&err, CP_EUSAGE, "%s %d", "x", 7), CP_EUSAGE);
    CHECK_INT(err.status, CP_EUSAGE);
    CHECK_STR(err.msg, "x 7");
    CHECK_INT(cp_error_nomem(&err), CP_ENOMEM);
    CHECK_STR(err.msg, "out of memory");
}

static void test_nobody_asks(void)
{
    CHECK_INT(cp_error_set(NULL, CP_EIO, "x"), CP_EIO);
    CHECK_INT(cp_error_nomem(NULL), CP_ENOMEM);
    cp_error_prefix(NULL, "x");
}

static void test_prefix(void)
{
    struct cp_error err = { CP_EIO, "read: broken" };

    cp_error_prefix(&err, "%s: ", "file");
    CHECK_STR(err.msg, "file: read: broken");
    CHECK_INT(err.status, CP_EIO);
}

static void test_too_long_is_cut(void)
{
    struct cp_error err = { 0 };
    const size_t most = sizeof(err.msg) - 1;

    (void)cp_error_set(&err, CP_EIO, "%600d", 1);
    CHECK_INT(strlen(err.msg), most);
    cp_error_prefix(&err, "ab");
    CHECK_INT(strlen(err.msg), most);
    CHECK(strncmp(err.msg, "ab   ", 5) == 0);
    cp_error_prefix(&err, "%600d", 2);
    CHECK_INT(strlen(err.msg), most);
}

int main(void)
{
    RUN(test_set);
    RUN(test_nobody_asks);
    RUN(test_prefix);
    RUN(test_too_long_is_cut);
    return check_failures != 0;
}

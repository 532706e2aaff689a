/*
 * test_demangle_rust.c - tests src/symbol/demangle/demangle_rust.c: the edges
 * of character ranges, number sizes and back references.
 */
#include "symbol/demangle/demangle_rust.h"

#include <string.h>

#include "check.h"

static const struct {
    const char *name, *want; /* want is NULL for a malformed name */
} names[] = {
    { "", NULL },
    { "_R", NULL },
    { "RNvC1a1b", NULL },
    { "_XNvC1a1b", NULL },
    { "xRNvC1a1b", NULL },
    { "_RnvC1a1b", NULL },
    { "_RNvC1a1b", "a::b" },
    { "_RNvNvC1a1b0", "a::b" },
    { "_RNSNvC1a1bs_3foo", "a::b::{shim:foo#1}" },
    { "_RNXNvC1a1b0", "a::b::{X#0}" },
    { "_RNvMC1aNtC1a1T1f", "<a::T>::f" },
    { "_RNvC1a1bC1cx", NULL },
    { "_RINvC1a1bazE", "a::b::<i8, !>" },
    { "_RINvC1a1bgE", NULL },
    { "_RINvC1a1bRL_hE", "a::b::<&u8>" },
    { "_RINvC1a1bFK8rust_abiEuE", "a::b::<extern \"rust-abi\" fn()>" },
    { "_RINvC1a1bKc20_Kc1f_E", "a::b::<' ', '\\u{1f}'>" },
    { "_RINvC1a1bKc7e_Kc7f_E", "a::b::<'~', '\\u{7f}'>" },
    { "_RINvC1a1bKc27_Kc5c_E", "a::b::<'\\u{27}', '\\u{5c}'>" },
    { "_RINvC1a1bKjA_E", NULL },
    { "_RINvC1a1bKjg_E", NULL },
    { "_RINvC1a1bKyffffffffffffffff_E", "a::b::<18446744073709551615>" },
    { "_RINvC1a1bKo10000000000000000_E", "a::b::<0x10000000000000000>" },
    /* Back references point backwards: to b, to themselves, forwards. */
    { "_RINvC1a1bNvB2_1cE", "a::b::<a::c>" },
    { "_RINvC1a1bhB7_E", "a::b::<u8, u8>" },
    { "_RINvC1a1bB7_E", NULL },
    { "_RINvC1a1bBa_hE", NULL },
    { "_RINvC1a1bNtC1a1TDB7_EL_E", "a::b::<a::T, dyn a::T>" },
    { "_RINvC1a1bDBe_EL_NtC1a1TE", NULL },
};

static void append(const char *text, size_t len, void *context)
{
    (void)strncat(context, text, len);
}

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char out[256] = "";

        check_case(names[i].name);
        if (!cp_demangle_rust(names[i].name, append, out))
            CHECK_STR(NULL, names[i].want);
        else
            CHECK_STR(out, names[i].want);
    }
}

int main(void)
{
    RUN(test_names);
    return check_failures != 0;
}

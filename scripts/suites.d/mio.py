"""mio: every test of the Rust crate."""
from suite_lib.suite import prepare_rust, rust_units


def prepare(work):
    prepare_rust(work, work.crate("mio", "1.0.3"), "--features", "os-poll,os-ext,net", "--tests")


def units(work):
    return rust_units(work.crate("mio", "1.0.3"), timeout=600)

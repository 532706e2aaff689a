"""tokio: the integration tests of the Rust crate, with all features."""
from suite_lib.suite import prepare_rust, rust_units


def prepare(work):
    prepare_rust(work, work.crate("tokio", "1.47.1"), "--features", "full,test-util", "--test", "*")


def units(work):
    return rust_units(work.crate("tokio", "1.47.1"), timeout=600)

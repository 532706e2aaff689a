"""rayon: the tests of the Rust crate and of its thread pool."""
from suite_lib.suite import prepare_rust, rust_units

CRATES = [("rayon", "1.10.0"), ("rayon-core", "1.12.1")]


def prepare(work):
    for crate in CRATES:
        prepare_rust(work, work.crate(*crate), "--release", "--lib", "--tests")


def units(work):
    return [unit for crate in CRATES for unit in rust_units(work.crate(*crate), timeout=900)]

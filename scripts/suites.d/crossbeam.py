"""crossbeam: the tests of its channels, queues, epochs and utilities (Rust crates)."""
from suite_lib.suite import prepare_rust, rust_units

CRATES = [("crossbeam-channel", "0.5.15"), ("crossbeam-deque", "0.8.6"), ("crossbeam-epoch", "0.9.18"),
          ("crossbeam-queue", "0.3.12"), ("crossbeam-utils", "0.8.21")]


def prepare(work):
    for crate in CRATES:
        prepare_rust(work, work.crate(*crate), "--release", "--lib", "--tests")


def units(work):
    return [unit for crate in CRATES for unit in rust_units(work.crate(*crate), timeout=900)]

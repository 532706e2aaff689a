"""parking_lot: the unit tests of the Rust crate and of its core."""
from suite_lib.suite import prepare_rust, rust_units

CRATES = [("parking_lot", "0.12.3"), ("parking_lot_core", "0.9.10")]


def prepare(work):
    for crate in CRATES:
        prepare_rust(work, work.crate(*crate), "--tests")


def units(work):
    return [unit for crate in CRATES for unit in rust_units(work.crate(*crate))]

"""mio: the unit and documentation tests of the Rust crate, with cargo and rustdoc themselves."""
from suite_lib.suite import Unit, parse_rust, prepare_rust, rust_units

CRATE = ("mio", "1.0.3")
FEATURES = ["--features", "os-poll,os-ext,net"]


def prepare(work):
    prepare_rust(work, work.crate(*CRATE), *FEATURES, "--tests")
    work.run("cargo", "test", *FEATURES, "--doc", cwd=work.crate(*CRATE))


def units(work):
    command = ["cargo", "test", "--offline", *FEATURES, "--doc"]
    return [*rust_units(work.crate(*CRATE)),
            Unit("documentation", command, parse_rust, timeout=900, cwd=work.crate(*CRATE),
                 alone=lambda test: [*command, "--", test.split(" - ")[-1]])]

"""pytest_lines: a pytest plugin that writes one line a test, as soon as it is known.

To $SUITE_RESULTS: `start`, TAB, the test's id; then its outcome, TAB, its id. So a
run that hangs or dies says where."""
import os

path = os.environ["SUITE_RESULTS"]


def write(outcome, nodeid):
    with open(path, "a") as out:
        out.write(f"{outcome}\t{nodeid}\n")


def pytest_runtest_logstart(nodeid, location):
    write("start", nodeid)


def pytest_runtest_logreport(report):
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    if report.when != "call" and outcome == "failed":
        outcome = "error"
    if report.when == "call" or outcome != "passed":
        write(outcome, report.nodeid)

"""pytest_lines: a pytest plugin that writes a line at the start and end of each test.

The lines go to $SUITE_RESULTS: `start`, TAB, the test's id; then the outcome, TAB, the
id. So the file of a run that hangs or crashes shows the test."""
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

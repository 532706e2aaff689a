"""docs_fixtures: the running program and the files that documents assume."""
import os
import shutil
import subprocess

ROOT = os.path.abspath(".")

# A program with the functions that README.md and docs/reports.md name. It writes their
# files and serves until it is stopped.
SERVER = r"""
#include <cpprof.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define KEEP __attribute__((noinline, noclone))
static void *kept[400];
static volatile unsigned sum;
KEEP void work(void) { for (unsigned i = 0; i < 80000; i++) sum += i * i; }
KEEP void parse(int i) {
    for (int k = 0; k < 400; k++) {
        free(kept[k]);
        kept[k] = malloc(65536 + (size_t)i % 16);
    }
    work();
}
KEEP void server(int ms) {
    clock_t until = clock() + ms * (CLOCKS_PER_SEC / 1000);
    for (int i = 0; clock() < until; i++)
        parse(i);
}
static int create(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}
static void write_cpu(const char *path, int ms) {
    struct cpprof_profile *profile = cpprof_start("profile");
    cpprof_label_set("endpoint", "/login");
    server(ms);
    cpprof_label_clear("endpoint");
    cpprof_stop(profile, create(path));
}
int main(void) {
    while (getenv("PPROFLISTEN")) {
        server(20);
        usleep(20000);
    }
    write_cpu("cpu.pb.gz", 300);
    write_cpu("before.pb.gz", 100);
    write_cpu("after.pb.gz", 200);
    cpprof_write("heap", 0, create("heap.pb.gz"));
    return 0;
}
"""


WITH_SERVER = ["README.md", "docs/formats.md", "docs/http.md", "docs/reports.md",
               "docs/trace.md", "docs/trace-viewer.md", "docs/web.md"]

# A program that runs without the library; `PID` in a command is its process id.
RUNNING = ("python3 -c $'import time\\nwhile True: sum(range(99999)); time.sleep(0.01)' "
           "& running=$!")


def quietly(*command, where, env, **changes):
    done = subprocess.run(command, cwd=where, env=dict(env, **changes), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        print(" ".join(command), done.stdout)
    return done.returncode == 0


def make_server(where, env):
    """Builds ./server and runs it once, which writes its profiles."""
    with open(where + "/main.c", "w") as f:
        f.write(SERVER)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "cpprof"], env=env, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    quietly("gcc", "-g", "-O1", "main.c", *flags, "-o", "server", where=where, env=env)
    quietly("./server", where=where, env=env)


def make(name, where, env):
    """Makes the files of a document in its folder."""
    os.symlink(ROOT + "/examples", where + "/examples")
    for each in os.listdir(ROOT + "/examples"):
        if each.endswith((".c", ".cpp", ".rs", ".py")):
            shutil.copy(f"{ROOT}/examples/{each}", where)
    if name in WITH_SERVER:
        os.remove(where + "/server.c")
        make_server(where, env)
    if name == "docs/reports.md":
        make_files(where)


def make_files(where):
    """Makes the files that docs/reports.md names."""
    dumps = ROOT + "/tests/cli/dumps/"
    os.makedirs(where + "/day")
    for source, copy in [("cpu.pb.gz", "x.pb.gz"), ("cpu.pb.gz", "cpu.prof"),
                         ("before.pb.gz", "day/1.pb.gz"), ("after.pb.gz", "day/2.pb.gz"),
                         (dumps + "first.heap", "jeprof.1.heap"),
                         (dumps + "last.heap", "jeprof.9.heap")]:
        shutil.copy(os.path.join(where, source), os.path.join(where, copy))


def first(name, where):
    """Commands to run before those of the document, with their output."""
    if name == "README.md":
        return [(RUNNING, [])]
    if name == "docs/reports.md":
        return [(f"PPROFLISTEN=unix:{where}/app.sock ./server &", ["profiles at"])]
    return []

# Shortcuts for Meson and the scripts; `make help` lists the targets.
#
# On Debian 12 each target first installs the packages that it needs (scripts/deps).

FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 1800
PREFIX ?= /usr/local
BENCH_ARGS ?=
SUITES_ARGS ?=
MUTANTS_ARGS ?=
SOURCES = $(shell find include src tests fuzz bench examples packaging -name '*.[ch]')

all: ## build into build/ (build/cpprof, build/pprof, build/jeprof)
	@scripts/deps build
	@scripts/build gcc

demo: all ## profile a server under load: CPU, memory, locks, a flame graph
	@scripts/demo

test: ## build, run all tests and checks, print the counts
	@scripts/deps build test
	@scripts/run_tests

test-docs: all ## run all commands of README.md and docs/, with the slow ones
	@scripts/deps build test
	@DOCS_SLOW=1 tests/cli/docs build/pprof

harm: all ## test that a profiled program behaves like an unprofiled one
	@scripts/deps build test
	@meson test -C build --no-rebuild --print-errorlogs --suite harm

equal: all ## make every blocking call 1,000 times under every profile: half an hour
	@scripts/deps build test
	@EQUAL_FULL=1 tests/harm/equal build/pprof

kernel-test: all ## run tests/harm/equal on another kernel, in a virtual machine; KERNEL=package
	@scripts/deps build test kernel-test
	@scripts/kernel_test

golden: all ## update tests/golden/; review the diff before you commit it
	@scripts/golden

bench: all ## compare speed with other tools; BENCH_ARGS=--quick for a short run
	@scripts/deps build bench
	@scripts/build gcc bench/floor bench/gen_profile bench/meter
	@bench/reports.py $(BENCH_ARGS)
	@bench/jeprof.py $(BENCH_ARGS)
	@bench/imports.py
	@bench/symbolize.py $(BENCH_ARGS)
	@bench/symbols.py $(BENCH_ARGS)
	@node bench/web.mjs $(BENCH_ARGS)
	@bench/traces.py $(BENCH_ARGS)

bench-runtime: all ## measure the overhead of the library, also of gperftools and libunwind
	@scripts/deps build bench-runtime
	@scripts/build gcc bench/beside bench/burn bench/churn bench/hooks bench/libidle_thread.so bench/locks \
		bench/pairs bench/sample bench/stall bench/toggle bench/trace_known bench/trace_work bench/unwind \
		tests/stress tests/libplugin.so tests/libthrower.so
	@bench/runtime.py $(BENCH_ARGS)
	@bench/heap.py $(BENCH_ARGS)
	@bench/hooks.py
	@bench/locks.py $(BENCH_ARGS)
	@bench/postgres_locks.py $(BENCH_ARGS)
	@bench/trace.py $(BENCH_ARGS)
	@bench/trace_known.py $(BENCH_ARGS)

fuzz: ## run each fuzz target for FUZZ_SECONDS (60); FUZZ=name for one of them
	@scripts/deps build fuzz
	@scripts/build fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

soak: all ## run the library's stress program for SOAK_SECONDS (1800)
	@scripts/deps build test
	@scripts/soak $(SOAK_SECONDS)

attach-soak: all ## attach to a redis under load, 100 times
	@scripts/deps build test
	@scripts/attach_soak

field: all ## profile real programs, compare with perf: an hour; FIELD=script
	@scripts/deps build field
	@for script in $(or $(FIELD),unwind_corpus real_programs truth); do \
		scripts/$$script || exit 1; done

suites: all ## run test suites of other projects with and without the library: two hours
	@scripts/deps build suites
	@nice -n 15 scripts/suites $(SUITES_ARGS)

mutants: ## change random tokens and count which tests notice; MUTANTS_ARGS
	@scripts/deps build test
	@nice scripts/mutants $(MUTANTS_ARGS)

asan ubsan tsan: ## build with that sanitizer in build-<target>/ and run the tests
	@scripts/deps build test
	@scripts/build $@
	@meson test -C build-$@ --no-rebuild --print-errorlogs --no-suite check

clang: ## build with clang in build-clang/; warnings are errors
	@scripts/deps build test
	@scripts/build clang

format: ## reformat the C sources in place
	@scripts/deps test
	@clang-format -i $(SOURCES)

install: ## install under PREFIX (/usr/local), staged in DESTDIR
	@scripts/deps build
	@PREFIX="$(PREFIX)" scripts/build gcc
	@DESTDIR="$(DESTDIR)" meson install -C build --no-rebuild --quiet
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall: ## remove the installed files; same PREFIX and DESTDIR
	@PREFIX="$(PREFIX)" scripts/build gcc build.ninja
	@scripts/uninstall build "$(DESTDIR)"

dist: ## pack the last commit into build/cpprof-VERSION.tar.gz
	@scripts/dist

deb: ## build Debian packages in build/deb/ and run lintian
	@scripts/deps build deb
	@scripts/deb

deb-test: deb ## install, use and purge the packages in a new Debian root (as root)
	@scripts/deps deb-test
	@scripts/deb_test

image-test: ## run packaging/Containerfile in a Debian root (after deb-test)
	@scripts/image_test

kube-test: ## test packaging/kubernetes with a real Kubernetes API server
	@scripts/deps kube-test
	@scripts/kube_test

clean: ## remove all build folders
	@rm -rf build build-*

help: ## print this list
	@sed -n 's/^\([a-z -]*\):[a-z ]*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

.PHONY: all demo test test-docs harm equal kernel-test golden bench bench-runtime fuzz soak attach-soak field suites mutants asan \
	ubsan tsan clang format install uninstall dist deb deb-test image-test kube-test clean help

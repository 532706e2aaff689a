# The words of the house; `make help` lists them. Meson does the building.
#
# Every word first installs what it lacks on Debian 12 (scripts/deps).

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

demo: all ## a server under load: its CPU, memory, locks, and a flame graph
	@scripts/demo

test: ## build, run every test and check; ends with the counts
	@scripts/deps build test
	@scripts/run_tests

test-docs: all ## type everything in README.md and docs/, the slow parts too
	@scripts/deps build test
	@DOCS_SLOW=1 tests/cli/docs build/pprof

harm: all ## the tests that a watched program behaves as an unwatched one
	@scripts/deps build test
	@meson test -C build --no-rebuild --print-errorlogs --suite harm

equal: all ## every blocking call 1,000 times with every kind of profile: half an hour
	@scripts/deps build test
	@EQUAL_FULL=1 tests/harm/equal build/pprof

kernel-test: all ## tests/harm/equal on another kernel, in a virtual machine; KERNEL=package
	@scripts/deps build test kernel-test
	@scripts/kernel_test

golden: all ## write tests/golden/ anew; read the difference before keeping it
	@scripts/golden

bench: all ## compare with the peers; BENCH_ARGS=--quick for a short run
	@scripts/deps build bench
	@scripts/build gcc bench/floor bench/gen_profile bench/meter
	@bench/reports.py $(BENCH_ARGS)
	@bench/jeprof.py $(BENCH_ARGS)
	@bench/imports.py
	@bench/symbolize.py $(BENCH_ARGS)
	@bench/symbols.py $(BENCH_ARGS)
	@node bench/web.mjs $(BENCH_ARGS)
	@bench/traces.py $(BENCH_ARGS)

bench-runtime: all ## what the library costs, beside gperftools and libunwind
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

fuzz: ## fuzz each target for FUZZ_SECONDS (60); FUZZ=name for one of them
	@scripts/deps build fuzz
	@scripts/build fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

soak: all ## run the library's stress program for SOAK_SECONDS (1800)
	@scripts/deps build test
	@scripts/soak $(SOAK_SECONDS)

attach-soak: all ## attach to a redis under load, 100 times
	@scripts/deps build test
	@scripts/attach_soak

field: all ## the library in other people's programs, for an hour; FIELD=script
	@scripts/deps build field
	@for script in $(or $(FIELD),unwind_corpus real_programs truth); do \
		scripts/$$script || exit 1; done

suites: all ## other projects' test suites, with and without the library; up to two hours
	@scripts/deps build suites
	@nice -n 15 scripts/suites $(SUITES_ARGS)

mutants: ## change random tokens and count which tests notice; MUTANTS_ARGS
	@scripts/deps build test
	@nice scripts/mutants $(MUTANTS_ARGS)

asan ubsan tsan: ## build with that sanitizer in build-<word>/ and run the tests
	@scripts/deps build test
	@scripts/build $@
	@meson test -C build-$@ --no-rebuild --print-errorlogs --no-suite check

clang: ## build with clang in build-clang/, warnings are errors
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

uninstall: ## remove what install puts there; same PREFIX and DESTDIR
	@PREFIX="$(PREFIX)" scripts/build gcc build.ninja
	@scripts/uninstall build "$(DESTDIR)"

dist: ## the sources of the last commit as build/cpprof-VERSION.tar.gz
	@scripts/dist

deb: ## Debian packages in build/deb/, checked by lintian
	@scripts/deps build deb
	@scripts/deb

deb-test: deb ## install, use and purge them in a fresh Debian root (as root)
	@scripts/deps deb-test
	@scripts/deb_test

image-test: ## run packaging/Containerfile in a Debian root (after deb-test)
	@scripts/image_test

kube-test: ## packaging/kubernetes against a real Kubernetes API server
	@scripts/deps kube-test
	@scripts/kube_test

clean: ## remove what was built
	@rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z -]*\):[a-z ]*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

.PHONY: all demo test test-docs harm equal kernel-test golden bench bench-runtime fuzz soak attach-soak field suites mutants asan \
	ubsan tsan clang format install uninstall dist deb deb-test image-test kube-test clean help

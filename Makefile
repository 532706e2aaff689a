# The words of the house; `make help` lists them. Meson does the building.
#
# Every word first installs what it lacks on Debian 12 (scripts/deps).

FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 1800
PREFIX ?= /usr/local
BENCH_ARGS ?=
SOURCES = $(wildcard include/*.h src/*/*.[ch] tests/*.[ch] tests/*/*.[ch] fuzz/*.[ch] \
                     bench/*.[ch])

all: ## build into build/ (build/cpprof, build/pprof, build/jeprof)
	@scripts/deps build
	@scripts/build gcc

demo: all ## print a report of a profile in examples/
	@scripts/demo

test: ## build, run every test and check; ends with the counts
	@scripts/deps build test
	@scripts/run_tests

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

bench-runtime: all ## what the library costs, beside gperftools and libunwind
	@scripts/deps build bench-runtime
	@scripts/build gcc bench/burn bench/churn bench/pairs bench/sample bench/stall \
		bench/unwind
	@bench/runtime.py $(BENCH_ARGS)
	@bench/heap.py $(BENCH_ARGS)

fuzz: ## fuzz each target for FUZZ_SECONDS (60); FUZZ=name for one of them
	@scripts/deps build fuzz
	@scripts/build fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

soak: all ## run the library's stress program for SOAK_SECONDS (1800)
	@PLUGIN=build/tests/libplugin.so CPPROF=cpu_hz:250,heap_interval:4096 \
		build/tests/stress $(SOAK_SECONDS)

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

clean: ## remove what was built
	@rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z -]*\):[a-z ]*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

.PHONY: all demo test golden bench bench-runtime fuzz soak asan ubsan tsan clang format install clean help

# SPDX-License-Identifier: GPL-2.0
#
# Everything from the top: `make help` lists the targets.

MAKEFLAGS += --no-print-directory

# Under kbuild this file is not read: it finds Kbuild beside it.
TOP := $(CURDIR)
BUILD := $(TOP)/build
export TOP BUILD

# Headers to build the module against.  The default, what scripts/kernel-dir
# prints, is looked up when first needed: `make check` may install it.
ifdef KERNEL_SRC
KDIR ?= $(KERNEL_SRC)
endif
ifdef KDIR
export KDIR
headers = $(KDIR)
else
headers = $(shell scripts/kernel-dir)
endif
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(headers)/include/generated/utsrelease.h)

# Without the kernel's own image there is no type information to add to, and
# kbuild says so every time.
no_btf = $(if $(wildcard $(headers)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=)

prefix ?= /usr/local
DESTDIR ?=
libdir ?= $(prefix)/lib
unitdir ?= $(prefix)/lib/systemd/system
export prefix libdir unitdir DESTDIR

# Jobs at a time: of the test runner, and of the builds before it where make
# itself was not told.
JOBS ?= 2
parallel = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: all
all: module tools ## Build the module and the tools (the default)

.PHONY: module
module: ## Build flitcast.ko; KDIR= names the kernel headers, W=1 and C=1 pass on
	@$(MAKE) -C $(headers) M=$(TOP) $(no_btf) modules

.PHONY: tools
tools: ## Build build/bin/{flitcast,flitcast-sim} and build/lib/libflitcast.*
	@$(MAKE) -C userspace

# Each directory of tests builds its own programs into build/.
test_dirs := $(patsubst %/Makefile,%,$(wildcard selftests/*/Makefile))

.PHONY: tests $(test_dirs)
tests: $(test_dirs) ## Build the programs of the tests

selftests/core selftests/site: goal = complete

$(test_dirs): tools
	@$(MAKE) -C $@ $(goal)

.PHONY: deps
deps: ## Install the packages that building and testing need
	@scripts/deps build check bench lint docs

# All is fetched before anything is built: where the archive no longer has the image of the installed
# headers, fetching brings newer headers.  Other architectures are for the sets that test them.
check: purposes = arch
soak: purposes = arch arm64

.PHONY: prepare
prepare:
	@scripts/prepare $(purposes)
	@$(MAKE) $(parallel) all
	@$(MAKE) $(parallel) tests

# The module for kernels in the cache that make check boots besides Debian's own.  rig/debug and rig/kernels
# build it, too, and tell what fails.
.PHONY: other-modules
other-modules: prepare
	@if selftests/vm/kernel-debug --check >/dev/null; then \
		selftests/vm/kernel-debug >/dev/null && selftests/vm/kernel-debug --kunit >/dev/null; fi || :
	@if selftests/vm/kernel-suite --check sid >/dev/null; then selftests/vm/kernel-suite sid >/dev/null; fi || :

.PHONY: check
check: prepare other-modules ## Run every test; ends with: N passed, N failed, N skipped
	@selftests/run -j $(JOBS) check

.PHONY: check-fast
check-fast: prepare ## Run the tests that need no guest: units, models, documents
	@selftests/run -j $(JOBS) fast

.PHONY: soak
soak: prepare ## Run every test and the long ones; MINUTES=n: these share n minutes
	@MINUTES="$(MINUTES)" selftests/run -j $(JOBS) soak

.PHONY: debug-kernel
debug-kernel: ## Build the kernels of check-debug; make check then uses the first (40 minutes, 3 GB)
	@scripts/deps build check debug
	@selftests/vm/kernel-debug --kernel
	@selftests/vm/kernel-debug --race --kernel

.PHONY: check-debug
check-debug: prepare ## Run the guests' tests on a kernel with KASAN, lockdep, kmemleak, and on one with KCSAN
	@selftests/vm/kernel-debug >/dev/null
	@selftests/vm/kernel-debug --race >/dev/null
	@status=0; \
	selftests/run -g -j $(JOBS) check 'net/*' 'sock/*' 'fuzz/*' || status=1; \
	selftests/run -r -j $(JOBS) check 'net/*' 'sock/*' || status=1; \
	exit $$status

.PHONY: check-kernels
check-kernels: prepare ## Build for 6.1, 6.12, 7.2 and 7.2 with PREEMPT_RT, and run some guests' tests on each
	@selftests/vm/check-kernels -a

.PHONY: explore
explore: ## Every state of small networks: two hours, 12 GiB; in check it takes a minute and a half
	@scripts/deps build check
	@$(MAKE) -C selftests/core COMPILERS=gcc explorer
	@build/selftests/core/explore --file selftests/core/explore.check \
		--file selftests/core/explore.hour --rows

SECONDS ?= 60

.PHONY: fuzz
fuzz: ## Fuzz the protocol core for SECONDS=60; what it finds stays in build/fuzz
	@scripts/deps build check
	@$(MAKE) $(parallel) -C selftests/core fuzzers
	@selftests/core/fuzz "$(SECONDS)"

.PHONY: fuzz-kernel
fuzz-kernel: ## Fuzz the calls of the module in a guest for SECONDS=60; finds stay in build/fuzz
	@scripts/deps build check debug
	@$(MAKE) $(parallel) tools
	@$(MAKE) $(parallel) selftests/sock
	@selftests/fuzz/kernel "$(SECONDS)"

.PHONY: demo
demo: ## Multicast over a 4x4 torus of namespaces, in a guest (NATIVE=1: here)
	@scripts/deps build demo
	@[ -n "$(NATIVE)" ] || selftests/vm/kernel >/dev/null
	@$(MAKE) $(parallel) all
	@scripts/demo

.PHONY: shell
shell: ## Open a shell in a guest with the module loaded, to try things out
	@scripts/deps build demo
	@selftests/vm/kernel >/dev/null
	@$(MAKE) $(parallel) all
	@scripts/shell

.PHONY: bench
bench: ## Measure beside peers, every figure of Documentation/performance.rst; build/*.json
	@scripts/deps build bench
	@selftests/vm/kernel >/dev/null
	@$(MAKE) $(parallel) all
	@selftests/bench/all

.PHONY: bench-check
bench-check: ## Count the instructions of the main paths; more than 3 % from selftests/bench/baseline fails
	@scripts/deps build bench
	@selftests/vm/kernel >/dev/null
	@$(MAKE) $(parallel) all
	@selftests/bench/check

.PHONY: lint
lint: ## checkpatch, sparse, warnings, layers, shape, shellcheck
	@scripts/deps build lint
	@scripts/lint

.PHONY: docs
docs: ## Check the documents and render them into build/doc
	@scripts/deps docs
	@scripts/docs

.PHONY: install
install: all ## Install the module, tools, library, headers, manual pages and the systemd unit
	@RELEASE="$(release)" scripts/install module tools

.PHONY: install-tools
install-tools: tools ## Install all but the module
	@scripts/install tools

.PHONY: uninstall
uninstall: ## Remove what install put in place, with the same DESTDIR and prefix
	@RELEASE="$(release)" scripts/install --uninstall module tools

.PHONY: deb
deb: ## Build Debian packages into build/deb
	@scripts/deps deb
	@packaging/build-deb

.PHONY: rpm
rpm: ## Build RPM packages into build/rpm
	@scripts/deps rpm
	@packaging/build-rpm

.PHONY: clean
clean: ## Remove everything built; the cache of kernels stays
	@[ ! -e $(headers)/Makefile ] || $(MAKE) -C $(headers) M=$(TOP) clean
	@$(RM) -r build

.PHONY: help
help: ## Print this
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(TOP)/Makefile | expand -t 14
	@echo "Variables:"
	@echo "  KDIR=DIR    headers to build against (or KERNEL_SRC=); now:"
	@echo "              $(headers)"
	@echo "  DESTDIR=, prefix=$(prefix)   where install puts things"
	@echo "  JOBS=N      tests at a time (default 2)"
	@echo "  MINUTES=N   how long to soak (default: hours)"
	@echo "  SECONDS=N   how long to fuzz (default 60)"
	@echo "  NATIVE=1    run guest tests and the demo on this very machine, as root"
	@echo "  FLITCAST_CACHE=DIR   kernels for the guests (default ~/.cache/flitcast)"

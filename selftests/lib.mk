# SPDX-License-Identifier: GPL-2.0
#
# kselftest's lib.mk, of the kernel's source package.  In a kernel tree its own takes the place of
# this file.

selftests := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))
kselftest := $(or $(shell $(selftests)/../scripts/kernel-source),$(error no kselftest))/tools/testing/selftests

# The runner looks for settings below the directory that has lib.mk, and for its own parts there.
links := kselftest run_kselftest.sh kselftest.h kselftest_harness.h
$(foreach name,$(links),$(if $(filter $(realpath $(selftests)/$(name)),$(realpath $(kselftest)/$(name))),,\
	$(shell ln -sfn $(kselftest)/$(name) $(selftests)/$(name))))
override selfdir := $(selftests)

OUTPUT ?= $(realpath $(selftests)/..)/build/selftests/$(notdir $(CURDIR))
$(shell mkdir -p $(OUTPUT))

include $(kselftest)/lib.mk

# Files of other directories that tests read, where they expect them.
ifdef TEST_INCLUDES
.PHONY: install_includes
install: install_includes
install_includes:
	mkdir -p $(INSTALL_PATH)
	cd $(INSTALL_PATH) && mkdir -p $(dir $(TEST_INCLUDES))
	$(foreach file,$(TEST_INCLUDES),rsync -a --copy-unsafe-links $(file) $(INSTALL_PATH)/$(dir $(file)) &&) :
endif

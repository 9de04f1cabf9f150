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

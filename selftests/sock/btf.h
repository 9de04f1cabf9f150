/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the kernel's types from its BTF, for tests that look inside.
 */
#ifndef SELFTESTS_SOCK_BTF_H
#define SELFTESTS_SOCK_BTF_H

#include <stdint.h>

/* Bytes from the beginning of struct @name to its member, also in unnamed ones; -1: none. */
int btf_member(const char *name, const char *member);

/* The number of function @name, or -1. */
int btf_function(const char *name);

#endif /* SELFTESTS_SOCK_BTF_H */

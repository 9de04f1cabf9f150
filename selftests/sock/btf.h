/* SPDX-License-Identifier: GPL-2.0 */
/* Layout of the kernel's types from its BTF, for tests that read kernel structures. */
#ifndef SELFTESTS_SOCK_BTF_H
#define SELFTESTS_SOCK_BTF_H

#include <stdint.h>

/* Offset in bytes of a member of struct @name, also of one in unnamed structs; -1: not found. */
int btf_member(const char *name, const char *member);

/* BTF id of function @name, or -1. */
int btf_function(const char *name);

#endif /* SELFTESTS_SOCK_BTF_H */

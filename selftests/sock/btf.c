// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <linux/btf.h>
#include "btf.h"

#define VMLINUX	"/sys/kernel/btf/vmlinux"

/* All types, by number from 1 on, and their names. */
static const struct btf_type **types;
static uint32_t ntypes;
static const char *names;

/* Bytes of the data that follows a struct btf_type. */
static size_t rest_of(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	}
	return 0;
}

static bool load(void)
{
	int fd = open(VMLINUX, O_RDONLY | O_CLOEXEC);
	const struct btf_header *head;
	size_t have = 0, at = 0;
	struct stat stat;
	char *all = NULL;
	ssize_t n;

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat))
		all = malloc(stat.st_size);
	while (all && (n = read(fd, all + have, stat.st_size - have)) > 0)
		have += n;
	close(fd);
	head = (const void *)all;
	if (have < sizeof(*head) || head->magic != BTF_MAGIC)
		return false;
	all += head->hdr_len;
	names = all + head->str_off;
	types = calloc(head->type_len / sizeof(struct btf_type) + 1, sizeof(*types));
	while (types && at < head->type_len) {
		const struct btf_type *t = (const void *)(all + head->type_off + at);

		types[++ntypes] = t;
		at += sizeof(*t) + rest_of(t);
	}
	return types;
}

static int find(const char *name, uint32_t kind)
{
	uint32_t i;

	if (!types && !load())
		return -1;
	for (i = 1; i <= ntypes; i++)
		if (BTF_INFO_KIND(types[i]->info) == kind &&
		    !strcmp(names + types[i]->name_off, name))
			return (int)i;
	return -1;
}

static int member_of(const struct btf_type *t, const char *member)
{
	const struct btf_member *m = (const void *)(t + 1);
	uint32_t i, kind = BTF_INFO_KIND(t->info);

	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION)
		return -1;
	for (i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		int off = (int)BTF_MEMBER_BIT_OFFSET(m[i].offset) / 8, in;

		if (!strcmp(names + m[i].name_off, member))
			return off;
		in = m[i].name_off ? -1 : member_of(types[m[i].type], member);
		if (in >= 0)
			return off + in;
	}
	return -1;
}

int btf_member(const char *name, const char *member)
{
	int i = find(name, BTF_KIND_STRUCT);

	return i < 0 ? -1 : member_of(types[i], member);
}

int btf_function(const char *name)
{
	return find(name, BTF_KIND_FUNC);
}

// SPDX-License-Identifier: GPL-2.0
#include "core/topo/topo.h"
#include "core/topo/text.h"

const struct fc_topo_ops *const fc_topo_registry[] = {
#define X(kind) &fc_topo_##kind,
	FC_TOPO_KINDS(X)
#undef X
};

const unsigned int fc_topo_registry_size = FC_ARRAY_SIZE(fc_topo_registry);

const char *fc_topo_parse(struct fc_topo *topo, const char *spec)
{
	struct fc_topo parsed;
	const char *wrong;
	unsigned int i;
	size_t kind = 0;

	while (spec[kind] && spec[kind] != ':')
		kind++;
	if (!spec[kind])
		return "a topology is KIND:SIZE, such as " FC_TOPO_EXAMPLES;
	for (i = 0; i < fc_topo_registry_size; i++) {
		const struct fc_topo_ops *ops = fc_topo_registry[i];

		if (fc_topo_text_length(ops->name) != kind || memcmp(ops->name, spec, kind))
			continue;
		memset(&parsed, 0, sizeof(parsed));
		parsed.ops = ops;
		wrong = ops->parse(&parsed, spec + kind + 1);
		if (!wrong)
			*topo = parsed;
		return wrong;
	}
	return "unknown kind of topology: there are " FC_TOPO_EXAMPLES;
}

void fc_topo_print(const struct fc_topo *topo, char buf[FC_SPEC_MAX])
{
	size_t n = fc_topo_text_length(topo->ops->name);

	memcpy(buf, topo->ops->name, n);
	buf[n++] = ':';
	topo->ops->print(topo, buf + n, FC_SPEC_MAX - n);
}

u32 fc_topo_hash(const struct fc_topo *topo)
{
	/* FNV-1a: offset basis and prime of its 32-bit form. */
	u32 hash = 2166136261U;
	char spec[FC_SPEC_MAX];
	const char *p;

	fc_topo_print(topo, spec);
	for (p = spec; *p; p++)
		hash = (hash ^ (u8)*p) * 16777619U;
	return hash;
}

int fc_topo_dir_parse(const struct fc_topo *topo, const char *name)
{
	size_t n = fc_topo_text_length(name);
	char known[8];
	int dir;

	for (dir = 0; dir < topo->ndirs; dir++) {
		topo->ops->dir_name(topo, (u8)dir, known);
		if (fc_topo_text_length(known) == n && !memcmp(known, name, n))
			return dir;
	}
	return -1;
}

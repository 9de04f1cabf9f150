// SPDX-License-Identifier: GPL-2.0
#include "core/bcast/path.h"

static u32 rank(const struct fc_path_entry *w)
{
	return (u32)w->in << 24 | (u32)w->in_label << 16 | (u32)w->out << 8 | w->out_label;
}

static bool is_neighbour(const struct fc_topo *topo, u32 site, u8 port)
{
	return port && fc_topo_neighbour(topo, site, port - 1) != FC_SITE_NONE;
}

static const char *check_one(const struct fc_topo *topo, u32 site, u32 source,
			     const struct fc_path_entry *w)
{
	if (w->in_label >= FC_LABELS_MAX || w->out_label >= FC_LABELS_MAX)
		return "labels are 0 to 7";
	if (site == source && (w->in || w->in_label || !w->out))
		return "at its source a broadcast does not come in, and is no copy";
	if (site != source && !is_neighbour(topo, site, w->in))
		return "no neighbour on a port by which a packet is to come";
	if (!w->out)
		return w->out_label ? "a copy goes on nowhere, and has no label for that" : NULL;
	if (!is_neighbour(topo, site, w->out))
		return "no neighbour on a port by which a packet is to go on";
	if (w->out == w->in)
		return "a packet would go back";
	if (fc_topo_neighbour(topo, site, w->out - 1) == source)
		return "a packet would go to its source";
	return NULL;
}

static unsigned int count(u32 ports)
{
	unsigned int n = 0;

	for (; ports; ports &= ports - 1)
		n++;
	return n;
}

const char *fc_path_check(const struct fc_topo *topo, u32 site, u32 source, u32 copies,
			  const struct fc_path_entry *entry, u32 n)
{
	/* By port, labels of what goes out. */
	u8 labels[FC_PORTS_MAX] = { 0 };
	u32 here = 0, begun = 0, i;
	const char *wrong;

	static_assert(FC_LABELS_MAX == 8 && FC_PATH_COPIES_MIN == 2 && FC_PATH_COPIES_MAX == 6 &&
		      FC_PATH_ENTRIES_MAX == 256, "named in the texts");
	if (site >= topo->nsites || source >= topo->nsites)
		return "the topology has no such source";
	if (copies < FC_PATH_COPIES_MIN || copies > FC_PATH_COPIES_MAX)
		return "path entries are for 2 to 6 copies";
	if (!n || n > FC_PATH_ENTRIES_MAX)
		return "a source has 1 to 256 path entries at a site";
	for (i = 0; i < n; i++) {
		const struct fc_path_entry *w = &entry[i];

		wrong = check_one(topo, site, source, w);
		if (wrong)
			return wrong;
		if (i && rank(w - 1) >= rank(w))
			return "the path entries are not in strictly ascending order";
		if (!w->out) {
			if (here & fc_bit(w->in))
				return "two copies would come by one port";
			here |= fc_bit(w->in);
			continue;
		}
		if (labels[w->out] >> w->out_label & 1)
			return "two packets would leave by one port with one label";
		labels[w->out] |= (u8)(1U << w->out_label);
		begun |= fc_bit(w->out);
	}
	if (site == source)
		return count(begun) < copies ? "it begins on fewer ports than there are copies" :
					       NULL;
	return count(here) == copies ? NULL : "another number of copies than there are";
}

u32 fc_path_next(const struct fc_path_entry *entry, u32 n, u8 in, u8 label)
{
	u32 mask = 0, i;

	for (i = 0; i < n; i++)
		if (entry[i].in == in && entry[i].in_label == label)
			mask |= fc_bit(entry[i].out);
	return mask;
}

u8 fc_path_label(const struct fc_path_entry *entry, u32 n, u8 in, u8 label, u8 out)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (entry[i].in == in && entry[i].in_label == label && entry[i].out == out)
			return entry[i].out_label;
	return 0;
}

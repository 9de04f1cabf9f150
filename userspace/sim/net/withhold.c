// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that a site withholds.
 */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "option.h"
#include "withhold.h"
#include "base/output.h"
#include "core/csr/wire_csr.h"

/* Kinds of frames. */
enum withhold_kind {
	WITHHOLD_ACKS,		/* acks stay as they are; the frames that carry them are sent */
	WITHHOLD_REST,		/* flits of a packet behind its front */
	WITHHOLD_FLITS,
	WITHHOLD_STATUSES,
	WITHHOLD_ANSWERS,	/* mode csr: frames but probes */
	WITHHOLD_ALL,
	WITHHOLD_COUNT
};

static const char *const names[WITHHOLD_COUNT] = {
	[WITHHOLD_ACKS] = "acks", [WITHHOLD_REST] = "rest", [WITHHOLD_FLITS] = "flits",
	[WITHHOLD_STATUSES] = "statuses", [WITHHOLD_ANSWERS] = "answers", [WITHHOLD_ALL] = "all",
};

/**
 * struct frozen - the ack of a channel of a link that its site sends for ever
 * @ack: the ack
 * @epoch: life of the link
 * @set: the site has sent an ack since the time
 */
struct frozen {
	u32 ack;
	u8 epoch;
	bool set;
};

static struct {
	u32 site;
	u32 kinds;		/* bitmap of enum withhold_kind */
	u64 from;
	u64 count;
	const char *text;
	const struct port *first;	/* of its ports */
	struct frozen frozen[FC_PORTS_MAX][FC_VC_COUNT];
} withhold;

static bool withholds(enum withhold_kind kind)
{
	return withhold.kinds & fc_bit(kind);
}

/* Parse the name of a kind.  Return: false if there is none; *@text: behind it. */
static bool take_kind(const char **text)
{
	size_t len = strcspn(*text, ",@");

	for (u32 kind = 0; kind < WITHHOLD_COUNT; kind++) {
		if (strlen(names[kind]) != len || strncmp(*text, names[kind], len))
			continue;
		withhold.kinds |= fc_bit(kind);
		*text += len;
		return true;
	}
	return false;
}

const char *withhold_set(const char *text)
{
	static const char wrong[] =
		"must be SITE:WHAT[,WHAT]...@CYCLE: acks, rest, flits, statuses, answers, all";
	const char *end = text;
	u64 site;

	withhold.kinds = 0;
	if (!option_number(text, FC_SITE_NONE - 1, &site, &end) || *end != ':')
		return wrong;
	do {
		end++;
		if (!take_kind(&end))
			return wrong;
	} while (*end == ',');
	if (*end != '@' || !option_number(end + 1, (u64)1 << 40, &withhold.from, &end) || *end)
		return wrong;
	withhold.site = (u32)site;
	withhold.text = text;
	return NULL;
}

const char *withhold_check(const struct fc_topo *topo)
{
	if (!withhold.kinds)
		return NULL;
	if (withhold.site >= topo->nsites)
		return "the network has no such site";
	return fail_watch(topo, withhold.site) ? NULL : "the site has too many links";
}

bool withhold_any(void)
{
	return withhold.kinds;
}

void withhold_init(struct sim *sim)
{
	struct node *node;

	if (!withhold.kinds)
		return;
	node = sim_node(sim, withhold.site);
	withhold.first = node->port;
	for (u8 p = 1; p < node->shared.nports; p++)
		node->port[p].withholds = true;
}

/* In a new life of the link the site has consumed nothing yet. */
static void freeze(const struct port *link, struct fc_link_hdr *header)
{
	struct frozen *frozen = &withhold.frozen[link - withhold.first][header->vc];

	if (!frozen->set || frozen->epoch != link->epoch)
		*frozen = (struct frozen){
			.ack = frozen->set ? 0 : header->ack, .epoch = link->epoch, .set = true,
		};
	withhold.count += header->ack != frozen->ack;
	header->ack = frozen->ack;
}

static bool is_answer(const struct frame *frame)
{
	struct fc_csr_frame csr;

	return fc_wire_csr_decode(&csr, frame->payload, frame->size) &&
	       csr.msg.type != FC_CSR_PROBE;
}

/* Does a frame vanish? */
static bool vanishes(const struct fc_link_hdr *header, const struct frame *frame)
{
	if (withholds(WITHHOLD_ALL))
		return true;
	switch ((enum fc_frame)header->type) {
	case FC_FRAME_FLIT:
		return withholds(WITHHOLD_FLITS) ||
		       (withholds(WITHHOLD_REST) && !(header->flags & FC_PART_HEAD));
	case FC_FRAME_STATUS:
		return withholds(WITHHOLD_STATUSES);
	case FC_FRAME_CSR:
		return withholds(WITHHOLD_ANSWERS) && is_answer(frame);
	case FC_FRAME_CTRL:
	case FC_FRAME_FAULTS:
	case FC_FRAME_HELLO:
		break;
	}
	return false;
}

bool withhold_passes(const struct sim *sim, const struct port *link, struct fc_link_hdr *header,
		     const struct frame *frame)
{
	if (sim->now < withhold.from)
		return true;
	if (vanishes(header, frame)) {
		withhold.count++;
		return false;
	}
	if (withholds(WITHHOLD_ACKS) &&
	    (header->type == FC_FRAME_FLIT || header->type == FC_FRAME_STATUS))
		freeze(link, header);
	return true;
}

void withhold_report(void)
{
	if (withhold.kinds)
		output_text("withhold", withhold.text);
}

u64 withhold_count(void)
{
	return withhold.count;
}

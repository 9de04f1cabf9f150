// SPDX-License-Identifier: GPL-2.0
/*
 * Description of a world's state as text.
 */
#include <stdio.h>

#include "world_impl.h"

void world_print_content(u8 id, char *text, size_t size)
{
	const struct content *c = content_of(id);
	int n;

	if (!id) {
		snprintf(text, size, ":abort-packet");
		return;
	}
	if (!c->mask) {
		snprintf(text, size, "m%u.%u", c->message, c->index);
		return;
	}
	n = snprintf(text, size, "m%u>", c->message);
	for (unsigned int t = 0; t < WORLD_TARGETS; t++)
		if (c->mask >> t & 1)
			n += snprintf(text + n, size - (size_t)n, "%s%u",
				      text[n - 1] == '>' ? "" : ",",
				      world_cfg->message[c->message].to[t]);
}

static void print_frame(const struct wire_frame *f, char *text, size_t size)
{
	if (f->status)
		snprintf(text, size, "status%s%s%s", f->parts & FC_STATUS_POLL ? " poll" : "",
			 f->parts & FC_STATUS_ACK_REQUEST ? " ack-request" : "",
			 f->parts & FC_STATUS_NACK ? " nack" : "");
	else
		world_print_content(f->id, text, size);
}

static void print_link_event(enum world_kind kind, unsigned int where, const char *class,
			     char *text, size_t size)
{
	const struct wire_frame *frame;
	char what[64] = "";
	unsigned int at;
	u8 port, channel;

	place_split(where, &at, &port, &channel);
	frame = world.node[at].line[channel].wire[port].frame;
	switch (kind) {
	case WORLD_ARRIVE:
	case WORLD_LOSE:
	case WORLD_DOUBLE:
		print_frame(&frame[0], what, sizeof(what));
		snprintf(text, size, "%s %s at %u from %u%s", what,
			 kind == WORLD_LOSE ? "is lost" :
			 kind == WORLD_DOUBLE ? "arrives, the first of two," : "arrives",
			 peer_of(at, port), at, class);
		break;
	case WORLD_OVERTAKE:
		print_frame(&frame[1], what, sizeof(what));
		snprintf(text, size, "%s overtakes another frame from %u to %u%s", what, at,
			 peer_of(at, port), class);
		break;
	case WORLD_DOWN:
	case WORLD_UP:
		snprintf(text, size, "link %u-%u goes %s", at, peer_of(at, port),
			 kind == WORLD_UP ? "up" : "down");
		break;
	case WORLD_SUSPECT:
	case WORLD_TRUST:
		snprintf(text, size, "site %u %s the link to %u", at,
			 kind == WORLD_SUSPECT ? "suspects" : "trusts", peer_of(at, port));
		break;
	default:
		break;
	}
}

void world_print_event(u16 event, char *text, size_t size)
{
	unsigned int where = world_place_of(event), at;
	enum world_kind kind = world_kind_of(event);
	char what[64] = "", class[16] = "";
	u8 port, channel;

	place_split(where, &at, &port, &channel);
	if (world_nchannels > 1)
		snprintf(class, sizeof(class), " in class %u", channel);
	switch (kind) {
	case WORLD_ARRIVE:
	case WORLD_LOSE:
	case WORLD_DOUBLE:
	case WORLD_OVERTAKE:
	case WORLD_DOWN:
	case WORLD_UP:
	case WORLD_SUSPECT:
	case WORLD_TRUST:
		print_link_event(kind, where, class, text, size);
		break;
	case WORLD_SEND:
	case WORLD_EARLY:
		snprintf(text, size, "source %u sends message %u%s", world_cfg->message[where].from,
			 where, kind == WORLD_EARLY ? " again, too early" : "");
		break;
	case WORLD_RESEND:
		world_print_content(world.node[where].stored[0], what, sizeof(what));
		snprintf(text, size, "operator %u sends stored %s", where, what);
		break;
	case WORLD_FEED:
		snprintf(text, size, "operator %u gives the next flit", where);
		break;
	case WORLD_TAKE:
		snprintf(text, size, "operator %u takes a word", where);
		break;
	case WORLD_SEEK:
		snprintf(text, size, "site %u port %u counts a seek", where / WORLD_PORTS,
			 where % WORLD_PORTS);
		break;
	case WORLD_TIMEOUT:
		snprintf(text, size, "fifo-buffer %u times out", where);
		break;
	case WORLD_POLL:
		snprintf(text, size, "site %u probes %u%s", at, peer_of(at, port), class);
		break;
	case WORLD_REPORT:
		snprintf(text, size, "site %u tells %u what it took%s", at, peer_of(at, port),
			 class);
		break;
	case WORLD_NACK:
		snprintf(text, size, "site %u asks %u for what is missing%s", at,
			 peer_of(at, port), class);
		break;
	case WORLD_READ:
		snprintf(text, size, "the reader of site %u takes a message", where);
		break;
	case WORLD_NEWS:
		snprintf(text, size, "site %u hears which links work", where);
		break;
	case WORLD_ROUTE:
		snprintf(text, size, "site %u looks at what came from %u%s", at, peer_of(at, port),
			 class);
		break;
	case WORLD_ROUTE_ALL:
		snprintf(text, size, "site %u looks at all that waits for it", where);
		break;
	case WORLD_FULL:
		snprintf(text, size, "site %u has no place for the next packet to be stored",
			 where);
		break;
	case WORLD_RESTART:
		snprintf(text, size, "site %u begins anew", where);
		break;
	}
}

void world_print(void (*line)(const char *text))
{
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		world_sw->print(at, line);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A world in words.
 */
#include <stdio.h>

#include "world_impl.h"

static void tell_content(u8 id, u8 parts, char *text, size_t size)
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

static void tell_frame(const struct wire_frame *f, char *text, size_t size)
{
	if (f->status)
		snprintf(text, size, "status%s%s%s", f->parts & FC_STATUS_PROBE ? " probe" : "",
			 f->parts & FC_STATUS_WANT ? " want" : "",
			 f->parts & FC_STATUS_NACK ? " nack" : "");
	else
		tell_content(f->id, f->parts, text, size);
}

void world_tell_event(u16 event, char *text, size_t size)
{
	unsigned int where = event & 0xff, at;
	char what[64] = "";
	u8 port;

	place_split(where, &at, &port);
	switch ((enum world_kind)(event >> 8)) {
	case WORLD_ARRIVE:
	case WORLD_LOSE:
	case WORLD_DOUBLE:
		tell_frame(&world.node[at].wire[port].frame[0], what, sizeof(what));
		snprintf(text, size, "%s %s at %u from %u", what,
			 event >> 8 == WORLD_LOSE ? "is lost" :
			 event >> 8 == WORLD_DOUBLE ? "arrives, the first of two," : "arrives",
			 peer_of(at, port), at);
		break;
	case WORLD_OVERTAKE:
		tell_frame(&world.node[at].wire[port].frame[1], what, sizeof(what));
		snprintf(text, size, "%s overtakes another frame from %u to %u", what, at,
			 peer_of(at, port));
		break;
	case WORLD_DOWN:
	case WORLD_UP:
		snprintf(text, size, "link %u-%u goes %s", at, peer_of(at, port),
			 event >> 8 == WORLD_UP ? "up" : "down");
		break;
	case WORLD_SEND:
	case WORLD_EARLY:
		snprintf(text, size, "source %u sends message %u%s", world_cfg->message[where].from,
			 where, event >> 8 == WORLD_EARLY ? " again, too early" : "");
		break;
	case WORLD_RESEND:
		tell_content(world.node[where].stored[0], 0, what, sizeof(what));
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
	case WORLD_PROBE:
		snprintf(text, size, "site %u probes %u", at, peer_of(at, port));
		break;
	case WORLD_TELL:
		snprintf(text, size, "site %u tells %u what it took", at, peer_of(at, port));
		break;
	case WORLD_NACK:
		snprintf(text, size, "site %u asks %u for what is missing", at,
			 peer_of(at, port));
		break;
	}
}

void world_tell(void (*line)(const char *text))
{
	char text[256], what[64];

	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		const struct node *node = &world.node[at];

		snprintf(text, sizeof(text), "site %u: fifo-buffer %s, operator %s, stored %u%s",
			 at, fc_fsms[2].states[node->site.fifo.state],
			 fc_fsms[3].states[node->site.oper], node->nstored,
			 node->sending ? ", sending" : "");
		line(text);
		for (u8 p = 0; p < node->site.nports; p++) {
			const struct fc_in *in = &node->in[p];
			const struct fc_out *out = &node->out[p];
			const struct fc_tx *tx = &node->tx[p];

			if (p && !has_link(at, p))
				continue;
			what[0] = 0;
			if (in->held.h)
				tell_content(id_of(&in->held), 0, what, sizeof(what));
			snprintf(text, sizeof(text),
				 "  port %u: net-input %s%s%s conn %x queued %u; net-output %s from %d unacknowledged %u, frames %u",
				 p, fc_fsms[0].states[in->state], *what ? " " : "", what,
				 in->conn, node->rx[p].queued, fc_fsms[1].states[out->state],
				 out->in == FC_PORT_NONE ? -1 : out->in, tx->sent - tx->acked,
				 node->wire[p].n);
			line(text);
		}
	}
}

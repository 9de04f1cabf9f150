// SPDX-License-Identifier: GPL-2.0
/*
 * Tables A to H of CARE, and sections 4.5.1, 4.5.2 and 4.6 about connections, typed from the paper
 * as data and compared in both directions: each entry of a table is in the core, and each entry of
 * the core is in a table or is listed as an addition, with the reason.  Rules about behaviour are
 * tested on a site.
 *
 * The diagrams are in fsm_test.c.  The scans lack the figures, and a line of the legend of Figure
 * 9; for these, Documentation/design.rst and core/care/fsm.c are authoritative.
 */
#include <stdlib.h>
#include <string.h>

#include "core/care/care.h"
#include "tap.h"

/* Site 5 of torus:4x4 has site 6 at port 1, 4 at 2, 9 at 3 and 1 at 4. */
#define SPEC		"torus:4x4"
#define HERE		5
#define NPORTS		5
#define WINDOW_MAX	4
#define NTARGETS	4
/* More heads than a site can hold. */
#define NHEADS		64

enum { NET_INPUT, NET_OUTPUT, FIFO_BUFFER, OPERATOR };

/* A name, and the reason why paper and core differ in it; "-...": the core does not have it. */
struct name {
	const char *name;
	const char *why;
};

#define P(name)	{ name, "" }

/* Compare the machine's names with the paper's: the two sets differ as listed. */
static void compare(const char *what, const char *const *have, unsigned int n,
		    const struct name *paper, unsigned int npaper)
{
	unsigned int matched = 0;

	for (unsigned int i = 0; i < npaper; i++) {
		unsigned int times = 0;

		for (unsigned int k = 1; k < n; k++)
			times += !strcmp(have[k], paper[i].name);
		matched += times;
		CHECK(times == (*paper[i].why != '-'), "%s: %u times %s", what, times,
		      paper[i].name);
	}
	CHECK(matched == n - 1, "%s: %u of %u names", what, matched, n - 1);
}

#define COMPARE(what, have, n, paper) \
	compare(what, have, n, paper, FC_ARRAY_SIZE(paper))

/* A site and its environment. */

/* Words of the current packet that a net-output received. */
struct received {
	u32 fronts;
	u32 words;
	u32 terms;
	u64 mask;
	const char *term;
};

struct bench {
	struct fc_topo topo;
	struct fc_pref pref;
	struct fc_timing timing;
	struct fc_node node;
	struct fc_site site;
	struct fc_in in[NPORTS];
	struct fc_out out[NPORTS];
	struct fc_rx rx[NPORTS];
	struct fc_tx tx[NPORTS];
	struct fc_flit queue[NPORTS][WINDOW_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[NPORTS][FC_LSTAT_COUNT];
	u8 head[NHEADS][FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
	u32 heads;
	u64 now;
	struct received got[NPORTS];
	/* Log of the last event, in order: machine and condition, or an effect. */
	u32 nlog;
	struct {
		int machine;	/* -1: the entry is an effect */
		u8 state;
		u8 what;
	} log[256];
	u32 words;		/* number in the fifo-buffer */
	u32 seq[NPORTS];	/* sequence numbers of the peers' next flits */
	u32 left[NPORTS];	/* words before the terminator of the peers' packets */
	bool inside[NPORTS];	/* a packet of the peer has begun and not ended */
};

static struct bench *current;

static void log_add(struct bench *b, int machine, u8 state, u8 what)
{
	if (b->nlog == FC_ARRAY_SIZE(b->log))
		return;
	b->log[b->nlog].machine = machine;
	b->log[b->nlog].state = state;
	b->log[b->nlog++].what = what;
}

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	log_add(current, (int)machine, (u8)state, (u8)cond);
}

/* Return: index of the first such entry in the log, or the length of the log. */
static u32 logged(const struct bench *b, int machine, u8 state, u8 what)
{
	u32 i;

	for (i = 0; i < b->nlog; i++)
		if (b->log[i].machine == machine && b->log[i].what == what &&
		    (machine < 0 || b->log[i].state == state))
			break;
	return i;
}

static void got_term(struct bench *b, u8 port, const char *term)
{
	b->got[port].terms++;
	b->got[port].term = term;
}

static void perform(struct bench *b, const struct fc_effect *fx)
{
	u8 parts = fx->flit.parts;

	log_add(b, -1, 0, fx->type);
	switch ((enum fc_effect_type)fx->type) {
	case FC_FX_SEND:
		if (parts & FC_PART_HEAD)
			b->got[fx->port].mask = fx->mask;
		b->got[fx->port].fronts += parts & FC_PART_HEAD;
		if (parts & FC_PART_TERM)
			got_term(b, fx->port, parts & FC_PART_ABORT ? ":abort-packet" :
								      ":end-of-packet");
		else if (!(parts & FC_PART_HEAD))
			b->got[fx->port].words++;
		CHECK(!(parts & FC_PART_LOCAL_END), "a link got :local-end-of-packet");
		break;
	case FC_FX_STORE:
		b->words++;
		b->got[0].fronts += parts & FC_PART_HEAD;
		if (!(parts & (FC_PART_HEAD | FC_PART_TERM)))
			b->got[0].words++;
		break;
	case FC_FX_SERVE:
		got_term(b, 0, ":end-of-packet");
		break;
	case FC_FX_SERVE_LOCAL:
		got_term(b, 0, ":local-end-of-packet");
		break;
	case FC_FX_DISCARD:
		got_term(b, 0, ":abort-packet");
		break;
	case FC_FX_RESET:
		CHECK(false, "port %u: a contradiction", fx->port);
		break;
	default:
		break;
	}
}

static void event(struct bench *b, struct fc_event ev)
{
	static struct fc_effects effects;
	bool more;

	current = b;
	b->nlog = 0;
	ev.now = b->now;
	do {
		more = fc_site_event(&b->site, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(b, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
}

static void bench_init(struct bench *b, u32 window, u16 fifo_room)
{
	memset(b, 0, sizeof(*b));
	if (fc_topo_parse(&b->topo, SPEC))
		abort();
	fc_pref_default(&b->pref, &b->topo);
	b->timing = (struct fc_timing){
		.seek = 4, .timeout = 64, .retry = 1 << 20, .ack_delay = 1 << 20,
		.poll = 1 << 20,
		.seek_max = 4, .fifo_room = fifo_room,
	};
	b->node = (struct fc_node){
		.topo = &b->topo, .timing = &b->timing, .pref = &b->pref,
		.stat = b->stat, .id = HERE, .nports = NPORTS,
	};
	b->site.node = &b->node;
	b->site.in = b->in;
	b->site.out = b->out;
	b->site.data.rx = b->rx;
	b->site.data.tx = b->tx;
	b->site.data.window = window;
	b->site.fired = fired;
	for (unsigned int p = 0; p < NPORTS; p++) {
		b->rx[p].queue = b->queue[p];
		b->rx[p].stat = b->link_stat[p];
	}
	fc_site_init(&b->site, 1);
	for (u8 p = 1; p < NPORTS; p++)
		event(b, (struct fc_event){ .type = FC_EV_LINK_UP, .port = p, .count = window });
}

/* The site never reads through handles; any address will do. */
static void flit(struct bench *b, u8 port, struct fc_flit f)
{
	f.h = f.parts & FC_PART_ABORT ? NULL : b;
	event(b, (struct fc_event){
		.type = FC_EV_FLIT, .port = port, .seq = b->seq[port]++,
		.ack = b->tx[port].acked, .flit = f,
	});
}

/* Send a front for sites, a list ended by FC_SITE_NONE or NTARGETS long. */
static void front(struct bench *b, u8 port, const u32 *sites, u8 parts, u32 data)
{
	u8 *head = b->head[b->heads++ % NHEADS];
	struct fc_packet pk = { .msg_len = data };

	while (pk.ntargets < NTARGETS && sites[pk.ntargets] != FC_SITE_NONE)
		pk.ntargets++;
	fc_wire_packet_encode(head, &pk);
	for (unsigned int i = 0; i < pk.ntargets; i++) {
		struct fc_target t = { .site = sites[i], .port = 1 };

		fc_wire_target_encode(head, i, &t);
	}
	flit(b, port, (struct fc_flit){ .head = head, .parts = parts | FC_PART_HEAD });
}

static void word(struct bench *b, u8 port, u32 data)
{
	flit(b, port, (struct fc_flit){ .data = data });
}

static void term(struct bench *b, u8 port, u32 data, u8 parts)
{
	flit(b, port, (struct fc_flit){ .data = data, .parts = FC_PART_TERM | parts });
}

/* The peer acks all flits that were sent. */
static void taken(struct bench *b, u8 port)
{
	event(b, (struct fc_event){
		.type = FC_EV_STATUS, .port = port, .seq = b->seq[port], .ack = b->tx[port].sent,
	});
}

static void time_passes(struct bench *b, u64 by)
{
	b->now += by;
	event(b, (struct fc_event){ .type = FC_EV_TIME });
}

static const char *state_of(const struct bench *b, int machine, u8 port)
{
	return fc_fsms[machine].states[machine == NET_INPUT ? b->in[port].state :
							      b->out[port].state];
}

/* Table A: packet terminators, and the actions of the operator (section 4.3.2). */

static const struct {
	const char *name;
	const char *action;	/* action of the operator */
	u8 parts;		/* encoding in a flit */
	bool travels;		/* sent over links; the third is used only within the router */
} table_a[] = {
	{ ":end-of-packet",	"serve",	FC_PART_TERM,				true },
	{ ":abort-packet",	"discard",	FC_PART_TERM | FC_PART_ABORT,		true },
	{ ":local-end-of-packet", "serve local", FC_PART_TERM | FC_PART_LOCAL_END,	false },
};

TEST(table_a__terminators)
{
	static const struct name conds[] = {
		P(":end-of-packet"),
		P(":abort-packet"),
		P(":local-end-of-packet"),
		{ "DA", "4.3.2: data appears on network-packet-in" },
	};
	const struct fc_fsm *oper = &fc_fsms[OPERATOR];

	COMPARE("terminators", oper->conds, oper->nconds, conds);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(table_a); i++) {
		for (unsigned int c = 1; c < oper->nconds; c++) {
			const struct fc_row *row = &fc_oper_table[FC_OP_FILLING][c];

			if (!strcmp(oper->conds[c], table_a[i].name))
				CHECK(!strcmp(oper->actions[row->action], table_a[i].action),
				      "%s: %s", table_a[i].name, oper->actions[row->action]);
		}
	}
}

/* A link carries the parts of Table A that travel, and no others. */
TEST(table_a__on_the_wire)
{
	/* The higher bits carry the checksum flag and, in mode postman, the eager hops. */
	for (unsigned int parts = 0; parts < 1 << FC_PART_EAGER_SHIFT; parts++) {
		struct fc_link_hdr h = { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS,
					 .flags = (u8)parts };
		u8 frame[FC_LINK_SIZE + FC_DATA_MIN] = { 0 };
		/* Valid parts of a flit without a terminator: none, or the front. */
		bool good = !(parts & ~FC_PART_HEAD);

		h.len = parts & FC_PART_ABORT ? 0 : FC_DATA_MIN;
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(table_a); i++) {
			good |= table_a[i].travels && parts == table_a[i].parts;
			/*
			 * The front may be in the same flit, except that of an aborted packet,
			 * which is sent before.
			 */
			good |= table_a[i].travels && !(table_a[i].parts & FC_PART_ABORT) &&
				parts == (table_a[i].parts | FC_PART_HEAD);
		}
		fc_wire_link_encode(frame, &h);
		CHECK(fc_wire_link_decode(&h, frame, sizeof(frame), sizeof(frame)) == good,
		      "flit with parts %#x is %s", parts, good ? "refused" : "taken");
	}
}

/* Table B: flow-control signals. */

static const struct name table_b[] = {
	P("free"), P("open"), P("wait"), P("abort-request"),
};

TEST(table_b__signals)
{
	COMPARE("signals", fc_signal_names, FC_SIG_COUNT, table_b);
}

/*
 * The footnote of Table B: "Only a fifo-buffer may originate the abort-request signal" - by its
 * time-out, which is not in its diagram (4.4).  Net-outputs relay it (4.1, 4.7).
 */
TEST(table_b__raises_abort_request)
{
	static const char *const relays[] = { "first", "open", "wait" };
	unsigned int n = 0;

	for (unsigned int m = 0; m < FC_ARRAY_SIZE(fc_fsms); m++) {
		const struct fc_fsm *fsm = &fc_fsms[m];

		for (unsigned int i = 0; i < fsm->nstates * (unsigned int)fsm->nconds; i++) {
			const struct fc_row *row = &fsm->rows[i];
			bool listed = false;

			CHECK(row->up != FC_SIG_ABORT_REQ, "%s says abort-request", fsm->name);
			if (!row->next || !strstr(fsm->actions[row->action], "abort-request"))
				continue;
			n++;
			for (unsigned int k = 0; k < FC_ARRAY_SIZE(relays); k++)
				listed |= !strcmp(fsm->states[i / fsm->nconds], relays[k]);
			CHECK(m == NET_OUTPUT && listed, "%s in %s", fsm->name,
			      fsm->states[i / fsm->nconds]);
		}
	}
	CHECK(n == FC_ARRAY_SIZE(relays), "%u rows relay it", n);
}

/*
 * The meaning of the signals on a link of window 1, where credit corresponds to the paper's
 * signals: may the site send a packet, may it send a word?
 */
TEST(table_b__meaning_on_a_link)
{
	static const u32 there[] = { 6, FC_SITE_NONE };
	static struct bench b;

	bench_init(&b, 1, 0);
	/* free: available to receive packet */
	front(&b, 2, there, 0, 20);
	CHECK(b.got[1].fronts == 1, "free, but the packet is not sent");
	/* wait: do not send more data */
	word(&b, 2, 10);
	CHECK(!b.got[1].words, "wait, but a word is sent");
	CHECK(!strcmp(state_of(&b, NET_OUTPUT, 1), "wait"), "net-output %s",
	      state_of(&b, NET_OUTPUT, 1));
	CHECK(!strcmp(state_of(&b, NET_INPUT, 2), "wait"), "net-input %s",
	      state_of(&b, NET_INPUT, 2));
	/* open: available to receive more data */
	taken(&b, 1);
	CHECK(b.got[1].words == 1, "open, but the word is not sent");
	taken(&b, 1);
	/* this packet owns the link: it is open, but not free to another packet */
	front(&b, 3, there, 0, 10);
	CHECK(b.got[1].fronts == 1, "open, but another packet is sent");
	CHECK(!strcmp(state_of(&b, NET_INPUT, 3), "first"), "net-input %s",
	      state_of(&b, NET_INPUT, 3));
	/* free again after the terminator is acked */
	term(&b, 2, 10, 0);
	CHECK(b.got[1].terms == 1 && b.got[1].fronts == 1, "%u terminators, %u fronts",
	      b.got[1].terms, b.got[1].fronts);
	taken(&b, 1);
	CHECK(b.got[1].fronts == 2, "free again, but the packet waits");
}

/*
 * Table C: phases of a communication cycle.  The code has no clock, and handles one event at a
 * time; the order within an event corresponds to the phases.
 */

/* Net-input: data flows downstream first, then status upstream. */
TEST(table_c__net_input)
{
	static const u32 there[] = { 6, FC_SITE_NONE };
	static struct bench b;

	bench_init(&b, 1, 0);
	front(&b, 2, there, FC_PART_TERM, 0);
	CHECK(logged(&b, -1, 0, FC_FX_SEND) < logged(&b, -1, 0, FC_FX_STATUS) &&
	      logged(&b, -1, 0, FC_FX_STATUS) < b.nlog, "data is not before status");
}

/* Net-output: status flows upstream first, then data downstream. */
TEST(table_c__net_output)
{
	static const u32 there[] = { 6, FC_SITE_NONE };
	static struct bench b;
	u32 out, in;

	bench_init(&b, 1, 0);
	front(&b, 2, there, 0, 20);
	word(&b, 2, 10);
	taken(&b, 1);
	out = logged(&b, NET_OUTPUT, FC_NO_WAIT, FC_NOC_O);
	in = logged(&b, NET_INPUT, FC_NI_WAIT, FC_NIC_O);
	CHECK(out < in && in < b.nlog && logged(&b, -1, 0, FC_FX_SEND) < b.nlog,
	      "net-output at %u, net-input at %u of %u", out, in, b.nlog);
	/*
	 * No race between data and the signal that controls it: a machine passes no word in a state
	 * in which downstream signals wait.
	 */
	for (unsigned int s = 1; s < FC_NI_COUNT; s++)
		for (unsigned int c = 1; c < FC_NIC_COUNT; c++)
			if (fc_netin_table[s][c].action == FC_NIA_PASS)
				CHECK(s == FC_NI_OPEN || s == FC_NI_ABORT, "a word passes in %s",
				      fc_fsms[NET_INPUT].states[s]);
}

/*
 * Table D: ports of a component.  Each event and effect of a site is one of them, or an addition; a
 * new one does not compile until it is listed.
 */

static const char *event_port(enum fc_event_type type)
{
	switch (type) {
	case FC_EV_FLIT:
		return "packet-in";
	case FC_EV_STATUS:
		return "status-in";
	/* Links may fail; those of the paper do not. */
	case FC_EV_LINK_UP:
	case FC_EV_LINK_DOWN:
	case FC_EV_SUSPECT:
	case FC_EV_TRUST:
	/* The operator's network-status-out, which is within a site. */
	case FC_EV_ROOM:
	/* Time is an argument; a list of effects is bounded. */
	case FC_EV_TIME:
	case FC_EV_MORE:
	/* An event of mode postman. */
	case FC_EV_ROUTE:
		return NULL;
	}
	return NULL;
}

static const char *effect_port(enum fc_effect_type type)
{
	switch (type) {
	case FC_FX_SEND:
		return "packet-out";
	case FC_FX_STATUS:
		return "status-out";
	/* Effects for the operator, by Table A. */
	case FC_FX_STORE:
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
	case FC_FX_DISCARD:
		return NULL;
	/* Failures, and retransmission, which a wire without loss does not need. */
	case FC_FX_UNREACHABLE:
	case FC_FX_DROP:
	case FC_FX_RESET:
	case FC_FX_SUSPECT:
	case FC_FX_COPY:
	case FC_FX_RESEND:
	case FC_FX_RELEASE:
	case FC_FX_RESCUE:
	/* Modes postman and csr only. */
	case FC_FX_ROUTE:
	case FC_FX_RESERVE:
	case FC_FX_ADMITTED:
		return NULL;
	}
	return NULL;
}

TEST(table_d__ports)
{
	static const char *const table_d[] = {
		"packet-in", "packet-out", "status-in", "status-out",
	};
	static const u32 there[] = { 6, FC_SITE_NONE };
	static struct bench b;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(table_d); i++) {
		unsigned int times = 0;

		for (int t = FC_EV_FLIT; t <= FC_EV_MORE; t++) {
			const char *port = event_port((enum fc_event_type)t);

			times += port && !strcmp(port, table_d[i]);
		}
		for (int t = FC_FX_SEND; t <= FC_FX_ROUTE; t++) {
			const char *port = effect_port((enum fc_effect_type)t);

			times += port && !strcmp(port, table_d[i]);
		}
		CHECK(times == 1, "%s: %u times", table_d[i], times);
	}
	/* A packet that crosses a site uses only these ports. */
	bench_init(&b, 1, 0);
	front(&b, 2, there, FC_PART_TERM, 0);
	for (u32 i = 0; i < b.nlog; i++)
		CHECK(b.log[i].machine >= 0 || effect_port(b.log[i].what), "effect %u",
		      b.log[i].what);
	CHECK(logged(&b, -1, 0, FC_FX_SEND) < b.nlog && logged(&b, -1, 0, FC_FX_STATUS) < b.nlog,
	      "packet-out and status-out are not used");
}

/* Tables E, F, H: states.  The conditions are the legends of Figures 7, 8 and 9. */

TEST(table_e__fifo_buffer)
{
	static const struct name states[] = {
		P("open"), P("wait"), P("done"), P("done-wait"), P("free"),
	};
	static const struct name conds[] = {
		P("DF"), P("DNF"), P("F"), P("NF"), P("TF"), P("TNF"), P("TQ"),
	};
	const struct fc_fsm *fsm = &fc_fsms[FIFO_BUFFER];

	CHECK(!strcmp(fsm->name, "fifo-buffer"), "%s", fsm->name);
	COMPARE("states", fsm->states, fsm->nstates, states);
	COMPARE("conditions", fsm->conds, fsm->nconds, conds);
}

TEST(table_f__net_input)
{
	static const struct name states[] = {
		P("first"), P("open"), P("wait"), P("done"), P("last"), P("abort"),
		P("fin-abort"), P("free"),
	};
	static const struct name conds[] = {
		P("DA"), P("S"), P("C"), P("W"), P("O"), P("ARM"), P("TR"), P("WTR"),
		{ "NW", "- 4.6: open is passed when all are in a non-wait state, so it is O" },
		{ "data", "ours: a word between front and terminator" },
		{ "junk", "ours: a word that belongs to no packet" },
		{ "cut", "ours: the link was reset before anything was sent on" },
	};
	const struct fc_fsm *fsm = &fc_fsms[NET_INPUT];

	CHECK(!strcmp(fsm->name, "net-input"), "%s", fsm->name);
	COMPARE("states", fsm->states, fsm->nstates, states);
	COMPARE("conditions", fsm->conds, fsm->nconds, conds);
}

TEST(table_h__net_output)
{
	static const struct name states[] = {
		P("first"), P("open"), P("wait"), P("done"), P("last"), P("free"),
	};
	static const struct name conds[] = {
		P("DA"), P("FW"), P("W"), P("O"), P("AR"), P("TR"), P("WTR"), P("AP"),
		P("NW"),
		{ "F", "4.7: 'free is received; both scans lack it in the legend" },
	};
	const struct fc_fsm *fsm = &fc_fsms[NET_OUTPUT];

	CHECK(!strcmp(fsm->name, "net-output"), "%s", fsm->name);
	COMPARE("states", fsm->states, fsm->nstates, states);
	COMPARE("conditions", fsm->conds, fsm->nconds, conds);
}

/*
 * The meaning of the states, as observed between events of a site in traffic: 0 is no, 1 is yes, -1
 * is either.  An event that enters a state in which no packet rests also leaves it.
 */

static const struct {
	const char *state;
	int rests;
	int front;	/* packet received, not forwarded */
	int connected;
	int only_local;	/* no other connection is left */
	int term;	/* terminator received, not sent */
} meaning_f[] = {
	{ "free",	1,	0,	0,	-1,	0 },
	{ "first",	1,	1,	0,	-1,	-1 },
	{ "open",	1,	0,	1,	-1,	0 },
	{ "wait",	1,	0,	1,	-1,	0 },
	{ "done",	0,	0,	1,	-1,	1 },
	{ "last",	1,	-1,	1,	-1,	1 },
	{ "abort",	1,	0,	1,	1,	0 },
	{ "fin-abort",	1,	-1,	1,	1,	1 },
};

static const struct {
	const char *state;
	int rests;
	int connected;	/* a net-input sends */
	int term;	/* terminator received, not sent */
} meaning_h[] = {
	{ "free",	1,	0,	-1 },
	{ "first",	0,	1,	0 },
	{ "open",	1,	1,	0 },
	{ "wait",	1,	1,	0 },
	{ "done",	0,	0,	1 },
	{ "last",	1,	0,	1 },
};

static const struct {
	const char *state;
	int rests;
	int inside;	/* a packet has begun and not ended */
	int full;
} meaning_e[] = {
	{ "free",	1,	0,	-1 },
	{ "open",	1,	1,	0 },
	{ "wait",	1,	1,	1 },
	{ "done",	0,	0,	0 },
	{ "done-wait",	1,	0,	1 },
};

static_assert(FC_ARRAY_SIZE(meaning_f) == FC_NI_COUNT - 1);
static_assert(FC_ARRAY_SIZE(meaning_h) == FC_NO_COUNT - 1);
static_assert(FC_ARRAY_SIZE(meaning_e) == FC_FF_COUNT - 1);

/* Number of times that each state was seen between events. */
static u64 seen[3][16];

static bool claims(int want, bool is)
{
	return want < 0 || (want > 0) == is;
}

static void check_net_input(const struct bench *b, u8 port)
{
	const struct fc_in *in = &b->in[port];
	const char *state = state_of(b, NET_INPUT, port);
	u32 remote = in->conn & ~fc_bit(FC_PORT_LOCAL);

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_f); i++) {
		if (strcmp(state, meaning_f[i].state))
			continue;
		seen[NET_INPUT][i]++;
		CHECK(meaning_f[i].rests, "net-input rests in %s", state);
		CHECK(claims(meaning_f[i].front, in->held.parts & FC_PART_HEAD), "%s: parts %x",
		      state, in->held.parts);
		CHECK(claims(meaning_f[i].connected, in->conn), "%s: connected to %x", state,
		      in->conn);
		CHECK(claims(meaning_f[i].only_local, !remote), "%s: connected to %x", state,
		      in->conn);
		CHECK(claims(meaning_f[i].term, in->held.parts & FC_PART_TERM), "%s: parts %x",
		      state, in->held.parts);
		return;
	}
	CHECK(false, "state %s is not in Table F", state);
}

static void check_net_output(const struct bench *b, u8 port)
{
	const struct fc_out *out = &b->out[port];
	const char *state = state_of(b, NET_OUTPUT, port);

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_h); i++) {
		if (strcmp(state, meaning_h[i].state))
			continue;
		seen[NET_OUTPUT][i]++;
		CHECK(meaning_h[i].rests, "net-output rests in %s", state);
		CHECK(claims(meaning_h[i].connected, out->in != FC_PORT_NONE), "%s: from %u", state,
		      out->in);
		if (meaning_h[i].term > 0)
			CHECK(out->term & FC_PART_TERM, "%s: terminator %x", state, out->term);
		return;
	}
	CHECK(false, "state %s is not in Table H", state);
}

static void check_fifo_buffer(const struct bench *b)
{
	const struct fc_fifo *fifo = &b->site.fifo;
	const char *state = fc_fsms[FIFO_BUFFER].states[fifo->state];

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_e); i++) {
		if (strcmp(state, meaning_e[i].state))
			continue;
		seen[FIFO_BUFFER][i]++;
		CHECK(meaning_e[i].rests, "fifo-buffer rests in %s", state);
		CHECK(claims(meaning_e[i].inside, b->site.oper == FC_OP_FILLING), "%s: operator %s",
		      state, fc_fsms[OPERATOR].states[b->site.oper]);
		CHECK(claims(meaning_e[i].full, !fifo->room), "%s: room %u", state, fifo->room);
		return;
	}
	CHECK(false, "state %s is not in Table E", state);
}

/* Table G: the two connection tables agree. */
static void check_connections(const struct bench *b)
{
	for (u8 i = 0; i < NPORTS; i++) {
		for (u8 o = 0; o < NPORTS; o++) {
			bool by_input = b->in[i].conn & fc_bit(o);
			bool by_output = b->out[o].in == i;

			CHECK(by_input == by_output, "net-input %u to net-output %u: %d and %d",
			      i, o, by_input, by_output);
			if (by_input)
				CHECK(b->out[o].state != FC_NO_FREE, "net-output %u is %s", o,
				      state_of(b, NET_OUTPUT, o));
		}
	}
}

/* The peer or the operator sends its next flit, of packets of at most four flits. */
static void peer_sends(struct bench *b, u8 port)
{
	u32 sites[NTARGETS], n = 1 + tap_random(NTARGETS);
	u32 ahead = b->seq[port] - b->rx[port].consumed;

	if (ahead >= b->site.data.window)
		return;
	if (!b->inside[port]) {
		b->left[port] = tap_random(4);
		for (u32 i = 0; i < NTARGETS; i++)
			sites[i] = i < n ? tap_random(b->topo.nsites) : FC_SITE_NONE;
		b->inside[port] = b->left[port];
		front(b, port, sites, b->left[port] ? 0 : FC_PART_TERM, 10 * b->left[port]);
		return;
	}
	if (--b->left[port]) {
		word(b, port, 10);
		return;
	}
	b->inside[port] = false;
	if (tap_random(8))
		term(b, port, 10, 0);
	else
		term(b, port, 0, FC_PART_ABORT);
}

static void operator_takes(struct bench *b)
{
	struct fc_event ev = { .type = FC_EV_ROOM, .count = 1 };

	if (!b->words)
		return;
	b->words--;
	event(b, ev);
}

static void traffic(u32 window, unsigned int steps)
{
	static struct bench b;

	/* A small fifo-buffer fills up often. */
	bench_init(&b, window, 1 + (u16)tap_random(3));
	while (steps--) {
		switch (tap_random(8)) {
		case 0:
			time_passes(&b, tap_random(40));
			break;
		case 1:
			operator_takes(&b);
			break;
		case 2:
		case 3:
			taken(&b, (u8)(1 + tap_random(NPORTS - 1)));
			break;
		default:
			peer_sends(&b, (u8)tap_random(NPORTS));
		}
		for (u8 p = 0; p < NPORTS; p++) {
			check_net_input(&b, p);
			check_net_output(&b, p);
		}
		check_fifo_buffer(&b);
		check_connections(&b);
	}
}

TEST(tables_efgh__hold_in_traffic)
{
	memset(seen, 0, sizeof(seen));
	for (unsigned int i = 0; i < 400; i++)
		traffic(1 + i % WINDOW_MAX, 200);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_f); i++)
		CHECK(!seen[NET_INPUT][i] == !meaning_f[i].rests, "net-input %s: %llu times",
		      meaning_f[i].state, (unsigned long long)seen[NET_INPUT][i]);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_h); i++)
		CHECK(!seen[NET_OUTPUT][i] == !meaning_h[i].rests, "net-output %s: %llu times",
		      meaning_h[i].state, (unsigned long long)seen[NET_OUTPUT][i]);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(meaning_e); i++)
		CHECK(!seen[FIFO_BUFFER][i] == !meaning_e[i].rests, "fifo-buffer %s: %llu times",
		      meaning_e[i].state, (unsigned long long)seen[FIFO_BUFFER][i]);
}

/*
 * Table G: the net-input searches the preference table in order for an available net-output; if
 * there is none, it seeks (4.6).
 */
TEST(table_g__preference_table)
{
	static const struct {
		u8 list[3];	/* ports for the direction of site 6; 0 ends the list */
		u8 busy[3];
		u8 leaves;	/* expected net-output; 0: seek */
	} rows[] = {
		{ { 1 },	{ 0 },		1 },
		{ { 1 },	{ 1 },		0 },
		{ { 1, 3, 4 },	{ 0 },		1 },
		{ { 1, 3, 4 },	{ 1 },		3 },
		{ { 1, 3, 4 },	{ 1, 3 },	4 },
		{ { 1, 3, 4 },	{ 1, 3, 4 },	0 },
		{ { 1, 3, 4 },	{ 3, 4 },	1 },
		{ { 4, 1 },	{ 0 },		4 },
		{ { 4, 1 },	{ 4 },		1 },
		{ { 3 },	{ 0 },		3 },
		{ { 3 },	{ 3 },		0 },
	};
	static const u32 there[] = { 6, FC_SITE_NONE };
	static struct bench b;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(rows); i++) {
		u32 conn;

		bench_init(&b, 2, 0);
		b.pref.count[0] = 0;
		while (b.pref.count[0] < 3 && rows[i].list[b.pref.count[0]]) {
			b.pref.port[0][b.pref.count[0]] = rows[i].list[b.pref.count[0]];
			b.pref.count[0]++;
		}
		for (unsigned int k = 0; k < 3 && rows[i].busy[k]; k++)
			b.out[rows[i].busy[k]].state = FC_NO_OPEN;
		front(&b, 2, there, 0, 10);
		conn = rows[i].leaves ? fc_bit(rows[i].leaves) : 0;
		CHECK(b.in[2].conn == conn, "row %u: connected to %x, not %x", i, b.in[2].conn,
		      conn);
		CHECK(!strcmp(state_of(&b, NET_INPUT, 2), conn ? "open" : "first"), "row %u: %s",
		      i, state_of(&b, NET_INPUT, 2));
		CHECK((b.stat[FC_STAT_SEEK] > 0) == !conn, "row %u: %llu seeks", i,
		      (unsigned long long)b.stat[FC_STAT_SEEK]);
		for (u8 p = 1; p < NPORTS; p++)
			CHECK(b.got[p].fronts == (p == rows[i].leaves), "row %u: %u fronts at %u",
			      i, b.got[p].fronts, p);
	}
}

/*
 * Table G: "the router cannot pass the net-input an open signal until all of its
 * downstream net-outputs are in a non-wait state" (4.6).
 */
TEST(table_g__open_only_when_all_are)
{
	static const u32 both[] = { 6, 9, FC_SITE_NONE };
	static struct bench b;

	bench_init(&b, 1, 0);
	front(&b, 2, both, 0, 30);
	CHECK(b.in[2].conn == (fc_bit(0) | fc_bit(1) | fc_bit(3)), "connected to %x", b.in[2].conn);
	for (unsigned int i = 1; i <= 2; i++) {
		word(&b, 2, 10);
		taken(&b, i & 1 ? 1 : 3);
		CHECK(b.got[1].words == i - 1 && b.got[3].words == i - 1 &&
		      b.got[0].words == i - 1, "word %u is sent while one waits", i);
		CHECK(!strcmp(state_of(&b, NET_INPUT, 2), "wait"), "%s",
		      state_of(&b, NET_INPUT, 2));
		taken(&b, i & 1 ? 3 : 1);
		CHECK(b.got[1].words == i && b.got[3].words == i && b.got[0].words == i,
		      "word %u is not sent by all", i);
	}
}

/* Section 4.5 and 4.6: connection types. */

static const struct {
	const char *type;
	u32 sites[NTARGETS];
	bool local_busy;
	u32 conn;	/* bitmap of net-outputs */
	const char *why;
} connections[] = {
	{ "unicast",	{ 6, FC_SITE_NONE },		false,	0x02,	"4.6: one target" },
	{ "unicast",	{ 6, FC_SITE_NONE },		true,	0x02,	"4.6: one target" },
	{ "unicast",	{ 5, FC_SITE_NONE },		false,	0x01,	"4.6: one target" },
	{ "unicast",	{ 6, 6, FC_SITE_NONE },		false,	0x02,	"4.5: a single site" },
	{ "unicast",	{ 5, 5, FC_SITE_NONE },		false,	0x01,	"4.5: a single site" },
	{ "all-remote",	{ 6, 9, FC_SITE_NONE },		false,	0x0b,	"4.5" },
	{ "all-remote",	{ 6, 9, 1, FC_SITE_NONE },	false,	0x1b,	"4.5" },
	{ "some-local",	{ 5, 6, FC_SITE_NONE },		false,	0x03,	"4.5" },
	{ "some-local",	{ 6, 5, 9, FC_SITE_NONE },	false,	0x0b,	"4.5" },
	{ "passthru",	{ 6, 9, FC_SITE_NONE },		true,	0x02,	"4.6: the first target" },
	{ "passthru",	{ 9, 6, FC_SITE_NONE },		true,	0x08,	"4.6: the first target" },
	{ "passthru",	{ 6, 5, FC_SITE_NONE },		true,	0x02,	"4.6: the first target" },
	{ "passthru",	{ 6, 7, FC_SITE_NONE },		false,	0x02,	"3.4: no split, no copy" },
	{ "seek",	{ 5, FC_SITE_NONE },		true,	0,	"4.5" },
	{ "seek",	{ 5, 6, FC_SITE_NONE },		true,	0,	"4.6: the first target" },
};

/* The types of section 4.5; sink is an addition: no target has a route. */
static const char *type_name(enum fc_conn type)
{
	switch (type) {
	case FC_CONN_NONE:
		return "seek";
	case FC_CONN_UNICAST:
		return "unicast";
	case FC_CONN_PASSTHRU:
		return "passthru";
	case FC_CONN_ALL_REMOTE:
		return "all-remote";
	case FC_CONN_SOME_LOCAL:
		return "some-local";
	case FC_CONN_SINK:
		return "sink";
	}
	return "?";
}

TEST(section_4_6__connections)
{
	static struct bench b;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(connections); i++) {
		bench_init(&b, 2, 0);
		if (connections[i].local_busy)
			b.out[FC_PORT_LOCAL].state = FC_NO_OPEN;
		front(&b, 2, connections[i].sites, 0, 10);
		CHECK(!strcmp(type_name(b.in[2].type), connections[i].type),
		      "row %u: %s, not %s (%s)", i, type_name(b.in[2].type), connections[i].type,
		      connections[i].why);
		CHECK(b.in[2].conn == connections[i].conn, "row %u: connected to %x, not %x", i,
		      b.in[2].conn, connections[i].conn);
		for (u8 p = 0; p < NPORTS; p++)
			CHECK(b.got[p].fronts == (connections[i].conn >> p & 1),
			      "row %u: %u fronts at %u", i, b.got[p].fronts, p);
	}
}

/* 4.5: after too many attempts the whole packet goes to the local net-output. */
TEST(section_4_5__forced)
{
	static const u32 both[] = { 6, 9, FC_SITE_NONE };
	static struct bench b;
	unsigned int seeks = 0;

	bench_init(&b, 2, 0);
	b.out[1].state = FC_NO_OPEN;
	b.out[3].state = FC_NO_OPEN;
	front(&b, 2, both, 0, 10);
	while (b.in[2].state == FC_NI_FIRST && seeks++ < 100)
		time_passes(&b, b.timing.seek);
	/* "exceeds a threshold" */
	CHECK(seeks == b.timing.seek_max + 1u, "after %u seeks", seeks);
	CHECK(b.in[2].type == FC_CONN_UNICAST && b.in[2].conn == fc_bit(FC_PORT_LOCAL),
	      "%s to %x", type_name(b.in[2].type), b.in[2].conn);
	CHECK(b.out[FC_PORT_LOCAL].mask == 3, "for targets %llx",
	      (unsigned long long)b.out[FC_PORT_LOCAL].mask);
	term(&b, 2, 10, 0);
	CHECK(b.got[0].terms == 1 && !strcmp(b.got[0].term, ":end-of-packet"), "%u terminators",
	      b.got[0].terms);
}

/*
 * Sections 4.5.1 and 4.5.2: the terminator of each branch.  In commit mode the paper speaks of a
 * received :end-of-packet; a received :abort-packet means that a site upstream aborts (4.5.2), and
 * every branch forwards it.
 */

#define EOP	":end-of-packet"
#define AP	":abort-packet"
#define LEOP	":local-end-of-packet"

static const struct {
	const char *type;
	u32 sites[NTARGETS];
	bool local_busy;
	bool abort_request;
	const char *received;
	const char *remote;
	const char *local;
} terminators[] = {
	/* commit mode */
	{ "unicast",	{ 6, FC_SITE_NONE },	false,	false,	EOP,	EOP,	NULL },
	{ "unicast",	{ 5, FC_SITE_NONE },	false,	false,	EOP,	NULL,	EOP },
	{ "passthru",	{ 6, 9, FC_SITE_NONE },	true,	false,	EOP,	EOP,	NULL },
	{ "all-remote",	{ 6, 9, FC_SITE_NONE },	false,	false,	EOP,	EOP,	AP },
	{ "some-local",	{ 5, 6, FC_SITE_NONE },	false,	false,	EOP,	EOP,	LEOP },
	{ "unicast",	{ 6, FC_SITE_NONE },	false,	false,	AP,	AP,	NULL },
	{ "unicast",	{ 5, FC_SITE_NONE },	false,	false,	AP,	NULL,	AP },
	{ "passthru",	{ 6, 9, FC_SITE_NONE },	true,	false,	AP,	AP,	NULL },
	{ "all-remote",	{ 6, 9, FC_SITE_NONE },	false,	false,	AP,	AP,	AP },
	{ "some-local",	{ 5, 6, FC_SITE_NONE },	false,	false,	AP,	AP,	AP },
	/* abort mode */
	{ "all-remote",	{ 6, 9, FC_SITE_NONE },	false,	true,	EOP,	AP,	EOP },
	{ "some-local",	{ 5, 6, FC_SITE_NONE },	false,	true,	EOP,	AP,	EOP },
	{ "all-remote",	{ 6, 9, FC_SITE_NONE },	false,	true,	AP,	AP,	AP },
	{ "some-local",	{ 5, 6, FC_SITE_NONE },	false,	true,	AP,	AP,	AP },
	/* abort-request is ignored on a transmission that is no multicast (4.1, 4.5.2) */
	{ "unicast",	{ 5, FC_SITE_NONE },	false,	true,	EOP,	NULL,	EOP },
	{ "unicast",	{ 5, FC_SITE_NONE },	false,	true,	AP,	NULL,	AP },
};

static void check_branches(const struct bench *b, unsigned int row, u32 conn)
{
	for (u8 p = 0; p < NPORTS; p++) {
		const struct received *got = &b->got[p];
		const char *want = p ? terminators[row].remote : terminators[row].local;

		if (!(conn & fc_bit(p))) {
			CHECK(!got->terms && !got->fronts, "row %u: net-output %u is not meant",
			      row, p);
			continue;
		}
		if (!CHECK(got->terms == 1 && want, "row %u: net-output %u got %u terminators",
			   row, p, got->terms))
			continue;
		CHECK(!strcmp(got->term, want), "row %u: net-output %u got %s, not %s", row, p,
		      got->term, want);
	}
}

TEST(section_4_5_1__terminators)
{
	static struct bench b;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(terminators); i++) {
		u32 conn, remote;

		bench_init(&b, 4, 0);
		if (terminators[i].local_busy)
			b.out[FC_PORT_LOCAL].state = FC_NO_OPEN;
		front(&b, 2, terminators[i].sites, 0, 10);
		conn = b.in[2].conn;
		remote = conn & ~fc_bit(FC_PORT_LOCAL);
		CHECK(!strcmp(type_name(b.in[2].type), terminators[i].type), "row %u: %s", i,
		      type_name(b.in[2].type));
		CHECK(!remote == !terminators[i].remote &&
		      !(conn & fc_bit(FC_PORT_LOCAL)) == !terminators[i].local,
		      "row %u: connected to %x", i, conn);
		if (terminators[i].abort_request) {
			bool multicast = terminators[i].remote;

			/* Wait for the time-out of the fifo-buffer, which is up to 50% longer. */
			time_passes(&b, 2 * b.timing.timeout);
			CHECK(b.stat[FC_STAT_TIMEOUT] == 1, "row %u: no time-out", i);
			CHECK(b.stat[FC_STAT_PKT_ABORTED] == multicast, "row %u: %llu aborted", i,
			      (unsigned long long)b.stat[FC_STAT_PKT_ABORTED]);
			/* The branches end at once, and the connections are released. */
			for (u8 p = 1; multicast && p < NPORTS; p++)
				CHECK(b.got[p].terms == (remote >> p & 1),
				      "row %u: net-output %u", i, p);
			CHECK(b.in[2].conn == fc_bit(FC_PORT_LOCAL), "row %u: connected to %x", i,
			      b.in[2].conn);
			CHECK(!strcmp(state_of(&b, NET_INPUT, 2), multicast ? "abort" : "open"),
			      "row %u: %s", i, state_of(&b, NET_INPUT, 2));
			CHECK(!b.got[0].terms, "row %u: the stored copy is ended", i);
		}
		if (!strcmp(terminators[i].received, AP))
			term(&b, 2, 0, FC_PART_ABORT);
		else
			term(&b, 2, 10, 0);
		check_branches(&b, i, conn);
		CHECK(!b.in[2].conn && !strcmp(state_of(&b, NET_INPUT, 2), "free"),
		      "row %u: %s, connected to %x", i, state_of(&b, NET_INPUT, 2), b.in[2].conn);
	}
}

/* Both tables contain exactly the types of section 4.5. */
TEST(section_4_5__types)
{
	static const char *const types[] = { "unicast", "passthru", "all-remote", "some-local" };
	unsigned int known = 0;

	for (unsigned int t = FC_CONN_NONE + 1; t < FC_CONN_SINK; t++)
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(types); i++)
			known += !strcmp(type_name((enum fc_conn)t), types[i]);
	CHECK(known == FC_ARRAY_SIZE(types) && FC_CONN_SINK == FC_ARRAY_SIZE(types) + 1,
	      "%u of the types of the paper", known);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(types); i++) {
		unsigned int in_a = 0, in_b = 0;

		for (unsigned int k = 0; k < FC_ARRAY_SIZE(connections); k++)
			in_a += !strcmp(connections[k].type, types[i]);
		for (unsigned int k = 0; k < FC_ARRAY_SIZE(terminators); k++)
			in_b += !strcmp(terminators[k].type, types[i]);
		CHECK(in_a && in_b, "%s: %u and %u rows", types[i], in_a, in_b);
	}
}

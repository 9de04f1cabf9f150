// SPDX-License-Identifier: GPL-2.0
/*
 * Site 0 in the middle of a star, and its neighbours, which lie: every link's other end is emulated
 * (fake.h).
 *
 *	site 1 ------ site 0 ------ site 3
 *	this            |           this
 *	              site 2 ...
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "charged.h"
#include "fake.h"
#include "lab.h"
#include "msg.h"

#define LINKS		4
#define LINKS_MAX	16
#define FLIT		65000
/* The site suspects no link so soon: it would send nothing over that, and drop what waits. */
#define SETTINGS	"integrity off window 64 flit 65000"
#define TUNING		"seek 10us seek-max 1 poll 10s retry 1s grace 60s transit 1024"
#define MTU		65535
#define PAYLOAD		(FLIT - FC_LINK_SIZE)
#define PORT		3000
/* Time without progress after which a buffer is full. */
#define QUIET_MS	700
/* Packets of each set: more than the pool and the windows hold.  The site drops the rest. */
#define TRANSIT		800
/* Broadcasts of each source, likewise. */
#define BROADCASTS	3
/* Time after which a link that takes no flit is stuck. */
#define STUCK_MS	5000

static struct fake fakes[LINKS_MAX];
static unsigned int nfakes;
static uint8_t flit[PAYLOAD];

/* Let the kernel read the frames of all emulated ends, and answer them. */
static bool answer(unsigned int ms)
{
	struct fake_event e;
	bool any = false;
	unsigned int i;

	for (i = 0; i < nfakes; i++) {
		while (fake_next(&fakes[i], &e, 0))
			any = true;
	}
	if (!any && ms)
		sleep_ms(ms);
	return any;
}

void charged_answer(void)
{
	answer(0);
}

/* The star: a file that the tool reads. */
static bool star(char *path, unsigned int n)
{
	unsigned int i;
	FILE *file;
	int fd;

	strcpy(path, "/tmp/charged-XXXXXX");
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return false;
	for (i = 1; i <= n; i++)
		fprintf(file, "0 %u\n", i);
	return !fclose(file);
}

/*
 * Site 0 of a topology, with @n links to these sites and their ports; a limit of the cgroup may
 * refuse some, not all.  Return: false, noted in @r.
 */
static bool linked(struct charged_result *r, const char *topology, unsigned int n,
		   const unsigned int *site, const unsigned int *port)
{
	const char *bad = fake_site(topology, SETTINGS);
	unsigned int i;

	for (i = 0; i < n && !bad; i++) {
		bad = fake_link(&fakes[i], i + 1, site[i], port[i]);
		if (!bad)
			nfakes = i + 1;
		answer(0);
	}
	if (bad && nfakes < 2) {
		charged_fail(r, "link %u: %.400s", i, bad);
		return false;
	}
	bad = fake_all_up(fakes, nfakes);
	if (!bad && cli("site set 0 " TUNING))
		bad = cli_output();
	if (bad)
		charged_fail(r, "%.400s", bad);
	r->sites = nfakes + 1;
	return !bad;
}

static bool middle(struct charged_result *r, unsigned int n)
{
	unsigned int site[LINKS_MAX], port[LINKS_MAX], i;
	char path[32], topology[64];
	bool done;

	if (!star(path, n)) {
		charged_fail(r, "%s: %s", path, strerror(errno));
		return false;
	}
	for (i = 0; i < n; i++) {
		site[i] = i + 1;
		port[i] = 1;
	}
	fake_mtu = MTU;
	snprintf(topology, sizeof(topology), "graph:%s", path);
	done = linked(r, topology, n, site, port);
	unlink(path);
	return done;
}

/* A window of flits, but for the first one, in each channel of each link. */
static void gaps(struct charged_result *r, unsigned int n)
{
	static const uint8_t vcs[] = { FC_VC_CLASS, FC_VC_CLASS + FC_SET_CHANNELS,
				       FC_VC_CLASS + 2 * FC_SET_CHANNELS, FC_VC_BCAST };
	unsigned int i, v, seq;

	if (!middle(r, n))
		return;
	for (v = 0; v < sizeof(vcs); v++) {
		for (i = 0; i < nfakes; i++) {
			for (seq = 1; seq < fakes[i].link.window; seq++)
				fake_flit(&fakes[i], vcs[v], 0, seq, flit, sizeof(flit));
			answer(0);
		}
	}
	snprintf(r->did, sizeof(r->did), "%u links, %zu channels, %u flits of %zu bytes each",
		 nfakes, sizeof(vcs), fakes[0].link.window - 1, sizeof(flit));
}

void charged_gaps(struct charged_result *r)
{
	gaps(r, LINKS);
}

void charged_gaps_16(struct charged_result *r)
{
	gaps(r, LINKS_MAX);
}

/* Nothing but the links: shows what NOISE_KIB has to allow. */
void charged_links(struct charged_result *r)
{
	middle(r, LINKS);
	snprintf(r->did, sizeof(r->did), "%u links", nfakes);
}

/* The head of a packet, or of a broadcast, that fills the flit. */
static void head(unsigned int src, unsigned int to, unsigned int number,
		 const struct fc_bcast_hdr *b)
{
	struct fc_target t = { .site = to, .port = PORT, .flags = FC_TARGET_LAST };
	struct fc_packet pk = {
		.src = src, .incarnation = 7, .sock = (b ? FC_SOCK_BCAST : 0) | number,
		.src_port = 9, .ntargets = 1, .id = number, .hops = 1,
		.msg_len = sizeof(flit) - fc_head_size(1), .kind = FC_KIND_MESSAGE,
	};

	fc_wire_packet_encode(flit, &pk);
	if (b)
		fc_wire_bcast_encode(flit, b);
	else
		fc_wire_target_encode(flit, 0, &t);
}

/*
 * Packets from site 1, in all sets, for the others, which do not ack: they fill the windows of
 * unacked flits, and the transit pool.
 */
void charged_transit(struct charged_result *r)
{
	unsigned int set, to = 2, total = 0;
	struct fake *f = &fakes[0];
	uint64_t last;

	if (!middle(r, LINKS))
		return;
	for (set = 1; set < nfakes; set++)
		fakes[set].withhold = true;
	for (set = 0; set < FC_SET_COUNT; set++) {
		f->vc = fc_set_vc(set);
		f->sent = 0;
		f->acked = 0;
		for (last = now_ms(); now_ms() - last < QUIET_MS && f->sent < TRANSIT; ) {
			uint32_t acked = f->acked;

			while (f->sent - f->acked < f->link.window && f->sent < TRANSIT) {
				head(1, to, total++, NULL);
				fake_flit(f, f->vc, FC_PART_HEAD | FC_PART_TERM, f->sent++, flit,
					  sizeof(flit));
				to = to % nfakes + 1;
				to += to == 1;
			}
			fake_probe(f, f->sent);
			answer(1);
			if (f->acked != acked)
				last = now_ms();
		}
	}
	snprintf(r->did, sizeof(r->did), "%u packets of %zu bytes", total, sizeof(flit));
}

/* Send one of the copies of a broadcast, when the site's window allows it. */
static bool broadcast(struct fake *f, unsigned int src, unsigned int number)
{
	const struct fc_bcast_hdr b = {
		.port = PORT, .copies = LINKS, .number = number, .seq = number,
	};
	uint64_t until = now_ms() + STUCK_MS;

	while (f->sent - f->acked >= f->link.window / 2) {
		if (now_ms() > until)
			return false;
		fake_probe(f, f->sent);
		answer(0);
	}
	head(src, 0, 1, &b);
	fake_flit(f, FC_VC_BCAST, FC_PART_HEAD | FC_PART_TERM, f->sent++, flit, sizeof(flit));
	return true;
}

/*
 * Broadcasts of all other sites of a torus, over four disjoint paths each; the neighbours ack none.
 * The site holds a share for each source and link.
 */
void charged_holds(struct charged_result *r)
{
	static const unsigned int site[] = { 1, 9, 10, 90 }, port[] = { 2, 1, 4, 3 };
	unsigned int i, n, src, total = 0;

	fake_mtu = MTU;
	if (!linked(r, "torus:10x10", LINKS, site, port))
		return;
	for (i = 0; i < nfakes; i++) {
		fakes[i].withhold = true;
		fakes[i].vc = FC_VC_BCAST;
	}
	for (n = 0; n < BROADCASTS; n++) {
		for (src = 1; src < 100; src++) {
			for (i = 0; i < nfakes; i++, total++) {
				if (broadcast(&fakes[i], src, n))
					continue;
				charged_fail(r, "no progress after %u broadcasts", total);
				return;
			}
		}
	}
	snprintf(r->did, sizeof(r->did), "%u broadcasts of %zu bytes", total, sizeof(flit));
}

/* Flows of each source site, of a byte each, which the program reads. */
static void flows(struct charged_result *r, unsigned int first, unsigned int sources,
		  unsigned int each)
{
	struct fc_packet pk = { .incarnation = 7, .src_port = 9, .ntargets = 1, .msg_len = 1 };
	struct fc_target t = { .port = PORT, .flags = FC_TARGET_LAST };
	struct fake *f = &fakes[0];
	unsigned int i, s;
	char byte;
	int fd;

	fd = msg_socket(-1, 0, PORT, 0);
	if (fd < 0) {
		charged_fail(r, "socket: %s", strerror(errno));
		return;
	}
	for (i = 0; i < each; i++) {
		for (s = 0; s < sources; s++) {
			uint64_t until = now_ms() + 5000;

			while (f->sent - f->acked >= 4 && now_ms() < until) {
				fake_probe(f, f->sent);
				answer(0);
			}
			pk.src = first + s;
			pk.sock = 1000 + i;
			fake_packet(f, &pk, &t, "x");
			while (msg_recv(fd, &byte, 1, NULL, MSG_DONTWAIT) == 1)
				r->sites++;
		}
	}
	/* @sites counted the messages. */
	snprintf(r->did, sizeof(r->did), "%u flows, %u messages read", sources * each, r->sites);
	if (r->sites < sources * each / 10 * 9)
		charged_fail(r, "%s", r->did);
	r->sites = 2;
}

void charged_flows(struct charged_result *r)
{
	const char *bad = fake_site("line:8", "");

	if (!bad)
		bad = fake_link(&fakes[0], 1, 1, 2);
	nfakes = 1;
	if (bad)
		charged_fail(r, "%.400s", bad);
	else
		flows(r, 4, 4, 2048);
}

void charged_idle(struct charged_result *r)
{
	const char *bad = fake_site("torus:32x32", "");

	if (!bad)
		bad = fake_link(&fakes[0], 1, 1, 2);
	nfakes = 1;
	if (bad)
		charged_fail(r, "%.400s", bad);
	else
		flows(r, 1, 1023, 1);
}

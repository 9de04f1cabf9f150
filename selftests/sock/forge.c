// SPDX-License-Identifier: GPL-2.0
/*
 * Forges datagrams of another site's network device: frames on a lab link, from the namespace of a
 * neighbour of the victim, which is not on the path of the source.
 *
 *	forge LAB SOURCE VICTIM NEIGHBOUR DEV COUNT
 *
 *	SOURCE ------ VICTIM ------ DEV of NEIGHBOUR
 *	                       <--- this program
 *
 * If SOURCE is NEIGHBOUR, it sends COUNT copies of the neighbour's last datagram instead, as around
 * a suspected link: they differ in their hops.
 *
 * The program takes incarnation and number of the source from a ping that it sends in the source's
 * namespace, and a flit of the neighbour's own ping as a model.  Then it sends COUNT flits, with
 * the epoch and the next sequence numbers of the link, that hold datagrams from the source to the
 * victim with its next numbers.  The victim acks flits that the neighbour's site has not sent, so
 * the site resets the link now and then; the program repeats the flits without ack.  Exit status 0:
 * the victim has acked all.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lab.h"
#include "core/wire/wire.h"

#define FRAME_MAX	65536
/* Flits without ack: the victim's queue holds more. */
#define AHEAD		16
#define GIVE_UP_MS	60000
/* Time without an ack after which the flits are sent again. */
#define REPEAT_MS	50

/* A flit of a datagram of one flit, on a link. */
struct model {
	uint8_t data[FRAME_MAX];
	uint32_t len;
	uint8_t *head;
	struct fc_link_hdr link;
	struct fc_packet pk;
	struct fc_target target;
};

/* State of the neighbour's end of the link, and what the victim has acked. */
static struct {
	uint16_t epoch;
	uint32_t next;		/* number of the next flit */
	uint32_t acked;		/* number of the next flit that is to be acked */
	uint32_t last_ack;	/* of the last frame of the victim */
	uint32_t done;		/* flits of this program that were acked */
} real;

static const char *lab;
static unsigned int victim;
static bool copies;

static void enter_site(unsigned int site)
{
	int netns = lab_open(lab, site);

	if (netns < 0 || lab_enter(netns))
		die("lab %s: site %u: %s", lab, site, strerror(errno));
	close(netns);
}

/* A socket for the frames of a device, or of all if it is NULL. */
static int packet_socket(const char *dev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = dev ? if_nametoindex(dev) : 0,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), room = 1 << 22;

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("packet socket on %s: %s", dev ? dev : "all devices", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}

/* Return: false: there is no frame of the network within the time.  *@out: the host sent it. */
static bool next_frame(int fd, int wait_ms, struct model *m, bool *out)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t size = sizeof(from);
	ssize_t n;

	while (poll(&ready, 1, wait_ms) > 0) {
		n = recvfrom(fd, m->data, sizeof(m->data), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &size);
		m->len = n;
		if (n < ETH_HLEN + FC_LINK_SIZE || from.sll_protocol != htons(FC_ETHERTYPE) ||
		    !fc_wire_link_decode(&m->link, m->data + ETH_HLEN, n - ETH_HLEN, n - ETH_HLEN))
			continue;
		*out = from.sll_pkttype == PACKET_OUTGOING;
		return true;
	}
	return false;
}

/* Is it a whole datagram from @src to the victim?  Decode it. */
static bool is_datagram(struct model *m, unsigned int src)
{
	m->head = m->data + ETH_HLEN + FC_LINK_SIZE;
	if (m->link.type != FC_FRAME_FLIT || m->link.vc == FC_VC_BCAST ||
	    m->link.flags != (FC_PART_HEAD | FC_PART_TERM) || !fc_wire_datagram(m->head) ||
	    fc_wire_src(m->head) != src)
		return false;
	fc_wire_packet_decode(&m->pk, m->head);
	fc_wire_target_decode(&m->target, m->head, 0);
	return m->pk.ntargets == 1 && m->target.site == victim;
}

/* Capture a datagram of a ping from a site to the victim, as it leaves by @dev, the last one. */
static void capture(unsigned int site, const char *dev, struct model *found)
{
	static struct model m;
	char command[80];
	int fd;
	bool out;

	enter_site(site);
	fd = packet_socket(dev);
	snprintf(command, sizeof(command), "ping -q -c 3 -i 0.05 -W 5 10.254.0.%u >/dev/null",
		 victim);
	if (system(command))
		die("site %u: no answer to %s", site, command);
	found->len = 0;
	while (next_frame(fd, 0, &m, &out)) {
		if (!out || !is_datagram(&m, site))
			continue;
		*found = m;
		found->head = found->data + ETH_HLEN + FC_LINK_SIZE;
	}
	if (!found->len)
		die("site %u: no datagram to site %u", site, victim);
	close(fd);
}

static void learn(const struct model *m, uint8_t vc, bool out)
{
	bool counts = m->link.vc == vc &&
		      (m->link.type == FC_FRAME_FLIT || m->link.type == FC_FRAME_STATUS);

	if (out) {
		if (m->link.epoch != real.epoch) {
			real.epoch = m->link.epoch;
			real.next = 0;
			real.acked = 0;
			real.last_ack = 0;
		}
	} else if (counts) {
		real.last_ack = m->link.ack;
		if (m->link.ack - real.acked > real.next - real.acked)
			return;
		real.done += m->link.ack - real.acked;
		real.acked = m->link.ack;
	}
}

/* Send the datagram whose flit has the next sequence number; @first: number of the first one. */
static void forge(int fd, struct model *m, uint32_t first)
{
	if (!copies)
		m->target.seq = first + real.done + (real.next - real.acked);
	m->link.epoch = real.epoch;
	m->link.seq = real.next++;
	fc_wire_link_encode(m->data + ETH_HLEN, &m->link);
	fc_wire_target_encode(m->head, 0, &m->target);
	if (send(fd, m->data, m->len, 0) < 0)
		die("send: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	static struct model source, flit, in;
	uint64_t until, repeat_at;
	unsigned int neighbour, resets = 0;
	uint32_t count, done;
	uint16_t epoch;
	int fd, tx, on = 1;
	bool out;

	if (argc != 7)
		die("usage: forge LAB SOURCE VICTIM NEIGHBOUR DEV COUNT");
	lab = argv[1];
	victim = strtoul(argv[3], NULL, 0);
	neighbour = strtoul(argv[4], NULL, 0);
	count = strtoul(argv[6], NULL, 0);
	capture(neighbour, argv[5], &flit);
	copies = strtoul(argv[2], NULL, 0) == neighbour;
	if (copies)
		source = flit;
	else
		capture(strtoul(argv[2], NULL, 0), NULL, &source);
	if (flit.link.summed)
		die("%s: the link has checksums", argv[5]);
	flit.pk.src = source.pk.src;
	flit.pk.incarnation = source.pk.incarnation;
	flit.pk.sock = source.pk.sock;
	flit.pk.hops++;
	flit.pk.copied++;
	fc_wire_packet_encode(flit.head, &flit.pk);
	/* The stack drops a forged one for its checksum, without an answer. */
	if (!copies)
		flit.data[flit.len - 1] ^= 1;
	enter_site(neighbour);
	fd = packet_socket(argv[5]);
	tx = packet_socket(argv[5]);
	/* Bypass the taps: this program must not capture its own frames. */
	if (setsockopt(tx, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		die("PACKET_QDISC_BYPASS: %s", strerror(errno));
	real.epoch = flit.link.epoch;
	real.acked = flit.link.seq + 1;
	real.next = real.acked;
	real.last_ack = real.acked;
	until = now_ms() + GIVE_UP_MS;
	repeat_at = now_ms() + REPEAT_MS;
	while (real.done < count) {
		done = real.done;
		epoch = real.epoch;
		while (real.next - real.acked < AHEAD &&
		       real.done + (real.next - real.acked) < count)
			forge(tx, &flit, source.target.seq + 1);
		if (next_frame(fd, REPEAT_MS, &in, &out))
			learn(&in, flit.link.vc, out);
		resets += epoch != real.epoch;
		if (real.done != done || epoch != real.epoch)
			repeat_at = now_ms() + REPEAT_MS;
		if (now_ms() >= repeat_at) {
			real.acked = real.last_ack;
			real.next = real.acked;
			repeat_at = now_ms() + REPEAT_MS;
		}
		if (now_ms() >= until)
			die("%u of %u were acked, in %u resets", real.done, count, resets);
	}
	printf("# %u %s number %u, %u resets of the link\n", count,
	       copies ? "copies of" : "datagrams behind", source.target.seq, resets);
	return 0;
}

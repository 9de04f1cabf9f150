/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frame formats: encoding, decoding and validation, and the only byte-order code.  Decoded values
 * are validated as far as a single frame permits.
 *
 * A frame is a link header and its payload.  The payload of a flit with
 * FC_PART_HEAD begins with a packet header and the target list; the rest of
 * the payload is data.
 */
#ifndef FC_CORE_WIRE_WIRE_H
#define FC_CORE_WIRE_WIRE_H

#include "core/base.h"
#include "core/wire/wire_bytes.h"
#include "core/wire/wire_kind.h"

#define FC_VERSION		1
#define FC_ETHERTYPE		0x88B5	/* IEEE 802 local experimental ethertype 1 */

#define FC_LINK_SIZE		20	/* link header */
#define FC_LINK_SUM		16	/* offset of its checksum */
#define FC_HELLO_SIZE		36
#define FC_STATUS_SIZE		16
#define FC_CTRL_SIZE		44	/* entry of FC_FRAME_CTRL */
#define FC_CTRLS_MAX		16	/* entries of a frame; fewer where flits are short */
#define FC_PACKET_SIZE		36	/* packet header */
#define FC_TARGET_SIZE		20	/* target entry */
#define FC_BITMAP_MAX		255	/* bytes of a bitmap of target sites */
#define FC_CSR_SIZE		36	/* payload of FC_FRAME_CSR without its targets */
#define FC_AUTH_SIZE		16	/* authentication code of a HELLO */
#define FC_AUTH_PREFIX		36	/* bytes it covers before the message */
#define FC_CODE_SIZE		12	/* number and authentication code of any other frame */

/* Maximum data bytes of a packet; all packets of a message but the last have as many. */
#define FC_PACKET_MAX		65536U
#define FC_MESSAGE_MAX		(16U << 20)
/* Minimum data bytes of a flit but front and terminator: bounds the flits of a packet. */
#define FC_DATA_MIN		128
#define FC_TARGETS_MAX		64	/* targets of a packet: branches are u64 masks */
#define FC_HOPS_MAX		1024	/* links that a packet may cross */
#define FC_FLOW_WINDOW		16	/* messages of one flow in progress */

enum fc_frame {
	FC_FRAME_HELLO = 1,
	FC_FRAME_FLIT,
	FC_FRAME_STATUS,
	FC_FRAME_CTRL,
	FC_FRAME_FAULTS,
	FC_FRAME_CSR,		/* core/csr/wire_csr.h */
};

/* In the type of a frame with a code: behind the message of a HELLO, else before the payload. */
#define FC_FRAME_AUTH		0x80

/* Maximum number of packets of a broadcast on one link: each has a label. */
#define FC_LABELS_MAX		8
/* Maximum number of copies of a broadcast. */
#define FC_COPIES_MAX		16

/* Virtual channels: control is neither sequenced nor credited. */
enum fc_vc {
	FC_VC_CTRL,
	FC_VC_BCAST = 2,
	FC_VC_CLASS,	/* first of the channels by set and class; mode care has class 0 alone */
	FC_VC_COUNT = FC_VC_CLASS + 3 * 64
};

/*
 * Sets of channels: every link has the channels of each set, and a packet stays in its set.  The
 * source chooses the set; transit sites derive it from the channel.
 */
enum fc_set {
	FC_SET_BULK,	/* packets of many flits; in mode csr all packets that reserve a path */
	FC_SET_SHORT,	/* messages of up to FC_TURN_STREAK flits (core/link/turn.h); not in csr */
	FC_SET_HIGH,	/* high class: short messages, and any message of a privileged sender */
	FC_SET_COUNT
};

/* Number of channels of a set. */
#define FC_SET_SHIFT		6
#define FC_SET_CHANNELS		(1 << FC_SET_SHIFT)

static_assert(FC_VC_CLASS + FC_SET_COUNT * FC_SET_CHANNELS == FC_VC_COUNT);

/* The first channel of a set; its classes follow. */
static inline u8 fc_set_vc(u8 set)
{
	return FC_VC_CLASS + (set << FC_SET_SHIFT);
}

/* Set and class of a channel, which is FC_VC_CLASS or above. */
static inline u8 fc_vc_set(u8 vc)
{
	return (u8)(vc - FC_VC_CLASS) >> FC_SET_SHIFT;
}

static inline u8 fc_vc_class(u8 vc)
{
	return (u8)(vc - FC_VC_CLASS) & (FC_SET_CHANNELS - 1);
}

/* Parts of a packet in a flit (flags of FC_FRAME_FLIT). */
#define FC_PART_HEAD		0x01
#define FC_PART_TERM		0x02
#define FC_PART_ABORT		0x04	/* with TERM: :abort-packet, no data */
/*
 * Count in a front in a class: number of consecutive sites, up to the sender, that forwarded it
 * speculatively (core/vnet/postman.h).  At FC_EAGER_MAX a site routes the front first.
 */
#define FC_PART_EAGER		0x70
#define FC_PART_EAGER_SHIFT	4
#define FC_EAGER_MAX		(FC_PART_EAGER >> FC_PART_EAGER_SHIFT)

/* Flags of FC_FRAME_STATUS. */
#define FC_STATUS_POLL		0x01	/* answer at once, with the mask of received flits */
#define FC_STATUS_ACK_REQUEST	0x02	/* answer when every flit sent is consumed */
#define FC_STATUS_NACK		0x04	/* send the missing flits again */
/* Flags of HELLO. */
#define FC_HELLO_SUM		0x01	/* every frame of this link is to carry a checksum */
#define FC_HELLO_LONG		0x02	/* full frames may be lost: only full-size HELLOs count */
#define FC_HELLO_PAIR		0x04	/* one of a pair: report whether the long one arrived */
#define FC_HELLO_SEEN		0x08	/* answer: the long HELLO arrived */
#define FC_HELLO_MISSED		0x10	/* answer: the long HELLO did not arrive */
#define FC_HELLO_LEAVES		0x20	/* the sender is removed: its last HELLO */
#define FC_HELLO_ASK		0x40	/* answer at once */
#define FC_HELLO_INTEGRITY	0x80	/* packets of the network have a sum */

/**
 * struct fc_link_hdr - link header
 * @type: enum fc_frame
 * @vc: virtual channel of a flit or status
 * @flags: FC_PART_* of a flit, FC_STATUS_* of a status
 * @summed: the frame carries a checksum
 * @auth: a HELLO carries an authentication code: see fc_wire_auth_prefix()
 * @len: payload bytes; the device may pad the frame
 * @epoch: low bits of the sender's epoch
 * @seq: flit: its number; status: number of the next flit
 * @ack: cumulative ack: number of flits consumed in the other direction of the channel
 * @sum: if @summed, CRC32C (RFC 3720, B.4) of the link header, with zeros in this field, and of the
 *	payload; else 0 of a flit, whose check encoding computes, and fc_wire_check() of others
 */
struct fc_link_hdr {
	u8  type;
	u8  vc;
	u8  flags;
	bool summed;
	bool auth;
	u16 len;
	u16 epoch;
	u32 seq;
	u32 ack;
	u32 sum;
};

/**
 * struct fc_status - payload of FC_FRAME_STATUS
 * @have: bit i: flit @ack + i of the link header is in the receiver's queue
 * @upto: with FC_STATUS_NACK: resend the missing flits before this number
 * @poll: number of the sender's last poll; wraps
 * @echo: number of the last poll that the sender has received
 */
struct fc_status {
	u64 have;
	u32 upto;
	u16 poll;
	u16 echo;
};

/**
 * struct fc_hello_msg - payload of FC_FRAME_HELLO
 * @ver_min: lowest supported version
 * @ver_max: highest supported version
 * @mode: switching mode
 * @reason: enum fc_reason: reason why the sender's end is not up, or 0
 * @site: sender
 * @port: port of the sender
 * @window: number of flits that the sender's input queues hold
 * @flit: flit size of the network
 * @epoch: epoch of the sender's end, not 0; each reset of the link begins a new one
 * @peer_epoch: epoch of the receiver, as the sender knows it; 0: unknown
 * @topology: fc_topo_hash()
 * @nsites: sites of the topology
 * @flags: FC_HELLO_*
 * @interval: time between the sender's HELLOs while its end is up, in ms
 * @number: with a key: sequence number of the HELLO, in the link header (@seq)
 */
struct fc_hello_msg {
	u8  ver_min;
	u8  ver_max;
	u8  mode;
	u8  reason;
	u32 site;
	u16 port;
	u16 window;
	u32 flit;
	u32 epoch;
	u32 peer_epoch;
	u32 topology;
	u32 nsites;
	u8  flags;
	u16 interval;
	u32 number;
};

/**
 * struct fc_packet - packet header
 * @src: source site
 * @incarnation: incarnation of the source site
 * @sock: number of the source socket, unique in the incarnation; of a datagram: hash of its flow
 * @src_port: port of the source socket
 * @bitmap: bytes of the bitmap of target sites; 0: each target has an entry
 * @ntargets: targets, 1 .. FC_TARGETS_MAX
 * @id: message id; in an answer to a request for a connection, the id of the request
 * @msg_len: bytes of the message
 * @offset: first byte of the message in this packet, a multiple of FC_PACKET_MAX
 * @sum: 0, or the sum of the packet (core/wire/wire_sum.h)
 * @hops: links crossed
 * @flags: FC_PACKET_*
 * @kind: enum fc_kind
 * @copied: number of times that the packet was copied around suspected links, below 4
 */
struct fc_packet {
	u32 src;
	u32 incarnation;
	u32 sock;
	u16 src_port;
	u8  bitmap;
	u8  ntargets;
	u32 id;
	u32 msg_len;
	u32 offset;
	u32 sum;
	u16 hops;
	u8  flags;
	u8  kind;
	u8  copied;
};

/* Returns the data bytes of a packet: the rest of its message, FC_PACKET_MAX at most. */
static inline u32 fc_data_len(u32 msg_len, u32 offset)
{
	return msg_len - offset < FC_PACKET_MAX ? msg_len - offset : FC_PACKET_MAX;
}

static inline u32 fc_packet_data(const struct fc_packet *pk)
{
	return fc_data_len(pk->msg_len, pk->offset);
}

/* Flag of a target entry: last entry of the list (CARE, section 3.1). */
#define FC_TARGET_LAST		0x01

/**
 * struct fc_target - target entry
 * @site: target site
 * @port: target port, not 0
 * @flags: FC_TARGET_LAST
 * @outstanding: number of earlier messages of the flow that the source still keeps: none before
 *	@seq - @outstanding will arrive any more
 * @off: offset of the part of the message that the target receives
 * @len: length of the part; 0: to the end of the message
 * @seq: number of the message in the flow (source socket, target port)
 */
struct fc_target {
	u32 site;
	u16 port;
	u8  flags;
	u8  outstanding;
	u32 off;
	u32 len;
	u32 seq;
};

/**
 * struct fc_bcast_hdr - broadcast header, in place of the target entry of a head
 * @number: number of the broadcast at its source; wraps; a repeated broadcast has a new number
 * @port: target port at every site, not 0
 * @copies: number of disjoint paths, at least 1
 * @outstanding: maximum over all targets of @outstanding of struct fc_target, up to
 *	FC_BCAST_OUTSTANDING_MAX, which stands for any larger number, too
 * @label: label of the packet on this link, below FC_LABELS_MAX (core/bcast/path.h); 0 if a link
 *	carries one packet of a broadcast
 * @seq: number of the message in the flow (source socket, target port)
 *
 * The packet header has 1 for @ntargets, and FC_SOCK_BCAST in @sock: broadcasts of a socket are
 * flows apart from its other messages.
 */
struct fc_bcast_hdr {
	u32 number;
	u16 port;
	u8  copies;
	u8  outstanding;
	u8  label;
	u32 seq;
};

/* Maximum of @outstanding of struct fc_bcast_hdr. */
#define FC_BCAST_OUTSTANDING_MAX		(FC_FLOW_WINDOW - 1U)

/* Flag in @sock of struct fc_packet: flow of broadcasts. */
#define FC_SOCK_BCAST		0x80000000U

/* Kinds of control entries, about one target of a message; to the source unless noted. */
enum fc_ctrl_kind {
	FC_CTRL_CONFIRM = 1,	/* cumulative ack */
	FC_CTRL_NO_SPACE,	/* no buffer space: wait for FC_CTRL_GRANT */
	FC_CTRL_GRANT,		/* grant of buffer space: begin with the first packet */
	FC_CTRL_REFUSED,	/* no socket on the port */
	FC_CTRL_UNREACHABLE,	/* a site on the path has no usable port */
	FC_CTRL_ASK,		/* source to target: request of an ack, and FC_CTRL_FORWARD */
	FC_CTRL_FORWARD,	/* source to target: all earlier messages are completed */
	FC_CTRL_RESYNC_REQ,	/* target to source: no state of the flow, request of a RESYNC */
	FC_CTRL_RESYNC,		/* source to target: answer, with the fields of FC_CTRL_FORWARD */
	FC_CTRL_CLOSED,		/* source to target: all completed, the source has no flow state */
	FC_CTRL_DAMAGED,	/* a packet came damaged: send packets with FC_PACKET_LOCATE */
	FC_CTRL_COUNT
};

/**
 * struct fc_ctrl - entry of FC_FRAME_CTRL, from a target to a source; of kinds that go in the
 *	opposite direction, source and target are in each other's place
 * @kind: enum fc_ctrl_kind
 * @hops: links crossed
 * @dst: source site of the message, to which this entry is sent
 * @incarnation: incarnation of that site
 * @sock: source socket
 * @site: target site of the entry
 * @port: target port of the entry
 * @seq: message of the entry
 * @next: cumulative ack: every message of the flow before this one is received
 * @base: number of packets of message @seq received without a gap; of FC_CTRL_UNREACHABLE:
 *	FC_UNREACHABLE_HOPS, or 0
 * @have: bit i: packet @base + i is received, too
 * @sum: 0, or the sum of the entry (core/wire/wire_sum.h)
 */
struct fc_ctrl {
	u8  kind;
	u16 hops;
	u32 dst;
	u32 incarnation;
	u32 sock;
	u32 site;
	u16 port;
	u32 seq;
	u32 next;
	u16 base;
	u64 have;
	u32 sum;
};

/**
 * fc_ctrl_covers() - does a confirmation make an older entry redundant?
 * @c: new entry; only a confirmation covers others
 * @old: older entry in the same direction
 *
 * The cumulative ack of an entry confirms all earlier messages.
 */
bool fc_ctrl_covers(const struct fc_ctrl *c, const struct fc_ctrl *old);

/**
 * fc_wire_link_decode() - link header of a frame
 * @h: result
 * @p: first byte after the Ethernet header
 * @linear: readable bytes at @p
 * @total: bytes of the frame from @p on, padding included
 *
 * Return: true if the header is valid for its type and its payload is within the frame.
 */
bool fc_wire_link_decode(struct fc_link_hdr *h, const u8 *p, u32 linear, u32 total);
void fc_wire_link_encode(u8 p[FC_LINK_SIZE], const struct fc_link_hdr *h);

/* Read and set only the checksum of an encoded link header. */
bool fc_wire_link_summed(const u8 p[FC_LINK_SIZE]);
void fc_wire_link_set_sum(u8 p[FC_LINK_SIZE], u32 sum);

/**
 * fc_wire_auth_prefix() - the bytes that the code of a HELLO covers before the message
 * @p: written
 * @h: link header of the HELLO, with its final length; its checksum is not covered.  NULL: zeros,
 *	for the keys of all other frames
 * @site: sender of the frame
 * @port: port of the sender
 * @epoch: epoch of the sender's end of the link
 * @peer_epoch: epoch of the receiver's end; 0 in a HELLO, whose message has both
 */
void fc_wire_auth_prefix(u8 p[FC_AUTH_PREFIX], const struct fc_link_hdr *h, u32 site, u16 port,
			 u32 epoch, u32 peer_epoch);

/* The epoch of the sender of a HELLO, before the HELLO is decoded. */
u32 fc_wire_hello_epoch(const u8 p[FC_HELLO_SIZE]);

/* Payloads of fixed size.  Return: false if a field is out of range; any status is valid. */
bool fc_wire_hello_decode(struct fc_hello_msg *m, const u8 p[FC_HELLO_SIZE]);
void fc_wire_hello_encode(u8 p[FC_HELLO_SIZE], const struct fc_hello_msg *m);
void fc_wire_status_decode(struct fc_status *s, const u8 p[FC_STATUS_SIZE]);
void fc_wire_status_encode(u8 p[FC_STATUS_SIZE], const struct fc_status *s);
bool fc_wire_ctrl_decode(struct fc_ctrl *c, const u8 p[FC_CTRL_SIZE]);
void fc_wire_ctrl_encode(u8 p[FC_CTRL_SIZE], const struct fc_ctrl *c);

static inline u32 fc_ctrls_size(u32 n)
{
	return n * FC_CTRL_SIZE;
}

/* Return: maximum number of entries of a control frame, for a flit size. */
static inline u32 fc_ctrls_most(u32 flit)
{
	u32 n = (flit - FC_LINK_SIZE) / FC_CTRL_SIZE;

	return n < FC_CTRLS_MAX ? n : FC_CTRLS_MAX;
}

/**
 * fc_wire_ctrls_check() - validate the payload of FC_FRAME_CTRL
 * @p: payload
 * @len: length of the payload, by the link header
 * @nsites: number of sites of the topology
 *
 * Return: number of entries; 0 if a field of an entry is out of range.
 */
u32 fc_wire_ctrls_check(const u8 *p, u32 len, u32 nsites);

/**
 * fc_wire_ctrls_decode() - payload of FC_FRAME_CTRL
 * @c: space for FC_CTRLS_MAX entries
 * @p: payload
 * @len: length of the payload, by the link header
 *
 * Return: number of entries; 0 if a field of an entry is out of range.
 */
u32 fc_wire_ctrls_decode(struct fc_ctrl *c, const u8 *p, u32 len);

/* Returns the bytes of a head without bitmap. */
static inline u32 fc_head_size(u32 ntargets)
{
	return FC_PACKET_SIZE + ntargets * FC_TARGET_SIZE;
}

/**
 * fc_wire_head_size() - bytes of packet header and target list of a head flit
 * @p: its payload
 * @linear: readable bytes at @p
 *
 * Return: the size by the header; 0 if it is out of range.  The list need not be readable.
 */
u32 fc_wire_head_size(const u8 *p, u32 linear);

/**
 * fc_wire_head_check() - validate the head of a flit
 * @p: its payload; packet header and list are readable
 * @flags: FC_PART_* of the flit
 * @len: payload bytes
 * @nsites: sites of the topology
 *
 * Return: true if header and list are consistent with each other, with the flit and with the
 * topology.  All other fc_wire_*() functions on heads require a valid head.
 */
bool fc_wire_head_check(const u8 *p, u8 flags, u32 len, u32 nsites);

void fc_wire_packet_decode(struct fc_packet *pk, const u8 *head);
void fc_wire_packet_encode(u8 *head, const struct fc_packet *pk);
void fc_wire_target_decode(struct fc_target *t, const u8 *head, unsigned int i);
/* Encodes an entry of a head without bitmap. */
void fc_wire_target_encode(u8 *head, unsigned int i, const struct fc_target *t);

/**
 * fc_wire_sites_size() - bytes of packet header and list where targets differ in their site alone
 * @site: target sites, all different, in any order
 * @n: number of targets, 1 .. FC_TARGETS_MAX
 *
 * Return: bytes of the shorter form: an entry for each target, or one entry and a bitmap.
 */
u32 fc_wire_sites_size(const u32 *site, unsigned int n);

/**
 * fc_wire_sites_encode() - write the list of targets that differ in their site alone
 * @head: packet header is encoded; the number of targets and the form are set
 * @t: target, whose @site and @flags are ignored
 * @site: target sites, all different, in any order
 * @n: number of targets, 1 .. FC_TARGETS_MAX
 *
 * The targets of a bitmap are in the order of their sites.
 *
 * Return: fc_wire_sites_size().
 */
u32 fc_wire_sites_encode(u8 *head, const struct fc_target *t, const u32 *site, unsigned int n);

/**
 * fc_wire_bcast_check() - validate the head of a flit of a broadcast
 * @p: its payload; fc_head_size(1) bytes are readable
 * @flags: FC_PART_* of the flit
 * @len: payload bytes
 * @nsites: sites of the topology
 *
 * Return: true if the head is consistent with the flit and with the topology; only then it may be
 * decoded.
 */
bool fc_wire_bcast_check(const u8 *p, u8 flags, u32 len, u32 nsites);
void fc_wire_bcast_decode(struct fc_bcast_hdr *c, const u8 *head);
void fc_wire_bcast_encode(u8 *head, const struct fc_bcast_hdr *c);
/* Counts one more link crossed, and sets the label on the next link. */
void fc_wire_bcast_hop(u8 *head, u8 label);

/* Offsets of fields for the router: in the packet header; in a target entry; in a control entry. */
enum {
	FC_AT_SRC = 0, FC_AT_SOCK = 8, FC_AT_BITMAP = 14, FC_AT_NTARGETS = 15, FC_AT_ID = 16,
	FC_AT_MSG_LEN = 20, FC_AT_OFFSET = 24, FC_AT_SUM = 28, FC_AT_HOPS = 32, FC_AT_FLAGS = 34,
	FC_AT_KIND = 35, FC_AT_SITE = 0, FC_AT_CTRL_HOPS = 2, FC_AT_CTRL_DST = 4,
	FC_AT_CTRL_SITE = 16,
};

static inline unsigned int fc_wire_ntargets(const u8 *head)
{
	return head[FC_AT_NTARGETS];
}

/* Returns true if the head has a bitmap of target sites. */
static inline bool fc_wire_mapped(const u8 *head)
{
	return head[FC_AT_BITMAP];
}

/* Returns the bytes of packet header and target list of a valid head. */
static inline u32 fc_wire_head_len(const u8 *head)
{
	if (fc_wire_mapped(head))
		return fc_head_size(1) + head[FC_AT_BITMAP];
	return fc_head_size(fc_wire_ntargets(head));
}

/* For heads with a bitmap; callers use fc_wire_target_site() and fc_wire_target_sites(). */
u32 fc_wire_bitmap_site(const u8 *head, unsigned int i);
void fc_wire_bitmap_sites(u32 *site, const u8 *head);

/* Returns the site of one target; loops over all targets use fc_wire_target_sites(). */
static inline u32 fc_wire_target_site(const u8 *head, unsigned int i)
{
	/* The entry of a bitmap has the site of the first target. */
	if (i && fc_wire_mapped(head))
		return fc_wire_bitmap_site(head, i);
	return fc_get32(head + fc_head_size(i) + FC_AT_SITE);
}

/**
 * fc_wire_target_sites() - the sites of all targets
 * @site: result; space for FC_TARGETS_MAX
 * @head: head
 *
 * Return: number of targets.
 */
static inline unsigned int fc_wire_target_sites(u32 *site, const u8 *head)
{
	unsigned int i, n = fc_wire_ntargets(head);

	if (fc_wire_mapped(head)) {
		fc_wire_bitmap_sites(site, head);
		return n;
	}
	for (i = 0; i < n; i++)
		site[i] = fc_get32(head + fc_head_size(i) + FC_AT_SITE);
	return n;
}

static inline u32 fc_wire_data_len(const u8 *head)
{
	return fc_data_len(fc_get32(head + FC_AT_MSG_LEN), fc_get32(head + FC_AT_OFFSET));
}

static inline u16 fc_wire_hops(const u8 *head)
{
	return fc_get16(head + FC_AT_HOPS) % FC_HOPS_COPY;
}

static inline u32 fc_wire_src(const u8 *head)
{
	return fc_get32(head + FC_AT_SRC);
}

/* Is the head of a list whose source waits for confirmations? */
static inline bool fc_wire_list_awaited(const u8 *head)
{
	return (head[FC_AT_FLAGS] & (FC_PACKET_LIST | FC_PACKET_DELAY_ACK)) == FC_PACKET_LIST;
}

/* Returns true if neither end keeps a message of the packet or acknowledges it. */
static inline bool fc_wire_datagram(const u8 *head)
{
	return head[FC_AT_KIND] == FC_KIND_DATAGRAM;
}

/* Return: the destination site of an entry of FC_FRAME_CTRL. */
static inline u32 fc_wire_ctrl_dst(const u8 *entry)
{
	return fc_get32(entry + FC_AT_CTRL_DST);
}

/* Return: the site of the target that the entry is about. */
static inline u32 fc_wire_ctrl_site(const u8 *entry)
{
	return fc_get32(entry + FC_AT_CTRL_SITE);
}

static inline u16 fc_wire_ctrl_hops(const u8 *entry)
{
	return fc_get16(entry + FC_AT_CTRL_HOPS);
}

/* Counts one more link crossed. */
static inline void fc_wire_ctrl_hop(u8 *entry)
{
	fc_put16(entry + FC_AT_CTRL_HOPS, (u16)(fc_get16(entry + FC_AT_CTRL_HOPS) + 1));
}

/* Sets FC_PACKET_APART: the list was divided into its targets. */
void fc_wire_head_apart(u8 *head);

/**
 * fc_wire_head_subset() - write the head of a branch, with some of the targets
 * @dst: result: at @src, above it by exactly the bytes saved, or in other memory
 * @src: head
 * @mask: targets to keep, not 0
 * @hops: number to add to the links crossed
 *
 * A list with a bitmap gets the shorter form again; a list without one keeps its entries.  The head
 * never grows.
 *
 * Return: bytes written.
 */
u32 fc_wire_head_subset(u8 *dst, const u8 *src, u64 mask, u16 hops);

/* For heads with a bitmap; callers use fc_wire_subset_size(). */
u32 fc_wire_bitmap_subset_size(const u8 *head, u64 mask);

/**
 * fc_wire_subset_size() - bytes that fc_wire_head_subset() writes
 * @head: head
 * @mask: targets to keep, all of which exist
 * @n: number of these, at least 1
 */
static inline u32 fc_wire_subset_size(const u8 *head, u64 mask, unsigned int n)
{
	if (fc_wire_mapped(head))
		return fc_wire_bitmap_subset_size(head, mask);
	return fc_head_size(n);
}

#endif /* FC_CORE_WIRE_WIRE_H */

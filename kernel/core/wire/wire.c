// SPDX-License-Identifier: GPL-2.0
#include "core/wire/wire_bytes.h"
#include "core/wire/wire_faults.h"
#include "core/wire/wire_link.h"
#include "core/wire/wire_plain.h"
#include "core/wire/wire_sum.h"

/* Fields of a broadcast that differ. */
enum { C_NUMBER = T_SITE, C_COPIES = T_OFF, C_LABEL = T_LEN };

static_assert(P_KIND + 1 == FC_PACKET_SIZE);
static_assert(FC_LINK_SUM + 4 == FC_LINK_SIZE);
static_assert(T_SEQ + 4 == FC_TARGET_SIZE);
static_assert(FC_FLOW_WINDOW <= 255);
static_assert(FC_LINK_SIZE + 16 == FC_AUTH_PREFIX);

static bool ctrls_size_valid(u32 len)
{
	return len && len <= fc_ctrls_size(FC_CTRLS_MAX) && len % FC_CTRL_SIZE == 0;
}

static bool faults_size_valid(u32 len)
{
	return len >= FC_FAULTS_SIZE && len <= fc_faults_size(FC_FAULTS_MAX) &&
	       (len - FC_FAULTS_SIZE) % FC_FAULT_SIZE == 0;
}

static bool csr_size_valid(u32 len)
{
	return len >= FC_CSR_SIZE && len <= FC_CSR_SIZE + 4 * FC_TARGETS_MAX && len % 4 == 0;
}

bool fc_wire_link_flags(struct fc_link_hdr *h)
{
	u32 len = h->len;

	/* The link layer removes the codes of all other frames. */
	if (h->type == (FC_FRAME_HELLO | FC_FRAME_AUTH)) {
		h->type = FC_FRAME_HELLO;
		h->auth = true;
		if (len < FC_AUTH_SIZE)
			return false;
		len -= FC_AUTH_SIZE;
	}
	switch ((enum fc_frame)h->type) {
	case FC_FRAME_FLIT:
		return fc_link_flit_flags(h);
	case FC_FRAME_STATUS:
		return fc_link_status_flags(h);
	case FC_FRAME_HELLO:
		return h->vc == FC_VC_CTRL && !h->flags && len >= FC_HELLO_SIZE;
	case FC_FRAME_CTRL:
		return h->vc == FC_VC_CTRL && !h->flags && ctrls_size_valid(h->len);
	case FC_FRAME_FAULTS:
		return h->vc == FC_VC_CTRL && !h->flags && faults_size_valid(h->len);
	case FC_FRAME_CSR:
		return h->vc == FC_VC_CTRL && !h->flags && csr_size_valid(h->len);
	}
	return false;
}

void fc_wire_auth_prefix(u8 p[FC_AUTH_PREFIX], const struct fc_link_hdr *h, u32 site, u16 port,
			 u32 epoch, u32 peer_epoch)
{
	struct fc_link_hdr plain;

	memset(p, 0, FC_LINK_SIZE);
	if (h) {
		plain = *h;
		/* A checksum is computed over the code. */
		plain.summed = false;
		fc_link_encode(p, &plain);
		fc_put32(p + FC_LINK_SUM, 0);
	}
	fc_put32(p + FC_LINK_SIZE, site);
	fc_put32(p + FC_LINK_SIZE + 4, port);
	fc_put32(p + FC_LINK_SIZE + 8, epoch);
	fc_put32(p + FC_LINK_SIZE + 12, peer_epoch);
}

bool fc_wire_link_decode(struct fc_link_hdr *h, const u8 *p, u32 linear, u32 total)
{
	return fc_link_decode(h, p, linear, total);
}

void fc_wire_link_encode(u8 p[FC_LINK_SIZE], const struct fc_link_hdr *h)
{
	fc_link_encode(p, h);
}

u32 fc_wire_check(const u8 *p, u32 len)
{
	u64 state = fc_check_header(p);
	u8 last[sizeof(u64)] = { 0 };

	for (p += FC_LINK_SIZE; len >= sizeof(u64); p += sizeof(u64), len -= sizeof(u64))
		state = fc_check_word(state, fc_get64_le(p));
	if (len) {
		memcpy(last, p, len);
		state = fc_check_word(state, fc_get64_le(last));
	}
	return fc_check_end(state);
}

void fc_wire_frame_encode(u8 *p, const struct fc_link_hdr *h)
{
	fc_link_encode(p, h);
	if (h->type != FC_FRAME_FLIT && !h->summed)
		fc_put32(p + FC_LINK_SUM, fc_wire_check(p, h->len));
}

bool fc_wire_link_summed(const u8 p[FC_LINK_SIZE])
{
	return p[FC_LINK_FLAGS] & FC_LINK_SUMMED;
}

void fc_wire_link_set_sum(u8 p[FC_LINK_SIZE], u32 sum)
{
	fc_put32(p + FC_LINK_SUM, sum);
}

u32 fc_wire_hello_epoch(const u8 p[FC_HELLO_SIZE])
{
	return fc_get32(p + 16);
}

bool fc_wire_hello_decode(struct fc_hello_msg *m, const u8 p[FC_HELLO_SIZE])
{
	m->ver_min = p[0];
	m->ver_max = p[1];
	m->mode = p[2];
	m->reason = p[3];
	m->site = fc_get32(p + 4);
	m->port = fc_get16(p + 8);
	m->window = fc_get16(p + 10);
	m->flit = fc_get32(p + 12);
	m->epoch = fc_get32(p + 16);
	m->peer_epoch = fc_get32(p + 20);
	m->topology = fc_get32(p + 24);
	m->nsites = fc_get32(p + 28);
	m->flags = p[32];
	m->interval = fc_get16(p + 34);
	m->number = 0;
	return m->ver_min <= m->ver_max && m->epoch && m->window &&
	       m->site != FC_SITE_NONE && m->port && m->port < FC_PORTS_MAX &&
	       !p[33];
}

void fc_wire_hello_encode(u8 p[FC_HELLO_SIZE], const struct fc_hello_msg *m)
{
	p[0] = m->ver_min;
	p[1] = m->ver_max;
	p[2] = m->mode;
	p[3] = m->reason;
	fc_put32(p + 4, m->site);
	fc_put16(p + 8, m->port);
	fc_put16(p + 10, m->window);
	fc_put32(p + 12, m->flit);
	fc_put32(p + 16, m->epoch);
	fc_put32(p + 20, m->peer_epoch);
	fc_put32(p + 24, m->topology);
	fc_put32(p + 28, m->nsites);
	fc_put32(p + 32, (u32)m->flags << 24 | m->interval);
}

void fc_wire_status_decode(struct fc_status *s, const u8 p[FC_STATUS_SIZE])
{
	s->have = (u64)fc_get32(p) << 32 | fc_get32(p + 4);
	s->upto = fc_get32(p + 8);
	s->poll = fc_get16(p + 12);
	s->echo = fc_get16(p + 14);
}

void fc_wire_status_encode(u8 p[FC_STATUS_SIZE], const struct fc_status *s)
{
	fc_put32(p, (u32)(s->have >> 32));
	fc_put32(p + 4, (u32)s->have);
	fc_put32(p + 8, s->upto);
	fc_put16(p + 12, s->poll);
	fc_put16(p + 14, s->echo);
}

static inline bool ctrl_valid(const u8 p[FC_CTRL_SIZE], u32 nsites)
{
	return p[0] >= FC_CTRL_CONFIRM && p[0] < FC_CTRL_COUNT && !p[1] &&
	       fc_wire_ctrl_dst(p) < nsites && fc_wire_ctrl_site(p) < nsites &&
	       fc_get16(p + 20);
}

bool fc_wire_ctrl_decode(struct fc_ctrl *c, const u8 p[FC_CTRL_SIZE])
{
	c->kind = p[0];
	c->hops = fc_wire_ctrl_hops(p);
	c->dst = fc_wire_ctrl_dst(p);
	c->incarnation = fc_get32(p + 8);
	c->sock = fc_get32(p + 12);
	c->site = fc_wire_ctrl_site(p);
	c->port = fc_get16(p + 20);
	c->base = fc_get16(p + 22);
	c->seq = fc_get32(p + 24);
	c->next = fc_get32(p + 28);
	c->have = (u64)fc_get32(p + 32) << 32 | fc_get32(p + 36);
	c->sum = fc_get32(p + FC_AT_CTRL_SUM);
	return ctrl_valid(p, FC_SITE_NONE);
}

void fc_wire_ctrl_encode(u8 p[FC_CTRL_SIZE], const struct fc_ctrl *c)
{
	p[0] = c->kind;
	p[1] = 0;
	fc_put16(p + FC_AT_CTRL_HOPS, c->hops);
	fc_put32(p + FC_AT_CTRL_DST, c->dst);
	fc_put32(p + 8, c->incarnation);
	fc_put32(p + 12, c->sock);
	fc_put32(p + FC_AT_CTRL_SITE, c->site);
	fc_put16(p + 20, c->port);
	fc_put16(p + 22, c->base);
	fc_put32(p + 24, c->seq);
	fc_put32(p + 28, c->next);
	fc_put32(p + 32, (u32)(c->have >> 32));
	fc_put32(p + 36, (u32)c->have);
	fc_put32(p + FC_AT_CTRL_SUM, c->sum);
}

u32 fc_wire_ctrls_check(const u8 *p, u32 len, u32 nsites)
{
	u32 at;

	if (!ctrls_size_valid(len))
		return 0;
	for (at = 0; at < len; at += FC_CTRL_SIZE)
		if (!ctrl_valid(p + at, nsites))
			return 0;
	return len / FC_CTRL_SIZE;
}

u32 fc_wire_ctrls_decode(struct fc_ctrl *c, const u8 *p, u32 len)
{
	u32 i, n = fc_wire_ctrls_check(p, len, FC_SITE_NONE);

	for (i = 0; i < n; i++)
		fc_wire_ctrl_decode(&c[i], p + fc_ctrls_size(i));
	return n;
}

bool fc_ctrl_covers(const struct fc_ctrl *c, const struct fc_ctrl *old)
{
	if (c->kind != FC_CTRL_CONFIRM || old->kind != FC_CTRL_CONFIRM || c->dst != old->dst ||
	    c->incarnation != old->incarnation || c->sock != old->sock ||
	    c->site != old->site || c->port != old->port || fc_before(c->next, old->next))
		return false;
	if (fc_before(old->seq, c->next))
		return true;
	if (c->seq != old->seq || c->base < old->base)
		return false;
	return c->base > old->base || (c->have & old->have) == old->have;
}

bool fc_wire_faults_decode(struct fc_faults_msg *m, const u8 *p, u32 len)
{
	u8 i;

	if (!faults_size_valid(len))
		return false;
	m->digest = fc_get32(p);
	m->n = (len - FC_FAULTS_SIZE) / FC_FAULT_SIZE;
	for (i = 0; i < m->n; i++) {
		struct fc_fault *f = &m->fault[i];
		const u8 *e = p + fc_faults_size(i);

		f->site = fc_get32(e);
		f->incarnation = fc_get32(e + 4);
		f->version = fc_get32(e + 8);
		f->ports = fc_get32(e + 12);
		f->suspect = fc_get32(e + 16);
		if (f->site == FC_SITE_NONE || !f->version || f->ports & f->suspect ||
		    (f->ports | f->suspect) & fc_bit(FC_PORT_LOCAL))
			return false;
	}
	return true;
}

void fc_wire_faults_encode(u8 *p, const struct fc_faults_msg *m)
{
	u8 i;

	fc_put32(p, m->digest);
	for (i = 0; i < m->n; i++) {
		const struct fc_fault *f = &m->fault[i];
		u8 *e = p + fc_faults_size(i);

		fc_put32(e, f->site);
		fc_put32(e + 4, f->incarnation);
		fc_put32(e + 8, f->version);
		fc_put32(e + 12, f->ports);
		fc_put32(e + 16, f->suspect);
	}
}

/* A bitmap of so many bytes makes the list of n targets shorter than entries do. */
static inline bool bitmap_shorter(u32 n, u32 bytes)
{
	return bytes < (n - 1) * FC_TARGET_SIZE && bytes <= FC_BITMAP_MAX;
}

u32 fc_wire_head_size(const u8 *p, u32 linear)
{
	u32 n;

	if (linear < FC_PACKET_SIZE)
		return 0;
	n = p[P_NTARGETS];
	if (!n || n > FC_TARGETS_MAX || (p[P_BITMAP] && !bitmap_shorter(n, p[P_BITMAP])))
		return 0;
	return fc_wire_head_len(p);
}

static bool target_valid(const u8 *p, u32 msg_len, u32 nsites, bool last)
{
	u32 off = fc_get32(p + T_OFF);

	return fc_get32(p + T_SITE) < nsites && fc_get16(p + T_PORT) &&
	       p[T_FLAGS] == (last ? FC_TARGET_LAST : 0) && p[T_OUTSTANDING] < FC_FLOW_WINDOW &&
	       off <= msg_len && fc_get32(p + T_LEN) <= msg_len - off;
}

static bool flags_valid(u8 flags, u32 n)
{
	flags &= (u8)~(FC_PACKET_DELAY_ACK | FC_PACKET_LOCATE);
	return !(flags & ~FC_PACKET_LIST) ||
	       (flags == (FC_PACKET_LIST | FC_PACKET_APART) && n == 1);
}

/* Only what is for anybody has several targets, and only messages have data. */
static bool kind_valid(const u8 *p, u32 n, u32 msg_len)
{
	if (p[P_FLAGS] & FC_PACKET_DELAY_ACK &&
	    (msg_len > FC_PACKET_MAX ||
	     (p[P_KIND] != FC_KIND_MESSAGE && p[P_KIND] != FC_KIND_DATA)))
		return false;
	/* Nearly all are; a switch would come to it last. */
	if (p[P_KIND] == FC_KIND_MESSAGE)
		return true;
	switch ((enum fc_kind)p[P_KIND]) {
	case FC_KIND_MESSAGE:
		return true;
	case FC_KIND_DATA:
		return n == 1 && !(p[P_FLAGS] & FC_PACKET_LIST);
	case FC_KIND_DATAGRAM:
		return !(p[P_FLAGS] & ~FC_PACKET_LOCATE) && msg_len <= FC_PACKET_MAX;
	case FC_KIND_CONNECT:
	case FC_KIND_ACCEPT:
	case FC_KIND_REFUSE:
	case FC_KIND_SHUT:
		return n == 1 && !(p[P_FLAGS] & FC_PACKET_LIST) && !msg_len;
	case FC_KIND_COUNT:
		break;
	}
	return false;
}

/* The bitmap has as many sites as targets, is as short as can be, and the topology has them all. */
static bool bitmap_valid(const u8 *p, u32 nsites)
{
	const u8 *map = p + fc_head_size(1);
	u32 first = fc_get32(p + FC_PACKET_SIZE + T_SITE), n = p[P_NTARGETS];
	u32 end = p[P_BITMAP] - 1U, top, found = 0, i;
	u8 rest;

	if (!bitmap_shorter(n, p[P_BITMAP]) || !(map[0] & 1) || !map[end] || first >= nsites)
		return false;
	top = 31 - (u32)__builtin_clz(map[end]);
	if (end * 8 + top >= nsites - first)
		return false;
	for (i = 0; i <= end && found <= n; i++)
		for (rest = map[i]; rest; rest &= rest - 1)
			found++;
	return found == n;
}

bool fc_wire_head_check(const u8 *p, u8 flags, u32 len, u32 nsites)
{
	u32 n = p[P_NTARGETS], size = fc_wire_head_len(p);
	u32 msg_len = fc_get32(p + P_MSG_LEN), offset = fc_get32(p + P_OFFSET);
	u32 data_len = fc_data_len(msg_len, offset), i;

	if (flags == (FC_PART_HEAD | FC_PART_TERM) && len >= fc_head_size(1) &&
	    fc_head_plain(p, len, nsites))
		return true;
	if (!n || n > FC_TARGETS_MAX || size > len || fc_get32(p + P_SRC) >= nsites ||
	    fc_get32(p + P_SOCK) & FC_SOCK_BCAST ||
	    !flags_valid(p[P_FLAGS], n) || !kind_valid(p, n, msg_len) ||
	    msg_len > FC_MESSAGE_MAX || offset % FC_PACKET_MAX || (offset && offset >= msg_len))
		return false;
	/* The data of the flit: all of the packet's exactly if it ends here. */
	if (flags & FC_PART_TERM ? len - size != data_len : len - size > data_len)
		return false;
	if (p[P_BITMAP])
		return bitmap_valid(p, nsites) &&
		       target_valid(p + FC_PACKET_SIZE, msg_len, nsites, true);
	for (i = 0; i < n; i++)
		if (!target_valid(p + fc_head_size(i), msg_len, nsites, i == n - 1))
			return false;
	return true;
}

bool fc_wire_bcast_check(const u8 *p, u8 flags, u32 len, u32 nsites)
{
	const u8 *t = p + FC_PACKET_SIZE;
	u32 size = fc_head_size(1), data_len = fc_get32(p + P_MSG_LEN);

	if (!fc_head_single(p) || size > len || fc_get32(p + P_SRC) >= nsites ||
	    !(fc_get32(p + P_SOCK) & FC_SOCK_BCAST) || p[P_FLAGS] & ~FC_PACKET_LOCATE ||
	    p[P_KIND] != FC_KIND_MESSAGE || fc_get32(p + P_OFFSET) || data_len > FC_PACKET_MAX)
		return false;
	if (!fc_get16(t + T_PORT) || t[T_FLAGS] != FC_TARGET_LAST ||
	    t[T_OUTSTANDING] >= FC_FLOW_WINDOW ||
	    fc_get32(t + C_COPIES) - 1 >= FC_COPIES_MAX || fc_get32(t + C_LABEL) >= FC_LABELS_MAX)
		return false;
	return flags & FC_PART_TERM ? len - size == data_len : len - size <= data_len;
}

void fc_wire_bcast_decode(struct fc_bcast_hdr *c, const u8 *head)
{
	const u8 *t = head + FC_PACKET_SIZE;

	c->number = fc_get32(t + C_NUMBER);
	c->port = fc_get16(t + T_PORT);
	c->copies = (u8)fc_get32(t + C_COPIES);
	c->outstanding = t[T_OUTSTANDING];
	c->label = (u8)fc_get32(t + C_LABEL);
	c->seq = fc_get32(t + T_SEQ);
}

void fc_wire_bcast_encode(u8 *head, const struct fc_bcast_hdr *c)
{
	u8 *t = head + FC_PACKET_SIZE;

	fc_put32(t + C_NUMBER, c->number);
	fc_put16(t + T_PORT, c->port);
	t[T_FLAGS] = FC_TARGET_LAST;
	t[T_OUTSTANDING] = c->outstanding;
	fc_put32(t + C_COPIES, c->copies);
	fc_put32(t + C_LABEL, c->label);
	fc_put32(t + T_SEQ, c->seq);
}

void fc_wire_bcast_hop(u8 *head, u8 label)
{
	fc_put32(head + FC_PACKET_SIZE + C_LABEL, label);
	fc_put16(head + P_HOPS, (u16)(fc_get16(head + P_HOPS) + 1));
}

void fc_wire_head_apart(u8 *head)
{
	head[P_FLAGS] |= FC_PACKET_APART;
}

void fc_wire_packet_decode(struct fc_packet *pk, const u8 *head)
{
	pk->src = fc_get32(head + P_SRC);
	pk->incarnation = fc_get32(head + P_INCARNATION);
	pk->sock = fc_get32(head + P_SOCK);
	pk->src_port = fc_get16(head + P_PORT);
	pk->bitmap = head[P_BITMAP];
	pk->ntargets = head[P_NTARGETS];
	pk->id = fc_get32(head + P_ID);
	pk->msg_len = fc_get32(head + P_MSG_LEN);
	pk->offset = fc_get32(head + P_OFFSET);
	pk->sum = fc_get32(head + P_SUM);
	pk->hops = fc_wire_hops(head);
	pk->copied = (u8)(fc_get16(head + P_HOPS) / FC_HOPS_COPY);
	pk->flags = head[P_FLAGS];
	pk->kind = head[P_KIND];
}

void fc_wire_packet_encode(u8 *head, const struct fc_packet *pk)
{
	fc_put32(head + P_SRC, pk->src);
	fc_put32(head + P_INCARNATION, pk->incarnation);
	fc_put32(head + P_SOCK, pk->sock);
	fc_put16(head + P_PORT, pk->src_port);
	head[P_BITMAP] = pk->bitmap;
	head[P_NTARGETS] = pk->ntargets;
	fc_put32(head + P_ID, pk->id);
	fc_put32(head + P_MSG_LEN, pk->msg_len);
	fc_put32(head + P_OFFSET, pk->offset);
	fc_put32(head + P_SUM, pk->sum);
	fc_put16(head + P_HOPS, (u16)(pk->hops + pk->copied * FC_HOPS_COPY));
	head[P_FLAGS] = pk->flags;
	head[P_KIND] = pk->kind;
}

static void entry_decode(struct fc_target *t, const u8 *p)
{
	t->site = fc_get32(p + T_SITE);
	t->port = fc_get16(p + T_PORT);
	t->flags = p[T_FLAGS];
	t->outstanding = p[T_OUTSTANDING];
	t->off = fc_get32(p + T_OFF);
	t->len = fc_get32(p + T_LEN);
	t->seq = fc_get32(p + T_SEQ);
}

void fc_wire_target_decode(struct fc_target *t, const u8 *head, unsigned int i)
{
	if (!fc_wire_mapped(head)) {
		entry_decode(t, head + fc_head_size(i));
		return;
	}
	entry_decode(t, head + FC_PACKET_SIZE);
	t->site = fc_wire_target_site(head, i);
	t->flags = i == fc_wire_ntargets(head) - 1 ? FC_TARGET_LAST : 0;
}

void fc_wire_target_encode(u8 *head, unsigned int i, const struct fc_target *t)
{
	u8 *p = head + fc_head_size(i);

	fc_put32(p + T_SITE, t->site);
	fc_put16(p + T_PORT, t->port);
	p[T_FLAGS] = t->flags;
	p[T_OUTSTANDING] = t->outstanding;
	fc_put32(p + T_OFF, t->off);
	fc_put32(p + T_LEN, t->len);
	fc_put32(p + T_SEQ, t->seq);
}

u32 fc_wire_bitmap_site(const u8 *head, unsigned int i)
{
	const u8 *map = head + fc_head_size(1);
	u32 first = fc_get32(head + FC_PACKET_SIZE + T_SITE), at;
	u8 rest;

	for (at = 0; at < head[P_BITMAP]; at++)
		for (rest = map[at]; rest; rest &= rest - 1)
			if (!i--)
				return first + at * 8 + fc_low(rest);
	return FC_SITE_NONE;
}

void fc_wire_bitmap_sites(u32 *site, const u8 *head)
{
	const u8 *map = head + fc_head_size(1), *end = map + head[P_BITMAP];
	u32 base = fc_get32(head + FC_PACKET_SIZE + T_SITE);
	u32 n = fc_wire_ntargets(head);
	u8 rest;

	/* Never more than @n sites, whatever the bitmap has. */
	for (; map < end; map++, base += 8)
		for (rest = *map; rest && n; rest &= rest - 1, n--)
			*site++ = base + fc_low(rest);
}

/* Returns the bytes of the bitmap of the sites, and in @first the lowest site. */
static u32 bitmap_bytes(const u32 *site, unsigned int n, u32 *first)
{
	u32 low = site[0], high = site[0];
	unsigned int i;

	for (i = 1; i < n; i++) {
		if (site[i] < low)
			low = site[i];
		if (site[i] > high)
			high = site[i];
	}
	*first = low;
	return (high - low) / 8 + 1;
}

u32 fc_wire_sites_size(const u32 *site, unsigned int n)
{
	u32 first, bytes = bitmap_bytes(site, n, &first);

	return bitmap_shorter(n, bytes) ? fc_head_size(1) + bytes : fc_head_size(n);
}

u32 fc_wire_sites_encode(u8 *head, const struct fc_target *t, const u32 *site, unsigned int n)
{
	u8 *map = head + fc_head_size(1);
	struct fc_target one = *t;
	unsigned int i;
	u32 bytes = bitmap_bytes(site, n, &one.site), at;

	head[P_NTARGETS] = (u8)n;
	if (!bitmap_shorter(n, bytes)) {
		head[P_BITMAP] = 0;
		for (i = 0; i < n; i++) {
			one.site = site[i];
			one.flags = i == n - 1 ? FC_TARGET_LAST : 0;
			fc_wire_target_encode(head, i, &one);
		}
		return fc_head_size(n);
	}
	one.flags = FC_TARGET_LAST;
	fc_wire_target_encode(head, 0, &one);
	head[P_BITMAP] = (u8)bytes;
	memset(map, 0, bytes);
	for (i = 0; i < n; i++) {
		at = site[i] - one.site;
		map[at / 8] |= (u8)(1 << at % 8);
	}
	return fc_head_size(1) + bytes;
}

u32 fc_sum_targets(const u8 *head, u64 mask)
{
	u32 FC_UNSET site[FC_TARGETS_MAX];
	const u8 *entry = head + FC_PACKET_SIZE;
	u32 sum = 0, n = fc_wire_ntargets(head), i;
	u64 state;

	if (!fc_wire_mapped(head)) {
		for (i = 0; i < n; i++, entry += FC_TARGET_SIZE)
			if (mask >> i & 1)
				sum ^= fc_sum_target(fc_sum_entry(head, entry),
						     fc_get32(entry + T_SITE));
		return sum;
	}
	state = fc_sum_entry(head, entry);
	fc_wire_bitmap_sites(site, head);
	for (i = 0; i < n; i++)
		if (mask >> i & 1)
			sum ^= fc_sum_target(state, site[i]);
	return sum;
}

/* The longest head with a bitmap. */
#define MAPPED_SIZE	(FC_PACKET_SIZE + FC_TARGET_SIZE + FC_BITMAP_MAX)

/* Writes an entry for each site of the bitmap; @dst and @head do not overlap. */
static u32 bitmap_expand(u8 *dst, const u8 *head, unsigned int n)
{
	u32 FC_UNSET site[FC_TARGETS_MAX];
	unsigned int i;

	fc_wire_bitmap_sites(site, head);
	memcpy(dst, head, FC_PACKET_SIZE);
	dst[P_BITMAP] = 0;
	for (i = 0; i < n; i++) {
		u8 *p = dst + fc_head_size(i);

		memcpy(p, head + FC_PACKET_SIZE, FC_TARGET_SIZE);
		fc_put32(p + T_SITE, site[i]);
		p[T_FLAGS] = i == n - 1 ? FC_TARGET_LAST : 0;
	}
	return fc_head_size(n);
}

/* The function reads all of @src before it writes, since @dst may overlap it. */
static noinline u32 bitmap_subset(u8 *dst, const u8 *src, u64 mask, u16 hops)
{
	u8 FC_UNSET head[MAPPED_SIZE];
	const u8 *map = src + fc_head_size(1);
	u8 *out = head + fc_head_size(1), rest;
	u32 bytes = src[P_BITMAP], first = 0, bit = 0, at;
	unsigned int n = 0;

	memcpy(head, src, fc_head_size(1));
	memset(out, 0, bytes);
	for (at = 0; at < bytes && mask; at++) {
		for (rest = map[at]; rest; rest &= rest - 1, mask >>= 1) {
			if (!(mask & 1))
				continue;
			bit = at * 8 + fc_low(rest);
			if (!n++)
				first = bit;
			bit -= first;
			out[bit / 8] |= (u8)(1 << bit % 8);
		}
	}
	bytes = bit / 8 + 1;
	fc_put16(head + P_HOPS, (u16)(fc_get16(head + P_HOPS) + hops));
	fc_put32(head + FC_PACKET_SIZE + T_SITE,
		 fc_get32(head + FC_PACKET_SIZE + T_SITE) + first);
	head[P_NTARGETS] = (u8)n;
	head[P_BITMAP] = n > 1 ? (u8)bytes : 0;
	if (n > 1 && !bitmap_shorter(n, bytes))
		return bitmap_expand(dst, head, n);
	at = fc_wire_head_len(head);
	memcpy(dst, head, at);
	return at;
}

u32 fc_wire_bitmap_subset_size(const u8 *head, u64 mask)
{
	u8 FC_UNSET branch[MAPPED_SIZE];

	return bitmap_subset(branch, head, mask, 0);
}

/* May overlap. */
static inline void move_target(u8 *dst, const u8 *src, bool last)
{
	u8 entry[FC_TARGET_SIZE];

	memcpy(entry, src, FC_TARGET_SIZE);
	entry[T_FLAGS] = last ? FC_TARGET_LAST : 0;
	memcpy(dst, entry, FC_TARGET_SIZE);
}

/* Targets apart from each other. */
static void move_targets(u8 *dst, const u8 *src, u64 mask, unsigned int k)
{
	unsigned int i, n = fc_wire_ntargets(src), to = k;
	u64 rest;

	if (dst <= src) {
		for (i = 0, rest = mask; rest; rest &= rest - 1, i++)
			move_target(dst + fc_head_size(i), src + fc_head_size(fc_low64(rest)),
				    i == k - 1);
		return;
	}
	/*
	 * Where dst lies above src, the kept entries move up by no more than what is
	 * dropped, so going down from the last one never overwrites one still to move.
	 */
	for (i = n; i-- > 0;) {
		if (!(mask >> i & 1))
			continue;
		to--;
		move_target(dst + fc_head_size(to), src + fc_head_size(i), to == k - 1);
	}
}

/* As bitmap_subset(), for a list without a bitmap. */
static inline u32 list_subset(u8 *dst, const u8 *src, u64 mask, u16 hops)
{
	unsigned int k, n = fc_wire_ntargets(src), first;
	u8 packet[FC_PACKET_SIZE];
	u64 rest;

	if (n < 64)
		mask &= fc_bit64(n) - 1;
	for (k = 0, rest = mask; rest; rest &= rest - 1)
		k++;
	first = fc_low64(mask);
	memcpy(packet, src, FC_PACKET_SIZE);
	packet[P_NTARGETS] = (u8)k;
	fc_put16(packet + P_HOPS, (u16)(fc_get16(packet + P_HOPS) + hops));
	/* Nearly always those that are kept stand together. */
	rest = mask >> first;
	if (rest & (rest + 1)) {
		move_targets(dst, src, mask, k);
	} else {
		memmove(dst + FC_PACKET_SIZE, src + fc_head_size(first), k * FC_TARGET_SIZE);
		dst[fc_head_size(k - 1) + T_FLAGS] = FC_TARGET_LAST;
	}
	memcpy(dst, packet, FC_PACKET_SIZE);
	return fc_head_size(k);
}

u32 fc_wire_head_subset(u8 *dst, const u8 *src, u64 mask, u16 hops)
{
	return fc_wire_mapped(src) ? bitmap_subset(dst, src, mask, hops) :
				     list_subset(dst, src, mask, hops);
}

u32 fc_wire_summed_subset(u8 *dst, const u8 *src, u64 mask, u16 hops)
{
	u32 less = fc_sum_targets(src, ~mask), size;

	size = fc_wire_head_subset(dst, src, mask, hops);
	fc_put32(dst + P_SUM, fc_get32(dst + P_SUM) ^ less);
	return size;
}

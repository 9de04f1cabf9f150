// SPDX-License-Identifier: GPL-2.0
/*
 * Authentication codes of frames: numbers and codes are put on frames when they are transmitted,
 * and removed before any other code sees the frame.
 */
#include "drop.h"
#include "core/link/turn.h"
#include "core/wire/wire_link.h"
#include "link/link.h"

/* The frame has code and number after its link header. */
#define CODED_SIZE	(FC_LINK_SIZE + FC_CODE_SIZE)

static_assert(FC_LINK_SUM == 2 * sizeof(u64) && FC_CODE_SIZE == sizeof(u32) + sizeof(u64));
static_assert(FLITCAST_CODE_WINDOW ==
	      BITS_PER_BYTE * sizeof_field(struct flitcast_code_window, seen));
static_assert(FLITCAST_CODE_KEYS == 2 * sizeof(siphash_key_t));

void flitcast_code_init(struct flitcast_code *code, bool used)
{
	code->used = used;
	spin_lock_init(&code->tx.lock);
	spin_lock_init(&code->rx.lock);
}

static u64 get_le64(const u8 *p)
{
	__le64 value;

	memcpy(&value, p, sizeof(value));
	return le64_to_cpu(value);
}

static void set_key(siphash_key_t *key, const u8 *from)
{
	key->key[0] = get_le64(from);
	key->key[1] = get_le64(from + sizeof(u64));
}

static void begin(struct flitcast_code_dir *dir, const u8 *keys, u16 epoch)
{
	u32 i;

	spin_lock(&dir->lock);
	set_key(&dir->header, keys);
	set_key(&dir->payload, keys + sizeof(siphash_key_t));
	dir->epoch = epoch;
	dir->number = 0;
	/* The first frame has number 1. */
	for (i = 0; i < FLITCAST_CODE_GROUPS; i++)
		dir->window[i] = (struct flitcast_code_window){ .seen = 1 };
	dir->valid = true;
	spin_unlock(&dir->lock);
}

static void end(struct flitcast_code_dir *dir)
{
	spin_lock(&dir->lock);
	dir->valid = false;
	memzero_explicit(&dir->header, sizeof(dir->header));
	memzero_explicit(&dir->payload, sizeof(dir->payload));
	spin_unlock(&dir->lock);
}

void flitcast_code_begin(struct flitcast_link *link, const u8 *tx, const u8 *rx, u16 tx_epoch,
			 u16 rx_epoch)
{
	begin(&link->code.tx, tx, tx_epoch);
	begin(&link->code.rx, rx, rx_epoch);
}

void flitcast_code_end(struct flitcast_link *link)
{
	end(&link->code.tx);
	end(&link->code.rx);
}

/* Move a link header by FC_CODE_SIZE: by words, since memmove() would be a call. */
static inline void move_header(u8 *to, const u8 *from)
{
	u64 first, second;
	u32 sum;

	static_assert(FC_LINK_SIZE == sizeof(first) + sizeof(second) + sizeof(sum));
	memcpy(&first, from, sizeof(first));
	memcpy(&second, from + sizeof(first), sizeof(second));
	memcpy(&sum, from + FC_LINK_SUM, sizeof(sum));
	memcpy(to, &first, sizeof(first));
	memcpy(to + sizeof(first), &second, sizeof(second));
	memcpy(to + FC_LINK_SUM, &sum, sizeof(sum));
}

static bool is_flit(const u8 *p)
{
	return (p[FC_LINK_TYPE] & ~FC_FRAME_AUTH) == FC_FRAME_FLIT;
}

static bool is_hello(const u8 *p)
{
	return (p[FC_LINK_TYPE] & ~FC_FRAME_AUTH) == FC_FRAME_HELLO;
}

/* @p: link header with FC_FRAME_AUTH; @payload: @len bytes, unless it is a flit's. */
static u64 code_of(const struct flitcast_code_dir *dir, const u8 *p, u64 number, const u8 *payload,
		   u32 len)
{
	u64 first = get_le64(p), second = get_le64(p + sizeof(u64));

	if (is_flit(p))
		return siphash_3u64(first, second, number, &dir->header);
	return siphash_4u64(first, second, number, siphash(payload, len, &dir->payload),
			    &dir->header);
}

bool flitcast_code_put(struct flitcast_link *link, struct sk_buff *skb)
{
	struct flitcast_code_dir *dir = &link->code.tx;
	u8 *p = skb->data;
	__le64 code;

	if (is_hello(p))
		return true;
	if (skb_headroom(skb) < FC_CODE_SIZE || (!is_flit(p) && skb_linearize(skb)))
		return false;
	spin_lock(&dir->lock);
	/* Frames of an earlier life of the link may have waited for the device. */
	if (!dir->valid || fc_get16(skb->data + FC_LINK_EPOCH) != dir->epoch) {
		spin_unlock(&dir->lock);
		return false;
	}
	p = __skb_push(skb, FC_CODE_SIZE);
	move_header(p, p + FC_CODE_SIZE);
	p[FC_LINK_TYPE] |= FC_FRAME_AUTH;
	dir->number++;
	fc_put32(p + FC_LINK_SIZE, (u32)dir->number);
	code = cpu_to_le64(code_of(dir, p, dir->number, p + CODED_SIZE, skb->len - CODED_SIZE));
	memcpy(p + FC_LINK_SIZE + sizeof(u32), &code, sizeof(code));
	spin_unlock(&dir->lock);
	return true;
}

/* The whole number of which these are the low bits, and which is nearest to the highest one. */
static u64 whole_number(const struct flitcast_code_dir *dir, u32 low)
{
	return dir->number + (s32)(low - (u32)dir->number);
}

/* The group of a frame: see priority() of netdev.c. */
static u32 group_of(const u8 *p)
{
	switch (fc_band(p[FC_LINK_TYPE], p[FC_LINK_VC], p[FC_LINK_FLAGS])) {
	case FC_BAND_CTRL:
		return 0;
	case FC_BAND_HIGH:
		return 1;
	default:
		return 2;
	}
}

/* Has a frame of this number been received, or is it too old to know? */
static bool repeated(const struct flitcast_code_window *w, u64 number)
{
	u64 age = w->number - number;

	if ((s64)age < 0)
		return false;
	return age >= FLITCAST_CODE_WINDOW || w->seen >> age & 1;
}

static void record(struct flitcast_code_dir *dir, struct flitcast_code_window *w, u64 number)
{
	u64 ahead = number - w->number;

	if ((s64)(number - dir->number) > 0)
		dir->number = number;
	if ((s64)ahead <= 0) {
		w->seen |= fc_bit64(w->number - number);
		return;
	}
	w->seen = (ahead < FLITCAST_CODE_WINDOW ? w->seen << ahead : 0) | 1;
	w->number = number;
}

/* @len: bytes of the payload by the link header.  Return: FLITCAST_USED if the code is right. */
static enum flitcast_drop check(struct flitcast_code_dir *dir, const u8 *p, u32 len)
{
	struct flitcast_code_window *w = &dir->window[group_of(p)];
	enum flitcast_drop why = FLITCAST_DROP_UNPROVEN;
	u64 number;

	spin_lock(&dir->lock);
	number = whole_number(dir, fc_get32(p + FC_LINK_SIZE));
	if (!dir->valid || fc_get16(p + FC_LINK_EPOCH) != dir->epoch) {
		why = FLITCAST_DROP_STRANGER;
	} else if (!repeated(w, number) &&
		   code_of(dir, p, number, p + CODED_SIZE, len) ==
		   get_le64(p + FC_LINK_SIZE + sizeof(u32))) {
		record(dir, w, number);
		why = FLITCAST_USED;
	}
	spin_unlock(&dir->lock);
	return why;
}

bool flitcast_code_take(struct flitcast_link *link, struct sk_buff *skb)
{
	u32 len;
	u8 *p;

	if (!pskb_may_pull(skb, FC_LINK_SIZE)) {
		flitcast_link_drop(link, skb, MALFORMED);
		return false;
	}
	if (is_hello(skb->data))
		return true;
	len = fc_get16(skb->data + FC_LINK_LEN);
	if (!(skb->data[FC_LINK_TYPE] & FC_FRAME_AUTH) || skb->len < CODED_SIZE + len ||
	    !pskb_may_pull(skb, CODED_SIZE + (is_flit(skb->data) ? 0 : len))) {
		flitcast_link_drop(link, skb, UNPROVEN);
		return false;
	}
	/* A packet tap may share the bytes. */
	if (skb_cow_head(skb, 0)) {
		flitcast_link_drop(link, skb, NO_MEMORY);
		return false;
	}
	p = skb->data;
	switch (check(&link->code.rx, p, len)) {
	case FLITCAST_USED:
		break;
	case FLITCAST_DROP_STRANGER:
		flitcast_link_drop(link, skb, STRANGER);
		return false;
	default:
		flitcast_link_drop(link, skb, UNPROVEN);
		return false;
	}
	p[FC_LINK_TYPE] &= ~FC_FRAME_AUTH;
	move_header(p + FC_CODE_SIZE, p);
	__skb_pull(skb, FC_CODE_SIZE);
	return true;
}
EXPORT_SYMBOL_GPL(flitcast_code_take);

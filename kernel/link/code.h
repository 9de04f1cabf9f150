/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Authentication codes of the frames of a link whose network has a key; all frames but HELLOs,
 * which have codes of their own (fabric/auth.h), because the keys used here are made of what two of
 * them tell.
 *
 *	link header, FC_FRAME_AUTH in its type		FC_LINK_SIZE bytes
 *	number of the frame on the link, low bits	4 bytes
 *	code						8 bytes
 *	payload
 *
 * The code is SipHash-2-4 over the link header without its checksum and the whole number (64 bits),
 * and in frames other than flits over the hash of the payload.  The payload of a flit has no code:
 * a code over every byte at every hop would cost more than all else.
 */
#ifndef FLITCAST_LINK_CODE_H
#define FLITCAST_LINK_CODE_H

#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include "core/wire/wire.h"

struct flitcast_link;

/* Bytes of key material for one direction of a link: the keys of header and payload. */
#define FLITCAST_CODE_KEYS	32

/* Frames that may arrive late, by number: the device may change their order. */
#define FLITCAST_CODE_WINDOW	64

/*
 * Groups of frames that have the same priority in the device, which may send any number of frames
 * of one group before a frame of another one.
 */
#define FLITCAST_CODE_GROUPS	3

/**
 * struct flitcast_code_window - the frames of a group that were received
 * @number: the highest number
 * @seen: bit i: frame @number - i was received
 */
struct flitcast_code_window {
	u64 number;
	u64 seen;
};

/**
 * struct flitcast_code_dir - one direction of a link
 * @lock: protects all others; innermost, BH disabled
 * @header: key of the code
 * @payload: key of the hash of the payload that the code covers
 * @number: number of the last frame transmitted, or the highest received, in this life of the link
 * @window: of each group of frames
 * @epoch: low bits of the sender's epoch
 * @valid: the link is up and has keys
 */
struct flitcast_code_dir {
	spinlock_t lock; /* see above */
	siphash_key_t header;
	siphash_key_t payload;
	u64 number;
	struct flitcast_code_window window[FLITCAST_CODE_GROUPS];
	u16 epoch;
	bool valid;
};

/**
 * struct flitcast_code - codes of a link
 * @used: the network has a key; set before the link starts, and never changes after that
 * @tx: frames transmitted
 * @rx: frames received
 */
struct flitcast_code {
	bool used;
	struct flitcast_code_dir tx;
	struct flitcast_code_dir rx;
};

/* Initialise the codes of a link that has no keys yet.  Context: before the link starts. */
void flitcast_code_init(struct flitcast_code *code, bool used);

/**
 * flitcast_code_begin() - the link comes up: begin to use new keys
 * @link: link of a network with a key
 * @tx: FLITCAST_CODE_KEYS bytes, of frames to transmit
 * @rx: the same of frames to receive
 * @tx_epoch: low bits of this end's epoch
 * @rx_epoch: low bits of the peer's
 *
 * Keys are of one life of the link, since numbers begin again.  Context: the owner's lock.
 */
void flitcast_code_begin(struct flitcast_link *link, const u8 *tx, const u8 *rx, u16 tx_epoch,
			 u16 rx_epoch);

/* The link goes down: accept no frame until it has new keys.  Context: the owner's lock. */
void flitcast_code_end(struct flitcast_link *link);

/**
 * flitcast_code_put() - give the next number and a code to a frame
 * @link: link of a network with a key
 * @skb: frame at its link header, with a linear part of its own
 *
 * Context: @tx_lock of the link, so that numbers are in the order of transmission.
 *
 * Return: false if there are no keys, or no space; the frame is unchanged.
 */
bool flitcast_code_put(struct flitcast_link *link, struct sk_buff *skb);

/**
 * flitcast_code_take() - check the code of a received frame, and remove it with the number
 * @link: link of a network with a key
 * @skb: unshared frame at its link header; freed and counted if it is refused
 *
 * A HELLO is not changed.  A frame is refused that has no code, a wrong one, or that of a frame
 * that was received already.
 *
 * Context: softirq.  Return: false if the frame was refused.
 */
bool flitcast_code_take(struct flitcast_link *link, struct sk_buff *skb);

#endif /* FLITCAST_LINK_CODE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file as a sequence of messages, each with this header in front.  The kernel
 * keeps messages of one socket to one port in order, so offsets only grow.
 *
 * The magic distinguishes a part of a file from any other message: it begins with a byte that
 * occurs in no UTF-8 text. flitcast(8) describes the format.
 */
#ifndef FLITCAST_CLI_TRANSFER_H
#define FLITCAST_CLI_TRANSFER_H

#include <stdint.h>

#define TRANSFER_MAGIC		"\377Flit\r\n\032"
#define TRANSFER_MAGIC_SIZE	8

/* The last part: the file is complete, and total is its size. */
#define TRANSFER_LAST		1
/* The sender failed to read the file: the receiver discards the data received. */
#define TRANSFER_ABORT		2

/* Size of a pipe until it ends. */
#define TRANSFER_UNKNOWN	UINT64_MAX

/* Longest name, which is the last component of a path. */
#define TRANSFER_NAME_MAX	255

/**
 * struct transfer_header - before each part of a file, big-endian
 * @magic: TRANSFER_MAGIC
 * @id: random number of this transfer
 * @flags: TRANSFER_*
 * @name_length: bytes of the name, which follows this header; data follows it
 * @total: size of the file in bytes, or TRANSFER_UNKNOWN
 * @offset: offset of this part in the file, bytes
 */
struct transfer_header {
	char magic[TRANSFER_MAGIC_SIZE];
	uint32_t id;
	uint16_t flags;
	uint16_t name_length;
	uint64_t total;
	uint64_t offset;
};

_Static_assert(sizeof(struct transfer_header) == 32, "no padding goes on the wire");

#endif /* FLITCAST_CLI_TRANSFER_H */

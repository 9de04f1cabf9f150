/* SPDX-License-Identifier: GPL-2.0 */
/* CRC-32C (RFC 3720, B.4) for programs that make packets themselves. */
#ifndef SELFTESTS_CRC32C_H
#define SELFTESTS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t crc32c(const void *data, size_t len)
{
	uint32_t crc = ~0U;

	for (const uint8_t *p = data; len; p++, len--) {
		crc ^= *p;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78 & -(crc & 1));
	}
	return ~crc;
}

#endif /* SELFTESTS_CRC32C_H */

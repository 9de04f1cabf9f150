// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rdma.h"

#define NAME_MAX_LENGTH	63

const char *rdma_parse(const char *text, char port[RDMA_SIZE])
{
	size_t length = strcspn(text, "/");
	unsigned long number = 1;
	char *end;

	if (!length)
		return "the name of the RDMA device is missing";
	if (length > NAME_MAX_LENGTH)
		return "the name of the RDMA device is too long";
	if (text[length]) {
		const char *digits = text + length + 1;

		number = strtoul(digits, &end, 10);
		if (*digits < '0' || *digits > '9' || *end || !number || number > 255)
			return "the port of an RDMA device is a number from 1 to 255";
	}
	snprintf(port, RDMA_SIZE, "%.*s/%lu", (int)length, text, number);
	return NULL;
}

void rdma_take(const char *text, char port[RDMA_SIZE])
{
	const char *wrong = rdma_parse(text, port);

	if (wrong)
		bad_usage("\"%s\" is no RDMA port: %s", text, wrong);
}

bool rdma_exists(const char *port)
{
	int length = strcspn(port, "/");
	char *path = xprintf("/sys/class/infiniband/%.*s/ports%s", length, port, port + length);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

bool gid_parse(const char *text, uint8_t gid[GID_LENGTH])
{
	static const uint8_t mapped[GID_LENGTH] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET6, text, gid) == 1)
		return true;
	memcpy(gid, mapped, GID_LENGTH);
	return inet_pton(AF_INET, text, gid + 12) == 1;
}

const char *gid_print(const uint8_t gid[GID_LENGTH], char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(AF_INET6, gid, text, INET6_ADDRSTRLEN);
}

bool gid_read(struct nlattr *attr, uint8_t gid[GID_LENGTH])
{
	if (!attr || nla_len(attr) != GID_LENGTH)
		return false;
	memcpy(gid, nla_data(attr), GID_LENGTH);
	return true;
}

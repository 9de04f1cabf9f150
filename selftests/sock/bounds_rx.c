// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds of what a site keeps for receivers: memory of receive queues, and receiving flows.
 */
#include "api.h"

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

/* More sockets of one site that are written to at once than are woken in one go. */
TEST_F(line, wake__many_readers)
{
	struct flitcast_target targets[60];
	struct pollfd fds[60];
	int from = SOCKET(0, 0), i, n;
	char data[8];
	uint64_t until;

	for (i = 0; i < 60; i++) {
		targets[i] = (struct flitcast_target) { .site = 2, .port = PORT + i };
		fds[i] = (struct pollfd) { .fd = SOCKET(2, PORT + i), .events = POLLIN };
	}
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(4, RESULT(msg_send_list(from, "all", 4, targets, 60, 0)));
		for (i = 0, until = now_ms() + SOON_MS; i < 60 && now_ms() < until; i++) {
			ASSERT_LT(0, poll(&fds[i], 1, SOON_MS));
			ASSERT_EQ(4, RESULT(msg_recv(fds[i].fd, data, sizeof(data), NULL, MSG_DONTWAIT)));
		}
		ASSERT_EQ(60, i);
	}
}

API_MAIN

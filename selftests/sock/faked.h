/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One more fixture, besides those of api.h:
 *
 *   faked  site 0 in a namespace of its own, with a socket; a test emulates the rest of the
 *          network (fake.h)
 */
#ifndef SELFTESTS_SOCK_FAKED_H
#define SELFTESTS_SOCK_FAKED_H

#include "api.h"
#include "fake.h"

/* Test programs need not use all of these. */
#define FAKED_UNUSED	__attribute__((unused))

/*
 * @fake: the rest of the network
 * @fd: socket of site 0, at PORT
 * @answer: the last answer that look() received
 * @level: the last FC_CTRL_RESYNC_REQ
 * @answers: number of answers, by enum fc_ctrl_kind
 */
FIXTURE(faked) {
	struct fake fake;
	int fd;
	struct fc_ctrl answer;
	struct fc_ctrl level;
	unsigned int answers[FC_CTRL_COUNT];
};

FIXTURE_SETUP(faked)
{
	const char *bad;

	api_choose_port(_metadata);
	bad = fake_up(&self->fake, "");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
	self->fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(faked)
{
	close(self->fd);
}

/* Count the answers that arrive within @ms; answer none of them. */
FAKED_UNUSED static void inspect(struct _test_data_faked *self, unsigned int ms)
{
	struct fake_event e;
	unsigned int i;

	while (fake_next(&self->fake, &e, ms)) {
		for (i = 0; !e.is_packet && i < e.n; i++) {
			self->answers[e.ctrl[i].kind]++;
			self->answer = e.ctrl[i];
			if (e.ctrl[i].kind == FC_CTRL_RESYNC_REQ)
				self->level = e.ctrl[i];
		}
		ms = 0;
	}
}

/* A counter of the sites of this namespace; ~0: it cannot be read. */
FAKED_UNUSED static uint64_t counter(const char *name)
{
	return cli("-j stats show") ? ~0ULL : json_sum(cli_output(), name);
}

#endif /* SELFTESTS_SOCK_FAKED_H */

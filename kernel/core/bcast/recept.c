// SPDX-License-Identifier: GPL-2.0
#include "core/bcast/recept.h"

u8 fc_recept_need(u8 policy, u8 copies, u8 quorum)
{
	switch ((enum fc_reception)policy) {
	case FC_RECEPT_ALL:
		return copies ? copies : 1;
	case FC_RECEPT_MAJORITY:
		return copies / 2 + 1;
	case FC_RECEPT_QUORUM:
		return quorum ? quorum : 1;
	case FC_RECEPT_FIRST:
	case FC_RECEPT_COUNT:
		break;
	}
	return 1;
}

u8 fc_recept_copy(struct fc_recept *r, u8 port, u8 value, u8 outstanding)
{
	u32 rest;
	u8 n = 0;

	if (r->got & fc_bit(port))
		return 0;
	/* A value without votes may have the @outstanding of an older round. */
	if (!r->votes[value] || r->outstanding[value] < outstanding)
		r->outstanding[value] = outstanding;
	r->got |= fc_bit(port);
	r->votes[value] |= fc_bit(port);
	for (rest = r->votes[value]; rest; rest &= rest - 1)
		n++;
	return n;
}

u32 fc_recept_dissent(const struct fc_recept *r, u8 value)
{
	return r->got & ~r->votes[value];
}

int fc_recept_value(const struct fc_recept *r, u8 port)
{
	int i;

	for (i = 0; i < FC_PORTS_MAX; i++)
		if (r->votes[i] & fc_bit(port))
			return i;
	return -1;
}

int fc_recept_forget(struct fc_recept *r, u8 port)
{
	int value = fc_recept_value(r, port);

	if (value < 0)
		return -1;
	r->got &= ~fc_bit(port);
	r->votes[value] &= ~fc_bit(port);
	return r->votes[value] ? -1 : value;
}

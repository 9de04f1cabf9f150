// SPDX-License-Identifier: GPL-2.0
/* Operator of a site (CARE, section 4.3): questions about the packets that it feeds. */
#include "fabric/enter.h"

void flitcast_oper_forget(struct flitcast_site *site, u8 set)
{
	site->oper.feed[set].own = false;
	site->oper.nfed--;
}

u64 flitcast_oper_entered(struct flitcast_site *site, u8 set)
{
	site->oper.feed[set].entered_at = flitcast_site_now(site);
	return site->mode->entered(site, set);
}

bool flitcast_oper_stands(struct flitcast_site *site, u64 entered)
{
	u8 vc = entered >> 32;

	if (!entered)
		return false;
	return !fc_before((u32)entered, site->mode->taken(site, vc));
}

u64 flitcast_oper_stuck(struct flitcast_site *site, u8 set)
{
	return site->mode->stuck(site, set) ? site->oper.feed[set].entered_at : FC_NEVER;
}

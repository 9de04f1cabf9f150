// SPDX-License-Identifier: GPL-2.0
/*
 * The ports of a site by number.
 */
#include "site/impl.h"

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number)
{
	return xa_load(&site->ports, number);
}

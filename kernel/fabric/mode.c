// SPDX-License-Identifier: GPL-2.0
/*
 * The switching modes.
 */
#include "core/mode.h"
#include "fabric/mode.h"
#include "fabric/site.h"

static const struct flitcast_mode *const modes[] = {
	[FC_MODE_CARE] = &flitcast_mode_care,
	[FC_MODE_VNET] = &flitcast_mode_vnet,
	[FC_MODE_CSR] = &flitcast_mode_csr,
	[FC_MODE_POSTMAN] = &flitcast_mode_postman,
};

static_assert(ARRAY_SIZE(modes) == FC_MODE_COUNT);

const struct flitcast_mode *flitcast_mode(u8 mode)
{
	return modes[mode];
}

bool flitcast_site_reserves(const struct flitcast_site *site)
{
	return site->mode->reserves;
}

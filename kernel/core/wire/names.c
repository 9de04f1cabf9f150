// SPDX-License-Identifier: GPL-2.0
#include "core/wire/names.h"

#define FC_NAME(id, name)	name,

static const char *const stat_names[] = { FC_STATS(FC_NAME) };
static const char *const link_stat_names[] = { FC_LINK_STATS(FC_NAME) };

static_assert(FC_ARRAY_SIZE(stat_names) == FC_STAT_COUNT);
static_assert(FC_ARRAY_SIZE(link_stat_names) == FC_LSTAT_COUNT);

const char *fc_stat_name(enum fc_stat stat)
{
	return (unsigned int)stat < FC_STAT_COUNT ? stat_names[stat] : NULL;
}

const char *fc_link_stat_name(enum fc_link_stat stat)
{
	return (unsigned int)stat < FC_LSTAT_COUNT ? link_stat_names[stat] : NULL;
}

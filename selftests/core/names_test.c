// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "core/wire/names.h"
#include "tap.h"

/* Keys of JSON objects and of netlink must be stable, plain and unique. */
static bool plain(const char *name)
{
	if (!name || !*name)
		return false;
	for (; *name; name++)
		if (!(*name >= 'a' && *name <= 'z') && *name != '_')
			return false;
	return true;
}

TEST(names_stat__are_plain_and_differ)
{
	for (int i = 0; i < FC_STAT_COUNT; i++) {
		const char *name = fc_stat_name((enum fc_stat)i);

		REQUIRE(plain(name), "counter %d", i);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(name, fc_stat_name((enum fc_stat)j)), "%s", name);
	}
	CHECK(!fc_stat_name(FC_STAT_COUNT), "one too many");
	CHECK(!fc_stat_name((enum fc_stat)-1), "below the first");
}

TEST(names_link_stat__are_plain_and_differ)
{
	for (int i = 0; i < FC_LSTAT_COUNT; i++) {
		const char *name = fc_link_stat_name((enum fc_link_stat)i);

		REQUIRE(plain(name), "counter %d", i);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(name, fc_link_stat_name((enum fc_link_stat)j)), "%s", name);
	}
	CHECK(!fc_link_stat_name(FC_LSTAT_COUNT), "one too many");
	CHECK(!fc_link_stat_name((enum fc_link_stat)-1), "below the first");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Options that become attributes of requests, and values for the completion of shells.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "lab.h"
#include "core/mode.h"

void put_given(struct request *req, const struct option_given *given)
{
	uint32_t i;

	for (i = 0; i < given->count; i++) {
		const struct option_value *value = &given->values[i];

		if (!value->entry->attr)
			continue;
		if (value->entry->type == OPTION_TEXT)
			put_string(req, value->entry->attr, value->text);
		else
			put_u32(req, value->entry->attr, value->number);
	}
}

static void print_names(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			puts(entry->d_name);
	if (dir)
		closedir(dir);
}

void complete_devices(void)
{
	print_names("/sys/class/net");
}

void complete_labs(void)
{
	print_names(LAB_STATE_DIR);
}

void complete_modes(void)
{
	unsigned int mode;

	for (mode = 0; mode < FC_MODE_COUNT; mode++)
		puts(fc_mode_ops(mode)->name);
}

void complete_integrity(void)
{
	puts("end\noff");
}

void complete_topologies(void)
{
	puts("line:\nring:\nmesh:\ntorus:\nhypercube:\nhexmesh:\ngraph:");
}

static void print_site(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	printf("%u\t%s\n", get_u32(a[FLITCAST_A_SITE_ID]), get_string(a[FLITCAST_A_SITE_TOPOLOGY]));
}

void complete_sites(void)
{
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, NLM_F_DUMP);
	request_ask(&req, print_site, NULL, "complete");
}

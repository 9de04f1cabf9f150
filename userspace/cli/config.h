/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of sites, in the kernel and in a file.
 */
#ifndef FLITCAST_CLI_CONFIG_H
#define FLITCAST_CLI_CONFIG_H

#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <jansson.h>
#include "paths.h"
#include "prefer.h"
#include "rdma.h"
#include "rtnl.h"
#include "core/care/care.h"

/* Version of the file format, at the beginning of a file. */
#define CONFIG_VERSION	1

/* Numeric settings of a site, in the order of config_settings[]. */
enum config_setting {
	CONFIG_FLIT,
	CONFIG_WINDOW,
	CONFIG_SEEK,
	CONFIG_SEEK_MAX,
	CONFIG_TIMEOUT,
	CONFIG_RETRY,
	CONFIG_POLL,
	CONFIG_TRANSIT,
	CONFIG_GRACE,
	CONFIG_SETTINGS
};

/**
 * struct config_field - a numeric setting
 * @key: its name in a file
 * @attr: enum flitcast_site_attr
 * @fixed: cannot be changed for an existing site: neighbours or memory depend on it
 * @min: smallest value
 * @max: largest value
 * @preset: default, if a file has no value
 */
struct config_field {
	const char *key;
	uint16_t attr;
	bool fixed;
	uint32_t min;
	uint32_t max;
	uint32_t preset;
};

extern const struct config_field config_settings[CONFIG_SETTINGS];

/**
 * struct config_link - a link
 * @where: file and place of its description, for error messages
 * @dev: network device, or ""
 * @address: permanent address of the network device instead, or zeros
 * @rdma: RDMA port instead, or ""; without any of the three there is no link
 * @mtu: MTU of the network device; 0: unknown, or to be left as it is
 * @peer_gid: GID of the peer of an RDMA link
 * @window: flits in flight
 * @crc: frames carry a checksum
 * @hello: interval of HELLO in ms
 * @dead: silent intervals after which the link is dead
 * @omit: its RDMA port is absent, so it cannot be added
 */
struct config_link {
	const char *where;
	char dev[IFNAMSIZ];
	uint8_t address[ETH_ALEN];
	uint32_t mtu;
	char rdma[RDMA_SIZE];
	uint8_t peer_gid[GID_LENGTH];
	uint32_t window;
	bool crc;
	uint32_t hello;
	uint32_t dead;
	bool omit;
};

/**
 * struct config_site - a site
 * @where: file and place of its description, for error messages
 * @id: number
 * @spec: canonical specification of the topology
 * @topo: parsed topology
 * @copies: on a graph, copies of a broadcast for which paths are configured at the site
 * @known: on a graph, paths configured at the site in the kernel
 * @mode: switching mode
 * @integrity: end or off
 * @keyed: the network has a key
 * @key: file with the key, if the configuration file names one; else ""
 * @setting: by enum config_setting
 * @link: by port
 * @pref: preference table
 * @prefers: entries of its table for targets
 * @generation: generation of the table in the kernel
 */
struct config_site {
	const char *where;
	uint32_t id;
	char spec[FC_SPEC_MAX];
	struct fc_topo topo;
	uint32_t copies;
	struct paths_known known;
	char mode[16];
	char integrity[4];
	bool keyed;
	char key[PATH_MAX];
	uint32_t setting[CONFIG_SETTINGS];
	struct config_link link[FC_PORTS_MAX];
	struct fc_pref pref;
	struct prefers prefers;
	uint32_t generation;
};

/**
 * struct config - sites
 * @site: sites
 * @count: number of sites
 */
struct config {
	struct config_site *site;
	size_t count;
};

/**
 * config_load() - read the configuration from the kernel
 * @config: filled in
 * @id: only this site, or FC_SITE_NONE: all of the namespace
 * @about: prefix of error messages
 *
 * Return: 0, or -1 after an error message.
 */
int config_load(struct config *config, uint32_t id, const char *about);

/**
 * config_read() - read a configuration from a file, and check its consistency
 * @config: filled in
 * @path: file, "-": standard input
 *
 * Return: 0, or -1 after an error message.
 */
int config_read(struct config *config, const char *path);

/* Site of a number, or NULL. */
struct config_site *config_find(const struct config *config, uint32_t id);
/* The site that has the device as a link, and its port; or NULL. */
struct config_site *config_find_dev(const struct config *config, const char *dev,
				    unsigned int *port);

static inline bool config_has_address(const struct config_link *link)
{
	return memcmp(link->address, no_address, ETH_ALEN);
}

static inline bool config_has_link(const struct config_link *link)
{
	return *link->dev || *link->rdma || config_has_address(link);
}

/* Print the configuration in the format of a file. */
void config_print(const struct config *config);

/* Print the lists of all directions, and the entries for targets, as the array "routes". */
void config_print_routes(const struct fc_topo *topo, const struct fc_pref *pref,
			 const struct prefers *prefers);

/**
 * config_read_routes() - read the member "routes" of an object
 * @where: file and place of the object, for error messages
 * @object: the object
 * @topo: topology of the site
 * @pref: result; the default if there is no such member, or no such direction
 * @prefers: result: entries for targets
 *
 * Return: 0, or -1 after an error message.
 */
int config_read_routes(const char *where, json_t *object, const struct fc_topo *topo,
		       struct fc_pref *pref, struct prefers *prefers);

/* Read a file of this version, "-": standard input, and set @name; NULL after an error message. */
json_t *config_open(const char *path, const char **name);
/* Has the object a member that is not in @keys (ended by NULL)?  Then print an error message. */
bool config_unknown(const char *where, json_t *object, const char *const *keys);
/*
 * Read a member that is a number from @min to @max, or a short string.  Return: 0, or -1 after
 * an error message, also if a required member is missing.
 */
int config_number(const char *where, json_t *object, const char *key, uint32_t min,
		  uint32_t max, uint32_t *value);
int config_string(const char *where, json_t *object, const char *key, char *buf,
		  size_t size);

#endif /* FLITCAST_CLI_CONFIG_H */

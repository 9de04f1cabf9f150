/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of sites: as the kernel has it, and as a file has it.
 */
#ifndef FLITCAST_CLI_CONFIG_H
#define FLITCAST_CLI_CONFIG_H

#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include "paths.h"
#include "rdma.h"
#include "site.h"

/* Version of the file format, at the beginning of a file. */
#define CONFIG_VERSION	1

/* Numbers a site is set by, in the order of config_settings[]. */
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
 * struct config_field - one of these
 * @key: its name in a file
 * @attr: enum flitcast_site_attr
 * @fixed: cannot be changed for an existing site: neighbours or memory depend on it
 * @min: smallest value
 * @max: largest
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
 * @where: it is described, for complaints: file and place
 * @dev: network device, "" where there is none
 * @rdma: RDMA port in its place, or ""; where both are "" there is no link
 * @peer_gid: of an RDMA link
 * @window: flits in flight
 * @crc: frames carry a checksum
 */
struct config_link {
	const char *where;
	char dev[IFNAMSIZ];
	char rdma[RDMA_SIZE];
	uint8_t peer_gid[GID_LENGTH];
	uint32_t window;
	bool crc;
};

/**
 * struct config_site - a site
 * @where: it is described, for complaints: file and place
 * @id: number
 * @spec: canonical topology
 * @topo: the same
 * @copies: of a graph, copies of a broadcast for which the site is told paths
 * @told: of a graph, those that it has been told, in the kernel
 * @mode: switching mode
 * @keyed: the network has a key
 * @key: file with it, where a file says so; else ""
 * @setting: by enum config_setting
 * @link: by port
 * @pref: preference table
 * @generation: of that in the kernel
 */
struct config_site {
	const char *where;
	uint32_t id;
	char spec[FC_SPEC_MAX];
	struct fc_topo topo;
	uint32_t copies;
	struct paths_told told;
	char mode[16];
	bool keyed;
	char key[PATH_MAX];
	uint32_t setting[CONFIG_SETTINGS];
	struct config_link link[FC_PORTS_MAX];
	struct fc_pref pref;
	uint32_t generation;
};

/**
 * struct config - sites
 * @site: they
 * @count: how many
 */
struct config {
	struct config_site *site;
	size_t count;
};

/**
 * config_load() - read the configuration from the kernel
 * @config: filled in
 * @id: only this site, or FC_SITE_NONE: all of the namespace
 * @about: for complaints
 *
 * Return: 0, or -1 after a complaint.
 */
int config_load(struct config *config, uint32_t id, const char *about);

/**
 * config_read() - read a configuration from a file, and check its consistency
 * @config: filled in
 * @path: file, "-": standard input
 *
 * Return: 0, or -1 after a complaint.
 */
int config_read(struct config *config, const char *path);

/* The site of that number, or NULL. */
struct config_site *config_find(const struct config *config, uint32_t id);
/* The site that has the device as a link, and its port; or NULL. */
struct config_site *config_find_dev(const struct config *config, const char *dev,
				    unsigned int *port);

static inline bool config_has_link(const struct config_link *link)
{
	return *link->dev || *link->rdma;
}

/* Print as a file. */
void config_print(const struct config *config);

/* The lists of all directions, as an array of that name. */
void config_print_routes(const struct fc_topo *topo, const struct fc_pref *pref);

/**
 * config_read_routes() - the member "routes" of an object
 * @where: file and place of the object, for complaints
 * @object: the object
 * @topo: topology of the site
 * @pref: set; the default where there is no such member, or no such direction
 *
 * Return: 0, or -1 after a complaint.
 */
int config_read_routes(const char *where, json_t *object, const struct fc_topo *topo,
		       struct fc_pref *pref);

/* Read a file of this version, "-": standard input, and set its name; NULL after a complaint. */
json_t *config_open(const char *path, const char **name);
/* Has the object a member that is none of these (the last is NULL)?  Then a complaint. */
bool config_unknown(const char *where, json_t *object, const char *const *keys);
/*
 * A member that is a number from min to max, or a short string.  0, or -1 after a
 * complaint, also where it is missing and has to be there.
 */
int config_number(const char *where, json_t *object, const char *key, uint32_t min,
		  uint32_t max, uint32_t *value);
int config_string(const char *where, json_t *object, const char *key, char *buf,
		  size_t size);

#endif /* FLITCAST_CLI_CONFIG_H */

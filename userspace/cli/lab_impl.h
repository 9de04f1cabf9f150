/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of "flitcast lab".
 *
 * Site N of the lab NAME is in the namespace NAME-N; its port P is the veth pP, or the
 * links of all sites are RDMA links of one RDMA port, which is its own peer.
 */
#ifndef FLITCAST_CLI_LAB_IMPL_H
#define FLITCAST_CLI_LAB_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/bounds.h"
#include "cli.h"
#include "request.h"
#include "rdma.h"

/* Default name of a lab. */
#define LAB_DEFAULT	"flitcast"
#define LAB_NAME_MAX	32
/* The kernel refuses sites of larger networks. */
#define LAB_SITES_MAX	FLITCAST_SITES_MAX

/* Network devices of the sites; site 5 has the address 10.254.0.5. */
#define LAB_IP_DEVICE	"fc0"
#define LAB_IP		0x0afe0000
#define LAB_IP_PREFIX	16

/* State of a site since the lab came up. */
enum lab_fate {
	LAB_LIVES,
	LAB_DEAD,
	LAB_LENT,	/* its links are lent to another program, see selftests/liar */
	LAB_FATES
};

/**
 * struct lab - contents of the state file
 * @name: name of the lab
 * @spec: topology as given
 * @mode: switching mode, or ""
 * @mtu: MTU of the veths; 0 if there are none
 * @rdma: RDMA port of all links, or ""
 * @gid: its GID, after lab_rdma_up() or lab_rdma_find()
 * @flit: flit size
 * @window: flits in flight, 0 for the default
 * @crc: frames carry a checksum
 * @integrity: end or off
 * @ip: each site has a network device, with an address of LAB_IP
 * @key: file with the key of the network, or NULL
 * @copies: on a graph, copies of a broadcast for which paths are configured at sites
 * @topo: parsed topology
 * @fate: by site, enum lab_fate
 */
struct lab {
	char name[LAB_NAME_MAX + 1];
	char spec[FC_SPEC_MAX];
	char mode[16];
	uint32_t mtu;
	char rdma[RDMA_SIZE];
	uint8_t gid[GID_LENGTH];
	uint32_t flit;
	uint32_t window;
	bool crc;
	char integrity[4];
	bool ip;
	const char *key;
	unsigned int copies;
	struct fc_topo topo;
	uint8_t *fate;
};

/*
 * State: lab_state.c
 */

/* Set the name of the lab; NULL: the default. */
void lab_set_name(struct lab *lab, const char *name);
/* Read the state of the lab with this name; false if there is none. */
bool lab_load(struct lab *lab);
/* As lab_load(), but exits if there is no such lab. */
void lab_need(struct lab *lab);
/* Load the lab that the arguments name.  Return: the sites they name, to be freed. */
uint32_t *lab_sites(struct lab *lab, const struct option_given *given, size_t *n);
/* Create the state file atomically; of two concurrent calls for one lab only one succeeds. */
void lab_save(const struct lab *lab);
/* Record the state of a site. */
void lab_note(struct lab *lab, uint32_t site, enum lab_fate fate);
/* Delete the state file.  Return: 0 or -errno. */
int lab_forget(const struct lab *lab);
/* Name of another lab with links over the same RDMA port, to be freed; NULL if there is none. */
char *lab_same_rdma(const struct lab *lab);
/* To be freed. */
char *lab_path(const struct lab *lab);
char *lab_netns(const struct lab *lab, uint32_t site);

/*
 * Sites: lab_site.c
 */

/**
 * struct site_state - state of a site
 * @links: number of links
 * @up: number of links that are up
 * @sockets: number of bound sockets
 */
struct site_state {
	uint32_t links;
	uint32_t up;
	uint32_t sockets;
};

/* Query the state of a site.  Return: 0, or -errno with @error set. */
int lab_ask(struct nl_sock *genl, struct site_state *state, struct request_error *error);

/* Raise the limit of descriptors of this process to the need of a lab. */
void lab_allow_descriptors(void);

/* Has the site a veth in this direction? */
bool lab_has_veth(const struct lab *lab, uint32_t site, uint8_t dir);

/* Enter the namespace of a site and open a netlink socket there. */
struct nl_sock *lab_open(const struct lab *lab, uint32_t site, int protocol);

/* Put the requests that create a site, and its links, and that open or close its devices. */
void lab_put_site(const struct lab *lab, uint32_t site, struct request *req);
void lab_put_links(const struct lab *lab, uint32_t site, struct request *req);
void lab_put_devices(const struct lab *lab, uint32_t site, bool up, struct request *req);
/* Put the requests that give a site its network device and address. */
void lab_put_ip(uint32_t site, struct request *req);

/**
 * lab_wait() - wait until every live site has a route to every other one
 * @lab: the lab
 * @genl: by live site, a socket in its namespace
 * @about: prefix of the progress line
 * @stop: set by a signal that ends the wait; NULL: signals end the program
 *
 * Return: NULL on success or if @stop is set; after a timeout that grows with the lab, a text, to
 * be freed, that names a site without a route, and the reason.
 */
char *lab_wait(const struct lab *lab, struct nl_sock *const *genl, const char *about,
	       const volatile sig_atomic_t *stop);

/*
 * RDMA links: lab_rdma.c
 */

/* Set the RDMA port to that of the lab's own device, which has the lab's name. */
void lab_rdma_set_own(struct lab *lab);
/*
 * Create the lab's own RDMA device, unless the port belongs to another one, and find the GID; call
 * this before entering any other namespace.  Return: NULL, or an error message, to be freed.
 */
char *lab_rdma_up(struct lab *lab);
/* Only find the GID.  Return: NULL, or an error message, to be freed. */
char *lab_rdma_find(struct lab *lab);
/* Delete the lab's own device, if it has one.  Return: NULL, or an error message, to be freed. */
char *lab_rdma_down(const struct lab *lab);

/*
 * Commands.
 */

int lab_up(const struct option_given *given);
int lab_kill(const struct option_given *given);
int lab_revive(const struct option_given *given);

/* The kernel's site of this namespace releases its links. */
void lab_take_links(const struct lab *lab, uint32_t site, struct nl_sock *genl);
/*
 * Wait until every live site has a route to every other one.  @genl: by site, the sockets open
 * already; this frees all of them.
 */
void lab_wait_all(const struct lab *lab, struct nl_sock **genl);

/* Delete namespaces and state; with progress if @shown.  Return: exit status. */
int lab_take_down(const struct lab *lab, bool shown);

#endif /* FLITCAST_CLI_LAB_IMPL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The broadcast algorithms that HARTS, section 5, compares: the rules and tables of kernel/core,
 * and whether a packet cuts through sites.
 */
#ifndef FLITCAST_SIM_HARTS_ALGORITHM_H
#define FLITCAST_SIM_HARTS_ALGORITHM_H

#include "core/topo/bcast.h"
#include "option.h"
#include "core/topo/rules.h"

enum harts_algorithm_id {
	HARTS_SBCAST,
	HARTS_2BCAST,
	HARTS_3BCAST,
	HARTS_4BCAST,
	HARTS_5BCAST,
	HARTS_6BCAST,
	HARTS_SFBCAST,
	HARTS_A,
	HARTS_ALGORITHMS
};

/**
 * struct harts_algorithm - a broadcast algorithm
 * @choice: the paper's name, and a description
 * @copies: copies that each site receives
 * @store: every site stores the packet before it forwards it
 */
struct harts_algorithm {
	struct option_choice choice;
	u8 copies;
	bool store;
};

extern const struct harts_algorithm harts_algorithms[HARTS_ALGORITHMS];

/* Injected defects, to test the oracle. */
enum harts_fault {
	HARTS_SOUND,
	HARTS_MIRROR,	/* sites confuse left and right */
	HARTS_STORE,	/* no site lets a packet cut through */
	HARTS_FAULTS
};

/**
 * struct harts_broadcast_rules - forwarding rules of a broadcast
 * @table: the kernel's table, filled and checked by its code
 * @broken: sites turn in the direction opposite to the table's rules
 * @store: every site stores the packet
 */
struct harts_broadcast_rules {
	struct fc_bcast table;
	bool broken;
	bool store;
};

/**
 * harts_rules_open() - set up the rules of an algorithm on a hexmesh
 * @r: result
 * @topo: a hexmesh, which must outlive @r
 * @id: algorithm
 * @fault: defect
 *
 * Ends the program if the kernel's own check refuses the table.
 */
void harts_rules_open(struct harts_broadcast_rules *r, const struct fc_topo *topo,
		      enum harts_algorithm_id id, enum harts_fault fault);
void harts_rules_close(struct harts_broadcast_rules *r);

/**
 * harts_rules_forward() - list the packets that a site sends besides the one it forwards straight
 * @r: rules
 * @p: the packet; its @left excludes this site
 * @sends: result
 *
 * Return: false if these and the run's next hop differ from the kernel's table.
 */
bool harts_rules_forward(const struct harts_broadcast_rules *r, const struct fc_bcast_packet *p,
			 struct fc_bcast_sends *sends);

#endif /* FLITCAST_SIM_HARTS_ALGORITHM_H */

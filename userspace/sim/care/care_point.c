// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/util.h"
#include "care_point.h"
#include "net/care.h"
#include "net/routes.h"
#include "net/script.h"
#include "net/traffic.h"

/* Bytes of a flit with its link header: the smallest ones. */
#define FLIT_BYTES	256

typedef unsigned __int128 u128;

const char *const care_scheme_names[CARE_SCHEMES] = {
	[CARE_STORE] = "store-fwd", [CARE_VIRTUAL] = "virtual-ct", [CARE_WORMHOLE] = "wormhole",
	[CARE_CIRCUIT] = "circuit", [CARE_EDGE] = "CARE-edge", [CARE_WORD] = "CARE-word",
	[CARE_STATIC] = "static",
};

/* Data bytes of a packet of @flits flits. */
static u32 bytes_of(u32 flits)
{
	return flits * (FLIT_BYTES - FC_LINK_SIZE) - fc_head_size(1);
}

/* Send the packets by the protocol. */
static u64 send_care(const struct care_packets *packets, const char *spec,
		     enum care_scheme scheme)
{
	struct script_line *line = xcalloc(packets->count, sizeof(*line));
	u32 *target = xcalloc(packets->count, sizeof(*target));
	u64 *delivered = xcalloc(packets->count, sizeof(*delivered));
	struct script script = {
		.line = line, .target = target, .nlines = packets->count,
		.ntargets = packets->count,
	};
	struct config config;
	u64 wrong;

	care_settings(&config, spec);
	config.script = &script;
	config.flit = FLIT_BYTES;
	/* In the models the number of packets that a source may send is not limited. */
	config.active = FC_FLOW_WINDOW;
	if (scheme == CARE_EDGE)
		config.fidelity = &fidelity_edge;
	if (scheme == CARE_STATIC)
		config.routes = routes_static(&config.topo);
	for (u32 i = 0; i < packets->count; i++) {
		target[i] = packets->packet[i].to;
		line[i] = (struct script_line){
			.at = packets->packet[i].born, .from = packets->packet[i].from,
			.bytes = bytes_of(packets->flits), .ntargets = 1, .first = i,
		};
	}
	wrong = care_simulate(&config, delivered);
	for (u32 i = 0; i < packets->count; i++)
		packets->packet[i].done = delivered[i];
	routes_free(config.routes);
	free(line);
	free(target);
	free(delivered);
	return wrong;
}

u64 care_send(const struct care_packets *packets, const char *spec, enum care_scheme scheme,
	      enum care_fault fault)
{
	if (scheme == CARE_WORD && fault == CARE_FAULT_STATIC)
		scheme = CARE_STATIC;
	if (scheme >= CARE_MODELS && fault == CARE_FAULT_STORE)
		scheme = CARE_STORE;
	return scheme < CARE_MODELS ? care_schemes_run(packets, scheme) :
				      send_care(packets, spec, scheme);
}

/* Draw the packets of a run.  Return: the packets, to be freed. */
static struct care_packet *draw(const struct care_load *load, const struct fc_topo *topo,
				u64 cycles, u64 seed, u32 *count)
{
	struct config config = { .topo = *topo, .targets = { 1, 1 }, .pattern = load->pattern };
	/* Mean time between two packets of the network, in units of 2^-32 cycles. */
	u64 mean = ((u64)load->flits * OPTION_UNIT << 32) / (load->load * topo->nsites);
	struct care_packet *packet = NULL;
	struct rng rng = { .state = seed };
	u64 at = 0;

	*count = 0;
	for (;;) {
		struct draw draw;

		at += (u64)((u128)mean * rng_exponential(&rng) >> 32);
		if (at >> 32 >= cycles)
			return packet;
		if (!(*count & (*count - 1)))
			packet = xrealloc(packet, (*count ? 2 * *count : 1) * sizeof(*packet));
		traffic_draw(&config, &rng, &draw);
		traffic_draw_targets(&config, &rng, &draw);
		packet[(*count)++] = (struct care_packet){
			.born = at >> 32, .done = FC_NEVER, .from = draw.from, .to = draw.to[0],
		};
	}
}

/* The results of a run. */
static void measure(struct care_point *point, const struct care_packets *packets, u64 cycles)
{
	double per_flit = (double)packets->flits / packets->topo->nsites / (cycles - cycles / 2);
	u64 sum = 0, count = 0, carried = 0, offered = 0;

	for (u32 i = 0; i < packets->count; i++) {
		const struct care_packet *p = &packets->packet[i];

		if (p->done == FC_NEVER)
			continue;
		if (p->born >= cycles / 5) {
			sum += p->done - p->born;
			count++;
		}
		offered += p->born >= cycles / 2;
		carried += p->done >= cycles / 2 && p->done < cycles;
	}
	point->latency[point->seeds] = count ? (double)sum / count : 0;
	point->carried[point->seeds] = carried * per_flit;
	point->offered[point->seeds] = offered * per_flit;
}

void care_point_run(struct care_point *point, const struct care_report_settings *settings,
		    const struct care_load *load, enum care_scheme scheme)
{
	struct fc_topo topo;

	reproduce_point();
	fc_topo_parse(&topo, load->spec);
	*point = (struct care_point){ 0 };
	for (; point->seeds < settings->seeds; point->seeds++) {
		struct care_packets packets = { .topo = &topo, .flits = load->flits };

		packets.packet = draw(load, &topo, settings->cycles,
				      settings->common.seed + point->seeds, &packets.count);
		point->wrong += care_send(&packets, load->spec, scheme, settings->fault);
		measure(point, &packets, settings->cycles);
		free(packets.packet);
	}
}

void care_put_latency(const struct care_point *point)
{
	struct estimate latency = estimate_of(point->latency, point->seeds);

	if (care_saturated(point))
		printf("  %13s", "saturated");
	else
		printf("  %6.1f +-%5.1f", latency.mean, latency.half);
}

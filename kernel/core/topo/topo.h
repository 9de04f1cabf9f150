/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Topologies: the neighbours of each site, and the logical directions that lead nearer to a site
 * (CARE, section 4.6: "Determining the logical direction").
 *
 * A direction is a small number; its port is that number plus one unless the preference table has
 * another.  Meshes and tori of n dimensions have the directions +x -x +y -y +z -z +3 -3 ...
 * (2 * dimension, plus one for minus); a hypercube has one direction per dimension, d0 d1 ...; a
 * hexmesh has six, h0 to h5, counterclockwise; a graph has n1 n2 ..., to the neighbours of a site
 * in the order of their numbers.
 *
 * Each kind of topology has one file in core/topo, with its table and functions; two kinds may
 * share a file.
 */
#ifndef FC_CORE_TOPO_TOPO_H
#define FC_CORE_TOPO_TOPO_H

#include "core/base.h"

#define FC_DIRS_MAX	30	/* of any topology: fits FC_PORTS_MAX with the local port */
#define FC_DIMS_MAX	20	/* a hypercube of FC_SITES_MAX */
/*
 * Ten times what the simulator is meant for; a canonical
 * specification stays within FC_SPEC_MAX and a distance within u32.
 */
#define FC_SITES_MAX	1048576
#define FC_SPEC_MAX	64	/* canonical specification with its NUL */

/* The registry: a line for each kind, whose table is fc_topo_KIND.  Tests run for each of them. */
#define FC_TOPO_KINDS(X)	\
	X(line)			\
	X(ring)			\
	X(mesh)			\
	X(torus)		\
	X(hypercube)		\
	X(hexmesh)		\
	X(graph)

/* Default specification of each kind. */
#define FC_TOPO_EXAMPLES							\
	"line:5, ring:8, mesh:4x4, torus:4x4, torus:3^3, hypercube:4, hexmesh:3, graph:FILE"

/* Limits of @steps of struct fc_topo_ops: number of axes, and steps along each. */
#define FC_STEPS_AXES	8
#define FC_STEPS_CAP	127

struct fc_bcast_rules;
struct fc_graph;
struct fc_topo_ops;
struct fc_vclass_rules;

/**
 * struct fc_topo - a topology; constant once parsed
 * @ops: kind of topology
 * @ndims: number of dimensions
 * @size: sites along each dimension; dimension 0 (x) varies fastest in a site's
 *	identity.  "torus:RxC" has R rows (y) and C columns (x); "hexmesh:N" has N
 *	in size[0], sites on an edge, and counts as one dimension.
 * @nsites: sites are 0 .. nsites - 1
 * @ndirs: directions are 0 .. ndirs - 1
 * @graph: links of a graph, which outlive it (core/topo/graph.h); else NULL
 */
struct fc_topo {
	const struct fc_topo_ops *ops;
	u8  ndims;
	u8  ndirs;
	u32 size[FC_DIMS_MAX];
	u32 nsites;
	const struct fc_graph *graph;
};

/**
 * struct fc_topo_ops - the table of one kind of topology
 * @name: word before the colon of the specification (required)
 * @usage: the form of the specification, for error texts (required)
 * @parse: parse the text after the colon; returns NULL or a text with the error (required)
 * @print: write the canonical text after the colon, NUL-terminated (required)
 * @neighbour: the site one step in the direction, or FC_SITE_NONE at an edge
 *	(required)
 * @arrival: the direction of the link from its other end, so that
 *	neighbour(neighbour(s, d), arrival(s, d)) == s; in all but graphs it is the same
 *	for all sites, and at edges, too (required)
 * @minimal: mask of the directions that lead nearer from one site to another;
 *	0 only if they are the same (required)
 * @distance: number of links on a shortest path (required)
 * @steps: numbers of steps of shortest paths from one site to another, in both directions of each
 *	of the first FC_STEPS_AXES axes, at most FC_STEPS_CAP.  The steps may be taken in any order;
 *	if both directions are equally short, both have steps (optional)
 * @dir_name: name of a direction, at most 7 characters (required)
 * @vclass: virtual networks, core/topo/rules.h (required)
 * @bcast: broadcasts over disjoint paths, core/topo/rules.h (optional)
 */
struct fc_topo_ops {
	const char *name;
	const char *usage;
	const char *(*parse)(struct fc_topo *topo, const char *args);
	void (*print)(const struct fc_topo *topo, char *buf, size_t size);
	u32 (*neighbour)(const struct fc_topo *topo, u32 site, u8 dir);
	u8 (*arrival)(const struct fc_topo *topo, u32 site, u8 dir);
	u32 (*minimal)(const struct fc_topo *topo, u32 from, u32 to);
	u32 (*distance)(const struct fc_topo *topo, u32 from, u32 to);
	void (*steps)(const struct fc_topo *topo, u32 from, u32 to, u8 step[2][FC_STEPS_AXES]);
	void (*dir_name)(const struct fc_topo *topo, u8 dir, char buf[8]);
	const struct fc_vclass_rules *vclass;
	const struct fc_bcast_rules *bcast;
};

static inline u8 fc_topo_steps(u32 steps)
{
	return (u8)(steps < FC_STEPS_CAP ? steps : FC_STEPS_CAP);
}

/**
 * fc_topo_parse() - parse a specification such as "torus:4x4"
 * @topo: result; unchanged unless NULL is returned
 * @spec: NUL-terminated
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_topo_parse(struct fc_topo *topo, const char *spec);

/**
 * fc_topo_print() - the canonical specification, NUL-terminated
 * @topo: parsed topology
 * @buf: at least FC_SPEC_MAX bytes
 */
void fc_topo_print(const struct fc_topo *topo, char buf[FC_SPEC_MAX]);

/**
 * fc_topo_hash() - hash of a topology, by which HELLO compares topologies
 * @topo: parsed topology
 *
 * Return: 32-bit FNV-1a hash of the canonical specification.
 */
u32 fc_topo_hash(const struct fc_topo *topo);

/**
 * fc_topo_dir_parse() - direction from its name
 * @topo: parsed topology
 * @name: NUL-terminated
 *
 * Return: the direction, or -1.
 */
int fc_topo_dir_parse(const struct fc_topo *topo, const char *name);

static inline u32 fc_topo_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	return topo->ops->minimal(topo, from, to);
}

static inline u32 fc_topo_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	return topo->ops->neighbour(topo, site, dir);
}

/* The table of each kind, and pointers to them in the order of the registry. */
#define X(kind) extern const struct fc_topo_ops fc_topo_##kind;
FC_TOPO_KINDS(X)
#undef X
extern const struct fc_topo_ops *const fc_topo_registry[];
extern const unsigned int fc_topo_registry_size;

#endif /* FC_CORE_TOPO_TOPO_H */

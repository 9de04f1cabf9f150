/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of meshes and tori: sites have coordinates, directions are +axis and -axis, and each
 * orthant, which has one direction along each axis, is a virtual network.  Orthants are numbered; a
 * packet that leaves its orthant continues in one with a higher number.
 */
#ifndef FC_CORE_TOPO_AXES_H
#define FC_CORE_TOPO_AXES_H

#include "core/topo/vclass.h"

/**
 * fc_topo_axes_parse() - read "AxBxC" or "K^N" into a topology
 * @topo: topology to fill; its ops are set
 * @args: NUL-terminated; the last number is dimension 0 (x)
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_topo_axes_parse(struct fc_topo *topo, const char *args);

/**
 * fc_topo_axes_print() - write what fc_topo_axes_parse() reads
 * @topo: parsed topology
 * @buf: result, NUL-terminated
 * @size: of the buffer
 *
 * "K^N" is canonical from three equal sizes on, "AxBxC" otherwise.
 */
void fc_topo_axes_print(const struct fc_topo *topo, char *buf, size_t size);

/**
 * fc_topo_axes_arrival() - the opposite direction along the same axis
 * @topo: parsed topology
 * @site: site, which does not matter
 * @dir: direction
 *
 * Return: the direction.
 */
u8 fc_topo_axes_arrival(const struct fc_topo *topo, u32 site, u8 dir);

/**
 * fc_topo_axes_dir_name() - "+x" "-x" "+y" "-y" "+z" "-z" "+3" "-3" ...
 * @topo: parsed topology
 * @dir: direction
 * @buf: result, NUL-terminated
 */
void fc_topo_axes_dir_name(const struct fc_topo *topo, u8 dir, char buf[8]);

/**
 * fc_topo_axes_orthants() - count the orthants
 * @v: classes, of which @topo is set; sets @bits
 *
 * Return: their number, 2 to the power of @bits, or 0 if there are more than FC_VCLASSES_MAX.
 */
u32 fc_topo_axes_orthants(struct fc_vclass *v);

/**
 * fc_topo_axes_climb() - the orthant of a packet after a step
 * @v: classes
 * @orthant: orthant before the step
 * @dir: direction of the step
 *
 * Return: the lowest orthant, not below @orthant, that has the direction; 2 to the power of
 * @v->bits or more if there is none.
 */
u32 fc_topo_axes_climb(const struct fc_vclass *v, u32 orthant, u8 dir);

/**
 * fc_topo_axes_vclass_first() - the orthant in which a site is from another
 * @v: classes
 * @src: site
 * @dst: the other site
 *
 * Return: the orthant; it has the positive direction of an axis along which both directions are
 * equally short, or none is needed.
 */
u8 fc_topo_axes_vclass_first(const struct fc_vclass *v, u32 src, u32 dst);

/**
 * fc_topo_axes_vclass_productive() - minimal directions that a packet of a class can take
 * @v: classes
 * @site: site
 * @dst: the other site
 * @class: class of the packet
 *
 * A step in any of them leads to an orthant that is not above the highest one that has minimal
 * directions to @dst along all axes.
 *
 * Return: mask of directions; 0 if the orthant of @class is above that one already.
 */
u32 fc_topo_axes_vclass_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class);

/* Return: the dimension of a direction; is it the negative one? */
static inline unsigned int fc_topo_axes_dim(u8 dir)
{
	return dir / 2;
}

static inline bool fc_topo_axes_minus(u8 dir)
{
	return dir & 1;
}

static inline u32 fc_topo_axes_plus_bit(unsigned int dim)
{
	return fc_bit(2 * dim);
}

static inline u32 fc_topo_axes_minus_bit(unsigned int dim)
{
	return fc_bit(2 * dim + 1);
}

#endif /* FC_CORE_TOPO_AXES_H */

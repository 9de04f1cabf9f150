/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the virtual networks of meshes and tori share: orthants.  A packet keeps to one
 * direction along each axis.
 */
#ifndef FC_CORE_VCLASS_AXES_H
#define FC_CORE_VCLASS_AXES_H

#include "vclass.h"

/**
 * fc_vclass_axes_init() - count the orthants
 * @v: with topology; gets @bits
 *
 * Return: their number, 2 to the power of @bits, or 0 if there are more than FC_VCLASSES_MAX.
 */
u32 fc_vclass_axes_init(struct fc_vclass *v);

/* Return: the directions of the orthant of a class. */
u32 fc_vclass_axes_orthant(const struct fc_vclass *v, u8 class);

/**
 * fc_vclass_axes_first() - the orthant in which a site is from another
 * @v: classes
 * @src: site
 * @dst: the other one
 *
 * Return: the orthant; where both directions of an axis are as short, or none is needed,
 * the positive one.
 */
u8 fc_vclass_axes_first(const struct fc_vclass *v, u32 src, u32 dst);

/**
 * fc_vclass_axes_wanted() - minimal directions that are in an orthant
 * @v: classes
 * @site: site
 * @dst: the other one
 * @class: of the orthant
 *
 * Return: their mask; 0 if a direction is missing along some axis.
 */
u32 fc_vclass_axes_wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class);

#endif /* FC_CORE_VCLASS_AXES_H */

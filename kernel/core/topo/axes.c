// SPDX-License-Identifier: GPL-2.0
#include "core/topo/axes.h"
#include "core/topo/text.h"

static const char *check_sites(struct fc_topo *topo)
{
	unsigned int i;

	topo->nsites = 1;
	for (i = 0; i < topo->ndims; i++) {
		if (topo->size[i] > FC_SITES_MAX / topo->nsites)
			return "too many sites: at most 1048576";
		topo->nsites *= topo->size[i];
	}
	topo->ndirs = 2 * topo->ndims;
	return NULL;
}

const char *fc_topo_axes_parse(struct fc_topo *topo, const char *args)
{
	static_assert(FC_DIRS_MAX == 30, "named in the texts");
	u32 number[FC_DIRS_MAX / 2];
	const char *wrong;
	unsigned int n = 0;
	unsigned int i;

	wrong = fc_topo_text_number(&args, &number[n++]);
	if (wrong)
		return wrong;
	if (*args == '^') {
		u32 dims;

		args++;
		wrong = fc_topo_text_number(&args, &dims);
		if (wrong)
			return wrong;
		if (dims > FC_ARRAY_SIZE(number))
			return "too many dimensions: at most 15";
		for (; n < dims; n++)
			number[n] = number[0];
	} else {
		while (*args == 'x') {
			if (n == FC_ARRAY_SIZE(number))
				return "too many dimensions: at most 15";
			args++;
			wrong = fc_topo_text_number(&args, &number[n++]);
			if (wrong)
				return wrong;
		}
	}
	if (*args)
		return "unexpected text behind the sizes";
	/* Rows come first in the text, columns (x) first in identities. */
	topo->ndims = (u8)n;
	for (i = 0; i < n; i++)
		topo->size[i] = number[n - 1 - i];
	return check_sites(topo);
}

static bool all_equal(const struct fc_topo *topo)
{
	unsigned int i;

	for (i = 1; i < topo->ndims; i++)
		if (topo->size[i] != topo->size[0])
			return false;
	return true;
}

void fc_topo_axes_print(const struct fc_topo *topo, char *buf, size_t size)
{
	unsigned int i;

	buf[0] = '\0';
	if (topo->ndims >= 3 && all_equal(topo)) {
		fc_topo_text_put(buf, size, topo->size[0]);
		fc_topo_text_putc(buf, size, '^');
		fc_topo_text_put(buf, size, topo->ndims);
		return;
	}
	for (i = topo->ndims; i-- > 0;) {
		fc_topo_text_put(buf, size, topo->size[i]);
		if (i)
			fc_topo_text_putc(buf, size, 'x');
	}
}

u8 fc_topo_axes_arrival(const struct fc_topo *topo, u32 site, u8 dir)
{
	return dir ^ 1;
}

void fc_topo_axes_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	unsigned int dim = fc_topo_axes_dim(dir);

	buf[0] = fc_topo_axes_minus(dir) ? '-' : '+';
	buf[1] = '\0';
	if (dim < 3)
		fc_topo_text_putc(buf, 8, "xyz"[dim]);
	else
		fc_topo_text_put(buf, 8, dim);
}

u32 fc_topo_axes_orthants(struct fc_vclass *v)
{
	unsigned int i;

	static_assert(1 << 6 == FC_VCLASSES_MAX, "the limit below");
	for (i = 0; i < v->topo->ndims; i++)
		if (v->topo->size[i] > 1)
			v->bits++;
	return v->bits <= 6 ? fc_bit(v->bits) : 0;
}

/* The bit of a class that has the direction along an axis. */
static unsigned int bit_of(const struct fc_vclass *v, unsigned int dim)
{
	unsigned int i, bit = 0;

	for (i = 0; i < dim; i++)
		bit += v->topo->size[i] > 1;
	return bit;
}

u32 fc_topo_axes_climb(const struct fc_vclass *v, u32 orthant, u8 dir)
{
	unsigned int dim = fc_topo_axes_dim(dir), bit = bit_of(v, dim);

	if (v->topo->size[dim] == 1)
		return fc_bit(v->bits);
	if ((orthant >> bit & 1) == fc_topo_axes_minus(dir))
		return orthant;
	if (fc_topo_axes_minus(dir))
		return (orthant >> bit | 1) << bit;
	return ((orthant >> (bit + 1)) + 1) << (bit + 1);
}

u8 fc_topo_axes_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	u32 mask = fc_topo_minimal(v->topo, src, dst);
	unsigned int i;
	u8 class = 0;
	u8 bit = 1;

	for (i = 0; i < v->topo->ndims; i++) {
		if (v->topo->size[i] == 1)
			continue;
		if (mask & fc_topo_axes_minus_bit(i) && !(mask & fc_topo_axes_plus_bit(i)))
			class |= bit;
		bit <<= 1;
	}
	return class;
}

/*
 * The highest orthant that has minimal directions along all axes along which the target is away:
 * along the others, and where both directions are equally short, the negative direction counts.
 */
static u32 highest(const struct fc_vclass *v, u32 minimal)
{
	unsigned int i, bit = 0;
	u32 orthant = 0;

	for (i = 0; i < v->topo->ndims; i++) {
		u32 plus = fc_topo_axes_plus_bit(i), minus = fc_topo_axes_minus_bit(i);

		if (v->topo->size[i] == 1)
			continue;
		if (minimal & minus || !(minimal & plus))
			orthant |= fc_bit(bit);
		bit++;
	}
	return orthant;
}

u32 fc_topo_axes_vclass_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 orthant = class & (fc_bit(v->bits) - 1);
	u32 minimal = fc_topo_minimal(v->topo, site, dst);
	u32 top = highest(v, minimal), productive = 0, left;

	for (left = minimal; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 bound = top;

		/* After a step in the positive direction the other one is not minimal. */
		if (!fc_topo_axes_minus(d))
			bound &= ~fc_bit(bit_of(v, fc_topo_axes_dim(d)));
		if (fc_topo_axes_climb(v, orthant, d) <= bound)
			productive |= fc_bit(d);
	}
	return productive;
}

// SPDX-License-Identifier: GPL-2.0
#include "topo_axes.h"
#include "topo_text.h"

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

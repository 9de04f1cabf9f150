// SPDX-License-Identifier: GPL-2.0
/* Virtual networks of larger sizes, up to the limits; optimized, and without sanitizers. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "vclass_net.h"

static bool open_spec(struct vclass_net *t, const char *spec)
{
	const char *wrong;

	memset(t, 0, sizeof(*t));
	wrong = fc_topo_parse(&t->topo, spec);
	if (!wrong)
		wrong = fc_vclass_init(&t->v, &t->topo);
	return CHECK(!wrong, "%s: %s", spec, wrong);
}

static void __printf(1, 2) every_pair(const char *fmt, ...)
{
	char spec[FC_SPEC_MAX];
	struct vclass_net t;
	const char *wrong;
	va_list args;

	va_start(args, fmt);
	vsnprintf(spec, sizeof(spec), fmt, args);
	va_end(args);
	if (!open_spec(&t, spec))
		return;
	vclass_net_open(&t);
	wrong = vclass_net_channels(&t);
	if (!wrong)
		wrong = vclass_net_lies(&t);
	if (!wrong)
		wrong = vclass_net_links(&t);
	if (!wrong)
		wrong = vclass_net_multicast(&t);
	CHECK(!wrong, "%s: %s", spec, wrong);
	vclass_net_close(&t);
}

static void order(const char *spec, unsigned int packets)
{
	struct vclass_net t;
	const char *wrong;

	if (!open_spec(&t, spec))
		return;
	wrong = vclass_net_buffers(&t.v);
	if (!wrong)
		wrong = vclass_net_walk(&t.v, packets);
	CHECK(!wrong, "%s: %s", spec, wrong);
}

TEST(vclass_large__torus)
{
	for (u32 y = 3; y <= 20; y++)
		for (u32 x = y > 12 ? 3 : 13; x <= 20; x++)
			every_pair("torus:%ux%u", y, x);
	for (u32 i = 0; i < 125; i++)
		every_pair("torus:%ux%ux%u", 3 + i / 25, 3 + i / 5 % 5, 3 + i % 5);
	for (u32 i = 0; i < 16; i++)
		every_pair("torus:%ux%ux%ux%u", 3 + i / 8, 3 + i / 4 % 2, 3 + i / 2 % 2, 3 + i % 2);
}

TEST(vclass_large__mesh)
{
	for (u32 y = 2; y <= 20; y++)
		for (u32 x = y > 12 ? 2 : 13; x <= 20; x++)
			every_pair("mesh:%ux%u", y, x);
	for (u32 i = 0; i < 125; i++)
		every_pair("mesh:%ux%ux%u", 2 + i / 25, 2 + i / 5 % 5, 2 + i % 5);
	every_pair("mesh:4^4");
	every_pair("mesh:3^5");
}

TEST(vclass_large__others)
{
	for (u32 n = 65; n <= 256; n++) {
		every_pair("line:%u", n);
		every_pair("ring:%u", n);
	}
	for (u32 d = 9; d <= 10; d++)
		every_pair("hypercube:%u", d);
	for (u32 n = 9; n <= 13; n++)
		every_pair("hexmesh:%u", n);
}

/* The largest networks, or nearly, in each number of dimensions. */
TEST(vclass_large__limits)
{
	static const char *const spec[] = {
		"line:1048576", "ring:1048576", "ring:1048575", "mesh:1024x1024", "mesh:101^3",
		"mesh:32^4", "mesh:16^5", "mesh:10^6", "torus:1024x1024", "torus:1023x1025",
		"torus:3x349525", "torus:101^3", "torus:100x101x102", "torus:32^4",
		"torus:30x31x32x33", "hypercube:20", "hexmesh:591",
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(spec); i++)
		order(spec[i], 2000);
}

/* All two-dimensional sizes with up to 60 rows or columns, hexagons, and cubes. */
TEST(vclass_large__orders)
{
	char spec[FC_SPEC_MAX];

	for (u32 y = 3; y <= 60; y++) {
		for (u32 x = 3; x <= 60; x++) {
			snprintf(spec, sizeof(spec), "torus:%ux%u", y, x);
			order(spec, 200);
		}
	}
	for (u32 n = 2; n <= 100; n++) {
		snprintf(spec, sizeof(spec), "hexmesh:%u", n);
		order(spec, 1000);
	}
	for (u32 d = 1; d <= 20; d++) {
		snprintf(spec, sizeof(spec), "hypercube:%u", d);
		order(spec, 1000);
	}
}

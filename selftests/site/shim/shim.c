// SPDX-License-Identifier: GPL-2.0
#include "shim.h"
#include "tap.h"

unsigned int shim_fails;
unsigned long shim_failed, shim_live;
void (*shim_freeing)(const void *p);

void *shim_zalloc(size_t size)
{
	void *p;

	if (shim_fails && !tap_random(shim_fails)) {
		shim_failed++;
		return NULL;
	}
	p = calloc(1, size);
	if (!p)
		abort();
	shim_live++;
	return p;
}

void shim_free(const void *p)
{
	if (!p)
		return;
	if (shim_freeing)
		shim_freeing(p);
	shim_live--;
	free((void *)p);
}

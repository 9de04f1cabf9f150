// SPDX-License-Identifier: GPL-2.0
#include "core/topo/text.h"
#include "core/topo/topo.h"

size_t fc_topo_text_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

const char *fc_topo_text_number(const char **text, u32 *number)
{
	const char *p = *text;
	u32 n = 0;

	/* One spelling per number; and no size is 0. */
	if (*p < '1' || *p > '9')
		return "expected a number, without sign, spaces or leading zeros";
	for (; *p >= '0' && *p <= '9'; p++) {
		n = 10 * n + (u32)(*p - '0');
		/* Far below U32_MAX / 10, so that n never wraps. */
		if (n > FC_SITES_MAX)
			return "the number is too large: at most 1048576 sites";
	}
	*text = p;
	*number = n;
	return NULL;
}

void fc_topo_text_putc(char *buf, size_t size, char c)
{
	size_t n = fc_topo_text_length(buf);

	if (n + 1 < size) {
		buf[n] = c;
		buf[n + 1] = '\0';
	}
}

void fc_topo_text_put(char *buf, size_t size, u32 number)
{
	char digits[10];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n)
		fc_topo_text_putc(buf, size, digits[--n]);
}

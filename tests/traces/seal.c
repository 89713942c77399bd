/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seal.c - makes of an edited trace one whose checksum fits
 *
 *	sed ... bug-0.hdt | ./seal >made.hdt
 *
 * A checksum is no proof of good will, so this is all that stands between anybody and a trace of his
 * own. The tests of hostile traces begin here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static char *read_all(size_t *size)
{
	size_t room = 1 << 16, n;
	char *text = malloc(room);

	*size = 0;
	while (text && (n = fread(text + *size, 1, room - *size - 1, stdin)) > 0) {
		*size += n;
		if (*size + 1 == room)
			text = realloc(text, room *= 2);
	}
	if (text)
		text[*size] = 0;
	return text;
}

int main(void)
{
	static const char word[] = " checksum ";
	char *text, *sum = NULL, *end, *p;
	size_t size;

	text = read_all(&size);
	end = text ? strstr(text, "\nend ") : NULL;
	for (p = end; p; p = strstr(p + 1, "\nend "))
		sum = strstr(p, word);
	if (!sum)
		return 1;
	sum += sizeof(word) - 1;
	size = (size_t)(sum - text);
	fwrite(text, 1, size, stdout);
	printf("%016llx\n", (unsigned long long)XXH3_64bits(text, size));
	free(text);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* asks.c - passes under heddle, says what it was told, and is no test without */
#include <heddle.h>
#include <stdio.h>

int main(void)
{
	if (!heddle_running())
		puts("and once by itself");
	return heddle_choose(3) > 2;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* skipped.c - a test that cannot be done here, as test harnesses are told it */
int main(void)
{
	return 77;
}

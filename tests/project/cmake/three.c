/* SPDX-License-Identifier: BSD-2-Clause */
/* three.c - a test that is skipped, in a project where 3 says so */
int main(void)
{
	return 3;
}

# SPDX-License-Identifier: BSD-2-Clause
#
# page_data.awk - the bytes of a file, as `od -An -v -tu1` has them, as an array of C
#
#	od -An -v -tu1 page.js | awk -v name=page_js -f page_data.awk
BEGIN {
	printf "const char %s[] = {\n", name
}
{
	for (i = 1; i <= NF; i++)
		printf "%d,", ($i > 127 ? $i - 256 : $i)
	print ""
}
END {
	print "0 };"
}

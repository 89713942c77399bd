# SPDX-License-Identifier: BSD-2-Clause
#
# cases.awk - cases that the head of a file lists, against those that it has (tests/cases.h)
#
#	awk -v named=FILE -f cases.awk SOURCE...
#
# FILE holds names of cases that some script runs for itself. Says what is wrong; status 1 if anything is.

function complain(what)
{
	print where ": " what
	problems++
}

BEGIN {
	while ((getline line < named) > 0)
		elsewhere[line] = 1
}

function lines_with(text,    i, n)
{
	for (i = 1; i <= count; i++)
		if (index(code[i], text))
			n++
	return n
}

# One row: what the case is to come to.
function expect(name, text,    at, mark)
{
	if (text ~ /^ok ([0-9]+|\* \(.+\))$/ || text ~ /^(refused|inconclusive) ./)
		return
	if (text !~ /^bug [a-z-]+(\|[a-z-]+)*( at .+)?$/) {
		complain(name " is to come to: " text)
		return
	}
	at = index(text, " at ")
	mark = at ? substr(text, at + 4) : "bug: " name " */"
	sub(/ \*\/$/, "", mark)
	if (!at || mark ~ /^bug: /)
		used[mark] = 1
	if (lines_with(at ? mark : mark " */") != 1)
		complain("where " name " has its bug is not one line: " mark)
}

function finish(    name, i, text)
{
	if (where == "")
		return
	for (i = 1; i <= rows; i++)
		expect(row[i], expected[i])
	for (name in has)
		if (!(name in listed) && !(name in elsewhere))
			complain(name " is run by nobody: it is not in the list")
	for (name in listed)
		if (!(name in has))
			complain("there is no case " name)
	for (i = 1; i <= count; i++) {
		text = code[i]
		if (match(text, /bug: [A-Za-z0-9_]+ \*\//) && !(substr(text, RSTART, RLENGTH - 3) in used))
			complain("no case has its bug at the line marked " substr(text, RSTART, RLENGTH - 3))
	}
	split("", has)
	split("", listed)
	split("", used)
	split("", twice)
	count = rows = 0
}

FNR == 1 {
	finish()
	where = FILENAME
}

# The same pattern as in cases.sh, which takes no others.
/^ \* case [A-Za-z0-9_]*( [^:]*)*: ./ {
	split(substr($0, 9), words, /[ :]/)
	key = substr($0, 1, index($0, ":"))
	if (key in twice)
		complain("listed twice:" substr(key, 8))
	twice[key] = 1
	listed[words[1]] = 1
	row[++rows] = words[1]
	expected[rows] = substr($0, index($0, ":") + 2)
	next
}

/(^|[^A-Za-z0-9_])case [A-Za-z0-9_]+[^:?]*: (ok|bug|inconclusive|refused) / {
	complain("not a row of the list, as it is written:" $0)
}

{
	code[++count] = $0
	text = $0
	while (match(text, /[ (]CASE\([A-Za-z0-9_]+\)/)) {
		has[substr(text, RSTART + 6, RLENGTH - 7)] = 1
		text = substr(text, RSTART + RLENGTH)
	}
}

END {
	finish()
	exit problems != 0
}

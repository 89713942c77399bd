# SPDX-License-Identifier: BSD-2-Clause
#
# ways.awk - which ways to fail have no test
#
#	awk -v calls=FILE -f ways.awk SOURCE...
#
# The sources list ways and cases (tests/hooks/fails.h). FILE has the names of all calls that must be listed, and
# "* NAME" for those that some test calls. Says what is missing; status 1 if anything is.

function complain(what)
{
	print what
	problems++
}

BEGIN {
	while ((getline line < calls) > 0) {
		if (line ~ /^\* /)
			called[substr(line, 3)] = 1
		else
			wanted[line] = 1
	}
}

# One statement, which may have gone on in further lines.
function take(text,    at, call, n, words, i)
{
	if (text ~ /^ways /) {
		at = index(text, ":")
		call = substr(text, 6, at - 6)
		text = substr(text, at + 1)
		if (call in listed)
			complain(FILENAME ": " call " is listed twice")
		listed[call] = 1
		at = index(text, "; not ")
		if (at) {
			if (substr(text, at) !~ /\(.*\)/)
				complain(FILENAME ": " call ": why not?")
			text = substr(text, 1, at - 1)
		}
		n = split(text, words, " ")
		for (i = 1; i <= n; i++)
			ways[call "_" words[i]] = FILENAME
	} else {
		sub(/^never fails: /, "", text)
		n = split(text, words, " ")
		for (i = 1; i <= n; i++) {
			if (words[i] in listed)
				complain(FILENAME ": " words[i] " is listed twice")
			listed[words[i]] = 1
			if (!(words[i] in called))
				complain(FILENAME ": no test calls " words[i])
		}
	}
}

/^ \*\t/ && pending != "" {
	pending = pending " " substr($0, 4)
	next
}
pending != "" {
	take(pending)
	pending = ""
}
/^ \* (ways [a-zA-Z_0-9]+:|never fails:)/ {
	pending = substr($0, 4)
}
/^ \* case [a-zA-Z_0-9]+[ :]/ {
	name = $3
	sub(/:$/, "", name)
	cases[name] = 1
}

END {
	for (way in ways) {
		found = way in cases
		for (name in cases)
			found = found || index(name, way "_") == 1
		if (!found)
			complain(ways[way] ": no case " way)
	}
	for (call in wanted)
		if (!(call in listed))
			complain("how " call " fails is said nowhere")
	exit problems != 0
}

# SPDX-License-Identifier: BSD-2-Clause
#
# refusals.awk - heddle-refusals(7), from what the runtime says where it refuses a program
#
#	awk -f refusals.awk FILE...
#	awk -v check=1 -f refusals.awk FILE...	says what is wrong with a message; status 1 if anything is
#
# A message is what refuse() is given, or one of the functions that call it for others, as told below. It names
# what is refused, and behind the last ": " what to do instead. Of a piece that is no string the table shows a name.

BEGIN {
	# Around the arguments of each: %1 is the first one, %* all but the NULL
	says["refuse"] = "%*"
	says["NOT_YET"] = "%1 is not supported yet: %2"
	says["kin_refuses"] = "the program %1 while a process that it made, or its parent, lives: %2"
	says["refuse_with"] = "%2"
	says["refuse_service"] = "the program calls %1, which heddle cannot explore: %2"
	says["SERVICE"] = "the program calls %2(), which heddle cannot explore: %5"
	nnames = split("refuse NOT_YET kin_refuses refuse_with refuse_service SERVICE", names, " ")

	n = split("kin Processes|alias Operations and memory|sole Processes|driver The search|process Processes|signal Signals and timers|interrupt Signals and timers|thread Threads|" \
		"fiber Threads|sync Synchronisation|lock Synchronisation|futex Synchronisation|" \
		"io Descriptors|cxx C++|tsan Operations and memory|access Operations and memory|image Operations and memory|" \
		"race Operations and memory|world The system|core The system|code The system|loop Processes|facts The search", pair, "|")
	for (i = 1; i <= n; i++) {
		at = index(pair[i], " ")
		family[substr(pair[i], 1, at - 1)] = substr(pair[i], at + 1)
	}
	order = "Threads|Synchronisation|Signals and timers|Processes|Descriptors|Operations and memory|C++|The system|The search"
}

function complain(what)
{
	problems++
	if (check)
		print what
}

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\(\)/, "\\\\\\&()", text) # no word that mdoc would have marked
	gsub(/\001/, "\\fI", text)
	gsub(/\002/, "\\fR", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

# One argument of a macro, whatever words are in it.
function quoted(text)
{
	gsub(/"/, "\"\"", text)
	return "\"" text "\""
}

# Lines of source that are no longer than others.
function folded(text,    n, i, word, line, out)
{
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + length(word[i]) > 77) {
			out = out line "\n"
			line = ""
		}
		line = line == "" ? word[i] : line " " word[i]
	}
	return out line "\n"
}

# A piece that is no string: its name, if it has one. A macro that is a string is that.
function named(piece)
{
	gsub(/[ \t\n]/, "", piece)
	if (piece in macro)
		return macro[piece]
	return "\001" (piece ~ /^[a-z_]+$/ ? piece : "...") "\002"
}

# The arguments of the call whose parenthesis opens at i, in arg[1..]; returns how many.
function arguments(text, i,    depth, c, n, literal, code, in_string)
{
	n = 0
	literal = code = ""
	for (depth = 0; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (in_string) {
			if (c == "\\")
				literal = literal substr(text, ++i, 1)
			else if (c == "\"")
				in_string = 0
			else
				literal = literal c
			continue
		}
		if (c == "\"" && depth == 1) {
			in_string = 1
		} else if (c == "(") {
			if (depth++)
				code = code c
		} else if ((c == ")" && --depth == 0) || (c == "," && depth == 1)) {
			arg[++n] = code ~ /^[ \t\n]*$/ ? literal : code ~ /^[ \t\n]*NULL[ \t\n]*$/ ? "" : named(code)
			literal = code = ""
			if (c == ")")
				return n
		} else {
			code = code c
		}
	}
	return n
}

function take(file, name, text, at,    n, i, all, message, room, colon)
{
	n = arguments(text, at)
	for (i = 1; i <= n; i++)
		all = all arg[i]
	message = says[name]
	i = index(message, "%*")
	if (i)
		message = substr(message, 1, i - 1) all substr(message, i + 2)
	for (i = 1; i <= n; i++)
		if (name == "SERVICE")
			gsub(/[\001\002]/, "", arg[i])
	for (i = 1; i <= n; i++)
		if (index(message, "%" i))
			message = substr(message, 1, index(message, "%" i) - 1) arg[i] \
				substr(message, index(message, "%" i) + 2)
	gsub(/\001\.\.\.\002(\001\.\.\.\002)+/, "\001...\002", message)
	if (message ~ /: \001[^\002]*\002$/ && message !~ /[^ ]: \001.*: /)
		return # it passes on what others say
	room = file
	sub(/.*\//, "", room)
	sub(/\..*/, "", room) # a file that belongs elsewhere
	if (!(room in family)) {
		room = file
		sub(/\/[^\/]*$/, "", room)
		sub(/.*\//, "", room)
	}
	if (!(room in family))
		complain(file ": which family is " room "?")
	for (colon = length(message) - 1; colon > 0; colon--)
		if (substr(message, colon, 2) == ": ")
			break
	if (colon <= 0)
		complain(file ": no cure behind \": \": " message)
	if (message ~ /^\001[^\002]*\002$/)
		complain(file ": a message that no table can show: " message)
	if (seen[message]++)
		return
	page[family[room]] = page[family[room]] ".It " quoted(roff(substr(message, 1, colon - 1))) "\n" \
		folded(roff(substr(message, colon + 2)))
}

# Macros that are a string.
function take_macros(text,    line, n, i, at)
{
	gsub(/\\\n/, " ", text)
	n = split(text, line, "\n")
	for (i = 1; i <= n; i++)
		if (match(line[i], /^#define [A-Z_]+[ \t]+"[^"]*"$/)) {
			at = index(line[i], "\"")
			macro[substr(line[i], 9, index(substr(line[i], 9), " ") - 1)] = \
				substr(line[i], at + 1, length(line[i]) - at - 1)
		}
}

# A call, and no definition or part of another name.
function read_file(file, text,    i, k, name, before)
{
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
	take_macros(text)
	for (k = 1; k <= nnames; k++) {
		name = names[k]
		for (i = 1; match(substr(text, i), "(^|[^A-Za-z_])" name "\\("); ) {
			i += RSTART + RLENGTH - 1
			before = substr(text, 1, i - 2 - length(name))
			sub(/.*\n/, "", before)
			if (before !~ /(^|[ \t])(void|#define) ?$/)
				take(file, name, text, i - 1)
		}
	}
}

!(FILENAME in text) {
	files[++nfiles] = FILENAME
}

{
	text[FILENAME] = text[FILENAME] $0 "\n"
}

function head()
{
	print ".\\\" Made from the sources by man/refusals.awk"
	print ".\\\" SPDX-License-Identifier: BSD-2-Clause"
	print ".Dd November 27, 2026"
	print ".Dt HEDDLE-REFUSALS 7"
	print ".Os"
	print ".Sh NAME"
	print ".Nm heddle-refusals"
	print ".Nd what heddle refuses to explore, and what to do instead"
	print ".Sh DESCRIPTION"
	print "Where a program does something that"
	print ".Xr heddle 1"
	print "cannot explore, or not all of, there is no verdict: the run ends with status 4,"
	print "and one line says what it is."
	print "These are all of those lines, as what is refused, and what to do instead."
	print "Names and numbers that depend on the program are in italics."
	print "Programs that are refused before they run are in"
	print ".Xr heddle-programs 7 ,"
	print "and the functions that are refused in"
	print ".Xr heddle-intercepts 7 ."
}

END {
	for (i = 1; i <= nfiles; i++)
		read_file(files[i], text[files[i]])
	if (check)
		exit problems != 0
	n = split(order, families, "|")
	head()
	for (i = 1; i <= n; i++)
		if (page[families[i]] != "")
			print ".Sh " toupper(families[i]) "\n.Bl -tag -width Ds\n" page[families[i]] ".El"
	print ".Sh SEE ALSO"
	print ".Xr heddle 1 ,"
	print ".Xr heddle-intercepts 7 ,"
	print ".Xr heddle-programs 7"
}

# SPDX-License-Identifier: BSD-2-Clause
#
# intercepts.awk - heddle-intercepts(7), from the list of exported symbols and the sources of the hooks
#
#	awk -v top=SOURCE-DIRECTORY -f intercepts.awk runtime/preload/heddle-rt.map
#	awk -v top=... -v check=1 -f ...	says what is missing; status 1 if anything is
#
# A section of the list names the file that defines its symbols; the file has a comment
#
#	/*
#	 * intercepts: FAMILY
#	 *
#	 * CLASS NAME NAME... - what heddle does with these
#	 *	(more of the same)
#	 */
#
# A NAME is a symbol, may have * in it, and may be shown by another name: operator_new=_Znw*.
# Every symbol belongs to one row, and every name of a row to a symbol.

BEGIN {
	classes = " explored checked deterministic undone internal ignored refused "
}

function complain(what)
{
	problems++
	if (check)
		print what
}

# A comment of the list: where the symbols behind it are defined.
/^\t\/\* [^ :]+\.c/ {
	file = $2
	sub(/:$/, "", file)
	if (!(file in seen)) {
		seen[file] = 1
		files[++nfiles] = file
	}
	next
}

/^\t[A-Za-z_0-9]+;$/ {
	symbol = $1
	sub(/;/, "", symbol)
	if (file == "")
		complain(symbol ": in no section")
	symbols[++nsymbols] = symbol
	home[symbol] = file
}

# A pattern of names as a regular expression.
function expression(name)
{
	gsub(/\*/, "[A-Za-z_0-9]*", name)
	return "^" name "$"
}

# One name of a row: all symbols of the file that it stands for.
function take(name, file,    i, found)
{
	name = expression(name)
	for (i = 1; i <= nsymbols; i++) {
		if (home[symbols[i]] != file || symbols[i] !~ name)
			continue
		found = 1
		if (rows_of[symbols[i]]++)
			complain(file ": " symbols[i] " is in two rows")
	}
	return found
}

# class name... - text
function row(file, family, line,    at, words, n, i, name, shown, list)
{
	at = index(line, " - ")
	n = split(substr(line, 1, at - 1), words, " ")
	if (!at || n < 2 || index(classes, " " words[1] " ") == 0) {
		complain(file ": not a row: " line)
		return
	}
	for (i = 2; i <= n; i++) {
		name = shown = words[i]
		if (index(name, "=")) {
			sub(/=.*/, "", shown)
			sub(/^[^=]*=/, "", name)
			gsub(/_/, " ", shown)
		}
		if (!take(name, file))
			complain(file ": no symbol " name)
		list = list " " (shown ~ / / ? "\"" roff(shown) "\"" : roff(shown)) (i < n ? " ," : "")
		if (words[1] == "refused")
			refused[++nrefused] = shown
	}
	if (!(family in number)) {
		number[family] = ++nfamilies
		families[nfamilies] = family
	}
	page[family] = page[family] ".It Sy" list "\n" \
		".Em " words[1] " :\n" folded(roff(substr(line, at + 3)) ".")
}

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\(\)/, "\\\\\\&()", text) # no word that mdoc would have marked
	return text
}

# Lines of source that are no longer than others, and a new one for each sentence.
function folded(text,    n, i, word, line, out)
{
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (line != "" && (length(line) + length(word[i]) > 77 || line ~ /[A-Za-z0-9_)]\.$/)) {
			out = out line "\n"
			line = ""
		}
		line = line == "" ? word[i] : line " " word[i]
	}
	return out line "\n"
}

# The rows of one file.
function read_rows(file,    path, line, family, pending, inside)
{
	path = top "/" file
	while ((getline line < path) > 0) {
		if (line ~ /^ \* intercepts: /) {
			inside = 1
			family = substr(line, 16)
		} else if (!inside) {
			continue
		} else if (line ~ /^ \*\t/) {
			pending = pending " " substr(line, 4)
		} else {
			if (pending != "")
				row(file, family, pending)
			pending = line ~ /^ \* / ? substr(line, 4) : ""
			inside = line !~ /\*\//
		}
	}
	close(path)
	if (family == "")
		complain(file ": says nothing of what it intercepts")
}

# By name, whatever the case.
function sort(a, n,    i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j >= 1 && tolower(a[j]) > tolower(x); j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

function head()
{
	print ".\\\" Made from runtime/preload/heddle-rt.map and the sources of the hooks."
	print ".Dd November 27, 2026"
	print ".Dt HEDDLE-INTERCEPTS 7"
	print ".Os"
	print ".Sh NAME"
	print ".Nm heddle-intercepts"
	print ".Nd what heddle does with the functions that it intercepts"
	print ".Sh DESCRIPTION"
	print "Under"
	print ".Xr heddle 1"
	print "these functions of a program, and of the libraries that it uses, are heddle's."
	print "All others are those of the system; a thread that waits in one of them holds up"
	print "all threads, until"
	print ".Fl \\-watchdog"
	print "ends the run."
	print "Exploration begins with the first thread that is created."
	print ".Bl -tag -width Ds"
	print ".It Em explored"
	print "An operation that is explored: in which order threads get there, and with which"
	print "result."
	print ".It Em checked"
	print "Does what it always does, and finds bugs: misuse, data races, errors with"
	print "memory."
	print ".It Em deterministic"
	print "Has the same result in every execution in which its thread did the same before."
	print ".It Em undone"
	print "Is made as it is."
	print "From the next execution on, each is a child process of its own"
	print ".Pq Fl \\-backend=fork ,"
	print "so that the others do not see what it did to the process."
	print ".It Em internal"
	print "Does what it always does; heddle has to know."
	print ".It Em ignored"
	print "Has no effect."
	print ".It Em refused"
	print "Ends the run with status 4, the name of the call and what to do instead."
	print ".El"
}

END {
	for (i = 1; i <= nfiles; i++)
		read_rows(files[i])
	for (i = 1; i <= nsymbols; i++) {
		if (symbols[i] in rows_of)
			continue
		complain(home[symbols[i]] ": no row has " symbols[i])
		others = others (others == "" ? "" : ", ") symbols[i]
	}
	if (check)
		exit problems != 0
	head()
	sort(families, nfamilies)
	print ".Sh FUNCTIONS"
	for (i = 1; i <= nfamilies; i++)
		printf ".Ss %s\n.Bl -tag -width Ds\n%s.El\n", families[i], page[families[i]]
	if (others != "")
		print ".Ss Others\n" roff(others)
	sort(refused, nrefused)
	print ".Sh CALLS THAT ARE REFUSED"
	print "Some of them only once there are threads, or in the cases that are described"
	print "above."
	print ".Pp"
	for (i = 1; i <= nrefused; i++)
		printf ".Sy \"%s\"%s\n", roff(refused[i]), i < nrefused ? " ," : ""
	print ".Sh SEE ALSO"
	print ".Xr heddle 1 ,"
	print ".Xr heddle-calls 7 ,"
	print ".Xr heddle-refusals 7"
}

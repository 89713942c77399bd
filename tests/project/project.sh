# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# project.sh - what the tests of projects that use an installed heddle share; sourced after tap.sh
#
# The commands in PATH are those of an installation that was made with DESTDIR and then moved, as packages are.

unset HEDDLE_OPTIONS HEDDLE_FOLLOW LD_PRELOAD HEDDLE CC CXX CFLAGS CXXFLAGS LDFLAGS

# prefix: where heddle is installed now
put_heddle()
{
	make -C "$builddir" install DESTDIR="$work/stage" >install.log 2>&1 || { cat install.log && return 1; }
	prefix=$(cd "$work/stage" && find . -path '*/bin/heddle-cc' | sed 's|^\./||; s|/bin/heddle-cc$||')
	mv "$work/stage/${prefix:?}" "$work/installed" && rm -rf "$work/stage" || return
	prefix=$work/installed
	PATH=$prefix/bin:$PATH
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	CMAKE_PREFIX_PATH=$prefix
	export PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH
}

there()
{
	for tool; do
		command -v "$tool" >/dev/null || return 1
	done
}

# project NAME: a copy of it, with its test programs, is the current folder
project()
{
	cp -R "$srcdir/tests/project/$1" "$work/$1" && cp "$srcdir/tests/follow/good.c" "$srcdir/tests/follow/racy.c" \
		"$srcdir/tests/follow/skipped.c" "$work/$1" && chmod -R u+w "$work/$1" && cd "$work/$1" || exit 99
}

# comes_to STATUS COMMAND...: its words are in said
comes_to()
{
	want=$1
	shift
	"$@" >said 2>&1
	got=$?
	cat said
	test "$got" = "$want" || { echo "exit status $got, not $want" && return 1; }
}

# says PATTERN...: each is in said
says()
{
	for pattern; do
		grep -q -e "$pattern" said || { cat said && echo "does not say '$pattern'" && return 1; }
	done
}

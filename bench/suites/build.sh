#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# build.sh SUITE - build the programs of SUITE.sh in this folder
#
# For bench/suites/run, with CC and CXX, and SOURCES, the folder of unpacked source packages. What does not build is
# left out, with the compiler's words.
set -u

here=$(dirname "$0")

# unpacked PACKAGE: source is where the package lies
unpacked()
{
	for source in "$SOURCES/$1"-[0-9]*; do
		test -d "$source" && return
	done
	echo "$SOURCES holds no $1: apt-get source $1" >&2
	exit 1
}

# compile_c PROGRAM ARGUMENT...
compile_c()
{
	made=$1
	shift
	"$CC" -O2 -g -w -pthread -o "$made" "$@"
}

# compile_cxx PROGRAM ARGUMENT...
compile_cxx()
{
	made=$1
	shift
	"$CXX" -O2 -g -w -pthread -o "$made" "$@"
}

. "$here/$1.sh"

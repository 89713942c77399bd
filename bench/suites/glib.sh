# SPDX-License-Identifier: BSD-2-Clause
#
# glib.sh - the tests of GLib's threads, queues and locks (source package glib2.0), with the library
#
# Wants meson, ninja-build and libpcre2-dev.

unpacked glib2.0
tests='1bit-mutex asyncqueue bitlock cond mutex once onceinit rec-mutex rwlock thread thread-pool atomic
	slice-concurrent'
CFLAGS='-O2 -g -w' meson setup configured "$source" -Ddefault_library=static -Dnls=disabled -Dselinux=disabled \
	-Dlibmount=disabled -Dman=false -Dgtk_doc=false -Ddtrace=false -Dsystemtap=false -Dtests=true
for test in $tests; do
	ninja -C configured -j2 "glib/tests/$test" && cp "configured/glib/tests/$test" "glib-$test"
done

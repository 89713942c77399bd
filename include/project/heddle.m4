# heddle.m4 - tests of a package that uses Autoconf and Automake, under heddle
# SPDX-License-Identifier: BSD-2-Clause
#
# HEDDLE_CHECK
# ------------
# In configure.ac, before AC_PROG_CC and AC_PROG_CXX:
#
#	HEDDLE_CHECK
#
# and in the Makefile.am that has the tests:
#
#	@HEDDLE_CHECK_RULES@
#
# Then
#
#	./configure --enable-heddle	compiles with heddle-cc and heddle-c++, unless CC and CXX name others
#	make check-heddle		explores each test program that `make check` starts
#	make check-heddle HEDDLE_FLAGS='--junit heddle.xml --timeout 600'
#
# Without --enable-heddle nothing changes, and heddle need not be there. HEDDLE is the command, and the conditional
# ENABLE_HEDDLE says in a Makefile.am that the option was given.
AC_DEFUN([HEDDLE_CHECK],
[AC_BEFORE([$0], [AC_PROG_CC])dnl
AC_BEFORE([$0], [AC_PROG_CXX])dnl
AC_ARG_VAR([HEDDLE], [the command that explores test programs])dnl
AC_ARG_VAR([HEDDLE_FLAGS], [its options for make check-heddle])dnl
AC_ARG_ENABLE([heddle],
  [AS_HELP_STRING([--enable-heddle],
    [compile with heddle-cc, so that make check-heddle finds data races and what weak memory lets happen])],
  [], [enable_heddle=no])
AS_IF([test "$enable_heddle" != no],
  [AC_PATH_PROG([HEDDLE], [heddle])
   AS_IF([test -z "$HEDDLE"],
     [AC_MSG_ERROR([--enable-heddle: there is no heddle along PATH; HEDDLE=/where/it/is/bin/heddle names it])])
   heddle_bin=`AS_DIRNAME(["$HEDDLE"])`
   AS_IF([test -z "$CC"], [CC=$heddle_bin/heddle-cc])
   AS_IF([test -z "$CXX"], [CXX=$heddle_bin/heddle-c++])])
AM_CONDITIONAL([ENABLE_HEDDLE], [test "$enable_heddle" != no])
AS_IF([test "$enable_heddle" != no],
  [heddle_rule='$(HEDDLE) explore $(HEDDLE_FLAGS) $(MAKE) $(AM_MAKEFLAGS) check'
   heddle_needs=all],
  [heddle_rule='@echo "check-heddle needs ./configure --enable-heddle" >&2; exit 1'
   heddle_needs=])
HEDDLE_CHECK_RULES=".PHONY: check-heddle
check-heddle: $heddle_needs
	$heddle_rule"
AC_SUBST([HEDDLE_CHECK_RULES])
m4_ifdef([_AM_SUBST_NOTMAKE], [_AM_SUBST_NOTMAKE([HEDDLE_CHECK_RULES])])
])

# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# modes.sh - every way in which packages call their compiler; sourced with $CC_UNDER_TEST and
# $CXX_UNDER_TEST set to the real compilers' names

. "$srcdir/tests/tap.sh"

command -v "$CC_UNDER_TEST" >/dev/null || skip_all "$CC_UNDER_TEST is not there"
command -v "$CXX_UNDER_TEST" >/dev/null || skip_all "$CXX_UNDER_TEST is not there"
HEDDLE_CC=$CC_UNDER_TEST
HEDDLE_CXX=$CXX_UNDER_TEST
export HEDDLE_CC HEDDLE_CXX
cc=$bin/heddle-cc
cxx=$bin/heddle-c++

cat >main.c <<'EOF'
#include <stdatomic.h>
#include <stdio.h>
int helper(int);
static atomic_int counter;
int main(void)
{
	atomic_fetch_add(&counter, 41);
	atomic_thread_fence(memory_order_seq_cst);
	printf("%d\n", helper(atomic_load(&counter)));
	return 0;
}
EOF
cat >helper.c <<'EOF'
int calls;
int helper(int x)
{
	calls++;
	return x + calls;
}
EOF
cat >alone.c <<'EOF'
#include <stdatomic.h>
static atomic_int x;
int main(void)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_exchange(&x, 1);
}
EOF
cat >throws.cc <<'EOF'
#include <atomic>
#include <heddle.h>
#include <stdexcept>
#include <string>
#include <thread>
static std::atomic<int> seen;
int main()
{
	std::thread thread([] {
		try {
			throw std::runtime_error("x");
		} catch (const std::exception &e) {
			seen = static_cast<int>(std::string(e.what()).size());
		}
	});
	thread.join();
	heddle_assert(seen == 1);
	return heddle_running();
}
EOF

# helpers -------------------------------------------------------------------------------------

says() { test "$("$@" 2>&1)" = 42; }
mentions() { want=$1; shift; "$@" 2>&1 | grep -q -e "$want"; }
same_output() { test "$("$cc" "$@" 2>&1)" = "$("$CC_UNDER_TEST" "$@" 2>&1)"; }
links_native() { readelf -d "$1" | grep -q 'NEEDED.*libheddle-native\.so'; }
no_tsan() { ! ldd "$1" | grep -q libtsan && ! nm "$1" | grep -q __tsan_report; }
announces() { nm "$1" | grep -q 'U __tsan_'; }
from_stdin() { "$@" <alone.c; }
one_line() { test "$("$@" 2>&1 | wc -l)" = 1; }
has_section() { readelf -S "$1" | grep -q -e "$2"; }

# compiling and linking -----------------------------------------------------------------------

ok 'one step from source to program' "$cc" -o one main.c helper.c
ok 'the program runs alone' says ./one
ok 'it is linked with the native library' links_native one
ok 'and with no ThreadSanitizer' no_tsan one
ok '-c' "$cc" -O2 -c main.c helper.c
ok 'the object announces its accesses' announces main.o
ok 'link of objects only' "$cc" -o two main.o helper.o
ok 'that program runs alone' says ./two
ok '-c -o with -MD -MF -MT' "$cc" -c -MD -MF main.d -MT main.lo -o main.lo main.c
ok 'dependencies are written' grep -q '^main.lo: main.c' main.d
ok '-MMD does not stop the link' "$cc" -MMD -o three main.c helper.c
ok 'so there is a program' says ./three
ok '-M' mentions '^main.o: main.c' "$cc" -M main.c
ok '-MM' mentions '^main.o: main.c$' "$cc" -MM main.c
ok '-E' mentions 'int main' "$cc" -E main.c
ok '-E -P -dM' mentions '#define __x86_64__ 1' "$cc" -E -dM main.c
ok '-S' "$cc" -S main.c
ok 'the assembly announces accesses' grep -q __tsan_atomic32_load main.s
ok 'assembly compiles' "$cc" -c -o from-s.o main.s
ok '-S -o -' mentions __tsan_atomic32 "$cc" -S -o - main.c
ok '-fsyntax-only' "$cc" -fsyntax-only main.c
ok '-x c from standard input' from_stdin "$cc" -x c - -o stdin-one
ok 'that program runs' ./stdin-one
ok '-x c -c from standard input' from_stdin "$cc" -x c -c -o stdin.o -
ok '-x c with a file of another name' sh -c "cp alone.c alone.txt; '$cc' -x c alone.txt -o other"
ok 'that program runs, too' ./other
ok '-pipe -std=c11 -O3 -flto' "$cc" -pipe -std=c11 -O3 -flto -o lto main.c helper.c
ok 'that program runs alone' says ./lto
ok '-no-pie' "$cc" -no-pie -fno-pie -o nopie main.c helper.c
ok 'that program runs alone' says ./nopie
ok '-Wl,-O1 -Wl,--as-needed keeps the library' "$cc" -Wl,-O1 -Wl,--as-needed -o lazy main.c helper.c
ok 'that program has it' links_native lazy
ok '-pthread and -lpthread' "$cc" -pthread -o threads main.c helper.c -lpthread -lm
ok 'options after the files' "$cc" main.c helper.c -o late -O1 -g3
ok 'that program runs alone' says ./late

# libraries -----------------------------------------------------------------------------------

ok '-shared -fPIC' "$cc" -shared -fPIC -Wl,-soname,libhelper.so -o libhelper.so helper.c
ok '-shared with -z defs' "$cc" -shared -fPIC -Wl,-z,defs -o libdefs.so helper.c
ok 'program with a shared library' "$cc" -o shared main.c -L. -lhelper -Wl,-rpath,"$work"
ok 'it runs alone' says ./shared
ok 'ar' ar rcs libstatic.a helper.o
ok 'program with a static library' "$cc" -o archive main.o libstatic.a
ok 'it runs alone' says ./archive
ok 'program from archives only' sh -c "ar rcs libmain.a main.o && '$cc' -o archives -Wl,--whole-archive libmain.a -Wl,--no-whole-archive -L. -lstatic"
ok 'it runs alone' says ./archives
ok '-Wl,-Bstatic in the middle' "$cc" -o mixed main.o -L. -Wl,-Bstatic -lstatic -Wl,-Bdynamic
ok 'it runs alone' says ./mixed
ok '-r' "$cc" -r -nostdlib -o both.o main.o helper.o
ok 'its result links' "$cc" -o from-r both.o
ok 'and runs alone' says ./from-r
ok '-nostdlib -shared, as libtool links C++' "$cc" -nostdlib -shared -fPIC -Wl,-z,defs -o libbare.so helper.c
ok 'has the library that it needs' links_native libbare.so
not '-nostdlib without -shared is left alone' "$cc" -nostdlib -o never main.o helper.o

# static programs cannot be explored ----------------------------------------------------------

not '-static is refused' "$cc" -static -o never main.c helper.c
ok 'with one line' one_line "$cc" -static -o never main.c helper.c
ok 'that says why' mentions preload "$cc" -static -o never main.c helper.c
not 'and leaves no program' test -e never
not '-static-pie is refused' "$cc" -static-pie -o never main.c helper.c
ok '-static -c is harmless' "$cc" -static -c -o static.o main.c
ok '-static-libgcc is not -static' "$cc" -static-libgcc -o libgcc main.c helper.c
ok '-static-libtsan changes nothing' "$cc" -static-libtsan -o libtsan main.c helper.c
ok 'the native library is there' links_native libtsan

# response files ------------------------------------------------------------------------------

echo '-c -o "response file.o" main.c' >args
ok '@file with -c' "$cc" @args
ok 'its output' test -s 'response file.o'
echo '-o from-response main.o helper.o' >args
ok '@file that links' "$cc" @args
ok 'that program runs alone' says ./from-response
echo '-static' >inner
echo '@inner -o never main.c helper.c' >args
not '-static is found in nested @files' "$cc" @args

# questions ---------------------------------------------------------------------------------------

for question in --version -dumpmachine -dumpversion -print-search-dirs -print-prog-name=ld \
	-print-file-name=libc.so -print-libgcc-file-name -v --help; do
	ok "$question is answered as by $CC_UNDER_TEST" same_output $question
done
ok '-### shows what would run' mentions heddle-native\\\|libtsan "$cc" -### main.o

# configure probes --------------------------------------------------------------------------------

echo 'int main(void) { return no_such_function(); }' >probe.c
not 'a missing function is missed at link' "$cc" -w -o probe probe.c
echo 'int main(void) { syntax error }' >bad.c
not 'a syntax error is an error' "$cc" -c bad.c
not 'a missing file is an error' "$cc" -c nowhere.c
not 'no input is an error' "$cc"
not 'an unknown option is an error' "$cc" --no-such-option -c main.c
ok 'a.out is the default' sh -c "'$cc' main.c helper.c && test -x a.out"

# warnings ----------------------------------------------------------------------------------------

ok '-Werror compiles fences' "$cc" -Wall -Wextra -Werror -c -o werror.o main.c
for mode in -c -S -E -fsyntax-only; do
	ok "-Wall -Werror $mode" "$cc" -Wall -Werror $mode -o werror.out main.c
done
ok '-Werror links' "$cc" -Wall -Werror -o werror main.o helper.o
ok '-Werror assembles' "$cc" -Wall -Werror -c -o werror.o main.s
ok '-Werror goes in one step' "$cc" -Wall -Wextra -Werror -o werror alone.c

# heddle.h ----------------------------------------------------------------------------------------

cat >api.c <<'EOF'
#include <heddle.h>
int main(void)
{
	heddle_assert(heddle_choose(3) == 0);
	heddle_assume(1);
	return heddle_running();
}
EOF
cat >assume.c <<'EOF'
#include <heddle.h>
int main(void)
{
	heddle_assume(0);
	return 7;
}
EOF
cat >assertion.c <<'EOF'
#include <heddle.h>
int main(void)
{
	heddle_assert(1 == 2);
	return 0;
}
EOF
ok 'heddle.h is found' "$cc" -Wall -Wextra -Wpedantic -std=c99 -Werror -o api api.c
ok 'and works alone' ./api
ok 'a false assume ends with status 0' sh -c "'$cc' -o assume assume.c && ./assume"
ok 'heddle_assert says what failed' sh -c "'$cc' -o assertion assertion.c; ./assertion 2>&1 | grep -q 'assertion.c:4: main: heddle_assert(1 == 2) failed'"
mkdir own
echo '#define OWN 1' >own/heddle.h
printf '#include <heddle.h>\nint x = OWN;\n' >own.c
ok "a package's own heddle.h comes first" "$cc" -Iown -c own.c

# what is announced -------------------------------------------------------------------------------

printf 'volatile int v;\nint f(void) { return v; }\n' >volatile.c
ok 'volatile accesses are told apart' sh -c "'$cc' -O1 -S -o - volatile.c | grep -q __tsan_volatile_read4"
not 'no calls at function entry' sh -c "'$cc' -O1 -S -o - volatile.c | grep -q __tsan_func_entry"
printf 'int v;\nvoid f(void) { v = v + 1; }\n' >increment.c
ok 'the read of an increment is announced' sh -c "'$cc' -O1 -S -o - increment.c | grep -q __tsan_read4"
printf '#include <stdatomic.h>\nstatic atomic_int v;\nvoid f(void) { atomic_exchange(&v, 1); }\n' >exchange.c
ok 'an exchange stays one when its result is not used' sh -c "'$cc' -O2 -S -o - exchange.c | grep -q __tsan_atomic32_exchange"
printf '_Atomic __int128 v;\nint main(void) { v += 1; return v == 1 ? 0 : 1; }\n' >wide.c
ok '16-byte atomics need no libatomic' "$cc" -o wide wide.c
ok 'and work alone' ./wide
ok 'line numbers without -g' sh -c "'$cc' -c -o lines.o main.c && readelf -S lines.o | grep -q debug_line"
not 'none with -g0' sh -c "'$cc' -g0 -c -o lines.o main.c && readelf -S lines.o | grep -q debug_line"
ok '-g gives all' sh -c "'$cc' -g -c -o lines.o main.c && readelf -S lines.o | grep -q debug_str"
ok '__SANITIZE_THREAD__ or the feature is visible' sh -c "printf '%s\n' '#ifndef __has_feature' '#define __has_feature(x) 0' '#endif' '#if !defined __SANITIZE_THREAD__ && !__has_feature(thread_sanitizer)' '#error no' '#endif' | '$cc' -fsyntax-only -x c -"

# C++ ---------------------------------------------------------------------------------------------

ok 'heddle-c++' "$cxx" -std=c++17 -Wall -Wextra -Werror -o throws throws.cc -pthread
ok 'its program runs alone' ./throws
ok 'it links the native library' links_native throws
cat >vanish.cc <<'END'
static int only_written;
struct box { short value; short get() const { return value; } };
box b;
void f() { only_written = 1; (void)b.get(); }
END
for level in -O0 -O1 -O2 -O3; do
	"$cxx" $level -S -o vanish.s vanish.cc
	ok "C++ announces the write to a variable never read, $level" grep -q __tsan_write4 vanish.s
	ok "and the read whose value nobody uses, $level" grep -q __tsan_read2 vanish.s
done
ok 'heddle-c++ -c and link' sh -c "'$cxx' -c throws.cc && '$cxx' -o throws2 throws.o -pthread && ./throws2"

# the wrapper itself ------------------------------------------------------------------------------

mkdir elsewhere
ln -s "$cc" "elsewhere/heddle-$CC_UNDER_TEST"
ok 'the name tells the compiler' sh -c "unset HEDDLE_CC; elsewhere/heddle-$CC_UNDER_TEST --version | head -n 1 >a; $CC_UNDER_TEST --version | head -n 1 | cmp a -"
ok 'it works through a link elsewhere' sh -c "elsewhere/heddle-$CC_UNDER_TEST -o linked main.c helper.c && ./linked"
mkdir -p moved/bin moved/lib moved/include
cp "$cc" moved/bin
cp -R "$builddir/lib/heddle" moved/lib
cp -R "$builddir/include/heddle" moved/include
mv moved 'moved away'
ok 'an installation can be moved' 'moved away/bin/heddle-cc' -o moved-one main.c helper.c
ok 'its programs find its library' mentions 'moved away/lib/heddle' ldd moved-one
rm -rf 'moved away/lib'
ok 'a damaged one says so' mentions 'install heddle again' 'moved away/bin/heddle-cc' main.c
ok 'a compiler with arguments' env HEDDLE_CC="env $CC_UNDER_TEST" "$cc" -o words main.c helper.c
not 'a compiler that is not there' env HEDDLE_CC=no-such-gcc "$cc" -c main.c
not 'a wrapper around itself is refused' env HEDDLE_CC=heddle-cc "$cc" -c main.c
ok 'cc is recognised' env HEDDLE_CC=cc "$cc" -Werror -o as-cc main.c helper.c

# the native library ------------------------------------------------------------------------------

for level in -O0 -O2; do
	ok "every atomic operation, $level" "$cc" $level -Wall -o atomics "$srcdir/tests/instrument/atomics.c"
	ok 'does what it says' ./atomics
done

finish

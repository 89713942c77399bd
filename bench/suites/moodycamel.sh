# SPDX-License-Identifier: BSD-2-Clause
#
# moodycamel.sh - the tests of moodycamel's queues (source packages concurrentqueue and readerwriterqueue)

unpacked concurrentqueue
common="-std=c++11 -DMOODYCAMEL_STATIC -DMOODYCAMEL_EXPORT="
# shellcheck disable=SC2086 # words on purpose
{
	for of in blockingconcurrentqueue concurrentqueue; do
		compile_cxx "$of.o" $common -fno-exceptions -c "$source/c_api/$of.cpp"
	done
	compile_cxx moodycamel-cq-run $common -fno-elide-constructors "$source"/tests/common/*.cpp \
		"$source/tests/unittests/unittests.cpp" ./*.o
	compile_cxx moodycamel-fuzztests $common "$source"/tests/common/*.cpp "$source/tests/fuzztests/fuzztests.cpp"
}

unpacked readerwriterqueue
compile_cxx moodycamel-rwq-run -std=c++11 -DNDEBUG "$source/tests/unittests/unittests.cpp" \
	"$source/tests/common/simplethread.cpp"

# heddle-config.cmake - tests of a CMake project under heddle
# SPDX-License-Identifier: BSD-2-Clause
#
#	find_package(heddle)
#	enable_testing()
#
#	add_executable(queue-test queue-test.c)
#	heddle_add_test(NAME queue COMMAND queue-test 3 OPTIONS --model sc)
#
# heddle_add_test(NAME name COMMAND target [argument...] [TEST] [OPTIONS option...])
#	A test of ctest that passes when heddle explore has visited all executions and found no bug. TEST: random
#	executions instead (heddle test). It is skipped when the program exits with 77 in all executions, or with the N of
#	--skip-exitcode=N. Traces are in heddle-out/NAME of the build folder.
#
# heddle_run_tests(target... [TEST] [OPTIONS option...])
#	All tests that run the target, those of add_test() and of gtest_discover_tests() and its like, run it
#	under heddle. Before such a call, since gtest_discover_tests() reads the list of tests through heddle as well.
#	What the program writes comes through when it has no bug.
#
# The target heddle::heddle has the folder of heddle.h, for projects that are not compiled with heddle-cc.
# HEDDLE, HEDDLE_CC and HEDDLE_CXX are the commands.
include("${CMAKE_CURRENT_LIST_DIR}/heddle-commands.cmake")

if(NOT TARGET heddle::heddle)
	add_library(heddle::heddle INTERFACE IMPORTED)
	set_target_properties(heddle::heddle PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${HEDDLE_INCLUDE_DIR}")
endif()

foreach(heddle_language C CXX)
	if(CMAKE_${heddle_language}_COMPILER AND NOT CMAKE_${heddle_language}_COMPILER MATCHES "heddle-c")
		message(STATUS "heddle: ${CMAKE_${heddle_language}_COMPILER} compiles without heddle: of these programs only the orders "
			"of synchronisation calls are explored (heddle-toolchain.cmake, or CC=heddle-cc CXX=heddle-c++)")
	endif()
endforeach()

# The words of a command, in ${into}, that run a program under heddle.
function(heddle_command into random folder options)
	set(how explore)
	if(random)
		set(how test)
	endif()
	set(${into} "${HEDDLE}" ${how} --progress=never "--output-dir=${folder}" ${options} PARENT_SCOPE)
endfunction()

function(heddle_add_test)
	cmake_parse_arguments(arg "TEST" "NAME" "COMMAND;OPTIONS" ${ARGN})
	if(NOT arg_NAME OR NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "heddle_add_test(NAME name COMMAND target [argument...] [TEST] [OPTIONS option...])")
	endif()
	list(GET arg_COMMAND 0 program)
	list(REMOVE_AT arg_COMMAND 0)
	if(TARGET ${program})
		set(program "$<TARGET_FILE:${program}>")
	endif()
	heddle_command(command "${arg_TEST}" "${CMAKE_CURRENT_BINARY_DIR}/heddle-out/${arg_NAME}" "${arg_OPTIONS}")
	add_test(NAME ${arg_NAME} COMMAND ${command} -- ${program} ${arg_COMMAND})
	set(skipped 77)
	if("${arg_OPTIONS}" MATCHES "--skip-exitcode[=;]([0-9]+)")
		set(skipped "${CMAKE_MATCH_1}")
	endif()
	if(skipped) # 0: nothing is
		set_tests_properties(${arg_NAME} PROPERTIES SKIP_RETURN_CODE ${skipped})
	endif()
endfunction()

function(heddle_run_tests)
	cmake_parse_arguments(arg "TEST" "" "OPTIONS" ${ARGN})
	foreach(target ${arg_UNPARSED_ARGUMENTS})
		heddle_command(command "${arg_TEST}" "${CMAKE_CURRENT_BINARY_DIR}/heddle-out/${target}" "${arg_OPTIONS}")
		set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "${command};--then-run;--")
	endforeach()
endfunction()

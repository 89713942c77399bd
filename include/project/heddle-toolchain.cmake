# heddle-toolchain.cmake - cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/heddle/heddle-toolchain.cmake
# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles with heddle-cc and heddle-c++, and lets find_package(heddle) find the heddle that this file came with.
# CC=heddle-cc CXX=heddle-c++ cmake ... does the same.
include("${CMAKE_CURRENT_LIST_DIR}/heddle-commands.cmake")
set(CMAKE_C_COMPILER "${HEDDLE_CC}")
set(CMAKE_CXX_COMPILER "${HEDDLE_CXX}")
set(heddle_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "where heddle-config.cmake is")

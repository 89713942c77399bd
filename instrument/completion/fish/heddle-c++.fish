# SPDX-License-Identifier: BSD-2-Clause
# heddle-c++(1) in fish: it takes the options of g++
complete -c heddle-c++ -w g++

# SPDX-License-Identifier: BSD-2-Clause
# heddle-cc(1) in fish: it takes the options of gcc
complete -c heddle-cc -w gcc

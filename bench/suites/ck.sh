# SPDX-License-Identifier: BSD-2-Clause
#
# ck.sh - the validators of Concurrency Kit (source package ck)
#
# With the port for compilers' builtins, since each operation of inline assembly is a signal, and with all fences that the weakest
# memory model wants. What has no argument for its number of rounds has a macro, which is given here.

unpacked ck
common="-std=gnu99 -D_GNU_SOURCE -DCK_USE_CC_BUILTINS=1 -Iconfigured/include -I$source/include"
rounds='-DITERATE=100 -DSTEPS=100 -DPAIRS=100 -DPAIRS_S=100 -DITERATE_S=20 -DITEMS=200'

mkdir configured
(cd configured && "$source/configure" --use-cc-builtins --memory-model=rmo) >configured.log

# validator FOLDER FILE [OPTION...]: regressions/ck_FOLDER/validate/FILE.c as ck-FOLDER-FILE
validator()
{
	folder=$1 file=$2
	shift 2
	# shellcheck disable=SC2086 # words on purpose
	compile_c "ck-$folder-$file" $common $rounds "$@" "$source/regressions/ck_$folder/validate/$file.c" -lm
}

for kind in spsc spmc spmc_template mpmc mpmc_template; do
	validator ring "ck_ring_$kind" "$source/src/ck_barrier_centralized.c"
done
validator fifo ck_fifo_spsc
for kind in pair push pop; do
	validator stack "$kind" -DUPMC
done
for lock in anderson cas clh dec fas hclh mcs spinlock ticket ticket_pb; do
	validator spinlock "ck_$lock"
done
for lock in brlock bytelock cohort pflock rwlock swlock tflock; do
	validator "$lock" validate
done
for kind in centralized combining dissemination mcs tournament; do
	validator barrier "barrier_$kind" "$source/src/ck_barrier_$kind.c"
done
for kind in synchronize poll section section_2 call; do
	validator epoch "ck_epoch_$kind" "$source/src/ck_epoch.c"
done
for kind in hp_stack hp_fifo; do
	validator hp "ck_$kind" "$source/src/ck_hp.c"
done
validator sequence ck_sequence

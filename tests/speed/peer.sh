#!/bin/sh
# Speed and memory of the search beside those of Halide's own autoscheduler of Anderson et al. (2021): in a fresh Debian 13 with Halide 19, both search
# for a schedule of the same pipeline with the same options, in turn, on one core. `make bench-peer`; needs root, debootstrap and a mirror, and a machine that
# does nothing else: compare the ratios, not the times.
#
#   tests/speed/peer.sh [-C DIRECTORY] [-k] [-l SECONDS] [PIPELINE...]
#
#   -C  where to make the root (default /var/cache/beamwalk/interop-trixie, which check-interop uses, too)
#   -k  keep the root of the last run as it is, and fetch what was committed since
#   -l  how many seconds of the processor Halide may take for one search (default 240): where it takes longer, the row says so
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" interop trixie C:kl: "$@"
shift "$taken"
root_run "$directory" nice ./quickstart -y devices >/dev/null
root_run "$directory" env "LIMIT=$limit" sh tests/speed/peer-inside.sh "$@"

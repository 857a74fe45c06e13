#!/bin/sh
# Tries quickstart as a newcomer would: in a fresh Debian root with nothing in it, as root, without a terminal, from a clean clone
# of what is committed. Not part of `make check`: it takes minutes, and needs root, debootstrap and a mirror.
#
#   tests/setup/fresh-root.sh [-C DIRECTORY] [-k] [-s SUITE] [ARGUMENTS of quickstart]...     (without arguments: check)
#
#   -C  where to make the root (default /tmp/beamwalk-root); the bare system is kept beside it, in DIRECTORY.tar
#   -k  keep the root of the last run as it is, and fetch what was committed since
#   -s  Debian's name for the version (default bookworm); give each suite a directory of its own
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" /tmp/beamwalk-root bookworm C:ks: "$@"
shift "$taken"
[ $# -gt 0 ] || set -- check

root_run "$directory" ./quickstart "$@"

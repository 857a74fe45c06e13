#!/bin/sh
# Tries quickstart as a newcomer would: in a bare Debian with nothing in it, as root, without a terminal, from a clean clone of what is
# committed. `make check-bare`; takes as long as all tests, and needs root, debootstrap and a mirror.
#
#   tests/setup/fresh-root.sh [-C DIRECTORY] [-k] [-s SUITE] [-- ARGUMENTS of quickstart...]     (without arguments: -y check)
#
#   -C  where to make the root (default /var/cache/beamwalk/bare-SUITE)
#   -k  keep the root of the last run as it is, fetch what was committed since, and keep it again; without, it is removed if all went well
#   -s  Debian's name for the version (default bookworm)
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" bare bookworm C:ks: "$@"
shift "$taken"
[ $# -gt 0 ] || set -- -y check

status=0
root_run "$directory" ./quickstart "$@" || status=$?
if [ $status = 0 ] && [ $kept = no ]; then
	rm -rf "$directory"
else
	echo "${0##*/}: the root is left in $directory" >&2
fi
exit $status

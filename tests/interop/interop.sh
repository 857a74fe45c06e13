#!/bin/sh
# Agreement with Halide's own autoscheduler of Anderson et al. (2021): in a fresh Debian 13 with Halide 19, its anderson2021 schedules
# each pipeline of tests/interop/cases as is said there, this build's plugin for Halide 19 describes it, and what both say is compared with what is kept under
# tests/interop, which the tests of every build use. `make check-interop`; needs root, debootstrap and a mirror, and takes long.
#
#   tests/interop/interop.sh [-C DIRECTORY] [-k] [-u] [PIPELINE...]
#
#   -C  where to make the root (default /var/cache/beamwalk/interop-trixie)
#   -k  keep the root of the last run as it is, and fetch what was committed since
#   -u  write what was found into tests/interop
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" interop trixie C:ku "$@"
shift "$taken"
root_run "$directory" nice ./quickstart -y devices >/dev/null
root_run "$directory" nice sh tests/interop/inside.sh /root/interop "$@"

status=0
for folder in "$directory"/root/interop/*/; do
	name=$(basename "$folder")
	if [ "$flags" ]; then
		mkdir -p "$source/tests/interop/$name"
		cp "$folder"/* "$source/tests/interop/$name/"
	else
		diff -r "$source/tests/interop/$name" "$folder" || status=1
	fi
done
exit $status

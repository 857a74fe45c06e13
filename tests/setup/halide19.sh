#!/bin/sh
# Halide 19 with Halide 14 beside it: in a fresh Debian 13, whose Halide is 19, with Debian 12's packages of Halide 14. quickstart builds
# both plugins and everything else with 19, and runs all tests; what is built is installed and tried; then generators built with either
# Halide are used side by side (tests/halide/side-by-side.sh). `make check-halide19`; needs root, debootstrap and a mirror, and takes long.
#
#   tests/setup/halide19.sh [-C DIRECTORY] [-k]
#
#   -C  where to make the root (default /var/cache/beamwalk/halide19-trixie)
#   -k  keep the root of the last run as it is, and fetch what was committed since
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" halide19 trixie C:k "$@"

# Halide 14 and what it needs; all else that both have is newer in Debian 13, and is taken from there.
if [ ! -e "$directory/usr/include/halide14/Halide.h" ]; then
	sed -n 's/ trixie main/ bookworm main/p' "$directory/etc/apt/sources.list" >"$directory/etc/apt/sources.list.d/bookworm.list"
	root_run "$directory" sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install libhalide14-0-dev libhalide19-dev'
fi

status=0
root_run "$directory" env "QUICKSTART_CONFIGURE=--enable-werror --with-halide=/usr" nice ./quickstart -y check || status=1
root_run "$directory" nice sh -c 'make -s -C build install >build/install.log 2>&1 && make -s -C build installcheck' || status=1
root_run "$directory" nice sh tests/halide/side-by-side.sh build || status=1
exit $status

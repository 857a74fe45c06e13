#!/bin/sh
# The tests that depend on Halide, each Debian's with its own, in a bare root: 14 in bookworm, 19 in trixie, 21 in sid. Before every
# release, and whenever src/halide changed. `make check-halides`; takes half an hour for each, and needs root, debootstrap and a mirror.
#
#   tests/setup/check-halides.sh SUITE...
#
# The root of a suite whose tests fail is left in /var/cache/beamwalk/halides-SUITE.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

status=0
for suite; do
	directory=$BW_ROOTS/halides-$suite
	root_make "$directory" "$suite" no
	root_clone "$directory" "$source"
	echo "$suite:"
	# shellcheck disable=SC2016 # for the shell in there
	if root_run "$directory" sh -c '
		./quickstart -y check tests/setup/halides.test && build/beamwalk pipelines && ./quickstart -y check $(make -s -C build name-generators)'; then
		rm -rf "$directory"
	else
		status=1
	fi
done
exit $status

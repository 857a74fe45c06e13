#!/bin/sh
# Measures Halide's own apps, unchanged and at their own sizes (apps.table): what anderson2021 of
# Halide 19 finds of each in a fresh Debian 13, and what is found here, both as Halide's own cost
# model predicts it. `make bench-apps`; needs root, debootstrap, a mirror and 24 GB of memory,
# and takes an hour on two processors.
#
#   tests/interop/apps.sh [-C DIRECTORY] [-k] [-l SECONDS] [-u] [APP...]
#
#   -C  where to make the root (default /var/cache/beamwalk/interop-trixie, as for interop.sh)
#   -k  keep the root of the last run, and fetch what was committed since; what was measured of an
#       app is kept, too
#   -l  processor time of a search (default 600)
#   -u  write the descriptions and Halide's nests into tests/interop/apps, of apps whose description
#       has at most 40 kB
#
# Writes the table to standard output.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" interop trixie C:kl:u "$@"
shift "$taken"
root_run "$directory" nice ./quickstart -y devices >/dev/null
root_run "$directory" sh -c '
	apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install dpkg-dev perl' >&2
root_run "$directory" nice sh tests/interop/apps-inside.sh /root/apps "${limit:-600}" "$@" >&2

found=$directory/root/apps/found
if [ "$flags" ]; then
	for folder in "$found"/*/; do
		[ "$(wc -c <"$folder/description.json")" -le 40000 ] || continue
		kept=$source/tests/interop/apps/$(basename "$folder")
		mkdir -p "$kept"
		for file in description.json greedy.nest sampled0.nest default.nest; do
			[ ! -e "$folder/$file" ] || cp "$folder/$file" "$kept/"
		done
	done
fi
sed '/^#/d' "$source/tests/interop/apps.table" | while read -r name _; do
	[ ! -e "$found/$name/figures" ] || sed "s/^/$name /" "$found/$name/figures"
done | awk -f "$source/tests/interop/apps.awk"

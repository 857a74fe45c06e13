#!/bin/sh
# Shows whether two builds find the same, to the bit: the JSON of searches of all bundled descriptions, but for seconds and what the memo held. Run it before and after a
# change that is to change nothing that is found.
#
#   same.sh BEFORE AFTER [WEIGHTS]    two executables of beamwalk, and weights of the learned model, with which all is searched again
#
# Exit status 0 if all is equal; each search that differs is told.
[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
before=$1 after=$2 weights=${3-}
: "${BW_SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
found() {
	"$@" --json 2>&1 | sed '/^  "memo": {/,/^  }/d; /seconds"/d'
}
n=0 differ=0
for description in "$BW_SRC"/data/descriptions/*.json; do
	for options in '' '--passes 5' '--set sampling=0 --set freezing=off --beam 8' '--random --seed 3' ${weights:+"--weights $weights"}; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # options are several
		[ "$(found "$before" schedule "$description" $options)" = "$(found "$after" schedule "$description" $options)" ] || {
			differ=$((differ + 1))
			echo "differs: $(basename "$description" .json) $options"
		}
	done
done
echo "$n searches, $differ differ"
[ $differ = 0 ]

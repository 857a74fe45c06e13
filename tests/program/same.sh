#!/bin/sh
# Shows whether searches find the same as before, to the byte: the JSON of searches of bundled descriptions, but for seconds, the version and the path
# of weights.
#
#   same.sh BEFORE AFTER [WEIGHTS]    compares two executables of beamwalk on all descriptions; WEIGHTS of the learned model: with these, too
#   same.sh table BEAMWALK            prints a hash of each quick search, as same.table keeps them
#
# Exit status 0 if all is equal; each search that differs is told. A change that is to find something else writes same.table anew:
#
#   tests/program/same.sh table build/beamwalk >tests/program/same.table
: "${BW_SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
[ $# -ge 2 ] || {
	sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

found() {
	"$@" --json 2>&1 | sed '/seconds"/d; /^  "version":/d; /^    "weights":/d'
}

# each COMMAND NAME...: the command with the description, its name and each set of options
each() {
	command=$1
	shift
	for name; do
		for options in '' '--cost-model roofline' '--passes 5' '--set sampling=0 --set freezing=off --beam 8' '--random --seed 3' '--scheduler greedy' '--scheduler sioutas' ${weights:+"--weights $weights"}; do
			$command "$BW_SRC/data/descriptions/$name.json" "$name" "$options"
		done
	done
}

# shellcheck disable=SC2086 # options are several
hash_search() {
	printf '%s  %s %s\n' "$(found "$after" schedule "$1" $3 | sha256sum | cut -c1-16)" "$2" "${3%%"$BW_SRC"*}"
}

# shellcheck disable=SC2086 # options are several
compare_search() {
	n=$((n + 1))
	# What fails alike is not the same: two programs that cannot be run fail alike.
	"$after" schedule "$1" $3 >/dev/null 2>&1 && [ "$(found "$before" schedule "$1" $3)" = "$(found "$after" schedule "$1" $3)" ] || {
		differ=$((differ + 1))
		echo "differs: $2 $3"
	}
}

before=$1 after=$2 weights=${3-} n=0 differ=0
if [ "$before" = table ]; then
	weights=$BW_SRC/tests/fuzz/corpus/weights/trained.weights
	each hash_search blur cs6120_blur cs6120_roots cs6120_sum harris hist_equalize iir_blur mat_mul two_stencils
	exit
fi
# shellcheck disable=SC2046 # names are several
each compare_search $(cd "$BW_SRC/data/descriptions" && ls ./*.json | sed 's/^\.\///; s/\.json$//')
echo "$n searches, $differ differ"
[ $differ = 0 ]

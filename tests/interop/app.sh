#!/bin/sh
# Measures one of Halide's apps for apps.sh, in the root: what Halide's anderson2021 finds by its
# defaults, with sampling and greedily, then what is found here.
#
#   app.sh FOLDER NAME PROGRAM GENERATOR ARGUMENT...
#
# Writes FOLDER/NAME: description.json, the nest and the features of each of Halide's searches as
# record.sh does, and `figures`, which has a line for each search:
#
#   halide|beamwalk SEARCH SEED COST SECONDS      SECONDS of a processor
#   halide|beamwalk SEARCH SEED - SECONDS WORDS   it found nothing; WORDS: what it said
#   halide SEARCH SEED COST SECONDS WORDS         Halide cannot compile what it found, so that there
#                                                 are no features; COST: what the model here says of
#                                                 its nest
#   costed SEARCH - COST                          what the model here says of the nest
#
# In the environment: as for record.sh, and WEIGHTS, a file. Leaves a folder that has `figures` as
# it is.
set -eu
root=$1 name=$2 program=$3 generator=$4
shift 4
[ "$*" != - ] || shift
folder=$root/$name arguments=$*
[ ! -e "$folder/figures" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
figures=$folder/figures.part
ln -s "$root/../generators/apps.$program" "$scratch/$generator"
limits="parallelism=80 shared_memory_limit_kb=48 shared_memory_sm_limit_kb=96 active_block_limit=32 active_warp_limit=64"

for argument; do
	shift
	set -- "$@" -G "$argument"
done
if ! build/beamwalk describe "$scratch/$generator" -g "$generator" "$@" -o "$folder/description.json" 2>"$scratch/said"; then
	echo "beamwalk describe - - 0 $(tail -n 1 "$scratch/said")" >"$folder/figures"
	exit 0
fi

# Writes the JSON of a search to standard output, its processor time to $scratch/times.
search() { # OPTION...
	for limit in $limits; do
		set -- "$@" --set "$limit"
	done
	# shellcheck disable=SC2016 # the inner shell expands these
	sh -c 'ulimit -t "$1" && ulimit -v "$2" && shift 2 && "$@"; status=$?; times >&3; exit $status' sh "${LIMIT:-600}" "${MEMORY:-8000000}" \
		build/beamwalk schedule "$folder/description.json" --weights "$WEIGHTS" --json "$@" 2>"$scratch/said" 3>"$scratch/times"
}

cost_of() {
	sed -n 's/^  "cost": \(.*\),$/\1/p'
}

halide() { # SEARCH SEED "OPTION=VALUE..."
	file=$1 cost=
	[ "$2" = - ] || file=$1$2
	said=$(sh tests/interop/record.sh "$folder" "$scratch/$generator" "$arguments" "$file" "$3" 2>&1 | tail -n 1)
	echo "$name: $said"
	if [ -s "$folder/$file.nest" ]; then
		cost=$(search --schedule "$folder/$file.nest" | cost_of)
		echo "costed $file - $cost" >>"$figures"
	fi
	echo "$said" | sed -n "
		s/^.*: cost \([^,]*\), .* stages, \([0-9.]*\) s\$/halide $1 $2 \1 \2/p
		s/^.*: failed after \([0-9.]*\) s: /halide $1 $2 ${cost:--} \1 /p" >>"$figures"
}

here() { # SEARCH SEED OPTION...
	kind=$1 seed=$2
	shift 2
	cost=$(search --seed "$seed" "$@" | cost_of)
	seconds=$(sed -n 2p "$scratch/times" | tr ms '  ' | awk '{ printf "%.1f", 60 * $1 + $2 + 60 * $3 + $4 }')
	echo "beamwalk $kind $seed ${cost:--} $seconds $(tail -n 1 "$scratch/said")" >>"$figures"
}

halide greedy - beam_size=1
for seed in 0 1 2 3 4; do
	halide sampled "$seed" "freeze_inline_compute_root=1 randomize_tilings=1 random_dropout_seed=$seed"
	here default "$seed"
	here passes5 "$seed" --set passes=5 --set freezing=probed
	here polish0 "$seed" --set polish=0
done
here off 0 --set passes=5 --set sampling=0 --set freezing=off
halide default - ""
mv "$figures" "$folder/figures"

#!/bin/sh
# How long the program takes and how much memory, against the bounds that it is held to: the least of five runs on one core.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
measure=$BW_BUILD/tests/speed/measure
beamwalk=$BW_BUILD/beamwalk
status=0

# bound WHAT MS KIB [--until TEXT] COMMAND...
bound() {
	what=$1 ms=$2 kib=$3
	shift 3
	until=
	if [ "$1" = --until ]; then
		until=$2
		shift 2
	fi
	if [ -n "$until" ]; then
		figures=$(taskset -c 0 "$measure" --until "$until" "$runs" "$@")
	else
		figures=$(taskset -c 0 "$measure" "$runs" "$@")
	fi || { printf '%-44s failed\n' "$what"; status=1; return; }
	verdict=$(echo "$figures" | awk -v ms="$ms" -v kib="$kib" '{ print ($1 <= ms && $2 <= kib) ? "within" : "OVER" }')
	printf '%-44s %8.1f ms (bound %d)  %7d KiB (bound %d)  %s\n' "$what" "${figures% *}" "$ms" "${figures#* }" "$kib" "$verdict"
	[ "$verdict" = within ] || status=1
}

# bound WHAT MS KIB [--until TEXT] COMMAND..., of one run
once() {
	runs=1
	bound "$@"
	runs=5
}

runs=5
memory=$((100 * 1000 * 1000 / 1024))
bound "search harris, beam 32" 500 $memory "$beamwalk" schedule harris --beam 32
bound "search blur, beam 32" 100 $memory "$beamwalk" schedule blur --beam 32
bound "search unsharp, beam 32" 500 $memory "$beamwalk" schedule unsharp --beam 32
bound "search stencil_chain, beam 32" 5000 $memory "$beamwalk" schedule stencil_chain --beam 32
for pipeline in cs6120_blur cs6120_roots cs6120_sum; do
	bound "search $pipeline, beam 32, 5 passes" 100 $memory "$beamwalk" schedule $pipeline --beam 32 --passes 5
done
for pipeline in camera_pipe learned_demosaic pyramid_blend; do
	bound "search $pipeline, beam 32, 5 passes" 1000 $memory "$beamwalk" schedule $pipeline --beam 32 --passes 5
done
# The largest, with every option costed: what the peer takes gigabytes for.
most=$((150 * 1000 * 1000 / 1024))
for pipeline in lens_blur local_laplacian; do
	once "all options of $pipeline, 5 passes" 20000 $most "$beamwalk" schedule $pipeline --beam 32 --passes 5 --set sampling=0 --set freezing=off
done
bound "first screen, harris from its description" 100 $memory --until "beamwalk" "$beamwalk" explore "$BW_SRC/data/descriptions/harris.json"
bound "first screen, blur from its description" 100 $memory --until "beamwalk" "$beamwalk" explore "$BW_SRC/data/descriptions/blur.json"

# A session that is changed 60 times: 256 MiB of history, and what one search and what is just given back take beside them.
script=$(mktemp) || exit 1
trap 'rm -f "$script"' EXIT
for seed in $(seq 60); do
	printf 'set seed=%d\nrun end\n' "$seed"
done >"$script"
once "session of stencil_chain with 60 changes" 60000 $((296 * 1024)) "$beamwalk" script "$BW_SRC/data/descriptions/stencil_chain.json" "$script"
exit $status

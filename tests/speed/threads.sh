#!/bin/sh
# What a second thread brings: seconds of searches with one and with two, the least of some turns, and their ratio. It is told, and compared with nothing: a
# machine that is busy with other work shows less. WEIGHTS: a weights file, for the learned cost model; without one, the roofline predicts costs.
: "${BW_BUILD:=.}" "${BW_SRC:=.}" "${TURNS:=5}" "${WEIGHTS:=}"
beamwalk=$BW_BUILD/beamwalk

# seconds THREADS PIPELINE OPTION...
seconds() {
	threads=$1 description=$BW_SRC/data/descriptions/$2.json
	shift 2
	"$beamwalk" schedule "$description" --threads "$threads" --weights "$WEIGHTS" --json "$@" | sed -n 's/.*"seconds": *\([0-9.e+-]*\).*/\1/p'
}

# turns PIPELINE OPTION...
turns() {
	for turn in $(seq "$TURNS"); do
		echo "$(seconds 1 "$@") $(seconds 2 "$@")"
	done | awk -v what="$*" '
		NF == 2 { if (!n++ || $1 < one) one = $1; if (n == 1 || $2 < two) two = $2 }
		END { if (!n) exit 1; printf "%-58s %8.3f s  %8.3f s with two threads: %.2f times as fast\n", what, one, two, one / two }'
}

for pipeline in stencil_chain harris unsharp max_filter camera_pipe conv_layer; do
	turns $pipeline --passes 5 --set sampling=0 --set freezing=off || exit 1
	turns $pipeline --passes 5 || exit 1
done

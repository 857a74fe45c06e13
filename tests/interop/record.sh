#!/bin/sh
# Runs Halide's anderson2021 on a generator, and writes what it chose and what it thinks of it into FOLDER: K.nest, the loop nest as Halide prints it;
# K.features, of each stage the schedule features that it wrote and the cost that its model predicts from them; pipeline.features, the features that do
# not depend on the schedule. Run by interop.sh in a root with Halide 19.
#
#   record.sh FOLDER GENERATOR "ARGUMENT..." K "OPTION=VALUE..."
#
# In the environment: PREDICT (predict.c compiled), QUIET (quiet.cpp compiled), TARGET, LIMIT (seconds of a processor), MEMORY (KiB).
set -eu
folder=$1 generator=$2 arguments=$3 k=$4 options=$5
libraries=/usr/lib/$(cc -print-multiarch)
scheduler=$libraries/halide19/libautoschedule_anderson2021.so
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The processor time of what was run, in seconds.
seconds() {
	sed -n 2p "$scratch/times" | tr ms '  ' | awk '{ printf "%.1f\n", 60 * $1 + $2 + 60 * $3 + $4 }'
}

# The weights that are built into the library.
perl -0777 -ne 'print substr($_, index($_, pack("V4", 0x68776631, 3, 3, 6)), 20400)' "$scheduler" >"$scratch/weights"

parallelism=80
settings="autoscheduler.parallelism=$parallelism"
for option in $options; do
	case $option in
	odd=*) # what does not end in .weights is a folder of weights to Halide
		perl "$here/odd-weights.pl" "${option#*=}" >"$scratch/odd.weights"
		settings="$settings autoscheduler.weights_path=$scratch/odd.weights"
		;;
	*) settings="$settings autoscheduler.$option" ;;
	esac
done

# The loop nest that it chose, which is all that there is where Halide cannot compile it.
nest() {
	sed -n '/^BEGIN Final/,/^auto pipeline/p' "$scratch/log" | sed '/^BEGIN Final/d; /^State with cost/d; /^auto pipeline/d'
}

# Under QUIET it prints nothing of the states that it looks at.
# shellcheck disable=SC2016 # the inner shell expands these
# shellcheck disable=SC2086 # the lists are to be split
if ! sh -c 'ulimit -t "$1" && ulimit -v "$2" && shift 2 && "$@"; status=$?; times >&3; exit $status' sh "${LIMIT:-600}" "${MEMORY:-8000000}" \
	env LD_PRELOAD="$QUIET" HL_PERMIT_FAILED_UNROLL=1 HL_DEBUG_AUTOSCHEDULE=1 "$generator" -g "${generator##*/}" -o "$scratch" -f it -n it -e featurization,schedule \
	-p "$scheduler" autoscheduler=Anderson2021 $settings "target=$TARGET" $arguments >"$scratch/log" 2>&1 3>"$scratch/times"; then
	grep -q '^END Final' "$scratch/log" && nest >"$folder/$k.nest"
	echo "${folder##*/} $k: failed after $(seconds) s: $( (grep 'rror' "$scratch/log" || tail -n 1 "$scratch/log") | head -n 1)" >&2
	exit 1
fi
nest >"$folder/$k.nest"
# Where it cannot read weights it draws others by the clock, and goes on.
if grep -q '^WARNING, error in reading weights' "$scratch/log"; then
	echo "${folder##*/} $k: Halide did not read the weights" >&2
	exit 1
fi

# Stages in the order of the featurization: Funcs as they stand in the graph, the last update first; inputs have none.
awk '
	/^Node: / { node = $2; n[++nodes] = 0; names[nodes] = node }
	/^  Stage [0-9]+:$/ { n[nodes]++ }
	/^  pointwise: .* input: 1 / { n[nodes] = 0 }
	END {
		for (i = 1; i <= nodes; i++)
			for (s = n[i] - 1; s >= 0; s--)
				print names[i], s
	}' "$scratch/log" >"$scratch/stages"
"$PREDICT" "$libraries/libHalide19.so" "$scheduler" "$scratch/weights" "$scratch/it.featurization" "$parallelism" >"$scratch/costs"
od -A n -v -t f4 -w1440 "$scratch/it.featurization" | sed 's/  */ /g; s/^ //' >"$scratch/numbers"
if [ "$(wc -l <"$scratch/numbers")" != "$(wc -l <"$scratch/stages")" ]; then
	echo "${folder##*/} $k: stages of the graph and of the featurization differ" >&2
	exit 1
fi

{
	echo "# Halide 19.0.0, anderson2021 with parallelism=$parallelism $options"
	echo "cost $(sed -n 1p "$scratch/costs")"
	sed 1d "$scratch/costs" | paste -d ' ' "$scratch/stages" - "$scratch/numbers" | awk '
		{
			printf "stage %s %s cost %s\n", $1, $2, $3
			for (i = 4; i < 77; i++) printf " %s", $i
			print ""
		}'
} >"$folder/$k.features"

{
	echo "# Halide 19.0.0: operations, then accesses, by type (bool, 8 bits, 16, 32, 64, float, double); rows of zeros are left out"
	paste -d ' ' "$scratch/stages" "$scratch/numbers" | awk '
		BEGIN {
			n = split("const cast variable param add sub mod mul div min max eq ne lt le and or not select image_call func_call self_call extern_call let" \
				" pointwise.func pointwise.self pointwise.image pointwise.store transpose.func transpose.self transpose.image transpose.store" \
				" broadcast.func broadcast.self broadcast.image broadcast.store slice.func slice.self slice.image slice.store", rows, " ")
		}
		{
			print "stage " $1 " " $2
			for (r = 1; r <= n; r++) {
				text = " " rows[r]
				some = 0
				for (t = 0; t < 7; t++) {
					x = $(2 + 73 + 7 * r + t + 1)
					text = text " " x
					some = some || x != 0
				}
				if (some) print text
			}
		}'
} >"$folder/pipeline.features"
echo "${folder##*/} $k: cost $(sed -n 1p "$scratch/costs"), $(wc -l <"$scratch/stages") stages, $(seconds) s"

#!/bin/sh
# The part of peer.sh that runs in the root, in a clone of beamwalk that was built. For each pipeline, a line for each kind of search and each cost model of ours:
#
#   all      every option is costed: Halide's defaults, and sampling=0 freezing=off here; five passes
#   sampled  with hierarchical sampling and freezing: randomize_tilings=1 freeze_inline_compute_root=1, and the defaults here; five passes
#   default  the defaults here, which have one pass: Halide has no such search, and its seconds are those of its other two
#
# Beam 32, 80 SMs, one thread. Seconds are those that the processor spent on the whole process, the least of three runs in turn (of one, where Halide takes over
# LONG seconds); Halide's have what loading a generator and LLVM takes in them, some 0.1 s. Costed are the states that the cost model was asked for, in all
# passes, and those of ours whose cost an earlier pass had found; different, how many of these differ (Halide prints each of its own, which is counted only
# where the search is short); complete, how many of the different ones have nothing left to decide. The ratio of costed a second is ours over Halide's, once of
# all and once of the different ones; those of seconds are Halide's over ours of this kind: `its all`, those of its defaults, and `its sampled`, those of its
# sampled search.
#
# Halide may take LIMIT seconds of the processor for a search (240 where nothing is said) and MEMORY MiB of addresses (10000). Where that ends it, or anything else
# does before it is done, a `>` stands before the seconds and the MiB that it had taken until then, and before the ratios that follow from them, and the row ends
# with a remark. A remark stands, too, where Halide came to a schedule that it then refused to lower: the seconds are those of the whole.
#
# Ours is measured under the roofline, and under the learned model with the weights that are built into Halide's library.
#
#   tests/speed/peer-inside.sh [PIPELINE...]
set -eu
[ $# -gt 0 ] || set -- cs6120_roots cs6120_blur two_stencils kwz blur mat_mul unsharp max_filter iir_blur hist_equalize harris conv_layer bilateral_grid depthwise_separable_conv \
	learned_demosaic nl_means camera_pipe stencil_chain interpolate pyramid_blend
limit=${LIMIT:-240} memory=${MEMORY:-10000} long=${LONG:-20}
libraries=/usr/lib/$(cc -print-multiarch)
scheduler=$libraries/halide19/libautoschedule_anderson2021.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make -s -C build tests/speed/measure tests/speed/distinct >/dev/null
perl -0777 -ne 'print substr($_, index($_, pack("V4", 0x68776631, 3, 3, 6)), 20400)' "$scheduler" >"$folder/halide.weights"

theirs() { # COMMAND...: their search, after the words of a command that runs it
	"$@" "build/pipelines/$pipeline" -g "$pipeline" -o "$folder" -f it -n it -e schedule -p "$scheduler" autoscheduler=Anderson2021 autoscheduler.parallelism=80 \
		autoscheduler.beam_size=32 autoscheduler.num_passes=5 $halide_options target=x86-64-linux-avx2-sse41-cuda-cuda_capability_80
}

# The options of our search, as words that each follow a first one.
own() { # WORD
	for option in beam=32 parallelism=80 $own_options; do
		printf '%s %s ' "$1" "$option"
	done
	if [ "$model" = roofline ]; then
		printf '%s cost_model=roofline ' "$1"
	else
		printf '%s weights=%s ' "$1" "$folder/halide.weights"
	fi
}

ours() { # COMMAND...
	"$@" build/beamwalk schedule "$folder/description.json" --json $(own --set)
}

# Prints the seconds of processor that one of several runs takes, and the most KiB that any has.
spent() { # RUNS COMMAND...
	perl -e 'my $kib = qx{build/tests/speed/measure @ARGV} or exit 1; my @t = times; printf "%.4f %d\n", ($t[2] + $t[3]) / $ARGV[0], (split " ", $kib)[1]' "$@"
}

# Lines "SECONDS KIB" to the least and the most of all.
least() { # FILE
	awk 'NR == 1 || $1 < s { s = $1 } $2 > kib { kib = $2 } END { print s, kib }' "$1"
}

# COSTED DIFFERENT of Halide's search. It prints each state that it looks at as a loop nest that begins with its root, which takes many times as long as to look at
# it: "- -" where that takes too long.
their_count() {
	theirs env HL_PERMIT_FAILED_UNROLL=1 HL_NUM_THREADS=1 HL_DEBUG_AUTOSCHEDULE=1 timeout $((long * 20)) sh -c '"$@" 2>&1' sh |
		perl -ne 'if (/^Number of schedules evaluated by cost model: (\d+)/) { $costed = $1 } if (/^ gpu_none$/) { print "$nest\n" if $nest; $nest = "" }
			if (/gpu_[a-z]+$/ || /inlined: / || /realize: /) { chomp; $nest .= "$_|" } elsif ($nest) { print "$nest\n"; $nest = "" } END { print STDERR $costed ? "$costed\n" : "-\n" }' 2>"$folder/costed" |
		LC_ALL=C sort -u -S 1G | wc -l >"$folder/different"
	awk '{ all = all $1 " " } END { print all ~ /-/ ? "- -" : all }' "$folder/costed" "$folder/different"
}

# Runs a command within a limit of seconds of the processor and one of memory; leaves what it said and its status in FOLDER, and does not fail.
cat >"$folder/bounded" <<'END'
folder=$1 limit=$2 memory=$3
shift 3
exec 2>"$folder/said"
(
	ulimit -c 0
	ulimit -S -t "$limit"
	ulimit -v "$((memory * 1024))"
	exec "$@"
)
echo $? >"$folder/status"
END

# Prints SECONDS KIB of Halide's search, which the limit may have ended.
bounded_theirs() {
	theirs spent 1 env HL_PERMIT_FAILED_UNROLL=1 HL_NUM_THREADS=1 sh "$folder/bounded" "$folder" "$limit" "$memory"
}

# How Halide's search ended: "done"; "refused", where its own lowering did not take the schedule; else what there is to remark.
their_end() {
	status=$(cat "$folder/status")
	case $status in
	0) echo "done" ;;
	152) echo "not done in $limit s" ;; # SIGXCPU
	*)
		if grep -q bad_alloc "$folder/said"; then
			echo "not done in $memory MiB"
		elif grep -q 'cannot be scheduled' "$folder/said"; then
			echo refused
		else
			echo "ended with status $status"
		fi
		;;
	esac
}

# Whether Halide's search is short enough for several runs, and for its states to be printed.
is_short() {
	[ "$ended" = "done" ] && awk -v long=$long '{ exit $1 > long }' "$folder/theirs"
}

run_ours() { # RUNS
	for model in $models; do
		ours spent "$1" >>"$folder/ours.$model"
	done
}

# Runs of both in turn, three of each, or one where Halide's is long. Sets ended to how Halide's did.
run_in_turn() {
	rm -f "$folder"/theirs "$folder"/ours.*
	for turn in 1 2 3; do
		bounded_theirs >>"$folder/theirs"
		ended=$(their_end)
		run_ours 5
		is_short || break
	done
}

# Sets theirs: SECONDS KIB COSTED DIFFERENT of Halide's search, "-" where not known; seconds, the first of these; remark, where it did not end as it should.
compare() { # OPTIONS
	halide_options=$1 remark=
	run_in_turn
	theirs=$(least "$folder/theirs")
	case $ended in
	"done") ;;
	refused) remark="Halide refuses its own schedule" ;;
	*) theirs=">${theirs% *} >${theirs#* }" remark="Halide: $ended" ;;
	esac
	seconds=${theirs%% *}
	! is_short || their_count >"$folder/counted"
	theirs="$theirs $(is_short && cat "$folder/counted" || echo - -)"
}

models="roofline learned"
printf '%-24s %-7s %-8s | %8s %8s %9s %6s | %8s %8s %9s %8s %6s | %9s %9s %9s %11s\n' pipeline search model 'Halide s' costed different MiB 'ours s' costed different complete MiB 'costed/s' '(differ.)' 'its all' 'its sampled'
for pipeline; do
	build/beamwalk describe "build/pipelines/$pipeline" -o "$folder/description.json"
	all_seconds=- sampled_seconds=-
	for search in all sampled default; do
		case $search in
		all)
			own_options='passes=5 sampling=0 freezing=off'
			compare ''
			all_seconds=$seconds
			;;
		sampled)
			own_options='passes=5'
			compare 'autoscheduler.randomize_tilings=1 autoscheduler.freeze_inline_compute_root=1'
			sampled_seconds=$seconds
			;;
		default)
			own_options='' theirs='- - - -' remark=
			rm -f "$folder"/ours.*
			for turn in 1 2 3; do
				run_ours 5
			done
			;;
		esac
		for model in $models; do
			echo "$theirs $(least "$folder/ours.$model") $(build/tests/speed/distinct data/devices.json "$folder/description.json" $(own '')) $all_seconds $sampled_seconds" |
				awk -v pipeline="$pipeline" -v search=$search -v model="$model" -v remark="${remark:+  $remark}" '
					function sign(a) { return a ~ /^>/ ? ">" : "" }
					function number(a) { sub(/^>/, "", a); return a }
					function over(a, b, c, d) { return a == "-" || c == "-" ? "-" : sprintf("%s%.1fx", sign(a), (number(a) / b) / (c / d)) }
					function mib(kib) { return kib == "-" ? "-" : sprintf("%s%.0f", sign(kib), number(kib) / 1024) }
					{
						printf "%-24s %-7s %-8s | %8s %8s %9s %6s | %8.3f %8d %9d %8d %6s | %9s %9s %9s %11s%s\n", pipeline, search, model,
							$1, $3, $4, mib($2), $5, $7, $8, $9, mib($6), over($7, $5, $3, $1), over($8, $5, $4, $1), over($10, 1, $5, 1), over($11, 1, $5, 1), remark
					}'
		done
	done
done

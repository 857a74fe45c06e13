#!/bin/sh
# The part of peer.sh that runs in the root, in a clone of beamwalk that was built. For each pipeline a line for each kind of search:
#
#   all      every option is costed: Halide's defaults, and sampling=0 freezing=off here
#   sampled  with hierarchical sampling and freezing: randomize_tilings=1 freeze_inline_compute_root=1, and the defaults here with five passes
#
# Beam 32, 5 passes, 80 SMs, one thread. Seconds are those that the processor spent on the whole process, the least of three runs in turn; Halide's have what
# loading a generator and LLVM takes in them, some 0.1 s. Costed are the schedules that the cost model was asked for, in all passes; of Halide's also how many different ones these
# were (it prints each). The ratio of costed a second is ours over Halide's, once of all and once with Halide's different ones; that of
# seconds is Halide's over ours.
#
#   tests/speed/peer-inside.sh [PIPELINE...]
set -eu
[ $# -gt 0 ] || set -- blur harris unsharp hist_equalize mat_mul iir_blur
runs=3 limit=480
libraries=/usr/lib/$(cc -print-multiarch)
scheduler=$libraries/halide19/libautoschedule_anderson2021.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make -s -C build tests/speed/measure >/dev/null

theirs() { # COMMAND...: their search, after the words of a command that runs it
	"$@" "build/pipelines/$pipeline" -g "$pipeline" -o "$folder" -f it -n it -e schedule -p "$scheduler" autoscheduler=Anderson2021 autoscheduler.parallelism=80 \
		autoscheduler.beam_size=32 autoscheduler.num_passes=5 $halide_options target=x86-64-linux-avx2-sse41-cuda-cuda_capability_80
}

ours() { # COMMAND...
	"$@" build/beamwalk schedule "$folder/description.json" --json --beam 32 --passes 5 --threads 1 --set parallelism=80 $own_options
}

# Prints the seconds of processor that one of several runs takes, and the most KiB that any has.
spent() { # RUNS COMMAND...
	perl -e 'my $kib = qx{build/tests/speed/measure @ARGV} or exit 1; my @t = times; printf "%.4f %d\n", ($t[2] + $t[3]) / $ARGV[0], (split " ", $kib)[1]' "$@"
}

# The number after a word of Halide's report; how many different loop nests it printed.
count() {
	env HL_PERMIT_FAILED_UNROLL=1 HL_NUM_THREADS=1 HL_DEBUG_AUTOSCHEDULE=1 timeout $((limit * 4)) sh -c '"$@" 2>&1' sh "$@"
}

# Lines "SECONDS KIB" to the least and the most of all.
least() { # FILE
	awk 'NR == 1 || $1 < s { s = $1 } $2 > kib { kib = $2 } END { print s, kib }' "$1"
}

printf '%-26s %-8s | %9s %9s %9s %6s | %9s %9s %6s | %9s %9s %8s\n' pipeline search 'Halide s' costed different MiB 'ours s' costed MiB 'costed/s' '(differ.)' seconds
for pipeline; do
	build/beamwalk describe "build/pipelines/$pipeline" -o "$folder/description.json"
	for search in all sampled; do
		halide_options='' own_options='--set sampling=0 --set freezing=off'
		[ $search = all ] || { halide_options='autoscheduler.randomize_tilings=1 autoscheduler.freeze_inline_compute_root=1' own_options=''; }
		rm -f "$folder/theirs" "$folder/ours" "$folder/counted"
		for run in $(seq $runs); do
			theirs spent 1 env HL_PERMIT_FAILED_UNROLL=1 HL_NUM_THREADS=1 timeout $limit >>"$folder/theirs" 2>"$folder/said" || {
				printf '%-26s %-8s | Halide: %s\n' "$pipeline" $search "$(tail -n 1 "$folder/said" | cut -c 1-100)"
				break
			}
			ours spent 10 >>"$folder/ours"
		done
		[ "$(wc -l <"$folder/theirs")" = $runs ] || continue
		# Each state that it features is printed as a nest that begins with its root.
		theirs count | perl -ne 'if (/^Number of schedules evaluated by cost model: (\d+)/) { print STDERR "$1\n" } if (/^ gpu_none$/) { print "$nest\n" if $nest; $nest = "" }
			if (/gpu_[a-z]+$/ || /inlined: / || /realize: /) { chomp; $nest .= "$_|" } elsif ($nest) { print "$nest\n"; $nest = "" }' 2>"$folder/counted" | LC_ALL=C sort -u | wc -l >"$folder/different"
		ours env >"$folder/report" 2>/dev/null
		echo "$(least "$folder/theirs") $(cat "$folder/counted") $(cat "$folder/different") $(least "$folder/ours") $(sed -n 's/.*"evaluated": \([0-9]*\).*/\1/p' "$folder/report")" |
			awk -v pipeline="$pipeline" -v search=$search '{
				printf "%-26s %-8s | %9.2f %9d %9d %6.0f | %9.3f %9d %6.0f | %8.1fx %8.1fx %7.1fx\n", pipeline, search,
					$1, $3, $4, $2 / 1024, $5, $7, $6 / 1024, ($7 / $5) / ($3 / $1), ($7 / $5) / ($4 / $1), $1 / $5
			}'
	done
done

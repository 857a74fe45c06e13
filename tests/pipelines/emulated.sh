#!/bin/sh
# Random schedules of the bundled pipelines with all moves, for images with prime sides: each is right on the emulated device with all checks, which find nothing, and on PoCL;
# Halide refuses none; ptxas assembles each for sm_70, sm_80 and sm_90. Of pipelines with reductions that can be done in parts a third are: one reduction after the other
# (rfactor). The one by hand and the searched one are run first. Run by `make check-emulated`, which check-soak does, too.
#
#   emulated.sh COUNT [PIPELINE...]
#
# Prints for each pipeline what its schedules cover, then a table of what became of them (OpenCL's: what PoCL gets wrong by its fault, and what Halide cannot
# write in OpenCL); those that are not right are kept in the current directory.
# BW_DRAW="any 7000" draws as tests/pipelines/draw says, from seed 7000. PTXAS: a ptxas that knows sm_70, which CUDA 13's does not.
: "${BW_BUILD:=.}" "${BW_SRC:=.}" "${BW_DRAW:=moved}" "${PTXAS:=ptxas}"
count=${1:?how many schedules of each pipeline}
shift
folder=$(mktemp -d "${TMPDIR:-/tmp}/bw-drawn-XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache"
beamwalk=$BW_BUILD/beamwalk
how=${BW_DRAW%% *} seed=0
[ "$how" = "$BW_DRAW" ] || seed=${BW_DRAW#* }
# shellcheck disable=SC2046 # one word for each pipeline
[ $# -gt 0 ] || set -- $(cd "$BW_SRC/pipelines" && ls -- *.json | sed 's/\.json$//')
. "$BW_SRC/tests/pipelines/conditions.sh"

# The sides of the tests' small images, 75 and 43 points, and of those that depend on them, made prime: 73 and 41. Others are prime already, or have to be multiples.
prime() {
	sed 's/,75/,73/g; s/,77/,75/g; s/,79/,77/g; s/,107/,105/; s/,43/,41/g; s/,47/,45/g; s/,38/,37/g; s/,22/,21/g; s/2,385/2,383/; s/2,247/2,241/; s/=0,9 /=0,7 /g; s/=0,11 /=0,9 /g'
}

# run_on OPTIONS SCHEDULE...: what is said of each goes to $folder/said.
run_on() {
	options=$1
	shift
	# shellcheck disable=SC2086 # several words
	"$beamwalk" time "$pipeline" $options --seconds 0 --time-limit 600 "$@" >"$folder/said" 2>&1
}
checked='--gpu emulated --check race,bounds,init'

# What --rfactor takes, a line for each associative update of a description: 2 or 4 parts, of iterations in a row or, in turn, of every 2nd or 4th.
parts() {
	awk -F '"' '/^ \{"name":/ { func_name = $4; update = -2 }
		/^   \{"loops":/ || /"stages":\[\{/ { update++ }
		/"associative":true/ { split(substr($0, 1, index($0, "\",\"kind\":\"reduction\"") - 1), words, "\""); n++
			print func_name ".update" update ":" (n % 2 ? "" : words[length(words)] "%") (n % 3 ? 2 : 4) }' "$1"
}

# Draws schedules into $folder/drawn/GROUP, of the description with these options.
draw() { # GROUP COUNT SEED OPTION...
	group=$1 n=$2 from=$3
	shift 3
	mkdir -p "$folder/drawn/$group"
	# shellcheck disable=SC2086 # several words
	"$beamwalk" describe "$pipeline" $small "$@" -o "$folder/small.json" &&
		"$BW_BUILD/tests/pipelines/draw" "$BW_SRC/data/devices.json" "$folder/small.json" "$folder/drawn/$group" "$n" "$how" "$from" >>"$folder/coverage"
}
draw_all() {
	# shellcheck disable=SC2086
	"$beamwalk" describe "$pipeline" $small -o "$folder/whole.json" || return
	parts "$folder/whole.json" >"$folder/parts"
	updates=$(wc -l <"$folder/parts")
	in_parts=$((updates ? (count + 2) / 3 : 0))
	draw whole $((count - in_parts)) "$seed" || return
	for i in $(seq "$in_parts"); do
		draw "parts$i" 1 $((seed + 1000 * i)) --rfactor "$(sed -n "$(((seed + i) % updates + 1))p" "$folder/parts")" || return
	done
}

# Whether the output of a schedule is wrong on PoCL by its fault alone.
wrong_by_opencl() { # SCHEDULE
	bound=$(sed -n 's/^"bound":{"absolute":\(.*\),"relative":\(.*\)},$/[\1,\2]/p' "$BW_SRC/pipelines/$pipeline.json")
	estimates=$(sed -n 's/.*{"name":"\([^"]*\)".*"estimate":\(\[\[[^a-z"]*\]\]\).*/"\1":\2/p' "$folder/whole.json" | paste -sd ,)
	# shellcheck disable=SC2086 # several words
	(right_without_conditions "$pipeline" "$folder/searched.schedule" "$1" "$estimates" "$bound" $small)
}

# Adds a line with what became of each schedule of a run to $folder/all: PIPELINE DEVICE VERDICT.
verdicts() { # DEVICE SCHEDULE...
	device=$1
	shift
	for schedule; do
		line=$(grep -F "$schedule" "$folder/said" | tail -n 1)
		case $line in
		*" right "*) verdict=right ;;
		*"race in "* | *"never written"* | *"nothing wrote"* | *" bytes of "* | *" bytes at "*) verdict=finding ;;
		*"Halide has no OpenCL for"*) verdict=fault ;;
		*"output is wrong"*) verdict=wrong && [ "$device" = pocl ] && wrong_by_opencl "$schedule" && verdict=fault ;;
		*"does not compile"* | *Halide* | *"unable to"*) verdict=refused ;;
		*) verdict=other ;;
		esac
		echo "$pipeline $device $verdict" >>"$folder/all"
		[ $verdict != right ] || continue
		echo "# $device: $line"
		cp "$schedule" "./$pipeline-$(basename "$(dirname "$schedule")")-$(basename "$schedule")"
	done
}

# The same of what ptxas assembles for a GPU.
assemble() { # GPU SCHEDULE...
	gpu=$1
	shift
	# shellcheck disable=SC2086 # several words
	"$beamwalk" compile "$pipeline" $small --gpu "$gpu" --ptxas "$(command -v "$PTXAS")" --json "$@" >"$folder/out" 2>"$folder/said" || sed 's/^/# /' "$folder/said"
	grep '"registers_per_thread":[0-9]' "$folder/out" | grep -v '"registers_per_thread":null' | sed "s/.*\"architecture\":\"\\([^\"]*\\)\".*/$pipeline \\1 right/" >>"$folder/all"
}

# The devices for whose architecture there is a ptxas.
printf '.version 6.0\n.target sm_70\n.address_size 64\n' >"$folder/empty.ptx"
gpus='' runs=2
for device in V100/sm_70 A100/sm_80 H100/sm_90; do
	if "$PTXAS" -arch "${device#*/}" -o "$folder/empty.cubin" "$folder/empty.ptx" 2>/dev/null; then
		gpus="$gpus ${device%/*}" runs=$((runs + 1))
	else
		echo "# nothing is assembled for ${device#*/}: there is no $PTXAS, or it does not know it"
	fi
done

echo "1..$((3 * $#))"
number=0 status=0
report() { # STATUS TEXT
	number=$((number + 1))
	[ "$1" = 0 ] || status=1
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2" && sed 's/^/# /' "$folder/said"; fi
}
table() {
	awk -v count="$count" '{ n[$1, $2 " " $3]++; sum[$2 " " $3]++; if (!($1 in seen)) { seen[$1]; name[++names] = $1 } }
		function row(name, right, fault, a, b, c, rest) { printf "# %-26s %9d %9d %9d %9d %9d %9d %6d\n", name, right, fault, a, b, c, d, rest }
		END {
			printf "# %-26s %9s %9s %9s %9s %9s %9s\n", "right or assembled", "emulated", "PoCL", "OpenCL'\''s", "sm_70", "sm_80", "sm_90"
			name[++names] = "all"
			for (i = 1; i <= names; i++) {
				printf "# %-26s", name[i]
				split("emulated right,pocl right,pocl fault,sm_70 right,sm_80 right,sm_90 right", of, ",")
				for (k = 1; k <= 6; k++)
					printf " %9d", name[i] == "all" ? sum[of[k]] : n[name[i], of[k]]
				print ""
			}
			for (what in sum) if (sum[what] && what !~ / right$/) print "# " what ": " sum[what]
		}' "$folder/all"
	coverage ' ' "$folder/coverage"
}

# Adds up what schedules cover: lines as tests/pipelines/draw writes them, of one pipeline (its name) or of all (' ').
coverage() { # PIPELINE FILE
	grep "^#.*$1" "$2" | awk -v of="$1" -F '[:,] ' '{
			sub(/of /, "", $2)
			for (i = 2; i <= NF; i++) {
				what = substr($i, index($i, " ") + 1)
				if (!(what in sum))
					word[++words] = what
				sum[what] += $i
			}
		}
		END {
			printf "# %s: of %d %s", of == " " ? "all" : of, sum[word[1]], word[1]
			for (i = 2; i <= words; i++)
				printf ", %d %s", sum[word[i]], word[i]
			print ""
		}'
}
for pipeline; do
	small='' hand=''
	eval "$(grep -E '^(small|hand)=' "$BW_SRC/tests/pipelines/$pipeline-schedules.test")"
	run_on "${hand:-$small} $checked" hand && grep -q '^hand  *right ' "$folder/said"
	report $? "$pipeline: by hand"
	small=$(echo "$small " | prime)
	# shellcheck disable=SC2086 # several words
	"$beamwalk" schedule "$pipeline" $small -o "$folder/searched.schedule" >"$folder/said" 2>&1 &&
		run_on "$small $checked" "$folder/searched.schedule" && grep -q '\.schedule  *right ' "$folder/said"
	report $? "$pipeline: searched"
	draw_all >"$folder/said" 2>&1
	drawn=$?
	[ $drawn = 0 ] || sed 's/^/# /' "$folder/said"
	for group in "$folder"/drawn/*; do
		run_on "$small $checked" "$group"/*.schedule
		verdicts emulated "$group"/*.schedule
		run_on "$small --gpu pocl" "$group"/*.schedule
		verdicts pocl "$group"/*.schedule
		for gpu in $gpus; do
			assemble "$gpu" "$group"/*.schedule
		done
	done
	coverage "$pipeline" "$folder/coverage"
	good=$(grep -c "^$pipeline .* \(right\|fault\)$" "$folder/all")
	[ $drawn = 0 ] && [ "$good" = $((runs * count)) ]
	report $? "$pipeline: $count random schedules, $in_parts in parts: $good of $((runs * count)) runs and assemblies right"
	rm -rf "$folder/drawn" "$folder/cache"
done
table
exit $status

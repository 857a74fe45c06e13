#!/bin/sh
# Random schedules of the bundled pipelines for images with prime sides, on the emulated device with all checks: each is right, none is refused by Halide, and nothing
# is found. The one by hand and the searched one are run first. Run by `make check-emulated`, which check-soak does, too.
#
#   emulated.sh COUNT [PIPELINE...]
#
# Prints a line for each pipeline, which kinds of choices its schedules cover, and a line with the sums; schedules that are not right are kept in the
# current directory. BW_DRAW="any 7000" draws as tests/pipelines/draw says, from seed 7000.
: "${BW_BUILD:=.}" "${BW_SRC:=.}" "${BW_DRAW:=moved}"
count=${1:?how many schedules of each pipeline}
shift
folder=$(mktemp -d "${TMPDIR:-/tmp}/bw-drawn-XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache"
beamwalk=$BW_BUILD/beamwalk
# shellcheck disable=SC2046 # one word for each pipeline
[ $# -gt 0 ] || set -- $(cd "$BW_SRC/pipelines" && ls -- *.json | sed 's/\.json$//')
schedules=0 right=0 refused=0 wrong=0 found=0 rest=0

# The sides of the tests' small images, 75 and 43 points, and of those that depend on them, made prime: 73 and 41. Others are prime already, or have to be multiples.
prime() {
	sed 's/,75/,73/g; s/,77/,75/g; s/,79/,77/g; s/,107/,105/; s/,43/,41/g; s/,47/,45/g; s/,38/,37/g; s/,22/,21/g; s/2,385/2,383/; s/2,247/2,241/; s/=0,9 /=0,7 /g; s/=0,11 /=0,9 /g'
}

# run_on_device OPTIONS SCHEDULE...: what is said of each goes to $folder/said.
run_on_device() {
	options=$1
	shift
	# shellcheck disable=SC2086 # several words
	"$beamwalk" time "$pipeline" $options --gpu emulated --seconds 0 --time-limit 600 --check race,bounds,init "$@" >"$folder/said" 2>&1
}

# Adds up what was said of the schedules that were drawn.
add_up() { # SCHEDULE...
	for schedule; do
		schedules=$((schedules + 1))
		line=$(grep -F "$schedule" "$folder/said" | tail -n 1)
		case $line in
		*" right "*) right=$((right + 1)) && continue ;;
		*"race in "* | *"never written"* | *"nothing wrote"* | *" bytes of "* | *" bytes at "*) found=$((found + 1)) ;;
		*"output is wrong"*) wrong=$((wrong + 1)) ;;
		*"does not compile"* | *Halide* | *"unable to"*) refused=$((refused + 1)) ;;
		*) rest=$((rest + 1)) ;;
		esac
		echo "# $line"
		cp "$schedule" "./$pipeline-$(basename "$schedule")"
	done
}

echo "1..$((3 * $# + 1))"
number=0 status=0
report() { # STATUS TEXT
	number=$((number + 1))
	[ "$1" = 0 ] || status=1
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2" && sed 's/^/# /' "$folder/said"; fi
}
for pipeline; do
	small='' hand=''
	eval "$(grep -E '^(small|hand)=' "$BW_SRC/tests/pipelines/$pipeline-schedules.test")"
	run_on_device "${hand:-$small}" hand && grep -q '^hand  *right ' "$folder/said"
	report $? "$pipeline: by hand"
	small=$(echo "$small " | prime)
	# shellcheck disable=SC2086 # several words
	"$beamwalk" schedule "$pipeline" $small -o "$folder/searched.schedule" >"$folder/said" 2>&1 &&
		run_on_device "$small" "$folder/searched.schedule" && grep -q '\.schedule  *right ' "$folder/said"
	report $? "$pipeline: searched"
	before=$right
	mkdir "$folder/$pipeline"
	# shellcheck disable=SC2086 # several words
	"$beamwalk" describe "$pipeline" $small -o "$folder/small.json" >"$folder/said" 2>&1 &&
		"$BW_BUILD/tests/pipelines/draw" "$BW_SRC/data/devices.json" "$folder/small.json" "$folder/$pipeline" "$count" $BW_DRAW >"$folder/coverage" 2>>"$folder/said" &&
		run_on_device "$small" "$folder/$pipeline"/*.schedule
	cat "$folder/coverage"
	add_up "$folder/$pipeline"/*.schedule
	[ $((right - before)) = "$count" ]
	report $? "$pipeline: $((right - before)) of $count random schedules right, nothing found"
	rm -rf "${folder:?}/$pipeline" "${folder:?}/cache"
done
[ "$right" = "$schedules" ]
report $? "$schedules random schedules: $right right, $wrong wrong, $refused refused by Halide, $found with a finding, $rest for other reasons"
exit $status

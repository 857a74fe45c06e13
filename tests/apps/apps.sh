#!/bin/sh
# Tries generators that nobody here wrote, unchanged: each is described, searched, compiled, exported, and run on PoCL at a small size, with the best schedule and random ones.
# They are Halide's own apps and the generators of its tests (`make check-apps`), whose source comes from Debian's source package of Halide, or those of any folder
# (`make check-foreign DIR=FOLDER`). Their source stays out of this tree. Takes hours on two processors. What was tried is kept: with the same FOLDER it goes on where it was stopped.
#
#   tests/apps/apps.sh [-d DIR] [-C FOLDER] [-s SEEDS] [BUILD [PATTERN]]
#
#   -d DIR     the folder whose generators are tried (default: Halide's source); DIR/variants.table, if it is there, says how (as tests/apps/variants.table)
#   -C FOLDER  where source, generators and rows are kept (default: $TMPDIR/beamwalk-apps, or beamwalk-foreign for a DIR); what is there is used again
#   -s SEEDS   0: the best schedule; others: seeds of random ones (default "0 1 2 3 4 5", for a DIR "0 1")
#   BUILD      where beamwalk is built (.); PATTERN: of the rows to try
#
# JOBS in the environment: generators tried at a time (default: one per processor); PATIENCE: seconds for each command (default 150).
# Writes the table to FOLDER/table, with the kinds of failure and how often each was seen at its end. Exit status 0 unless nothing could be tried.
set -eu
dir='' folder='' SEEDS=''
while getopts d:C:s: option; do
	case $option in
	d) dir=$OPTARG ;;
	C) folder=$OPTARG ;;
	s) SEEDS=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
build=$(cd "${1:-.}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/source.sh"
if [ "$dir" ]; then
	: "${folder:=${TMPDIR:-/tmp}/beamwalk-foreign}" "${SEEDS:=0 1}"
	source=$(cd "$dir" && pwd) under=. variants=$dir/variants.table title="Generators of other projects"
	[ -f "$variants" ] || variants=/dev/null
else
	: "${folder:=${TMPDIR:-/tmp}/beamwalk-apps}" "${SEEDS:=0 1 2 3 4 5}"
	source=$folder/source under='apps test/generator' variants=$here/variants.table title="Generators of Halide's apps and tests"
fi
export SEEDS
mkdir -p "$folder/rows"
folder=$(cd "$folder" && pwd)

[ "$dir" ] || halide_source "$folder"
make -s -k -f "$here/build.mk" -j"${JOBS:-$(nproc)}" SOURCE="$source" UNDER="$under" FOLDER="$folder" CXX="${CXX:-c++}" HALIDE_CPPFLAGS="${HALIDE_CPPFLAGS:--I/usr/include/halide14}" \
	HALIDE_LIBS="${HALIDE_LIBS:--l:libHalide14.so}" HALIDE_GENGEN="${HALIDE_GENGEN:-/usr/src/halide14/GenGen.cpp}" >"$folder/build.log" 2>&1 || true

"$here/rows.sh" "$folder" "$variants" | grep -e "${2-}" | while read -r program generator row arguments; do
	# No blank may end a line: xargs would put the next one behind it.
	# shellcheck disable=SC2086 # several words
	echo "$build/beamwalk" "$program" "$generator" "$folder/rows/$row" $arguments
done | xargs -r -P "${JOBS:-$(nproc)}" -L 1 "$here/one.sh"

# One row for each, with what was said under it where anything failed, and at the end each kind of failure: what was said, without names and numbers.
{
	echo "$title, unchanged, under beamwalk: whether each is described; of $(echo "$SEEDS" | wc -w) schedules how many are found, compiled for"
	echo "$(uname -m) with OpenCL, run right (on PoCL or, where it is not, on the emulated device), and exported; under it the line that beamwalk says where one of these fails."
	echo "tests/apps/apps.sh, $(date -u +%Y-%m-%d)."
	echo
	printf '%-64s %-28s %9s %8s %8s %5s %8s\n' row generator described searched compiled right exported
	for row in "$folder"/rows/*; do
		case $row in *.d | *.log) continue ;; esac
		awk 'NR == 1 { printf "%-64s %-28s %9s %8s %8s %5s %8s\n", $1, $2, $3, $4, $5, $6, $7; next } { print substr($0, 1, 400) }' "$row" | sed "s|$folder/||g"
	done
	for log in "$folder"/generators/*.log; do
		[ -x "${log%.log}" ] || [ ! -e "$log" ] || printf '%s is not built\n    build: %s\n' "$(basename "$log" .log)" "$(grep -m 1 -o 'error: .*' "$log")"
	done
} >"$folder/rows.table"
sed -n "s/^    //p" "$folder/rows.table" | sed "s/^\([a-z]* \)[0-9]*: /\1- /; s/'[^']*'/'...'/g; s/[0-9][0-9.,]*/N/g; s|[^ ]*/[^ ]*|PATH|g" | cut -c 1-160 | sort | uniq -c | sort -rn >"$folder/kinds"
{
	cat "$folder/rows.table"
	echo
	echo "kinds of failure, and how often each was seen:"
	cat "$folder/kinds"
} >"$folder/table"
awk -v n="$(echo "$SEEDS" | wc -w)" '/^[^ ]/ && ($3 == "yes" || $3 == "no") { all++; if ($3 == "yes") { described++; searched += $4 == n; compiled += $5 == n; right += $6 == n; exported += $7 == n } }
	END { printf "%d generators: %d described; of these all schedules of %d found, of %d compiled, of %d right, of %d exported\n", all, described, searched, compiled, right, exported; exit !all }' \
	"$folder/rows.table" | tee -a "$folder/table"

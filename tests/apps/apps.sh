#!/bin/sh
# Tries Halide's own apps and the generators of its tests, unchanged: each is described, searched, compiled, and run on PoCL at a small size, with the best schedule and
# random ones. Their source comes from Debian's source package of Halide and stays out of this tree. `make check-apps`; takes hours on two processors.
# What was tried is kept: with the same FOLDER it goes on where it was stopped.
#
#   tests/apps/apps.sh [-C FOLDER] [-s SEEDS] [BUILD [PATTERN]]
#
#   -C FOLDER  where source, generators and rows are kept (default: $TMPDIR/beamwalk-apps); what is there is used again
#   -s SEEDS   0: the best schedule; others: seeds of random ones (default "0 1 2 3 4 5")
#   BUILD      where beamwalk is built (.); PATTERN: of the rows to try
#
# Writes the table to FOLDER/table. Exit status 0 unless nothing could be tried.
set -eu
folder=${TMPDIR:-/tmp}/beamwalk-apps SEEDS="0 1 2 3 4 5"
while getopts C:s: option; do
	case $option in
	C) folder=$OPTARG ;;
	s) SEEDS=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
export SEEDS
build=$(cd "${1:-.}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/source.sh"
mkdir -p "$folder/rows"
folder=$(cd "$folder" && pwd)

halide_source "$folder"
make -s -k -f "$here/build.mk" -j"$(nproc)" SOURCE="$folder/source" FOLDER="$folder" CXX="${CXX:-c++}" HALIDE_CPPFLAGS="${HALIDE_CPPFLAGS:--I/usr/include/halide14}" \
	HALIDE_LIBS="${HALIDE_LIBS:--l:libHalide14.so}" HALIDE_GENGEN="${HALIDE_GENGEN:-/usr/src/halide14/GenGen.cpp}" >"$folder/build.log" 2>&1 || true

"$here/rows.sh" "$folder" "$here/variants.table" | grep -e "${2-}" | while read -r program generator row arguments; do
	# No blank may end a line: xargs would put the next one behind it.
	# shellcheck disable=SC2086 # several words
	echo "$build/beamwalk" "$program" "$generator" "$folder/rows/$row" $arguments
done | xargs -P "$(nproc)" -L 1 "$here/one.sh"

# One row for each, with what was said under it where anything failed.
{
	echo "Generators of Halide's apps and tests, unchanged, under beamwalk: whether each is described; of $(echo "$SEEDS" | wc -w) schedules how many are found, compiled for"
	echo "$(uname -m) with OpenCL, and run right on PoCL; under it the line that beamwalk says where one of these fails. tests/apps/apps.sh, $(date -u +%Y-%m-%d)."
	echo
	printf '%-64s %-28s %9s %8s %8s %5s\n' row generator described searched compiled right
	for row in "$folder"/rows/*; do
		case $row in *.d | *.log) continue ;; esac
		awk 'NR == 1 { printf "%-64s %-28s %9s %8s %8s %5s\n", $1, $2, $3, $4, $5, $6; next } { print substr($0, 1, 400) }' "$row" | sed "s|$folder/||g"
	done
} >"$folder/table"
awk -v n="$(echo "$SEEDS" | wc -w)" '/^[^ ]/ && ($3 == "yes" || $3 == "no") { all++; if ($3 == "yes") { described++; if ($4 == n) searched++; if ($5 == n) compiled++; if ($6 == n) right++ } }
	END { printf "%d generators: %d described; of these all schedules of %d found, of %d compiled, of %d right\n", all, described, searched, compiled, right; exit !all }' "$folder/table"

#!/bin/sh
# How many instructions a search takes, counted by valgrind's callgrind: a figure that does not depend on how busy the machine is, and the same on another
# machine with the same compiler, but for what libc does otherwise on other processors.
#
#   counts.sh check [CASE]    compares with tests/speed/counts.table: fails where a case takes over 5% more, and says which functions grew
#   counts.sh update          writes that table anew
#
# CC and CFLAGS: what the program was built with. The cases are searches of descriptions, in one thread, with one seed, and the reading of a large
# one (tests/speed/wide.c): no Halide has a part in them.
set -u
: "${BW_BUILD:=.}" "${BW_SRC:=.}" "${CC:=cc}" "${CFLAGS:=}"
table=$BW_SRC/tests/speed/counts.table
allowed=5 # percent
cases='blur
harris
harris --cost-model roofline
harris --passes 3 --set freezing=off
unsharp --passes 2 --set freezing=off
stencil_chain
wide'

command -v valgrind >/dev/null || { echo "counts: valgrind is not there (package valgrind)" >&2; exit 1; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-counts-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
compiler="$($CC --version | head -n 1), $CFLAGS"

# count CASE: writes `=INSTRUCTIONS CASE`, then the functions of at least 0.3% of them, most first: instructions, name.
count() {
	pipeline=${1%% *} options=
	[ "$pipeline" = "$1" ] || options=${1#* }
	case $1 in
	wide) set -- "$1" "$BW_BUILD/tests/speed/wide" ;;
	# shellcheck disable=SC2086 # options are several
	*) set -- "$1" "$BW_BUILD/beamwalk" schedule "$BW_SRC/data/descriptions/$pipeline.json" --seed 0 $options ;;
	esac
	what=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" --compress-strings=no --compress-pos=no \
		"$@" >"$scratch/schedule" 2>"$scratch/errors" || {
		cat "$scratch/errors" >&2
		return 1
	}
	awk '/^fn=/ { name = substr($0, 4); sub(/\.(isra|part|constprop|cold).*/, "", name); sub(/^0x.*/, "(without a name)", name) }
		/^calls=/ { inclusive = 1; next }
		/^[0-9]/ { if (!inclusive) { self[name] += $2; all += $2 } inclusive = 0 }
		END { printf "=%.0f\n", all; for (name in self) if (self[name] >= 0.003 * all) printf "%.0f %s\n", self[name], name }' "$scratch/out" |
		sort -k1,1nr -k2 | awk -v what="$what" '/^=/ { print $0 " " what; next } { rest[++n] = $0 } END { for (i = 1; i <= n; i++) print rest[i] }'
}

count_all() {
	echo "$cases" | grep -e "^$1" | while read -r one; do
		echo "counting $one" >&2
		count "$one" || exit 1
	done
}

case ${1:-} in
update)
	count_all "" >"$scratch/counts" || exit 1
	{
		echo "# Instructions of searches by callgrind, made by \`make bench-counts-update\`: =ALL CASE, then the functions that take most."
		echo "# date: $(date -u +%Y-%m-%d)"
		echo "# compiler: $compiler"
		echo "# libc: $(getconf GNU_LIBC_VERSION), $(valgrind --version)"
		cat "$scratch/counts"
	} >"$scratch/table"
	cp "$scratch/table" "$table" && grep '^=' "$table"
	;;
check)
	then=$(sed -n 's/^# compiler: //p' "$table")
	count_all "${2:-}" >"$scratch/counts" || exit 1
	[ -s "$scratch/counts" ] || { echo "counts: there is no case $2" >&2; exit 2; }
	awk -v allowed=$allowed '
		FNR == 1 { file++ }
		/^#/ { next }
		/^=/ { what = $0; sub(/^=[0-9]* /, "", what); n = substr($1, 2); if (file == 1) before[what] = n; else { now[what] = n; order[++cases] = what } next }
		{ n = $1; sub(/^[0-9]* /, ""); if (file == 1) was[what, $0] = n; else is[what, $0] = n }
		END {
			for (c = 1; c <= cases; c++) {
				what = order[c]
				if (!(what in before)) { printf "%-20s %15.0f instructions, not in the table\n", what, now[what]; bad = 1; continue }
				change = 100 * (now[what] - before[what]) / before[what]
				over = change > allowed
				printf "%-20s %15.0f instructions, %+.2f%% (bound %+d%%)  %s\n", what, now[what], change, allowed, over ? "OVER" : "within"
				if (!over) continue
				bad = 1
				for (key in is) {
					split(key, part, SUBSEP)
					if (!(key in was)) little[key] = 1
					if (part[1] == what && is[key] - was[key] > 0.003 * before[what])
						printf "    %+15.0f  %s (%s before)\n", is[key] - was[key], part[2], key in little ? "little" : was[key] | "sort -k1,1nr"
				}
				close("sort -k1,1nr")
			}
			exit bad
		}' "$table" "$scratch/counts"
	status=$?
	if [ "$then" != "$compiler" ]; then
		echo "counts: the table was made with another compiler ($then; here $compiler): only larger differences say something" >&2
		exit 0
	fi
	[ $status = 0 ] || echo "counts: where that is meant, \`make bench-counts-update\` writes the table anew"
	exit $status
	;;
*)
	echo "usage: counts.sh check|update" >&2
	exit 2
	;;
esac

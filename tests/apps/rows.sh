#!/bin/sh
# Lists what there is to try, a row in a line: PROGRAM GENERATOR NAME-OF-ROW ARGUMENT...
# usage: rows.sh FOLDER VARIANTS
for program in "$1"/generators/*; do
	[ -x "$program" ] || continue
	source=$(basename "$program" | sed 's/^apps\.//; s/^test\.generator\.//')
	for generator in $("$program" 2>&1 < /dev/null | sed -n '/available Generators are:/,$p' | sed 1d); do
		sed "/^#/d; s/\$/ /" "$2" | awk -v source="$source" -v generator="$generator" -v program="$program" '
			function emit(k, row) { row = source "." generator (n++ ? "." n : "")
				printf "%s %s %s", program, generator, row
				for (k = 3; k <= NF; k++) if ($k ~ /^--/) printf " %s", $k; else printf " %s %s", $k ~ /^[^=]*=-?[0-9]+,[0-9]+$/ ? "--estimate" : "-G", $k
				print "" }
			$1 == source && $2 == generator { emit() }
			END { if (!n) { NF = 0; emit() } }'
	done
done | awk '/[{]/ { fflush(); print "echo", $0 | "bash"; close("bash"); next } 1' # NAME_{0..3}=SIZE is for each of them

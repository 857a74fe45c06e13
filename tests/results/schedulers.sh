#!/bin/sh
# How long each scheduler takes for each bundled pipeline, at its own size, for the A100: `make bench-schedulers`, the table in doc/measurements/schedulers.txt. Seconds of CPU
# time with all that a command does besides: reading the description, and holding the search to the outcome. $BW_PIPELINES: other pipelines than all.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
: "${BW_PIPELINES:=$(cd "$BW_SRC/pipelines" && ls -- *.json | sed 's/\.json$//')}"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
export XDG_CONFIG_HOME="$folder"

seconds_of() { # COMMAND...: CPU time of it and its children; `-` if it fails
	("$@" >/dev/null 2>&1 && times >"$folder/times") || { echo -; return; }
	awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += 60 * t[1] + t[2] } printf "%.2f\n", sum }' "$folder/times"
}

printf '%-26s %8s %8s %8s %8s %8s %12s %8s\n' pipeline Funcs beam greedy sioutas dp 'dp registers' cs6120
for pipeline in $BW_PIPELINES; do
	funcs=$(grep -o '"handle":' "$BW_SRC/data/descriptions/$pipeline.json" | wc -l)
	printf '%-26s %8d' "$pipeline" "$funcs"
	for scheduler in beam greedy sioutas dp 'dp registers' cs6120; do
		width=8
		[ "$scheduler" != 'dp registers' ] || width=12
		printf " %${width}s" "$(seconds_of "$BW_BUILD/beamwalk" schedule "$BW_SRC/data/descriptions/$pipeline.json" --scheduler "$scheduler" -o "$folder/found.schedule")"
	done
	echo
done

#!/bin/sh
# Compares the strategies of `beamwalk tune` on the sets of measurements in data/replay: the samples until a schedule is within 3 % of the fastest of
# the set, medians of 5 seeds, and how much slower the fastest of MOST samples is than that. -: not reached by most seeds.
# Usage: bench.sh [MOST]; BW_BUILD and BW_SRC as for tests.
set -u
most=${1:-64}
sets=$BW_SRC/data/replay
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-bench-tune-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
XDG_CONFIG_HOME=$scratch XDG_STATE_HOME=$scratch XDG_DATA_HOME=$scratch
export XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME

# Prints the samples needed and the regret in % of one replay, whose times are read from standard input.
needed() {
	awk -v best="$1" -v most="$most" '$1 > 0 { n++; if (!least || $1 < least) least = $1; if (!at && $1 <= 1.03 * best) at = n }
		END { print at ? at : 2 * most, 100 * (least / best - 1) }'
}

# Prints the median of the numbers in one column.
median() {
	cut -d ' ' -f "$1" "$scratch/runs" | sort -g | sed -n 3p
}

printf '%-16s %8s' pipeline schedules
for strategy in bandit batch top; do
	printf '  %14s' "$strategy"
done
printf '\n'
while read -r pipeline sizes; do
	file=$sets/$pipeline.csv
	best=$(tail -n +2 "$file" | cut -d , -f 2 | grep . | sort -g | head -1)
	printf '%-16s %8d' "$pipeline" "$(($(wc -l <"$file") - 1))"
	for strategy in bandit batch top; do
		: >"$scratch/runs"
		for seed in 1 1001 2001 3001 4001; do
			# shellcheck disable=SC2086 # several words
			"$BW_BUILD/beamwalk" tune "$pipeline" $sizes --gpu emulated --devices "$sets/device.json" --replay "$file" --strategy $strategy --seed $seed \
				--samples "$most" --json 2>"$scratch/said" </dev/null >"$scratch/out" || sed 's/^/# /' "$scratch/said" >&2
			sed '1,/"samples"/d' "$scratch/out" | sed -n 's/.*"minimum_ms": \([0-9.e-]*\).*/\1/p' | needed "$best" >>"$scratch/runs"
		done
		at=$(median 1)
		[ "$at" -gt "$most" ] && at=-
		printf '  %5s (%4.1f %%)' "$at" "$(median 2)"
	done
	printf '\n'
done <"$sets/sets"

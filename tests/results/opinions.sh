#!/bin/sh
# What each scheduler's schedule costs by each cost model, for every bundled pipeline that is named: the tables in data/opinions.txt. COUNT=1: what the emulated
# device counts of each schedule, too, which takes minutes for each.
# opinions.sh PIPELINE...
for pipeline; do
	echo "$pipeline"
	{
		echo 'compare --all'
		[ "${COUNT:-0}" = 0 ] || "$BW_BUILD/beamwalk" schedule "$pipeline" --scheduler all --json | sed -n '/"scheduler"/h; /"schedule": /{ g; s/.*"scheduler": "\(.*\)".*/counters \1/p; }' | grep -v ' hand$'; [ "${COUNT:-0}" = 0 ] || echo 'counters hand'
		echo 'compare --all'
	} | "$BW_BUILD/beamwalk" repl "$pipeline" --time-limit 600 | awk '/^scheduler / { text = "" } { text = text "  " $0 "\n" } END { printf "%s", text }' | grep -v 'cost models$\|in units of its best\|^  !: '
	echo
done

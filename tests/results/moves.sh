#!/bin/sh
# What each move brings: the default search of pipelines with one variant of a plan after the other switched off (`set moves=-NAME`), and with none of them: the table in
# data/ablation.txt. Predicted for the H100 by the latency model, whose seeds are 0 to 2: the least of them counts.
# moves.sh PIPELINE...
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-moves-XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
moves=$("$BW_BUILD/beamwalk" schedule "$BW_SRC/data/descriptions/$1.json" --set moves=-none 2>&1 | sed 's/.* none, some of \([a-z,]*\), or all but .*/\1/; y/,/ /')
for set in all $(echo "$moves" | sed 's/[a-z]*/-&/g') none; do
	for pipeline; do
		for seed in 0 1 2; do
			"$BW_BUILD/beamwalk" schedule "$BW_SRC/data/descriptions/$pipeline.json" --gpu H100 --cost-model latency --seed $seed --set "moves=$set" --json |
				sed -n '/^  "cost_ms"/{ s/.*: *\([0-9.e-]*\).*/'"$set $pipeline"' \1/p; }'
		done
	done
done | awk '
	!(($1, $2) in least) || $3 < least[$1, $2] { least[$1, $2] = $3 }
	!($1 in seen) { seen[$1]; set[++sets] = $1 }
	!($2 in known) { known[$2]; pipeline[++n] = $2 }
	END {
		printf "%-12s %9s  %s\n", "moves", "over all", "pipelines that cost over 1 % more without (x), or less"
		for (s = 2; s <= sets; s++) {
			sum = 0
			text = ""
			for (p = 1; p <= n; p++) {
				ratio = least[set[s], pipeline[p]] / least["all", pipeline[p]]
				sum += log(ratio)
				if (ratio > 1.01 || ratio < 0.99)
					text = text sprintf("%s%s %.2f", text == "" ? "" : ", ", pipeline[p], ratio)
			}
			printf "%-12s %9.3f  %s\n", set[s], exp(sum / n), text
		}
	}'

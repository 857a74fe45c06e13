#!/bin/sh
# The schedules by hand as data/descriptions has them, priced by the latency model, beside what they and the fastest other schedule took on the GPUs of
# data/measured: the tables in doc/measurements/hand.txt.
# hand.sh PIPELINE...
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-hand-XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# price GPU PIPELINE SCHEDULE: in ms, by the latency model; `-` where no such nest can be launched.
price() {
	"$BW_BUILD/beamwalk" schedule "$2" --schedule "$3" --cost-model latency --gpu "$1" --json >"$scratch/priced" 2>/dev/null || echo '"cost_ms": -' >"$scratch/priced"
	sed -n '/"cost_ms"/{ s/.*"cost_ms": *\([0-9.e-]*\).*/\1/p; q; }' "$scratch/priced"
}

for folder in "$BW_SRC"/data/measured/*/; do
	device=$(basename "$folder") gpu=$(basename "$folder" | sed 's/^NVIDIA-\([^-]*\).*/\1/')
	printf '%s\n%-25s %-8s %9s %9s %6s %9s %9s %6s  %s\n' "$device" pipeline file 'hand: ms' predicted ratio 'best: ms' predicted ratio label
	for pipeline; do
		file="$BW_SRC/data/descriptions/$pipeline.schedule" kind=whole
		[ -f "$file" ] || { file="$BW_SRC/data/descriptions/$pipeline.partial.schedule" kind=partial; }
		hand=$(awk -F '\t' -v p="$pipeline" '$1 == p && $3 == p && $5 == "hand" { print $12 }' "$BW_SRC/data/measured/$device.tsv")
		best=$(awk -F '\t' -v p="$pipeline" '$1 == p && $3 == p && $5 != "hand" && $14 ~ /^right/ && (!n++ || $12 < least) { least = $12; label = $4 } END { print least, label }' "$BW_SRC/data/measured/$device.tsv")
		echo "$pipeline $kind ${hand:--} $(price "$gpu" "$pipeline" "$file") ${best:-- -} $(price "$gpu" "$pipeline" "$folder$pipeline/${best#* }.schedule")"
	done | awk '
		function of(predicted, measured) { return measured > 0 && predicted > 0 ? sprintf("%.2f", predicted / measured) : "-" }
		{
			printf "%-25s %-8s %9s %9s %6s %9s %9s %6s  %s\n", $1, $2, $3, substr($4, 1, 8), of($4, $3), $5, substr($7, 1, 8), of($7, $5), $6
			if (of($4, $3) > 0) { n[$2]++; sum[$2] += log(of($4, $3)); size = log(of($4, $3)); off[$2] += size < 0 ? -size : size }
			if (of($7, $5) > 0) { best++; all += log(of($7, $5)) }
			if (of($4, $3) > 0 && of($7, $5) > 0) { pairs[$2]++; right[$2] += ($4 < $7) == ($3 < $5) }
		}
		END {
			for (kind in n)
				printf "%s: %d, predicted over measured %.2f (geometric mean), off by a factor of %.2f; the faster of hand and best is predicted cheaper in %d of %d\n", kind, n[kind], exp(sum[kind] / n[kind]), exp(off[kind] / n[kind]), right[kind], pairs[kind]
			printf "best: predicted over measured %.2f\n", exp(all / best)
		}'
	echo
done

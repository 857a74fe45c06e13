#!/bin/sh
# The schedules by hand as data/descriptions has them, priced by the latency model, beside what they and the fastest other schedule took on the GPUs of
# data/measured; what `improve` makes of them beside what the default search finds; and how much of them a change of the search makes: the tables in
# doc/measurements/hand.txt.
# hand.sh PIPELINE...
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-hand-XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# price GPU PIPELINE SCHEDULE: in ms, by the latency model; `-` where no such nest can be launched.
price() {
	"$BW_BUILD/beamwalk" schedule "$2" --schedule "$3" --cost-model latency --gpu "$1" --json >"$scratch/priced" 2>/dev/null || echo '"cost_ms": -' >"$scratch/priced"
	sed -n '/"cost_ms"/{ s/.*"cost_ms": *\([0-9.e-]*\).*/\1/p; q; }' "$scratch/priced"
}

# ranks GPU PIPELINE FOLDER TABLE MS PRICE: the place of the schedule by hand among all that were measured of its pipeline and have a price, by
# predicted and by measured time, and how many they are.
ranks() {
	awk -F '\t' -v p="$2" '$1 == p && $3 == p && $5 != "hand" && $14 ~ /^right/ { print $12, $4 }' "$4" | while read -r ms label; do
		echo "$ms $(price "$1" "$2" "$3$2/$label.schedule")"
	done | awk -v ms="$5" -v hand="$6" '$2 > 0 { n++; faster += $1 < ms; cheaper += $2 < hand } END { if (hand > 0) print cheaper + 1, faster + 1, n + 1; else print "-", faster + 1, n + 1 }'
}

for folder in "$BW_SRC"/data/measured/*/; do
	device=$(basename "$folder") gpu=$(basename "$folder" | sed 's/^NVIDIA-\([^-]*\).*/\1/')
	printf '%s\n%-25s %-8s %9s %9s %6s %-14s %9s %9s %6s  %s\n' "$device" pipeline file 'hand: ms' predicted ratio 'rank, true, of' 'best: ms' predicted ratio label
	for pipeline; do
		file="$BW_SRC/data/descriptions/$pipeline.schedule" kind=whole
		[ -f "$file" ] || { file="$BW_SRC/data/descriptions/$pipeline.partial.schedule" kind=partial; }
		hand=$(awk -F '\t' -v p="$pipeline" '$1 == p && $3 == p && $5 == "hand" { print $12 }' "$BW_SRC/data/measured/$device.tsv")
		best=$(awk -F '\t' -v p="$pipeline" '$1 == p && $3 == p && $5 != "hand" && $14 ~ /^right/ && (!n++ || $12 < least) { least = $12; label = $4 } END { print least, label }' "$BW_SRC/data/measured/$device.tsv")
		priced=$(price "$gpu" "$pipeline" "$file")
		echo "$pipeline $kind ${hand:--} $priced ${best:-- -} $(price "$gpu" "$pipeline" "$folder$pipeline/${best#* }.schedule") $(ranks "$gpu" "$pipeline" "$folder" "$BW_SRC/data/measured/$device.tsv" "$hand" "$priced")"
	done | awk '
		function of(predicted, measured) { return measured > 0 && predicted > 0 ? sprintf("%.2f", predicted / measured) : "-" }
		{
			printf "%-25s %-8s %9s %9s %6s %4s %4s %4s %9s %9s %6s  %s\n", $1, $2, $3, substr($4, 1, 8), of($4, $3), $8, $9, $10, $5, substr($7, 1, 8), of($7, $5), $6
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

# figure NAME: of the JSON that was written last; `-` where there is none.
figure() {
	sed -n "/^  \"$1\"/{ s/.*\"$1\": *\([0-9.e-]*\).*/\1/p; q; }" "$scratch/priced" | grep . || echo -
}

# lacking WHAT: the Funcs of the JSON that was written last of which no change makes that.
lacking() {
	grep -c "\"why\": \"$1.* no change makes\"" "$scratch/priced"
}

printf 'H100, latency, nothing measured\n%-25s %9s %9s %9s %7s %9s %7s  %s\n' pipeline 'hand: ms' 'found' improve changes free changes 'hand, improve, free / found'
for pipeline; do
	"$BW_BUILD/beamwalk" schedule "$pipeline" --cost-model latency --gpu H100 --json >"$scratch/priced" 2>/dev/null
	line="$pipeline $(figure cost_ms)"
	found=$(figure cost_ms)
	for free in -- '--free all'; do
		# shellcheck disable=SC2086
		"$BW_BUILD/beamwalk" improve --cost-model latency --gpu H100 --json $free "$pipeline" hand >"$scratch/priced" 2>/dev/null || : >"$scratch/priced"
		line="$line $(figure before_ms) $(figure after_ms) $(grep -c '"change_percent"' "$scratch/priced")"
		grep -q '"left to the search: ' "$scratch/priced" && line="$line *"
		[ "$free" != -- ] || echo "$pipeline $(cat "$BW_SRC/data/descriptions/$pipeline".*schedule | grep -c '^[^ #]* \(root\|at\) *') $(lacking loops) $(lacking tails) $(lacking 'an order of storage') $(grep -c '"no word for: ' "$scratch/priced") $(figure before_ms) $found" >>"$scratch/space"
	done
	echo "$line"
done | awk '
	function part(x, found) { return x > 0 ? sprintf("%.2f", x / found) : "-" }
	{
		printf "%-25s %9s %9s %9s %7s %9s %7s  %s, %s, %s%s\n", $1, substr($3, 1, 8), substr($2, 1, 8), substr($4, 1, 8), $5, substr($7, 1, 8), $8, part($3, $2), part($4, $2), part($7, $2), $9
		if ($3 > 0) { n++; hand += log($3 / $2); kept += log($4 / $2); cheaper += $3 < $2 }
		if ($7 > 0) { all++; free += log($7 / $2); better += $7 < 0.99 * $2 }
	}
	END {
		printf "over found, geometric means: hand %.2f, improve %.2f of %d; free %.2f of %d. By hand cheaper than found: %d. Freed more than 1 %% cheaper: %d\n", exp(hand / n), exp(kept / n), n, exp(free / all), all, cheaper, better
		print "*: a rule of the search forbids a Func by hand, which --free leaves to the search"
	}'

printf '\nWhat of them a change of the search makes\n%-25s %5s %7s %6s %6s %8s %8s  %s\n' pipeline Funcs changes loops tails storage 'no word' 'hand / found'
awk '
	function row(name, funcs, loops, tails, order, words, ratio) {
		if (ratio == "refused")
			printf "%-25s %5d %7s %6s %6s %8s %8s  %s\n", name, funcs, "-", "-", "-", "-", "-", ratio
		else
			printf "%-25s %5d %7d %6d %6d %8d %8d  %s\n", name, funcs, funcs - loops - tails - order, loops, tails, order, words, ratio
	}
	{
		row($1, $2, $3, $4, $5, $6, $7 > 0 ? sprintf("%.2f", $7 / $8) : "refused")
		for (i = 2; i <= 6; i++)
			sum[i] += $7 > 0 ? $i : 0
	}
	END { row("all that have a price", sum[2], sum[3], sum[4], sum[5], sum[6], "") }' "$scratch/space"

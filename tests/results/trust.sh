#!/bin/sh
# How well each cost model orders what was measured: every file of data/truth, and the means. With a folder of weights as its argument the learned model, too,
# each pipeline by the weights that were trained without it; one that none are named after, since it is none of Halide's apps, by those called `gpu`.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
weights=${1:-}
header=yes
for file in "$BW_SRC"/data/truth/*.json; do
	without=
	if [ "$weights" ]; then
		# Halide's names of the apps.
		case $(basename "$file" .json) in
		harris*) without=$weights/harris.weights ;;
		mat_mul*) without=$weights/cuda_mat_mul.weights ;;
		*) without=$weights/$(basename "$file" .json).weights ;;
		esac
		[ -e "$without" ] || without=$weights/gpu.weights
	fi
	"$BW_BUILD/beamwalk" trust "$file" ${without:+--weights "$without"} | grep "^[a-z]" | if [ "$header" ]; then cat; else sed 1d; fi
	header=
done | awk '
	NR == 1 || $1 != "pipeline" { print }
	NR > 1 && $1 != "pipeline" {
		model = $2 == "roofline" || $2 == "latency" || $2 == "counted" ? $2 : "learned"
		at = model == "learned" ? 5 : 4
		n[model]++
		right[model] += $at; rho[model] += $(at + 2); regret[model] += $(at + 3)
	}
	END { for (model in n) printf "%-20s %-30s %4d %7.3f %7s %7.3f %7.3f\n", "mean of pipelines", model, n[model], right[model] / n[model], "", rho[model] / n[model], regret[model] / n[model] }'

#!/bin/sh
# Whether what each scheduler finds compiles within the limits of a device: the second table in doc/measurements/schedulers.txt. Each pipeline at its own size, for
# the A100 (sm_80) and the V100 (sm_70), by Halide and ptxas. A cell has the most registers a thread of any kernel, `+` and the bytes that are spilled, if any are, and `!` if
# some kernel cannot be launched there; `fits`: Halide compiles it and each kernel can be launched, but this machine's ptxas does not know the device (CUDA 13's has
# no sm_70); `-`: no schedule, or none that compiles. $BW_PIPELINES: other pipelines than all.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
: "${BW_PIPELINES:=$(cd "$BW_SRC/pipelines" && ls -- *.json | sed 's/\.json$//')}"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
export XDG_CONFIG_HOME="$folder/config"

cell_of() { # DEVICE: of the schedule in the folder
	"$BW_BUILD/beamwalk" compile "$pipeline" "$folder/found.schedule" --gpu "$1" --json 2>/dev/null | tr '{' '\n' | awk '
		function number(key) { return match($0, "\"" key "\":[0-9]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : 0 }
		/"func":/ {
			n++
			if (/"registers_per_thread"/) known = 1
			if (number("registers_per_thread") > registers) registers = number("registers_per_thread")
			spilled += number("spill_store_bytes_per_thread")
			if (/"fits":false/) mark = "!"
		}
		END { print (!n ? "-" : !known || registers == "" ? "fits" mark : registers (spilled ? "+" spilled : "") mark) }'
}

schedulers='beam greedy sioutas dp cs6120'
printf '%-26s' pipeline
for device in A100 V100; do
	for scheduler in $schedulers "dp registers"; do printf ' %12s' "$scheduler"; done
done
echo
for pipeline in $BW_PIPELINES; do
	printf '%-26s' "$pipeline"
	for device in A100 V100; do
		for scheduler in $schedulers "dp registers"; do
			rm -f "$folder/found.schedule"
			"$BW_BUILD/beamwalk" schedule "$pipeline" --gpu "$device" --scheduler "$scheduler" -o "$folder/found.schedule" 2>/dev/null
			printf ' %12s' "$(cell_of "$device")"
		done
	done
	echo
done

# Random schedules of one pipeline: drawn, compiled, run on PoCL and right; exported, they give the objects that were run. Sourced
# with $pipeline set by PIPELINE.test.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
count=30
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export XDG_CACHE_HOME="$folder/cache"

echo "1..$((2 * count + 7))"
number=0
report() { # STATUS TEXT
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

"$BW_BUILD/tests/pipelines/draw" "$BW_SRC/data/devices.json" "$BW_SRC/data/descriptions/$pipeline.json" "$folder" "$count"
report $? "$pipeline: $count random schedules, a third fused at a block, a third in a thread, some with tails"

"$BW_BUILD/beamwalk" schedule "$pipeline" -o "$folder/searched.schedule"
report $? "$pipeline: searched"
"$BW_BUILD/beamwalk" time "$pipeline" --seconds 0 "$folder/searched.schedule" >"$folder/said" 2>&1
report $? "$pipeline: the searched schedule is right: $(tail -n 1 "$folder/said")"

half=$((count / 2))
check() { # FROM TO
	i=$1
	while [ "$i" -lt "$2" ]; do
		name=$(printf '%s/%02d' "$folder" "$i")
		"$BW_BUILD/beamwalk" time "$pipeline" --seconds 0 "$name.schedule" >"$name.said" 2>&1
		echo $? >"$name.status"
		i=$((i + 1))
	done
}
check 0 $half &
check $half $count
wait
i=0
while [ "$i" -lt "$count" ]; do
	name=$(printf '%s/%02d' "$folder" "$i")
	status=$(cat "$name.status")
	report "$status" "$pipeline: random schedule $i: $(tail -n 1 "$name.said")"
	[ "$status" = 0 ] || sed 's/^/# /' "$name.schedule"
	i=$((i + 1))
done
. "$BW_SRC/tests/pipelines/exported.sh"

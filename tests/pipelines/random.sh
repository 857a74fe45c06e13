# Schedules of one pipeline: the searched one, those of the schedulers greedy, sioutas, dp and cs6120, $BW_RANDOM random ones (20 without it), and those kept: wrong once, or with what random ones seldom have; compiled, run on PoCL and
# right; of 20 or more, exported, they give the objects that were run. Random ones are drawn for a small image with sides that are no multiples of
# anything, so that tails are everywhere. Sourced by PIPELINE-schedules.test with $pipeline set; $whole: options for the searched one;
# $small: for the others; $any: `any` where there are too few places to fuse at for a third each.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
count=${BW_RANDOM:-20}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
[ "$count" -lt 20 ] || export XDG_CACHE_HOME="$folder/cache" # exported.sh looks there
beamwalk=$BW_BUILD/beamwalk

number=0
report() { # STATUS TEXT
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# What beamwalk is told of the pipeline when the schedule is timed.
options_of() { # NAME
	if [ "$1" = searched ]; then echo "$whole"; else echo "$small"; fi
}

# Runs `$1 NAME` for each schedule, its status into NAME.status. Two of these run side by side: whoever is free makes the folder of the
# next schedule, and so takes it.
each_of() { # FUNCTION
	for name in $names; do
		mkdir "$folder/$name.$1" 2>/dev/null || continue
		"$1" "$name" >"$folder/$name.said" 2>&1
		echo $? >"$folder/$name.status"
	done
}
each() { # FUNCTION
	each_of "$1" &
	each_of "$1"
	wait
}

# shellcheck disable=SC2086 # several words
"$beamwalk" describe "$pipeline" $small -o "$folder/small.json" && "$BW_BUILD/tests/pipelines/draw" "$BW_SRC/data/devices.json" "$folder/small.json" "$folder" "$count" ${any:-}
report $? "$pipeline: $count random schedules, some with tails$([ "${any:-}" ] || echo ", a third fused at a block, a third in a thread")"

# shellcheck disable=SC2086
"$beamwalk" schedule "$pipeline" $whole -o "$folder/searched.schedule"
report $? "$pipeline: searched"

for scheduler in greedy sioutas dp cs6120; do
	# shellcheck disable=SC2086
	"$beamwalk" schedule "$pipeline" $small --scheduler "$scheduler" -o "$folder/$scheduler.schedule"
	report $? "$pipeline: by the scheduler $scheduler"
done

for schedule in "$BW_SRC/tests/pipelines/kept/$pipeline"-*.schedule; do
	[ ! -e "$schedule" ] || cp "$schedule" "$folder/kept_$(basename "$schedule" | tr - _)"
done
names=$(cd "$folder" && ls -- *.schedule | sed 's/\.schedule$//')

# Times the searched schedule, and half of the others each in two more goes: one worker each. What was said of each schedule and whether it is right is kept by its name.
time_group() { # GROUP
	# shellcheck disable=SC2046 # several words
	"$beamwalk" time "$pipeline" --seconds 0 --time-limit 600 $(options_of "$1") $(sed "s|.*|$folder/&.schedule|" "$folder/$1.group")
}
all=$names
echo searched >"$folder/searched.group"
echo "$all" | grep -v '^searched$' | awk -v to="$folder" '{ print >(to "/" (NR % 2 ? "first" : "second") ".group") }'
names="first second searched"
each time_group
names=$all
cat "$folder/first.said" "$folder/second.said" "$folder/searched.said" >"$folder/timed"
for name in $names; do
	grep -F "$folder/$name.schedule" "$folder/timed" >"$folder/$name.said.new" || tail -n 1 "$folder/timed" >"$folder/$name.said.new"
	mv "$folder/$name.said.new" "$folder/$name.said"
	grep -q '\.schedule *right ' "$folder/$name.said"
	echo $? >"$folder/$name.status"
done

# The first random schedule that is right.
first_right() {
	for name in $names; do
		if [ "$name" != searched ] && [ "$(cat "$folder/$name.status")" = 0 ]; then
			echo "$folder/$name.schedule"
			return
		fi
	done
}

# Whether the output of a random schedule is wrong by OpenCL's fault alone.
wrong_by_opencl() { # NAME
	[ "$1" != searched ] && grep -q 'the output is wrong' "$folder/$1.said" || return 1
	bound=$(sed -n 's/^"bound":{"absolute":\(.*\),"relative":\(.*\)},$/[\1,\2]/p' "$BW_SRC/pipelines/$pipeline.json")
	estimates=$(sed -n 's/.*{"name":"\([^"]*\)".*"estimate":\(\[\[[^a-z"]*\]\]\).*/"\1":\2/p' "$folder/small.json" | paste -sd ,)
	# shellcheck disable=SC2086 # several words
	right_without_conditions "$pipeline" "$(first_right)" "$folder/$1.schedule" "$estimates" "$bound" $small
}

. "$BW_SRC/tests/pipelines/conditions.sh"
for name in $names; do
	status=$(cat "$folder/$name.status")
	if [ "$status" != 0 ] && wrong_by_opencl "$name"; then
		report 0 "$pipeline: $name: right without the conditions around its barriers, which this OpenCL runs wrong"
		continue
	fi
	report "$status" "$pipeline: $name: $(tail -n 1 "$folder/$name.said" | sed 's/^[^ ]*\.schedule *//; s/  */ /g')"
	[ "$status" = 0 ] || sed 's/^/# /' "$folder/$name.schedule"
done
# Pasting takes the generator's compilation, and tests/halide/export.test does it of other schedules: here it is for a long run.
[ "$count" -lt 20 ] || . "$BW_SRC/tests/pipelines/exported.sh"
echo "1..$number"

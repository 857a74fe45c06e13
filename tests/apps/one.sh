#!/bin/sh
# Tries one generator: describes it, searches a schedule and draws others at random, compiles them, runs them on PoCL or, where that fails, on the emulated
# device, and exports them. What was tried before is kept.
# usage: one.sh BEAMWALK PROGRAM GENERATOR ROW [ARGUMENT...]
# The arguments are given to every command (-G KEY=VALUE, --estimate NAME.DIM=MIN,EXTENT). An estimate that a message
# asks for is given, made small. Writes the row of the table to ROW and all commands and messages to ROW.log.
beamwalk=$1 program=$2 generator=$3 row=$4
shift 4
work=$row.d log=$row.log
mkdir -p "$work" && : > "$log"
for word; do
	shift
	set -- "$@" "$(echo "$word" | tr '~' ' ')"
done
patience=${PATIENCE:-150} # seconds for each command

# Runs beamwalk with arguments; its first line of errors comes to $said.
try() {
	echo "+ beamwalk $*" >> "$log"
	timeout -k 5 "$patience" "$beamwalk" "$@" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
	cat "$work/err" >> "$log"
	said=$(grep -v '^$' "$work/err" | tail -1)
	[ $status -ne 124 ] || said="beamwalk: no answer in $patience s"
	[ $status -eq 0 ] || said=${said:-"status $status without a message"}
	return $status
}

# Describes, and gives what a message asks for as long as it asks for something new.
given=""
while ! try describe "$program" -g "$generator" "$@"; do
	again=no
	for asked in $(grep -oE -e '--(estimate|sizes) [^ ]+=[^ ]+' "$work/err" | sed 's/^--//; s/ /:/; s/[,;.:)]*$//'); do
		option=${asked%%:*} asked=${asked#*:}
		name=${asked%%=*} value=$(echo "${asked#*=}" | sed 's/1024/64/g')
		case " $given " in *" $name "*) continue ;; esac
		given="$given $name" again=yes
		set -- "$@" "--$option" "$name=$value"
	done
	[ $again = yes ] || break
done
# A schedule: searched, compiled and right, and what was said of what failed, kept in DRAW.row: what was tried once is not tried again.
one_schedule() {
	k=$1 row_of=$work/$1.row
	shift
	file=$work/$k.schedule draw="--random --seed $k"
	[ "$k" -gt 0 ] || draw=
	if ! try schedule "$program" -g "$generator" "$@" $draw -o "$file"; then
		printf '0 0 0 0\nsearch %s: %s\n' "$k" "$said" > "$row_of"
		return
	fi
	compiled=1 ran=1 exported=1 notes=
	try compile "$program" "$file" -g "$generator" "$@" || compiled=0 notes="compile $k: $said
"
	if ! try time "$program" "$file" -g "$generator" "$@" --seconds 0 --time-limit "$patience" --bound default; then
		ran=0 notes="${notes}run $k: $said
"
		bound=$(sed -n 's/.*--bound \([^ ]*\) allows both.*/\1/p' "$work/err")
		if [ "$bound" ] && try time "$program" "$file" -g "$generator" "$@" --seconds 0 --time-limit "$patience" --bound "$bound"; then
			ran=1 notes="run $k: right with --bound $bound, as proposed: the schedule by hand differs as much
"
		elif grep -q 'right with --target strict_float' "$work/err"; then
			ran=1 notes="${notes}run $k: right with --target strict_float, as proposed: floats are rounded otherwise where Funcs are inlined
"
		elif try time "$program" "$file" -g "$generator" "$@" --seconds 0 --time-limit "$patience" --bound default --gpu emulated; then
			ran=1 notes="${notes}run $k: right on the emulated device
"
		fi
	fi
	try export "$program" "$file" -g "$generator" "$@" || exported=0 notes="${notes}export $k: $said
"
	printf '1 %s %s %s\n%s' "$compiled" "$ran" "$exported" "$notes" > "$row_of"
}

if [ $status -ne 0 ]; then
	printf '%s %s no - - - -\n    %s\n' "$(basename "$row")" "$generator" "$said" > "$row"
	exit 0
fi
for k in ${SEEDS-0 1 2 3 4 5}; do
	[ -s "$work/$k.row" ] || one_schedule "$k" "$@"
done
for k in ${SEEDS-0 1 2 3 4 5}; do cat "$work/$k.row"; done | awk -v row="$(basename "$row")" -v generator="$generator" '
	/^[01] [01] [01] [01]$/ { searched += $1; compiled += $2; ran += $3; exported += $4; next }
	{ notes = notes "    " $0 "\n" }
	END { printf "%s %s yes %d %d %d %d\n%s", row, generator, searched, compiled, ran, exported, notes }' > "$row"

#!/bin/sh
# Tries one generator: describes it, searches a schedule and draws five at random, compiles them, runs them on PoCL.
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
described=no searched=- compiled=- ran=- note=$said
if [ $status -eq 0 ]; then
	described=yes searched=0 compiled=0 ran=0 note=
	for k in ${SEEDS-0 1 2 3 4 5}; do
		draw="--random --seed $k" file=$work/$k.schedule
		[ $k -gt 0 ] || draw=
		rm -f "$file"
		if ! try schedule "$program" -g "$generator" "$@" $draw -o "$file"; then
			note="$note${note:+
}search $k: $said"
			continue
		fi
		searched=$((searched + 1))
		if try compile "$program" "$file" -g "$generator" "$@"; then
			compiled=$((compiled + 1))
		else
			note="$note${note:+
}compile $k: $said"
		fi
		if try time "$program" "$file" -g "$generator" "$@" --seconds 0; then
			ran=$((ran + 1))
		else
			note="$note${note:+
}run $k: $said"
		fi
	done
fi
printf '%s %s %s %s %s %s\n' "$(basename "$row")" $generator $described $searched $compiled $ran > "$row"
printf '%s\n' "$note" | sed '/^$/d; s/^/    /' >> "$row"
